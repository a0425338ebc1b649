# %% wrong: mere_reshape (reshape-for-transpose)
# reshapes without moving the channels to the end: breaks "Region number `i * W + j` holds the `C`
# features of the place"
def image_regions(features):
    B, C, H, W = features.shape
    return features.reshape(B, H * W, C)

# %% wrong: column_by_column (column-by-column)
# swaps height and width, so that region i * W + j is another place: breaks "Region number `i * W
# + j` … row `i`, column `j`"
def image_regions(features):
    return features.permute(0, 3, 2, 1).flatten(1, 2)

# %% wrong: channels_stay_in_front (not-transposed)
# flattens height and width but leaves the features before the places: breaks "regions `(B, H * W,
# C)`"
def image_regions(features):
    return features.flatten(2)

# %% right: place_by_place
# stacks the columns of features in a nested comprehension
def image_regions(features):
    height, width = features.shape[2:]
    places = [features[:, :, i, j] for i in range(height) for j in range(width)]
    return torch.stack(places, dim=1)

# %% right: view_of_a_permuted_tensor
# contract: meant to fail ("not contiguous"), but height and width still lie next to each other in
# memory, so `view` may join them
def image_regions(features):
    B, C, H, W = features.shape
    return features.permute(0, 2, 3, 1).view(B, H * W, C)
