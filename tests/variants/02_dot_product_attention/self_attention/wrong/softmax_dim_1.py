# misconception: softmax-over-queries
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(torch.bmm(q, k.permute(0, 2, 1)) / math.sqrt(w_k.shape[1]), dim=1)
    return torch.bmm(weights, v), weights
