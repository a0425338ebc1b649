# misconception: -
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for layer, w, b in zip((m.query, m.key, m.value), mha.in_proj_weight.chunk(3, dim=1), mha.in_proj_bias.chunk(3)):
            layer.weight.copy_(w)
            layer.bias.copy_(b)
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
