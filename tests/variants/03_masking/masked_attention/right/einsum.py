def masked_attention(query, key, value, mask=None):
    scores = torch.einsum("...td,...sd->...ts", query, key) * key.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    w = scores.softmax(-1).nan_to_num(0.0)
    return torch.einsum("...ts,...sv->...tv", w, value), w
