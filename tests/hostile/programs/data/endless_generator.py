# attack: returns an iterator without an end
import itertools
def softmax(scores, dim=-1):
    return itertools.count()
