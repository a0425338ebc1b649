# attack: returns a tensor without data
import torch
def softmax(scores, dim=-1):
    return torch.empty(scores.shape, device="meta")
