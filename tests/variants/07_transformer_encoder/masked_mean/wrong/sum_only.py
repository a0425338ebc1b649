# misconception: not-divided
def masked_mean(x, mask):
    return torch.einsum('btd,bt->bd', x, mask.to(x.dtype))
