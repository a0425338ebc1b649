# attack: a tensor of truth values that are neither true nor false
import torch
def softmax(scores, dim=-1):
    return torch.full((16,), 7, dtype=torch.uint8).view(torch.bool)
