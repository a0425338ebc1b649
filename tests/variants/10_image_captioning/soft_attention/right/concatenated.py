def soft_attention(regions, state, w_r, w_s, v):
    both = torch.cat([regions, state[:, None].expand(-1, regions.shape[1], -1)], -1)
    weights = (torch.tanh(both @ torch.cat([w_r, w_s])) @ v).softmax(-1)
    return torch.bmm(weights.unsqueeze(1), regions).squeeze(1), weights
