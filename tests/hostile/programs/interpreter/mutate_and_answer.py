# attack: the right values, but the input is ruined
# expect: below 3
import torch
def softmax(scores, dim=-1):
    with torch.no_grad():
        scores -= scores.amax(dim, keepdim=True)
    e = scores.exp()
    return e / e.sum(dim, keepdim=True)
