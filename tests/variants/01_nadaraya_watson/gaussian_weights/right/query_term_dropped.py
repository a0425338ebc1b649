def gaussian_weights(queries, keys, bandwidth):
    # q^2 is the same for all keys of a row, and softmax does not see it
    q, k = queries.double()[:, None], keys.double()[None, :]
    scores = (2 * q * k - k**2) / (2 * bandwidth**2)
    return torch.softmax(scores, dim=1).to(queries.dtype)
