# attack: returns a string of 64 MB
def softmax(scores, dim=-1):
    return "x" * (64 << 20)
