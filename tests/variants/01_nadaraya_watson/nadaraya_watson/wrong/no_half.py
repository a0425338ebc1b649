# misconception: missing-half
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = F.softmax(-((queries[:, None] - keys) / bandwidth) ** 2, dim=-1)
    return torch.einsum("qk,k->q", weights, values), weights
