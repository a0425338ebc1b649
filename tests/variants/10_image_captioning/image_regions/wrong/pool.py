# misconception: pooled
def image_regions(features):
    return F.adaptive_avg_pool2d(features, 1).flatten(1)
