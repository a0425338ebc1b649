# misconception: axis-of-one
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r + (state @ w_s)[:, None]) @ v).softmax(-1)[:, None]
    return weights @ regions, weights
