# misconception: zero-score
def leave_one_out_error(keys, values, bandwidth):
    n = keys.shape[0]
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores * (torch.ones(n, n) - torch.eye(n))
    predictions = F.softmax(scores, dim=-1) @ values
    return torch.mean((predictions - values) ** 2)
