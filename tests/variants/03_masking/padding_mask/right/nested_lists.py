def padding_mask(lengths, max_len):
    return torch.tensor([[t < int(n) for t in range(max_len)] for n in lengths])
