# misconception: one-length-for-all
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
    mask[:, : lengths.max()] = True
    return mask
