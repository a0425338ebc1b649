# %% wrong: straight_to_the_shape (view-for-transpose)
# reshapes directly to (B, H, T, d), which cuts the time steps into pieces instead of the
# features; breaks "Head `h` gets the `h`-th *contiguous* slice of the features ... of every time
# step"
def split_heads(x, heads):
    B, T, D = x.shape
    if D % heads != 0:
        raise ValueError("heads must divide D")
    return x.reshape(B, heads, T, D // heads)

# %% wrong: every_hth_feature (interleaved)
# splits the features as (d, H), so that head h gets every H-th feature; breaks "the `h`-th
# *contiguous* slice of the features"
def split_heads(x, heads):
    B, T, D = x.shape
    if D % heads:
        raise ValueError(f"{heads} heads do not divide {D}")
    return x.view(B, T, D // heads, heads).permute(0, 3, 1, 2)

# %% wrong: assert_instead (assert-for-raise)
# checks the division with an assert, which raises an AssertionError; breaks "raise a
# `ValueError`"
def split_heads(x, heads):
    B, T, D = x.shape
    assert D % heads == 0, "number of heads must divide D"
    return x.reshape(B, T, heads, D // heads).transpose(1, 2)

# %% right: stack_of_slices
# cuts the slices with a list comprehension and stacks them on a new axis 1
def split_heads(x, heads):
    d, rest = divmod(x.shape[-1], heads)
    if rest:
        raise ValueError(f"cannot split {x.shape[-1]} features into {heads} heads")
    return torch.stack([x[..., h * d : (h + 1) * d] for h in range(heads)], dim=1)
