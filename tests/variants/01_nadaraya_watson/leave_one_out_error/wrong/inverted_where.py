# misconception: only-itself
def leave_one_out_error(keys, values, bandwidth):
    own = torch.eye(len(keys), dtype=torch.bool)
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth**2)
    weights = torch.where(own, scores, torch.full_like(scores, float("-inf"))).softmax(-1)
    return F.mse_loss(weights @ values, values)
