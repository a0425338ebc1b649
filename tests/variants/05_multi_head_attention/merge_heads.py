# %% right: cat
def merge_heads(x):
    return torch.cat(x.unbind(1), dim=-1)


# %% right: contiguous_view
def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).contiguous().view(b, t, h * d)


# %% right: einops_rearrange
def merge_heads(x):
    return einops.rearrange(x, 'b h t d -> b t (h d)')


# %% right: loop
def merge_heads(x):
    b, h, t, d = x.shape

    rows = []
    for i in range(t):
        rows.append(torch.hstack([x[:, j, i] for j in range(h)]))
    return torch.stack(rows, dim=1)


# %% right: movedim
def merge_heads(x):
    return x.movedim(1, 2).flatten(start_dim=2)


# %% right: permute_reshape
def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 2, 1, 3).reshape(b, t, -1)


# %% wrong: contiguous_view_untransposed (view-for-transpose)
def merge_heads(x):
    b, h, t, d = x.shape
    return x.contiguous().view(b, t, -1)


# %% wrong: reshape (view-for-transpose)
def merge_heads(x):
    b, h, t, d = x.shape
    return x.reshape(b, t, h * d)


# %% wrong: view_after_permute (view-of-a-transposed-tensor)
def merge_heads(x):
    x = x.permute(0, 2, 1, 3)
    return x.view(x.size(0), x.size(1), -1)


# %% wrong: view_after_transpose (view-of-a-transposed-tensor)
def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(1, 2).view(b, t, h * d)


# %% wrong: shuffled (interleaved)
def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(b, t, d * h)


# %% wrong: transposes_last (wrong-axes)
def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(-1, -2).reshape(b, t, h * d)


# %% wrong: cat_along_time (heads-along-time)
def merge_heads(x):
    b, h, t, d = x.shape
    return torch.cat([x[:, i] for i in range(h)], dim=1)


# %% wrong: mean (heads-averaged)
def merge_heads(x):
    return x.mean(dim=1)


# %% wrong: sum (heads-added)
def merge_heads(x):
    return torch.einsum('bhtd->btd', x)


# %% wrong: first (one-head-only)
def merge_heads(x):
    return x.select(1, 0)


# %% wrong: four_axes (not-flattened)
def merge_heads(x):
    return x.permute(0, 2, 1, 3).contiguous()


# %% wrong: channels_first (features-before-time)
def merge_heads(x):
    b, h, t, d = x.shape
    return x.permute(0, 1, 3, 2).reshape(b, h * d, t)


# %% wrong: no_return (returns-nothing)
def merge_heads(x):
    b, h, t, d = x.shape
    x.transpose(1, 2).reshape(b, t, h * d)


# %% wrong: numpy (no-gradient)
def merge_heads(x):
    b, h, t, d = x.shape
    return torch.as_tensor(x.detach().numpy().transpose(0, 2, 1, 3).reshape(b, t, h * d))


# %% wrong: last_heads_first (no name)
def merge_heads(x):
    return x.flip(1).transpose(1, 2).flatten(2)
