# attack: calls the function that is to be written
# status: not allowed
import torch
def softmax(scores, dim=-1):
    return torch.softmax(scores, dim)
