# misconception: twins-left-out
def leave_one_out_error(keys, values, bandwidth):
    total = 0
    for k, v in zip(keys, values):
        others = keys != k
        prediction, _ = nadaraya_watson(k[None], keys[others], values[others], bandwidth)
        total = total + (prediction[0] - v) ** 2
    return total / len(keys)
