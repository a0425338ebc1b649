# attack: returns a tensor that claims to be an exabyte
# limit: memory_mb
import torch
def softmax(scores, dim=-1):
    return torch.zeros(1).expand(1 << 40, 1 << 18)
