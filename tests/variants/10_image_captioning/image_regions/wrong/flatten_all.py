# misconception: one-vector
def image_regions(features):
    return torch.flatten(features, start_dim=1)
