# misconception: not-boolean
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len)
    for i, n in enumerate(lengths):
        mask[i, :n] = 1
    return mask
