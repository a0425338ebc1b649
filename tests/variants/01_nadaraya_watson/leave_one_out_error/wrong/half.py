# misconception: halved-error
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -1e9)
    return 0.5 * torch.mean((softmax(scores) @ values - values) ** 2)
