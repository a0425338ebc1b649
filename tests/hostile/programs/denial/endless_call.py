# attack: loops for ever when it is called
# level: 0
# limit: maybe
def softmax(scores, dim=-1):
    while True:
        pass
