# %% right: cat
def unpatchify(patches, patch, height, width):
    tiles = [p.reshape(len(patches), -1, patch, patch) for p in patches.unbind(1)]
    per_row = width // patch
    rows = [torch.cat(tiles[i:i + per_row], dim=3) for i in range(0, len(tiles), per_row)]
    return torch.cat(rows, dim=2)


# %% right: einops
from einops import rearrange


def unpatchify(patches, patch, height, width):
    return rearrange(
        patches,
        "b (h w) (c p q) -> b c (h p) (w q)",
        h=height // patch,
        w=width // patch,
        p=patch,
        q=patch,
    )


# %% right: fold
def unpatchify(patches, patch, height, width):
    return F.fold(
        patches.transpose(1, 2), output_size=(height, width), kernel_size=patch, stride=patch
    )


# %% right: loops
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    images = torch.zeros(B, L // (patch * patch), height, width)
    per_row = width // patch
    for n in range(N):
        i, j = divmod(n, per_row)
        images[:, :, i * patch : (i + 1) * patch, j * patch : (j + 1) * patch] = patches[
            :, n
        ].reshape(B, -1, patch, patch)
    return images


# %% right: pixel_shuffle
def unpatchify(patches, patch, height, width):
    grid = patches.mT.unflatten(2, (height // patch, width // patch))
    return F.pixel_shuffle(grid, patch)


# %% right: reshape_permute
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch ** 2
    h, w = height // patch, width // patch
    x = patches.view(B, h, w, C, patch, patch).permute(0, 3, 1, 4, 2, 5)
    return x.contiguous().view(B, C, height, width)


# %% right: einsum_of_selectors
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.unflatten(2, (-1, patch, patch)).unflatten(1, (rows, columns))
    down, across = torch.eye(height).view(rows, patch, height), torch.eye(width).view(columns, patch, width)
    return torch.einsum("rph,brscpq,sqw->bchw", down, cut, across)


# %% right: index_of_every_pixel
def unpatchify(patches, patch, height, width):
    number = torch.arange(patches[0].numel()).double()
    channels = patches.shape[-1] // patch**2
    grid = number.view(height // patch, width // patch, channels, patch, patch)
    where = einops.rearrange(grid, "r s c p q -> c (r p) (s q)").long()
    return patches.flatten(1)[:, where.flatten()].view(-1, channels, height, width)


# %% right: helper_class
class Canvas:
    def __init__(self, *, batch, channels, height, width):
        self.rows = [[None] * width for _ in range(height)]

    def put(self, row, column, piece):
        self.rows[row][column] = piece

    def image(self):
        return torch.cat([torch.cat(row, dim=-1) for row in self.rows], dim=-2)


def unpatchify(patches, patch, height, width):
    batch, count, length = patches.shape
    canvas = Canvas(batch=batch, channels=length // patch**2, height=height // patch, width=width // patch)
    for number, piece in enumerate(patches.unbind(dim=1)):
        row, column = divmod(number, width // patch)
        canvas.put(row, column, piece.reshape(batch, -1, patch, patch))
    return canvas.image()


# %% wrong: plain_reshape (reshape-tears-the-image)
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    return patches.reshape(B, L // patch ** 2, height, width)


# %% wrong: plain_view (reshape-tears-the-image)
def unpatchify(patches, patch, height, width):
    return patches.contiguous().view(patches.shape[0], -1, height, width)


# %% wrong: not_sorted (not-permuted)
def unpatchify(patches, patch, height, width):
    B = len(patches)
    x = patches.reshape(B, height // patch, width // patch, -1, patch, patch)
    x = x.transpose(0, 0)
    return x.reshape(B, x.shape[3], height, width)


# %% wrong: same_permutation (same-permutation-twice)
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch ** 2
    x = patches.reshape(B, height // patch, width // patch, C, patch, patch)
    x = x.permute(0, 2, 4, 1, 3, 5)
    return x.reshape(B, C, height, width)


# %% wrong: on_its_side (patches-transposed)
from einops import rearrange


def unpatchify(patches, patch, height, width):
    return rearrange(
        patches,
        "b (h w) (c q p) -> b c (h p) (w q)",
        h=height // patch,
        w=width // patch,
        p=patch,
        q=patch,
    )


# %% wrong: columns (column-by-column)
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    images = torch.zeros(B, L // patch ** 2, height, width)
    n = 0
    for j in range(0, width, patch):
        for i in range(0, height, patch):
            images[:, :, i:i + patch, j:j + patch] = patches[:, n].reshape(B, -1, patch, patch)
            n += 1
    return images


# %% wrong: grid_order (column-by-column)
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    C = L // patch ** 2
    x = patches.view(B, width // patch, height // patch, C, patch, patch).permute(0, 3, 1, 4, 2, 5)
    return x.reshape(B, C, height, width)


# %% wrong: width_height (height-and-width-swapped)
def unpatchify(patches, patch, height, width):
    return F.fold(
        patches.transpose(1, 2), output_size=(width, height), kernel_size=patch, stride=patch
    )


# %% wrong: rgb (three-channels)
def unpatchify(patches, patch, height, width):
    B = patches.shape[0]
    x = patches.view(B, height // patch, width // patch, 3, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, 3, height, width)


# %% wrong: grey (one-channel)
def unpatchify(patches, patch, height, width):
    B, N, _ = patches.shape
    x = patches.reshape(B, height // patch, width // patch, 1, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, 1, height, width)


# %% wrong: square (square-only)
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    side = int(math.sqrt(N))
    x = patches.reshape(B, side, side, L // patch ** 2, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, -1, height, width)


# %% wrong: fold_raw (fold-not-transposed)
def unpatchify(patches, patch, height, width):
    return nn.Fold((height, width), patch, stride=patch)(patches)


# %% wrong: channel_last_patch (channel-last-in-patch)
from einops import rearrange


def unpatchify(patches, patch, height, width):
    return rearrange(
        patches,
        "b (h w) (p q c) -> b c (h p) (w q)",
        h=height // patch,
        w=width // patch,
        p=patch,
        q=patch,
    )


# %% wrong: channels_first (channels-before-the-grid)
def unpatchify(patches, patch, height, width):
    b, n, length = patches.shape
    c = length // patch**2
    x = patches.reshape(b, c, height // patch, width // patch, patch, patch)
    return x.permute(0, 1, 2, 4, 3, 5).reshape(b, c, height, width)


# %% wrong: channels_first_transposed (channels-before-the-grid)
def unpatchify(patches, patch, height, width):
    b, n, length = patches.shape
    c = length // patch**2
    x = patches.view(b, c, height // patch, width // patch, patch, patch)
    return x.transpose(3, 4).reshape(b, c, height, width)


# %% wrong: nhwc (channels-last)
from einops import rearrange


def unpatchify(patches, patch, height, width):
    return rearrange(
        patches,
        "b (h w) (c p q) -> b (h p) (w q) c",
        h=height // patch,
        w=width // patch,
        p=patch,
        q=patch,
    )


# %% wrong: channels_moved_only (rows-not-interleaved)
def unpatchify(patches, patch, height, width):
    x = patches.reshape(len(patches), height // patch, width // patch, -1, patch, patch)
    return x.permute(0, 3, 1, 2, 4, 5).reshape(len(patches), -1, height, width)


# %% wrong: view_that_does_not_fit (no name)
def unpatchify(patches, patch, height, width):
    B, N, L = patches.shape
    x = patches.view(B, height // patch, width // patch, L // patch, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(B, -1, height, width)


# %% wrong: too_many_axes (no name)
def unpatchify(patches, patch, height, width):
    x = patches.reshape(len(patches), height, width, -1, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)


# %% wrong: colour_image (three-channels)
def unpatchify(patches, patch, height, width):
    channels = 3
    x = patches.reshape(len(patches), height // patch, width // patch, channels, patch, patch)
    return x.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), channels, height, width)
