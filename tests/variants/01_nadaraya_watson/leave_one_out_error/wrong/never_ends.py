# misconception: endless
def leave_one_out_error(keys, values, bandwidth):
    total, i = 0, 0
    while i < len(keys):
        others = torch.arange(len(keys)) != i
        total = total + (nadaraya_watson(keys[i:i + 1], keys[others], values[others], bandwidth)[0] - values[i]) ** 2
    return total / len(keys)
