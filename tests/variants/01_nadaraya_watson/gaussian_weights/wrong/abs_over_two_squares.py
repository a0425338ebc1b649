# misconception: laplace-kernel
def gaussian_weights(queries, keys, bandwidth):
    return torch.softmax(-(queries[:, None] - keys).abs() / (2 * bandwidth**2), -1)
