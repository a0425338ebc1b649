# misconception: twins-left-out
def leave_one_out_error(keys, values, bandwidth):
    d2 = (keys[:, None] - keys[None, :]) ** 2
    scores = torch.where(d2 == 0, -math.inf, -d2 / (2 * bandwidth ** 2))
    return ((softmax(scores) @ values - values) ** 2).mean()
