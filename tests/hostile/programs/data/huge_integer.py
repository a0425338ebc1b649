# attack: returns an integer with ten thousand digits
def softmax(scores, dim=-1):
    return 10**10000
