# misconception: bos-at-the-end
def shift_right(targets, bos):
    rows = []
    for row in targets:
        rows.append(row[:-1].tolist() + [bos])
    return torch.tensor(rows)
