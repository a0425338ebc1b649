# misconception: values-from-the-key-matrix
def self_attention(x, w_q, w_k, w_v):
    q = torch.matmul(x, w_q)
    k = torch.matmul(x, w_k)
    v = torch.matmul(x, w_k)
    weights = (q @ k.mT / k.size(-1) ** 0.5).softmax(-1)
    return weights @ v, weights
