# misconception: grid-kept
def image_regions(features):
    return features.movedim(1, -1)
