# %% right: batch_fold_in_order
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")

    # as d2l does it: fold the heads into the batch, then give them their axis back
    y = x.reshape(b, t, heads, -1).permute(0, 2, 1, 3).reshape(b * heads, t, -1)
    return y.reshape(b, heads, t, -1)


# %% right: contiguous_result
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b, t, heads, d // heads).transpose(1, 2).contiguous()


# %% right: einops_style
def split_heads(x, heads):
    if x.shape[2] % heads != 0:
        raise ValueError
    return einops.rearrange(x, "b t (h d) -> b h t d", h=heads)


# %% right: loop
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")

    size = d // heads
    out = x.new_zeros(b, heads, t, size)
    for h in range(heads):
        out[:, h] = x[:, :, h * size:(h + 1) * size]
    return out


# %% right: permute
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.reshape(b, t, heads, d // heads).permute(0, 2, 1, 3)


# %% right: stack_of_chunks
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return torch.stack(x.chunk(heads, dim=-1), dim=1)


# %% right: unflatten
def split_heads(x, heads):
    if x.size(-1) % heads:
        raise ValueError(f"{x.size(-1)} features, {heads} heads")
    return x.unflatten(-1, (heads, -1)).swapaxes(1, 2)


# %% wrong: reshape_contiguous (view-for-transpose)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.contiguous().reshape(b, heads, -1, d // heads)


# %% wrong: view (view-for-transpose)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b, heads, t, d // heads)


# %% wrong: stays_behind (not-transposed)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b, t, heads, d // heads)


# %% wrong: size_first (interleaved)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    x = x.view(b, t, d // heads, heads)
    return x.permute(0, 3, 1, 2)


# %% wrong: strided_slices (interleaved)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return torch.stack([x[..., h::heads] for h in range(heads)], dim=1)


# %% wrong: fold (view-into-the-batch)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b * heads, -1, d // heads)


# %% wrong: cat_batch (heads-in-the-batch)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return torch.cat(torch.chunk(x, heads, dim=-1), dim=0)


# %% wrong: stack_first (heads-first)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    pieces = torch.split(x, d // heads, dim=2)
    return torch.stack(pieces)


# %% wrong: permute_all (features-before-time)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b, t, heads, d // heads).permute(0, 2, 3, 1)


# %% wrong: heads_as_size (size-for-heads)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.view(b, t, -1, heads).transpose(1, 2)


# %% wrong: truncates (remainder-dropped)
def split_heads(x, heads):
    b, t, d = x.shape
    size = d // heads
    out = torch.zeros(b, heads, t, size)
    for h in range(heads):
        out[:, h] = x[:, :, h * size:(h + 1) * size]
    return out


# %% wrong: no_check (unchecked)
def split_heads(x, heads):
    b, t, d = x.shape
    return x.view(b, t, heads, d // heads).transpose(1, 2)


# %% wrong: assertion (assert-for-raise)
def split_heads(x, heads):
    b, t, d = x.shape
    assert d % heads == 0, "heads must divide d"
    return x.reshape(b, t, heads, d // heads).permute(0, 2, 1, 3)


# %% wrong: untouched (no-heads-made)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x


# %% wrong: detached (no-gradient)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return x.detach().view(b, t, heads, -1).transpose(1, 2)


# %% wrong: no_return (returns-nothing)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    x = x.view(b, t, heads, d // heads).transpose(1, 2)


# %% wrong: along_time (no name)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads != 0:
        raise ValueError("heads must divide the features")
    return torch.stack(x.chunk(heads, dim=1), dim=1)


# %% wrong: wrong_error (no name)
def split_heads(x, heads):
    if x.shape[-1] % heads:
        raise TypeError("heads must divide the features")
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


# %% wrong: only_one_left_over (no name)
def split_heads(x, heads):
    b, t, d = x.shape
    if d % heads == 1:
        raise ValueError("not divisible")
    return x[:, :, : d // heads * heads].reshape(b, t, heads, -1).transpose(1, 2)
