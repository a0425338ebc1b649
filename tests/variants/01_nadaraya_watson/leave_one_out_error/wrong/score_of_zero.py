# misconception: zero-score
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys[None, :]) ** 2 / (2 * bandwidth ** 2)
    mask = torch.eye(len(keys), dtype=torch.bool)
    scores = scores.masked_fill(mask, 0.0)
    return ((softmax(scores) @ values - values) ** 2).mean()
