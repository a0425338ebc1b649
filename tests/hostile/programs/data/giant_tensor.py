# attack: returns a tensor of 400 MB
# limit: maybe
import torch
def softmax(scores, dim=-1):
    return torch.zeros(50_000_000, dtype=torch.float64)
