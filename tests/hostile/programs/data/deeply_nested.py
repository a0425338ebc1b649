# attack: returns lists a thousand deep
def softmax(scores, dim=-1):
    value = scores
    for _ in range(900):
        value = [value]
    return value
