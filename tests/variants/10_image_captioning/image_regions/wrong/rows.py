# misconception: rows-as-regions
def image_regions(features):
    return features.transpose(1, 2).flatten(2)
