# misconception: in-sample
def leave_one_out_error(keys, values, bandwidth):
    predictions, _ = nadaraya_watson(keys, keys, values, bandwidth)
    return F.mse_loss(predictions, values)
