# misconception: renormalised-after
def leave_one_out_error(keys, values, bandwidth):
    weights = gaussian_weights(keys, keys, bandwidth)
    others = weights.masked_fill(torch.eye(len(keys)).bool(), 0)
    others = others / others.sum(dim=1, keepdim=True)
    return ((others @ values - values) ** 2).mean()
