def leave_one_out_error(keys, values, bandwidth):
    errors = []
    for i in range(len(keys)):
        others = [j for j in range(len(keys)) if j != i]
        prediction, _ = nadaraya_watson(keys[i : i + 1], keys[others], values[others], bandwidth)
        errors.append((prediction - values[i]) ** 2)
    return torch.cat(errors).mean()
