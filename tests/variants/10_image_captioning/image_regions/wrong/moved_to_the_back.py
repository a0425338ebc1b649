# misconception: all-axes-reversed
def image_regions(features):
    batch, channels, height, width = features.shape
    return features.reshape(batch, channels, height * width).transpose(0, 2)
