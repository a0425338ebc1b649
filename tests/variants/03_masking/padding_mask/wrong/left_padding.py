# misconception: padded-on-the-left
def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None] >= (max_len - lengths)[:, None]
