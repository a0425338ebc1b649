# misconception: all-axes-reversed
def image_regions(features):
    return features.flatten(2).permute(*reversed(range(3)))
