# misconception: returns-nothing
def image_regions(features):
    regions = features.flatten(2).transpose(1, 2)
