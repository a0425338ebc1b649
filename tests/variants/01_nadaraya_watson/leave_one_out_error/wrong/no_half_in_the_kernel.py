# misconception: missing-half
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) / bandwidth) ** 2
    scores[range(len(keys)), range(len(keys))] = -math.inf
    return ((softmax(scores) @ values - values) ** 2).mean()
