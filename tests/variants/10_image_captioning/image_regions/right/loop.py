def image_regions(features):
    rows = []
    for i in range(features.shape[2]):
        for j in range(features.shape[3]):
            rows.append(features[:, :, i, j])
    return torch.stack(rows, dim=1)
