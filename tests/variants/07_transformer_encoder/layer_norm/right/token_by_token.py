def layer_norm(x, gamma, beta, eps=1e-5):
    rows = []
    for token in x.reshape(-1, x.shape[-1]):
        c = token - token.mean()
        rows.append(gamma * c / torch.sqrt((c * c).mean() + eps) + beta)
    return torch.stack(rows).reshape(x.shape)
