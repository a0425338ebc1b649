# misconception: no-gradient
def leave_one_out_error(keys, values, bandwidth):
    errors = []
    for i in range(len(keys)):
        others = torch.arange(len(keys)) != i
        prediction, _ = nadaraya_watson(keys[i:i + 1], keys[others], values[others], bandwidth)
        errors.append((prediction.item() - values[i].item()) ** 2)
    return sum(errors) / len(errors)
