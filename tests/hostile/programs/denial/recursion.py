# attack: recurses without end, with the limit lifted
# limit: maybe
import sys
sys.setrecursionlimit(10**9)
def softmax(scores, dim=-1):
    return softmax(scores, dim)
