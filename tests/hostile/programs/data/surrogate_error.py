# attack: raises an error whose message cannot be written as UTF-8
def softmax(scores, dim=-1):
    raise ValueError("\ud800 \x1b[31m \x00")
