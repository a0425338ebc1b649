# misconception: not-allowed
def softmax(scores, dim=-1):
    return F.softmax(scores, dim=dim)
