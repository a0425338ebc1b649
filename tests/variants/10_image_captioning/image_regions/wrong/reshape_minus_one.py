# misconception: reshape-for-transpose
def image_regions(features):
    return features.reshape(features.size(0), -1, features.size(1))
