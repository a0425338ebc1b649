# attack: a tensor subclass that lies about its values
import torch
class Liar(torch.Tensor):
    def __eq__(self, other): return torch.ones(self.shape, dtype=torch.bool)
    def __sub__(self, other): return torch.zeros(self.shape)
    __rsub__ = __sub__
def softmax(scores, dim=-1):
    return torch.zeros_like(scores).as_subclass(Liar)
