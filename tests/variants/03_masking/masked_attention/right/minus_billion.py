def masked_attention(query, key, value, mask=None):
    scores = torch.matmul(query / math.sqrt(query.size(-1)), key.transpose(-2, -1))
    if mask is None:
        p = F.softmax(scores, dim=-1)
    else:
        p = F.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) * mask
    return torch.matmul(p, value), p
