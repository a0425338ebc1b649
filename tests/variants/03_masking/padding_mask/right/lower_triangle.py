def padding_mask(lengths, max_len):
    rows = torch.ones(max_len + 1, max_len).tril(-1)  # row n has n ones
    return rows[lengths].bool()
