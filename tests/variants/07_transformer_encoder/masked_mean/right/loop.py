def masked_mean(x, mask):
    rows = []
    for sequence, keep in zip(x, mask):
        real = sequence[keep]
        rows.append(real.mean(0) if len(real) else sequence.new_zeros(sequence.shape[-1]))
    return torch.stack(rows)
