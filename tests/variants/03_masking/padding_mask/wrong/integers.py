# misconception: not-boolean
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None]).long()
