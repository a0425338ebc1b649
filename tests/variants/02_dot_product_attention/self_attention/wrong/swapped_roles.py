# misconception: roles-swapped
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = k @ q.transpose(1, 2) / math.sqrt(k.shape[-1])
    weights = F.softmax(scores, dim=-1)
    return weights @ v, weights
