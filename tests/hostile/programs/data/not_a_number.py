# attack: returns NaN for everything
def softmax(scores, dim=-1):
    return scores * float("nan")
