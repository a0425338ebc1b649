# attack: raises an error that cannot be shown
class Bad(Exception):
    def __str__(self): raise RuntimeError("no")
    __repr__ = __str__
def softmax(scores, dim=-1):
    raise Bad
