# misconception: key-query-value
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip((m.key, m.query, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
