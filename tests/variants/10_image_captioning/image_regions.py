# %% right: einops
from einops import rearrange

def image_regions(features):
    return rearrange(features, "b c h w -> b (h w) c")


# %% right: flatten
def image_regions(features):
    return features.flatten(2).transpose(1, 2)


# %% right: loop
def image_regions(features):
    rows = []
    for i in range(features.shape[2]):
        for j in range(features.shape[3]):
            rows.append(features[:, :, i, j])
    return torch.stack(rows, dim=1)


# %% right: permute
def image_regions(features):
    B, C, H, W = features.shape
    return features.permute(0, 2, 3, 1).reshape(B, H * W, C)


# %% right: unfold
def image_regions(features):
    return F.unfold(input=features, kernel_size=1).transpose(1, 2)


# %% right: index_arithmetic
def image_regions(features):
    batch, channels, height, width = features.shape
    pick = lambda number: features[:, :, number // width, number % width]  # noqa: E731
    return torch.stack(list(map(pick, range(height * width))), dim=1)


# %% right: einsum_with_identities
def image_regions(features):
    B, C, H, W = features.shape
    places = torch.eye(H * W, dtype=torch.float64).view(H, W, H * W)
    return torch.einsum("bchw,hwr->brc", features.double(), places).to(features.dtype)


# %% wrong: reshape_minus_one (reshape-for-transpose)
def image_regions(features):
    return features.reshape(features.size(0), -1, features.size(1))


# %% wrong: view (reshape-for-transpose)
def image_regions(features):
    B, C, H, W = features.shape
    return features.view(B, H * W, C)


# %% wrong: channels_first (not-transposed)
def image_regions(features):
    B, C = features.shape[:2]
    return features.view(B, C, -1)


# %% wrong: columns (column-by-column)
from einops import rearrange

def image_regions(features):
    return rearrange(features, "b c h w -> b (w h) c")


# %% wrong: grid (grid-kept)
def image_regions(features):
    return features.movedim(1, -1)


# %% wrong: pool (pooled)
def image_regions(features):
    return F.adaptive_avg_pool2d(features, 1).flatten(1)


# %% wrong: no_batch (channels-as-regions)
def image_regions(features):
    C = features.shape[1]
    return features.permute(0, 2, 3, 1).reshape(-1, C)


# %% wrong: rows (rows-as-regions)
def image_regions(features):
    return features.transpose(1, 2).flatten(2)


# %% wrong: capital_t (all-axes-reversed)
def image_regions(features):
    return features.flatten(2).permute(*reversed(range(3)))


# %% wrong: moved_to_the_back (all-axes-reversed)
def image_regions(features):
    batch, channels, height, width = features.shape
    return features.reshape(batch, channels, height * width).transpose(0, 2)


# %% wrong: flatten_all (one-vector)
def image_regions(features):
    return torch.flatten(features, start_dim=1)


# %% wrong: one_vector (one-vector)
def image_regions(features):
    return features.reshape(features.shape[0], -1)


# %% wrong: detached (no-gradient)
def image_regions(features):
    return features.detach().flatten(2).transpose(1, 2)


# %% wrong: nothing (returns-nothing)
def image_regions(features):
    regions = features.flatten(2).transpose(1, 2)
