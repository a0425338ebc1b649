# misconception: one-too-many
def padding_mask(lengths, max_len):
    positions = torch.arange(max_len).unsqueeze(0)
    return positions <= lengths.unsqueeze(1)
