def masked_mean(x, mask):
    scores = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return torch.einsum("bt,btd->bd", weights, x)
