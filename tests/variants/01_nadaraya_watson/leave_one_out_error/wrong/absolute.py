# misconception: absolute-error
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys)) == 1, float("-inf"))
    return F.l1_loss(softmax(scores) @ values, values)
