# misconception: additive-mask
def padding_mask(lengths, max_len):
    mask = torch.full((len(lengths), max_len), float("-inf"))
    for i, n in enumerate(lengths.tolist()):
        mask[i, :n] = 0.0
    return mask
