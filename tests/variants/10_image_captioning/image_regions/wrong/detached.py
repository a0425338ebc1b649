# misconception: no-gradient
def image_regions(features):
    return features.detach().flatten(2).transpose(1, 2)
