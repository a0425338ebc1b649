def from_torch(mha):
    dim = mha.out_proj.weight.shape[0]
    m = MultiHeadAttention(dim, dim // mha.head_dim)
    with torch.no_grad():
        torch.cat([m.query.weight, m.key.weight, m.value.weight])  # the packed order
        for i, layer in enumerate((m.query, m.key, m.value)):
            rows = slice(i * dim, i * dim + dim)
            layer.weight[:] = mha.in_proj_weight[rows]
            layer.bias[:] = mha.in_proj_bias[rows]
        for mine, theirs in zip(m.out.parameters(), mha.out_proj.parameters()):
            mine.copy_(theirs)
    return m
