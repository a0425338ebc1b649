def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    d = mha.embed_dim
    W, b = mha.in_proj_weight.data, mha.in_proj_bias.data
    m.query.weight.data, m.query.bias.data = W[:d], b[:d]
    m.key.weight.data, m.key.bias.data = W[d:2 * d], b[d:2 * d]
    m.value.weight.data, m.value.bias.data = W[2 * d:], b[2 * d:]
    m.out.weight.data, m.out.bias.data = mha.out_proj.weight.data, mha.out_proj.bias.data
    return m
