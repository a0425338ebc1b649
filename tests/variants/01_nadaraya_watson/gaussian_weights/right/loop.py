def gaussian_weights(queries, keys, bandwidth):
    rows = []
    for q in queries:
        scores = []
        for k in keys:
            scores.append(-((q - k) ** 2) / (2 * bandwidth ** 2))
        rows.append(softmax(torch.stack(scores)))
    return torch.stack(rows)
