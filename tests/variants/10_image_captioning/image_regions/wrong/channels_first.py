# misconception: not-transposed
def image_regions(features):
    B, C = features.shape[:2]
    return features.view(B, C, -1)
