def masked_softmax(scores, mask):
    mask = mask.expand_as(scores)
    flat, allowed = scores.reshape(-1, scores.shape[-1]), mask.reshape(-1, scores.shape[-1])
    rows = []
    for s, m in zip(flat, allowed):
        row = torch.zeros_like(s)
        if m.any():
            row = row.masked_scatter(m, torch.softmax(s[m], dim=0))
        rows.append(row)
    return torch.stack(rows).reshape(scores.shape)
