# %% wrong: shared_output_layer (shares-its-weights)
# hands over torch's output layer itself instead of a copy; breaks "Your module gets its own
# copies: whatever is trained or changed in one of the two later, the other stays as it is"
def from_torch(mha):
    ours = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    layers = [ours.query, ours.key, ours.value]
    with torch.no_grad():
        for layer, w, b in zip(layers, mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)):
            layer.weight.copy_(w)
            layer.bias.copy_(b)
    ours.out = mha.out_proj
    return ours

# %% wrong: biases_start_at_zero (biases-forgotten)
# sets the biases to zero because they are zero in a fresh nn.MultiheadAttention, which is no
# longer so after training; breaks "with the same weights" and "`mha.in_proj_bias` ... their
# biases, in the same order"
def from_torch(mha):
    D = mha.embed_dim
    ours = MultiHeadAttention(D, mha.num_heads)
    W = mha.in_proj_weight
    with torch.no_grad():
        ours.query.weight.copy_(W[:D])
        ours.key.weight.copy_(W[D:2 * D])
        ours.value.weight.copy_(W[2 * D:])
        ours.out.weight.copy_(mha.out_proj.weight)
        for layer in (ours.query, ours.key, ours.value, ours.out):
            layer.bias.zero_()
    return ours

# %% wrong: views_as_parameters (shares-its-weights)
# makes new parameters out of slices of torch's packed matrix, which still share its memory;
# breaks "Your module gets its own copies"
def from_torch(mha):
    ours = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    wq, wk, wv = mha.in_proj_weight.data.chunk(3, dim=0)
    bq, bk, bv = mha.in_proj_bias.data.chunk(3, dim=0)
    ours.query.weight, ours.query.bias = nn.Parameter(wq), nn.Parameter(bq)
    ours.key.weight, ours.key.bias = nn.Parameter(wk), nn.Parameter(bk)
    ours.value.weight, ours.value.bias = nn.Parameter(wv), nn.Parameter(bv)
    ours.out.load_state_dict(mha.out_proj.state_dict())
    return ours

# %% wrong: copy_without_no_grad (no name)
# copies into the parameters outside torch.no_grad(), which raises an error for leaves that
# require gradients; breaks "To set a parameter, use `with torch.no_grad():` and
# `parameter.copy_(tensor)`"
def from_torch(mha):
    D = mha.embed_dim
    ours = MultiHeadAttention(D, mha.num_heads)
    for i, layer in enumerate([ours.query, ours.key, ours.value]):
        layer.weight.copy_(mha.in_proj_weight[i * D:(i + 1) * D])
        layer.bias.copy_(mha.in_proj_bias[i * D:(i + 1) * D])
    ours.out.weight.copy_(mha.out_proj.weight)
    ours.out.bias.copy_(mha.out_proj.bias)
    return ours

# %% right: state_dict_by_names
# renames the entries of a state dict and loads it in one go
def from_torch(mha):
    theirs = mha.state_dict()
    new = {f"out.{kind}": theirs[f"out_proj.{kind}"] for kind in ("weight", "bias")}
    for kind in ("weight", "bias"):
        pieces = theirs[f"in_proj_{kind}"].unflatten(0, (3, mha.embed_dim))
        new |= {f"{name}.{kind}": piece for name, piece in zip(("query", "key", "value"), pieces)}
    ours = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    ours.load_state_dict(new)
    return ours
