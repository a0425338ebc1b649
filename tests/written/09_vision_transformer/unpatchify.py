# %% wrong: square_grid (square-only)
# takes the grid of patches to be a square and gets its side from the root of N: breaks "(B, C,
# height, width)" where "Height and width may differ"
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch**2
    side = int(N**0.5)
    x = patches.reshape(B, side, side, C, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, C, height, width)

# %% wrong: three_channels (three-channels)
# takes for granted that images are RGB: breaks "The number of channels … follows from the length
# of a patch"
def unpatchify(patches, patch, height, width):
    h, w = height // patch, width // patch
    x = patches.reshape(patches.shape[0], h, w, 3, patch, patch)
    x = torch.einsum("bhwcpq->bchpwq", x)
    return x.reshape(patches.shape[0], 3, height, width)

# %% wrong: patches_lying_on_their_side (patches-transposed)
# exchanges the two axes inside a patch, so each one comes out transposed: breaks "the inverse of
# `patchify`" (channel, row, column)
def unpatchify(patches, patch, height, width):
    B = patches.shape[0]
    h, w = height // patch, width // patch
    x = patches.reshape(B, h, w, -1, patch, patch)  # (B, h, w, C, p, p)
    x = x.permute(0, 3, 1, 5, 2, 4)
    return x.reshape(B, -1, height, width)

# %% right: fold
# F.fold, the adjoint of unfold, which is the inverse when nothing overlaps
def unpatchify(patches, patch, height, width):
    return F.fold(patches.mT, output_size=(height, width), kernel_size=patch, stride=patch)
