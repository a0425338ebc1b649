def from_torch(mha):
    state = mha.state_dict()
    new = {}
    for name, w, b in zip(("query", "key", "value"), state["in_proj_weight"].chunk(3), state["in_proj_bias"].chunk(3)):
        new[name + ".weight"], new[name + ".bias"] = w, b
    new["out.weight"], new["out.bias"] = state["out_proj.weight"], state["out_proj.bias"]
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    m.load_state_dict(new)
    return m
