def padding_mask(lengths, max_len):
    return lengths.unsqueeze(1) > torch.arange(max_len)
