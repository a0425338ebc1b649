# %% right: no_key_bias
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    # softmax does not see the key's bias, so it need not be copied
    wq, wk, wv = mha.in_proj_weight.chunk(3)
    bq, _, bv = mha.in_proj_bias.chunk(3)
    with torch.no_grad():
        for p, q in (
            (m.query.weight, wq),
            (m.key.weight, wk),
            (m.value.weight, wv),
            (m.query.bias, bq),
            (m.value.bias, bv),
        ):
            p.copy_(q)
        m.out.weight.copy_(mha.out_proj.weight)
        m.out.bias.copy_(mha.out_proj.bias)
    return m


# %% wrong: same_layer_object (shares-its-weights)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    for layer, w, b in zip(
        [m.query, m.key, m.value],
        mha.in_proj_weight.view(3, mha.embed_dim, -1),
        mha.in_proj_bias.view(3, -1),
    ):
        layer.weight, layer.bias = (
            nn.Parameter(w.detach().clone()),
            nn.Parameter(b.detach().clone()),
        )
    m.out = mha.out_proj
    return m.eval()


# %% right: size_from_the_weights
def from_torch(mha):
    dim = mha.out_proj.weight.shape[0]
    m = MultiHeadAttention(dim, dim // mha.head_dim)
    with torch.no_grad():
        torch.cat([m.query.weight, m.key.weight, m.value.weight])  # the packed order
        for i, layer in enumerate((m.query, m.key, m.value)):
            rows = slice(i * dim, i * dim + dim)
            layer.weight[:] = mha.in_proj_weight[rows]
            layer.bias[:] = mha.in_proj_bias[rows]
        for mine, theirs in zip(m.out.parameters(), mha.out_proj.parameters()):
            mine.copy_(theirs)
    return m


# %% wrong: slices (shares-its-weights)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    d = mha.embed_dim
    W, b = mha.in_proj_weight.data, mha.in_proj_bias.data
    m.query.weight.data, m.query.bias.data = W[:d], b[:d]
    m.key.weight.data, m.key.bias.data = W[d:2 * d], b[d:2 * d]
    m.value.weight.data, m.value.bias.data = W[2 * d:], b[2 * d:]
    m.out.weight.data, m.out.bias.data = mha.out_proj.weight.data, mha.out_proj.bias.data
    return m


# %% right: state_dict
def from_torch(mha):
    state = mha.state_dict()
    new = {}
    for name, w, b in zip(
        ("query", "key", "value"), state["in_proj_weight"].chunk(3), state["in_proj_bias"].chunk(3)
    ):
        new[name + ".weight"], new[name + ".bias"] = w, b
    new["out.weight"], new["out.bias"] = state["out_proj.weight"], state["out_proj.bias"]
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    m.load_state_dict(new)
    return m


# %% wrong: gives_it_back (returned-torchs-own)
def from_torch(mha):
    return mha


# %% wrong: no_return (returns-nothing)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip(
        (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())


# %% wrong: key_first (key-query-value)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip(
        (m.key, m.query, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: value_first (value-first)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip(
        (m.value, m.key, m.query), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: all_transposed (transposed-weights)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip(
        (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.T.clone()
        layer.bias.data = b.clone()
    m.out.weight.data = mha.out_proj.weight.T.clone()
    m.out.bias.data = mha.out_proj.bias.clone()
    return m


# %% wrong: inputs_transposed (transposed-inputs-only)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip(
        (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.t().clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: out_transposed (transposed-output)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    for layer, w, b in zip(
        (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.weight.data = mha.out_proj.weight.T.clone()
    m.out.bias.data = mha.out_proj.bias.clone()
    return m


# %% wrong: per_head (packed-per-head)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    d = mha.head_dim
    w = mha.in_proj_weight.detach().clone().reshape(mha.num_heads, 3 * d, -1)
    b = mha.in_proj_bias.detach().clone().reshape(mha.num_heads, 3 * d)
    for i, layer in enumerate((m.query, m.key, m.value)):
        layer.weight.data = w[:, i * d:(i + 1) * d].reshape(mha.embed_dim, mha.embed_dim)
        layer.bias.data = b[:, i * d:(i + 1) * d].reshape(-1)
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: strided (every-third-row)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for i, layer in enumerate((m.query, m.key, m.value)):
            layer.weight.copy_(mha.in_proj_weight[i::3])
            layer.bias.copy_(mha.in_proj_bias[i::3])
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: first_third_thrice (same-rows-three-times)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    d = mha.embed_dim
    with torch.no_grad():
        for layer in (m.query, m.key, m.value):
            layer.weight.copy_(mha.in_proj_weight[:d])
            layer.bias.copy_(mha.in_proj_bias[:d])
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: single_head (one-head)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, 1)
    for layer, w, b in zip(
        (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: head_dim (head-size-for-heads)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.head_dim)
    for layer, w, b in zip(
        (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
    ):
        layer.weight.data = w.clone()
        layer.bias.data = b.clone()
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: no_biases (biases-forgotten)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for layer, w in zip((m.query, m.key, m.value), mha.in_proj_weight.chunk(3)):
            layer.weight.copy_(w)
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% wrong: no_out (output-forgotten)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for layer, w, b in zip(
            (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
        ):
            layer.weight.copy_(w)
            layer.bias.copy_(b)
    return m


# %% wrong: fresh (nothing-copied)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    return m


# %% wrong: wraps_torch (no name)
def from_torch(mha):
    def attend(query, key, value, mask=None):
        blocked = None if mask is None else ~mask
        return mha(query, key, value, attn_mask=blocked, average_attn_weights=False)
    return attend


# %% wrong: wrong_axis (no name)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)

    with torch.no_grad():
        for layer, w, b in zip(
            (m.query, m.key, m.value), mha.in_proj_weight.chunk(3, dim=1), mha.in_proj_bias.chunk(3)
        ):
            layer.weight.copy_(w)
            layer.bias.copy_(b)
    m.out.load_state_dict(mha.out_proj.state_dict())
    return m


# %% right: copied_slices
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    d = mha.embed_dim
    W, b = mha.in_proj_weight.data.clone(), mha.in_proj_bias.data.clone()
    for i, layer in enumerate((m.query, m.key, m.value)):
        layer.weight.data, layer.bias.data = W[d * i : d * i + d], b[d * i : d * i + d]
    m.out.weight.data, m.out.bias.data = (p.data.clone() for p in mha.out_proj.parameters())
    return m


# %% right: deep_copy_of_a_layer
import copy


def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    m.out = copy.deepcopy(mha.out_proj)
    for layer, w, b in zip(
        [m.query, m.key, m.value],
        mha.in_proj_weight.view(3, mha.embed_dim, -1),
        mha.in_proj_bias.view(3, -1),
    ):
        layer.weight = nn.Parameter(w.detach().clone())
        layer.bias = nn.Parameter(b.detach().clone())
    return m.eval()


# %% wrong: tensor_assigned (tensor-for-a-parameter)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    m.query.weight, m.key.weight, m.value.weight = mha.in_proj_weight.chunk(3)
    m.query.bias, m.key.bias, m.value.bias = mha.in_proj_bias.chunk(3)
    m.out = mha.out_proj
    return m


# %% wrong: one_tensor_assigned (tensor-for-a-parameter)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    m.query.weight = mha.in_proj_weight[: mha.embed_dim]
    return m


# %% wrong: three_names (unpacked-names)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    with torch.no_grad():
        m.query.weight.copy_(mha.q_proj_weight)
        m.key.weight.copy_(mha.k_proj_weight)
        m.value.weight.copy_(mha.v_proj_weight)
        m.out.weight.copy_(mha.out_proj.weight)
    return m


# %% wrong: typing_slip (no name)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    with torch.no_grad():
        for layer, w in zip((m.query, m.key, m.value), mha.in_proj_weights.chunk(3)):
            layer.weight.copy_(w)
    return m


# %% wrong: no_such_layer (no name)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    with torch.no_grad():
        for layer, w, b in zip(
            (m.query, m.key, m.value), mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)
        ):
            layer.weight.copy_(w)
            layer.bias.copy_(b)
        m.output.weight.copy_(m.out.weight)
    return m


# %% wrong: weights_by_name (biases-forgotten)
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    state = mha.state_dict()
    with torch.no_grad():
        for layer, w in zip((m.query, m.key, m.value), state["in_proj_weight"].chunk(3)):
            layer.weight.copy_(w)
        m.out.weight.copy_(state["out_proj.weight"])
        m.out.bias.copy_(state["out_proj.bias"])
    return m
