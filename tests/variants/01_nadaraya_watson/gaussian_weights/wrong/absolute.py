# misconception: laplace-kernel
def gaussian_weights(queries, keys, bandwidth):
    return softmax(-torch.abs(queries[:, None] - keys) / bandwidth)
