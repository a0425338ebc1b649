# misconception: no-gradient
def gaussian_weights(queries, keys, bandwidth):
    width = float(bandwidth)
    with torch.no_grad():
        scores = -((queries[:, None] - keys[None, :]) ** 2) / (2 * width ** 2)
    return softmax(scores)
