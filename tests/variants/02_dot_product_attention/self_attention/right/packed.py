def self_attention(x, w_q, w_k, w_v):
    sizes = [w_q.shape[1], w_k.shape[1], w_v.shape[1]]
    q, k, v = (x @ torch.cat([w_q, w_k, w_v], dim=1)).split(sizes, dim=-1)
    weights = torch.softmax(q @ k.mT / math.sqrt(sizes[1]), dim=-1)
    return weights @ v, weights
