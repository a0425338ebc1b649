# misconception: transposed-weights
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip((m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)):
        layer.weight.data = w.T.clone()
        layer.bias.data = b.clone()
    m.out.weight.data = mha.out_proj.weight.T.clone()
    m.out.bias.data = mha.out_proj.bias.clone()
    return m
