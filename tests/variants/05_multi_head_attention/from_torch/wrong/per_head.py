# misconception: packed-per-head
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    d = mha.head_dim
    w = mha.in_proj_weight.detach().reshape(mha.num_heads, 3 * d, -1)
    b = mha.in_proj_bias.detach().reshape(mha.num_heads, 3 * d)
    for i, layer in enumerate((m.query, m.key, m.value)):
        layer.weight.data = w[:, i * d:(i + 1) * d].reshape(mha.embed_dim, mha.embed_dim)
        layer.bias.data = b[:, i * d:(i + 1) * d].reshape(-1)
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
