# attack: returns an integer that fits into no tensor
def softmax(scores, dim=-1):
    return 10**100
