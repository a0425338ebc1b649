def scaled_dot_product_attention(query, key, value):
    lead = query.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    start = torch.zeros(q.shape[0], q.shape[1], k.shape[1])
    scores = torch.baddbmm(start, q, k.transpose(1, 2), beta=0, alpha=k.shape[-1] ** -0.5)
    w = scores.softmax(2)
    return torch.bmm(w, v).reshape(*lead, *(q.shape[1], v.shape[2])), w.reshape(*lead, q.shape[1], k.shape[1])
