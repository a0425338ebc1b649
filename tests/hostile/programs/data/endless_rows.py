# attack: a tensor without elements and with so many rows that a list of them takes all memory
# limit: crash
import torch
def softmax(scores, dim=-1):
    return torch.empty(2**39, 0)
