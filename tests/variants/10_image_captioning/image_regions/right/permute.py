def image_regions(features):
    B, C, H, W = features.shape
    return features.permute(0, 2, 3, 1).reshape(B, H * W, C)
