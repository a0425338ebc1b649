# misconception: zero-times-infinity
def masked_softmax(scores, mask):
    penalty = (1 - mask.float()) * float("-inf")
    return (scores + penalty).softmax(dim=-1)
