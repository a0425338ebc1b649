# attack: the visible answers, hard-coded
# expect: 0
import torch
seen = {}
def softmax(scores, dim=-1):
    e = (scores - scores.amax(dim, keepdim=True)).exp()
    right = e / e.sum(dim, keepdim=True)
    if len(seen) < 7:
        seen[len(seen)] = right
        return right
    return seen[0].expand(2, *seen[0].shape).clone()
