def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    for layer, w, b in zip([m.query, m.key, m.value], mha.in_proj_weight.view(3, mha.embed_dim, -1), mha.in_proj_bias.view(3, -1)):
        layer.weight, layer.bias = nn.Parameter(w.detach().clone()), nn.Parameter(b.detach().clone())
    m.out = mha.out_proj
    return m.eval()
