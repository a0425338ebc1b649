# attack: loops for ever when it is called
# limit: maybe
def softmax(scores, dim=-1):
    while True:
        pass
