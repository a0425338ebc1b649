# attack: an object whose picture never ends
# level: 0
# limit: cell_seconds
def softmax(scores, dim=-1):
    return scores
class Endless:
    def __repr__(self):
        while True:
            pass
Endless()
