# %% right: deepcopy
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, head * d : (head + 1) * d] = 0
    return made


# %% right: state_dict
def without_head(mha, head):
    D, H = mha.embed_dim, mha.num_heads
    new = nn.MultiheadAttention(D, H, batch_first=True)
    state = {name: tensor.clone() for name, tensor in mha.state_dict().items()}
    state["out_proj.weight"].view(D, H, D // H)[:, head].zero_()
    new.load_state_dict(state)
    return new


# %% right: values_and_their_bias
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    D, H = made.embed_dim, made.num_heads
    d = D // H
    start = 2 * D + head * d
    made.in_proj_weight.data[start : start + d] = 0
    made.in_proj_bias.data[start : start + d] = 0
    return made


# %% right: mask_of_columns
def without_head(mha, head):
    made = nn.MultiheadAttention(mha.embed_dim, mha.num_heads, batch_first=True)
    made.load_state_dict(mha.state_dict())
    owner = torch.arange(mha.embed_dim) // (mha.embed_dim // mha.num_heads)
    made.out_proj.weight.data = mha.out_proj.weight.detach() * (owner != head)
    return made


# %% right: chunk
def without_head(mha, head):
    from copy import deepcopy

    made = deepcopy(mha)
    with torch.no_grad():
        made.out_proj.weight.chunk(made.num_heads, dim=1)[head].fill_(0)
    return made


# %% wrong: in_place (changes-its-input)
def without_head(mha, head):
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        mha.out_proj.weight[:, head * d : (head + 1) * d] = 0
    return mha


# %% wrong: shallow (changes-its-input)
def without_head(mha, head):
    import copy

    made = copy.copy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, head * d : (head + 1) * d] = 0
    return made


# %% wrong: rows (rows-of-w-o)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[head * d : (head + 1) * d] = 0
    return made


# %% wrong: queries (looks-everywhere)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.in_proj_weight[head * d : (head + 1) * d] = 0
        made.in_proj_bias[head * d : (head + 1) * d] = 0
    return made


# %% wrong: keys (looks-everywhere)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    D = mha.embed_dim
    d = D // mha.num_heads
    with torch.no_grad():
        made.in_proj_weight[D + head * d : D + (head + 1) * d] = 0
    return made


# %% wrong: all_three (weights-changed)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    D = mha.embed_dim
    d = D // mha.num_heads
    with torch.no_grad():
        for third in range(3):
            start = third * D + head * d
            made.in_proj_weight[start : start + d] = 0
            made.in_proj_bias[start : start + d] = 0
    return made


# %% wrong: values_without_bias (value-bias-left)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    D = mha.embed_dim
    d = D // mha.num_heads
    with torch.no_grad():
        made.in_proj_weight[2 * D + head * d : 2 * D + (head + 1) * d] = 0
    return made


# %% wrong: bias_too (output-bias-removed)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, head * d : (head + 1) * d] = 0
        made.out_proj.bias[head * d : (head + 1) * d] = 0
    return made


# %% wrong: keeps_it (all-the-others)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, : head * d] = 0
        made.out_proj.weight[:, (head + 1) * d :] = 0
    return made


# %% wrong: strided (every-h-th-column)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    with torch.no_grad():
        made.out_proj.weight[:, head :: mha.num_heads] = 0
    return made


# %% wrong: wide (as-wide-as-there-are-heads)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    H = mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, head * H : (head + 1) * H] = 0
    return made


# %% wrong: column (one-column)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    with torch.no_grad():
        made.out_proj.weight[:, head] = 0
    return made


# %% wrong: rescaled (others-made-louder)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    H = mha.num_heads
    d = mha.embed_dim // H
    with torch.no_grad():
        made.out_proj.weight[:, head * d : (head + 1) * d] = 0
        if H > 1:
            made.out_proj.weight.mul_(H / (H - 1))
    return made


# %% wrong: into_a_copy (nothing-happens)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    weight = made.out_proj.weight.detach().clone()
    weight[:, head * d : (head + 1) * d] = 0
    return made


# %% wrong: no_return (returns-nothing)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, head * d : (head + 1) * d] = 0


# %% wrong: negative_block (no name)
def without_head(mha, head):
    made = nn.MultiheadAttention(mha.embed_dim, mha.num_heads, batch_first=True)
    made.load_state_dict(mha.state_dict())
    d = mha.embed_dim // mha.num_heads
    with torch.no_grad():
        made.out_proj.weight[:, head * d : (head + 1) * d - 1] = 0
    return made


# %% wrong: from_one (counted-from-one)
def without_head(mha, head):
    import copy

    made = copy.deepcopy(mha)
    d = mha.embed_dim // mha.num_heads
    first = max(head - 1, 0)
    with torch.no_grad():
        made.out_proj.weight[:, first * d : (first + 1) * d] = 0
    return made
