# misconception: mixes-the-batch
def self_attention(x, w_q, w_k, w_v):
    B, T, D = x.shape
    flat = x.reshape(B * T, D)
    q, k, v = flat @ w_q, flat @ w_k, flat @ w_v
    weights = torch.softmax(q @ k.T / math.sqrt(k.shape[-1]), dim=-1)
    return (weights @ v).reshape(B, T, -1), weights
