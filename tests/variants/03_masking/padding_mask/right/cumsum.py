def padding_mask(lengths, max_len):
    counted = torch.ones(len(lengths), max_len).cumsum(1)
    return ~(counted > lengths[:, None])
