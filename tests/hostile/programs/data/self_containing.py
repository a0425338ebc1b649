# attack: returns a list that contains itself
def softmax(scores, dim=-1):
    endless = []
    endless.append(endless)
    return endless
