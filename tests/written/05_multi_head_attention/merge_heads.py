# %% wrong: view_after_transpose (view-of-a-transposed-tensor)
# calls view on a transposed tensor, which raises an error because it is not contiguous; breaks
# "(B, H, T, d) → (B, T, H * d)"
def merge_heads(x):
    B, H, T, d = x.shape
    return x.transpose(1, 2).view(B, T, H * d)

# %% wrong: heads_innermost (interleaved)
# puts the heads behind the features before flattening, so feature 0 of all heads comes first;
# breaks "each time step gets the features of all its heads, head 0 first"
def merge_heads(x):
    B, H, T, d = x.shape
    return x.permute(0, 2, 3, 1).reshape(B, T, d * H)

# %% wrong: no_transpose (view-for-transpose)
# reshapes without exchanging heads and time steps; breaks "the inverse of `split_heads`"
def merge_heads(x):
    B, H, T, d = x.shape
    return x.reshape(B, T, H * d)

# %% right: cat_of_heads
# unbinds the heads and lays them side by side
def merge_heads(x):
    return torch.cat(x.unbind(1), -1)
