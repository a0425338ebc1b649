# misconception: context-of-projections
def soft_attention(regions, state, w_r, w_s, v):
    projected = regions @ w_r
    weights = (torch.tanh(projected + (state @ w_s).unsqueeze(1)) @ v).softmax(-1)
    return (weights.unsqueeze(2) * projected).sum(dim=1), weights
