def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    scores = scores - 1e9 * torch.eye(len(keys))
    return (torch.softmax(scores, 1) @ values - values).square().mean()
