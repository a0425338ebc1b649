# misconception: every-third-row
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for i, layer in enumerate((m.query, m.key, m.value)):
            layer.weight.copy_(mha.in_proj_weight[i::3])
            layer.bias.copy_(mha.in_proj_bias[i::3])
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m
