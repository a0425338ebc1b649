# misconception: only-itself
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth**2)
    scores = scores.masked_fill(~torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return ((torch.softmax(scores, -1) @ values - values) ** 2).mean()
