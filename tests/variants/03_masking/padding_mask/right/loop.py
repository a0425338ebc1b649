def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
    for row, n in zip(mask, lengths):
        row[:n] = True
    return mask
