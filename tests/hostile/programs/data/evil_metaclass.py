# attack: returns an object whose type lies about its name
class Meta(type):
    __name__ = property(lambda cls: "</script><script>alert(1)</script>")
    def __instancecheck__(cls, other): return True
class Evil(metaclass=Meta):
    pass
def softmax(scores, dim=-1):
    return Evil()
