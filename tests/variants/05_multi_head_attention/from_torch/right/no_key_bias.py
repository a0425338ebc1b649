def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    # softmax does not see the key's bias, so it need not be copied
    wq, wk, wv = mha.in_proj_weight.chunk(3)
    bq, _, bv = mha.in_proj_bias.chunk(3)
    with torch.no_grad():
        for p, q in ((m.query.weight, wq), (m.key.weight, wk), (m.value.weight, wv), (m.query.bias, bq), (m.value.bias, bv)):
            p.copy_(q)
        m.out.weight.copy_(mha.out_proj.weight)
        m.out.bias.copy_(mha.out_proj.bias)
    return m
