def self_attention(x, w_q, w_k, w_v):
    q, k, v = torch.matmul(x, w_q), torch.matmul(x, w_k), torch.matmul(x, w_v)
    scores = torch.bmm(q, k.transpose(1, 2)) / w_k.shape[1] ** 0.5
    weights = F.softmax(scores, dim=2)
    return torch.bmm(weights, v), weights
