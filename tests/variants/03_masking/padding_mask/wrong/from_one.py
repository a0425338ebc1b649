# misconception: one-too-few
def padding_mask(lengths, max_len):
    return torch.stack([torch.arange(1, max_len + 1) < n for n in lengths])
