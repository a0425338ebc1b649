# attack: returns complex numbers
def softmax(scores, dim=-1):
    return scores * 1j
