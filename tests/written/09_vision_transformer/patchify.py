# %% wrong: channels_last_in_a_patch (channel-last-in-patch)
# orders the numbers of a patch as row, column, channel, as image libraries do: breaks "Inside a
# patch the numbers are ordered **channel, row, column**"
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch must divide height and width")
    x = images.reshape(B, C, H // patch, patch, W // patch, patch)
    x = x.permute(0, 2, 4, 3, 5, 1)
    return x.reshape(B, (H // patch) * (W // patch), patch * patch * C)

# %% wrong: down_the_columns (column-by-column)
# walks through the patches column by column: breaks "The patches come **row by row**, as one
# reads"
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch != 0 or W % patch != 0:
        raise ValueError(f"{H} x {W} cannot be cut by {patch}")
    pieces = []
    for j in range(0, W, patch):
        for i in range(0, H, patch):
            pieces.append(images[:, :, i : i + patch, j : j + patch].flatten(1))
    return torch.stack(pieces, dim=1)

# %% wrong: width_unchecked (checks-one-side)
# tests the height only, and unfold silently drops the columns that are left over: breaks "If
# `patch` does not divide **both** of them, raise a `ValueError`"
def patchify(images, patch):
    if images.shape[-2] % patch != 0:
        raise ValueError("image size must be a multiple of the patch size")
    return F.unfold(images, kernel_size=patch, stride=patch).transpose(1, 2)

# %% wrong: mere_reshape (reshape-tears-the-image)
# believes that reshape alone cuts patches, but it cuts stretches of pixel rows: breaks the
# example with "[ 0  1  6  7]"
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch does not fit")
    N = (H // patch) * (W // patch)
    x = images.reshape(B, C, N, patch * patch)
    return x.transpose(1, 2).reshape(B, N, C * patch * patch)

# %% right: tensor_unfold_twice
# sliding windows by Tensor.unfold along height and width
def patchify(images, patch):
    if any(side % patch for side in images.shape[2:]):
        raise ValueError(f"{tuple(images.shape[2:])} is no multiple of {patch}")
    windows = images.unfold(2, patch, patch).unfold(3, patch, patch)  # (B, C, h, w, p, p)
    return windows.movedim(1, 3).flatten(3).flatten(1, 2)
