# misconception: biases-forgotten
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for layer, w in zip((m.query, m.key, m.value), mha.in_proj_weight.chunk(3)):
            layer.weight.copy_(w)
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
