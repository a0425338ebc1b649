# %% wrong: nan_swept_away (nan-gradient)
# divides 0 by 0 and replaces the NaN afterwards; the result is right, but the gradient of an
# empty sequence is NaN: breaks "let gradients flow" together with "never NaN"
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).to(x.dtype)
    return torch.nan_to_num((x * m).sum(dim=1) / m.sum(dim=1), nan=0.0)

# %% wrong: empty_batch_only (empty-row)
# catches the case without any True only if the whole batch has none, a single empty sequence is
# still 0/0: breaks "A sequence without any True gives zeros, never NaN"
def masked_mean(x, mask):
    if not mask.any():
        return torch.zeros(x.shape[0], x.shape[2])
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(dim=1) / m.sum(dim=1)

# %% wrong: pads_in_place (changes-its-input)
# overwrites the padding of the given x with zeros: breaks "must not change the tensors that they
# are given"
def masked_mean(x, mask):
    x[~mask] = 0
    count = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return x.sum(dim=1) / count

# %% wrong: one_too_many (count-plus-one)
# adds 1 to the number of tokens against division by zero, which makes every mean too small:
# breaks "the mean over the positions where the mask is True"
def masked_mean(x, mask):
    total = torch.where(mask[..., None], x, 0.0).sum(1)
    return total / (mask.sum(1)[:, None] + 1)

# %% right: one_matrix_product
# turns the mask into rows of weights and multiplies once
def masked_mean(x, mask):
    share = mask.to(x.dtype) / mask.sum(-1, keepdim=True).clamp_min(1)  # (B, T)
    return (share[:, None, :] @ x)[:, 0]

# %% wrong: divides_by_length (divided-by-the-length)
# zeroes the padding but then takes the mean over all T positions: breaks "the mean over the
# positions where the mask is True"
def masked_mean(x, mask):
    return (x * mask.unsqueeze(-1)).mean(dim=1)
