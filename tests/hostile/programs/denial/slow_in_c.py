# attack: computes for ever inside C, where no exception reaches it
# level: 0
# limit: cell_seconds
def softmax(scores, dim=-1):
    return len(str(7 ** 10**8)) if False else sum(range(10**13))
