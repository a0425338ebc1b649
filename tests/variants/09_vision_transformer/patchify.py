# %% right: chunks
def patchify(images, patch):
    H, W = images.shape[2:]
    if H % patch or W % patch:
        raise ValueError("patch does not fit")
    out = []
    for row in images.split(patch, dim=2):
        out += [tile.flatten(1) for tile in row.split(patch, dim=3)]
    return torch.stack(out, 1)


# %% right: einops
from einops import rearrange

def patchify(images, patch):
    height, width = images.shape[-2:]
    if height % patch or width % patch:
        raise ValueError("patch must divide height and width")
    return rearrange(images, "b c (h p1) (w p2) -> b (h w) (c p1 p2)", p1=patch, p2=patch)


# %% right: loops
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("no")
    rows = []
    for top in range(0, H, patch):
        for left in range(0, W, patch):
            rows.append(images[:, :, top:top + patch, left:left + patch].reshape(B, -1))
    return torch.stack(rows, dim=1)


# %% right: pixel_unshuffle
def patchify(images, patch):
    if any(side % patch for side in images.shape[-2:]):
        raise ValueError("patch")
    return F.pixel_unshuffle(images, patch).flatten(2).transpose(1, 2)


# %% right: reshape_permute
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch != 0 or W % patch != 0:
        raise ValueError("patch does not divide the image")
    x = images.view(B, C, H // patch, patch, W // patch, patch)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, -1, C * patch * patch)


# %% right: tensor_unfold
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError(f"{h}x{w} is not a multiple of {patch}")
    pieces = images.unfold(2, patch, patch).unfold(3, patch, patch)  # (b, c, rows, cols, p, p)
    return (
        pieces.permute(0, 2, 3, 1, 4, 5)
        .contiguous()
        .view(b, (h // patch) * (w // patch), c * patch * patch)
    )


# %% right: unfold
def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch size")
    return F.unfold(images, kernel_size=patch, stride=patch).transpose(1, 2)


# %% right: einsum_of_selectors
def patchify(images, patch):
    B, C, H, W = images.shape
    if any(divmod(side, patch)[1] for side in (H, W)):
        raise ValueError("the patches do not tile the image")
    down = torch.eye(H).view(H // patch, patch, H)
    across = torch.eye(W).view(W // patch, patch, W)
    cut = torch.einsum("rph,bchw,sqw->brscpq", down, images, across)
    return cut.reshape(B, -1, C * patch**2)


# %% right: convolution_with_one_hot_kernels
def patchify(images, patch):
    if images.size(2) % patch != 0 or images.size(3) % patch != 0:
        raise ValueError(f"{patch} does not divide {tuple(images.shape[2:])}")
    size = images.size(1) * patch * patch
    kernels = torch.eye(size, dtype=torch.float64).view(size, images.size(1), patch, patch)
    out = F.conv2d(input=images.double(), weight=kernels, stride=patch)
    return einops.rearrange(out, "b n h w -> b (h w) n").to(images.dtype)


# %% right: decorated_split
def tiles_exactly(function):
    def checked(images, patch):
        if images.shape[-1] % patch > 0 or images.shape[-2] % patch > 0:
            raise ValueError
        return function(images, patch=patch)

    return checked


@tiles_exactly
def patchify(images, *, patch):
    rows = [row.split(patch, dim=3) for row in images.split(patch, dim=2)]
    return torch.stack([piece.flatten(start_dim=1) for row in rows for piece in row], dim=1)


# %% wrong: plain_reshape (reshape-tears-the-image)
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError
    N = (H // patch) * (W // patch)
    return images.reshape(B, N, C * patch * patch)


# %% wrong: view_twice (not-permuted)
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    x = images.view(B, C, H // patch, patch, W // patch, patch)
    return x.view(B, (H // patch) * (W // patch), C * patch * patch)


# %% wrong: columns (column-by-column)
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    out = []
    for j in range(W // patch):
        for i in range(H // patch):
            out.append(
                images[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch].flatten(1)
            )
    return torch.stack(out, 1)


# %% wrong: transposed_pixels (pixels-transposed)
def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    x = images.unfold(2, patch, patch).unfold(3, patch, patch)
    x = x.permute(0, 2, 3, 1, 5, 4)
    return x.flatten(3).flatten(1, 2)


# %% wrong: einops_channel_last (channel-last-in-patch)
from einops import rearrange

def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    return rearrange(images, "b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch, p2=patch)


# %% wrong: strided (strided-sampling)
from einops import rearrange

def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    return rearrange(images, "b c (p1 h) (p2 w) -> b (h w) (c p1 p2)", p1=patch, p2=patch)


# %% wrong: swapped_factors (strided-sampling)
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    x = images.reshape(B, C, patch, H // patch, patch, W // patch).permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, (H // patch) * (W // patch), C * patch * patch)


# %% wrong: unfold_raw (unfold-not-transposed)
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch must divide")
    unfold = nn.Unfold(kernel_size=patch, stride=patch)
    return unfold(images)


# %% wrong: stride_one (overlapping)
def patchify(images, patch):
    if images.shape[-1] % patch or images.shape[-2] % patch:
        raise ValueError("patch")
    return nn.Unfold(patch)(images).transpose(1, 2)


# %% wrong: nhwc (channels-last)
def patchify(images, patch):
    B, H, W, C = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    x = images.reshape(B, H // patch, patch, W // patch, patch, C)
    x = x.permute(0, 1, 3, 5, 2, 4)
    return x.reshape(B, (H // patch) * (W // patch), -1)


# %% wrong: square (square-only)
def patchify(images, patch):
    B, C, H, W = images.shape
    if H % patch or W % patch:
        raise ValueError("patch")
    n = H // patch
    x = images.reshape(B, C, n, patch, n, patch).permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, n * n, C * patch * patch)


# %% wrong: crop (crops-silently)
def patchify(images, patch):
    B, C, H, W = images.shape
    h, w = H // patch, W // patch
    x = images[:, :, :h * patch, :w * patch].reshape(B, C, h, patch, w, patch)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, h * w, C * patch ** 2)


# %% wrong: unfold_crops (crops-silently)
def patchify(images, patch):
    return F.unfold(images, patch, stride=patch).mT


# %% wrong: no_check (unchecked)
def patchify(images, patch):
    b, c, h, w = images.shape
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    out = torch.einsum("bcrpsq->brscpq", out)
    return out.reshape(b, -1, c * patch * patch)


# %% wrong: check_height (checks-one-side)
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch:
        raise ValueError("height")
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    return out.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch)


# %% wrong: assertion (assert-for-raise)
def patchify(images, patch):
    b, c, h, w = images.shape
    assert h % patch == 0 and w % patch == 0, "patch must divide the image"
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    return out.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch)


# %% wrong: little_images (not-flattened)
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError("patch")
    tiles = [
        images[:, :, i : i + patch, j : j + patch]
        for i in range(0, h, patch)
        for j in range(0, w, patch)
    ]
    return torch.stack(tiles, dim=1)


# %% wrong: grid (grid-kept)
from einops import rearrange

def patchify(images, patch):
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("patch")
    return rearrange(images, "b c (h p) (w q) -> b h w (c p q)", p=patch, q=patch)


# %% wrong: no_return (returns-nothing)
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError("patch")
    out = images.reshape(b, c, h // patch, patch, w // patch, patch)
    out = out.permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch)


# %% wrong: numpy (no-gradient)
def patchify(images, patch):
    b, c, h, w = images.shape
    if h % patch or w % patch:
        raise ValueError("patch")
    out = images.detach().numpy().reshape(b, c, h // patch, patch, w // patch, patch)
    return torch.from_numpy(out.transpose(0, 2, 4, 1, 3, 5).reshape(b, -1, c * patch * patch))


# %% wrong: sum_of_the_sides (checks-both-at-once)
def patchify(images, patch):
    B, C, H, W = images.shape
    if (H + W) % patch:
        raise ValueError("does not fit")
    x = images.reshape(B, C, H // patch, patch, W // patch, patch)
    return x.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * patch * patch)


# %% wrong: area_in_patches (checks-both-at-once)
def patchify(images, patch):
    if images[0, 0].numel() % (patch * patch) != 0:
        raise ValueError("does not fit")
    return F.unfold(images, patch, stride=patch).mT
