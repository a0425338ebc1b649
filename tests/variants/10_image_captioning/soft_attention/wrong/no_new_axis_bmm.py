# misconception: no-region-axis
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(torch.matmul(regions, w_r) + torch.matmul(state, w_s))
    weights = torch.softmax(torch.matmul(hidden, v), dim=-1)
    return torch.bmm(weights.unsqueeze(1), regions).squeeze(1), weights
