# attack: loops for ever and swallows every exception
# level: 0
# limit: cell_seconds
def softmax(scores, dim=-1):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
