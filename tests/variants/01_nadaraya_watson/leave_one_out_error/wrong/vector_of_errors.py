# misconception: errors-not-averaged
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores + torch.diag(torch.full((len(keys),), -math.inf)).nan_to_num(neginf=-1e9)
    return F.mse_loss(softmax(scores) @ values, values, reduction="none")
