# misconception: -
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -100.0)
    return ((softmax(scores) @ values - values) ** 2).mean()
