def image_regions(features):
    return features.flatten(2).transpose(1, 2)
