# misconception: linear-convention
def self_attention(x, w_q, w_k, w_v):
    q, k, v = F.linear(x, w_q), F.linear(x, w_k), F.linear(x, w_v)
    weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
    return weights @ v, weights
