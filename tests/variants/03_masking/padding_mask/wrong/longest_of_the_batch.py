# misconception: length-from-the-batch
def padding_mask(lengths, max_len):
    return torch.arange(lengths.max())[None] < lengths[:, None]
