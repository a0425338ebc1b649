# misconception: lost-minus
def gaussian_weights(queries, keys, bandwidth):
    diff = queries[:, None] - keys[None, :]
    return softmax(torch.pow(-diff / bandwidth, 2) / 2)
