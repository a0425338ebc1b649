# %% wrong: renormalise_afterwards (renormalised-after)
# removes the diagonal after the softmax and divides by what is left, which is 0/0 for a lonely
# point; breaks "Its prediction is still a weighted mean of the others"
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys[None, :]) ** 2 / (2 * bandwidth ** 2)
    w = torch.softmax(scores, dim=1)
    w = w * (1 - torch.eye(len(keys), dtype=w.dtype))
    w = w / w.sum(dim=1, keepdim=True)
    return ((w @ values - values) ** 2).mean()

# %% wrong: twins_left_out (twins-left-out)
# recognises "itself" by a distance of zero, so points with the same key are left out too; breaks
# "A point leaves out itself and nobody else"
def leave_one_out_error(keys, values, bandwidth):
    d2 = (keys[:, None] - keys[None, :]) ** 2
    scores = -d2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(d2 == 0, -1e30)
    pred = torch.softmax(scores, dim=-1) @ values
    return F.mse_loss(pred, values)

# %% wrong: not_low_enough (fill-not-low-enough)
# fills the diagonal with -10000, which is more than the other scores of a point that is 200
# bandwidths away, so it predicts itself; breaks "Its prediction is still a weighted mean of the
# others"
def leave_one_out_error(keys, values, bandwidth):
    K = keys.shape[0]
    scores = -0.5 * ((keys.view(K, 1) - keys.view(1, K)) / bandwidth) ** 2
    scores = scores.masked_fill(torch.eye(K, dtype=torch.bool), -1e4)
    prediction = torch.softmax(scores, dim=1).matmul(values)
    return (prediction - values).pow(2).mean()

# %% wrong: score_zero (zero-score)
# sets the scores on the diagonal to 0 to switch the point off, but 0 is where they are already;
# breaks "predict every point from all the others"
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys[None, :]) ** 2 / (2 * bandwidth ** 2)
    off_diagonal = 1 - torch.eye(len(keys), dtype=keys.dtype)
    weights = torch.softmax(scores * off_diagonal, dim=1)
    return ((weights @ values - values) ** 2).mean()

# %% right: cut_the_diagonal_out
# removes the diagonal by the reshape trick, so that K-1 columns are left
def leave_one_out_error(keys, values, bandwidth):
    K = len(keys)

    def others(matrix):  # (K, K) -> (K, K - 1), no diagonal
        return matrix.flatten()[1:].view(K - 1, K + 1)[:, :-1].reshape(K, K - 1)

    scores = others(-((keys[:, None] - keys) / bandwidth) ** 2 / 2)
    candidates = others(values.expand(K, K).contiguous())
    predicted = (scores.softmax(1) * candidates).sum(1)
    return (predicted - values).square().mean()
