# attack: returns a string of 64 MB
# limit: maybe
def softmax(scores, dim=-1):
    return "x" * (64 << 20)
