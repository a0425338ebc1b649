# misconception: sum-of-squares
def leave_one_out_error(keys, values, bandwidth):
    total = torch.zeros(())
    for i in range(len(keys)):
        k, v = torch.cat([keys[:i], keys[i + 1:]]), torch.cat([values[:i], values[i + 1:]])
        total = total + (nadaraya_watson(keys[i:i + 1], k, v, bandwidth)[0][0] - values[i]) ** 2
    return total
