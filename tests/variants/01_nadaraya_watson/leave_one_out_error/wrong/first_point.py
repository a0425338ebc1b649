# misconception: first-left-out
def leave_one_out_error(keys, values, bandwidth):
    errors = []
    for i in range(len(keys)):
        prediction, _ = nadaraya_watson(keys[i].view(1), keys[1:], values[1:], bandwidth)
        errors.append((prediction[0] - values[i]) ** 2)
    return torch.stack(errors).mean()
