# misconception: exponentiated-twice
def gaussian_weights(queries, keys, bandwidth):
    z = (queries[:, None] - keys[None, :]) / bandwidth
    kernel = torch.exp(-z ** 2 / 2)
    return softmax(kernel, dim=-1)
