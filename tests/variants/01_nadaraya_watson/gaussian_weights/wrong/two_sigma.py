# misconception: bandwidth-not-squared
def gaussian_weights(queries, keys, bandwidth):
    sq = torch.square(queries[:, None] - keys[None, :])
    return softmax(-sq / (2 * bandwidth))
