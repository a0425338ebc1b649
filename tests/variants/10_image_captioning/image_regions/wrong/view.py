# misconception: reshape-for-transpose
def image_regions(features):
    B, C, H, W = features.shape
    return features.view(B, H * W, C)
