# misconception: channels-as-regions
def image_regions(features):
    C = features.shape[1]
    return features.permute(0, 2, 3, 1).reshape(-1, C)
