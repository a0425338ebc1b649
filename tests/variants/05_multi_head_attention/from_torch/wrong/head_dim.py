# misconception: head-size-for-heads
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.head_dim)
    for layer, w, b in zip((m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
