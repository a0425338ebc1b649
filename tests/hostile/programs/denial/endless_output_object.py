# attack: an object whose picture never ends
# limit: cell_seconds
class Endless:
    def __repr__(self):
        while True:
            pass
Endless()
