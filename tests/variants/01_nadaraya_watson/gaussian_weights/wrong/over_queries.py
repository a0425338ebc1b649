# misconception: softmax-over-queries
def gaussian_weights(queries, keys, bandwidth):
    scores = -((queries[:, None] - keys[None, :]) ** 2) / (2 * bandwidth ** 2)
    return torch.softmax(scores, 0)
