def softmax(scores, dim=-1):
    """1 / sum_j exp(s_j - s_i): no exponential of a large number but where the answer is 0."""
    s = scores.movedim(dim, -1).double()
    return (1 / torch.exp(s[..., None, :] - s[..., :, None]).sum(-1)).movedim(-1, dim).to(scores.dtype)
