# misconception: same-rows-three-times
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    d = mha.embed_dim
    with torch.no_grad():
        for layer in (m.query, m.key, m.value):
            layer.weight.copy_(mha.in_proj_weight[:d])
            layer.bias.copy_(mha.in_proj_bias[:d])
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
