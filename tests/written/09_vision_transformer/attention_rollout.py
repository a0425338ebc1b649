# %% wrong: later_to_the_right (order-reversed)
# multiplies in the order of the list, later layers to the right: breaks "A later layer … stands
# **to the left** of them"
def attention_rollout(weights):
    result = None
    for w in weights:
        a = w.mean(dim=1)
        a = 0.5 * a + 0.5 * torch.eye(a.shape[-1], dtype=a.dtype)
        a = a / a.sum(dim=-1, keepdim=True)
        result = a if result is None else result @ a
    return result

# %% wrong: normalised_before_mixing (normalised-before-mixing)
# divides the rows of A by their sum first and mixes with the identity afterwards: breaks the
# order of steps 2 and 3
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye.expand(weights[0].shape[0], -1, -1)
    for w in weights:
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = (0.5 * a + 0.5 * eye) @ result
    return result

# %% wrong: columns_normalised (columns-normalised)
# divides every column by its sum (axis -2): breaks "divide every **row** by its sum"
def attention_rollout(weights):
    T = weights[0].size(-1)
    result = torch.eye(T).repeat(weights[0].size(0), 1, 1)
    for w in weights:
        a = 0.5 * w.mean(dim=1) + 0.5 * torch.eye(T)
        a = a / a.sum(dim=-2, keepdim=True)
        result = torch.bmm(a, result)
    return result

# %% wrong: heads_averaged_last (heads-multiplied-apart)
# rolls out every head by itself and takes the mean at the end: breaks "For every layer: 1. take
# the mean over the heads"
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w + 0.5 * eye
        a = a / a.sum(-1, keepdim=True)
        result = a @ result
    return result.mean(dim=1)

# %% right: no_halves
# adds the whole identity without the halves, which the division by the row sum cancels, and
# multiplies the layers by functools.reduce
from functools import reduce


def attention_rollout(weights):
    mixed = [w.mean(1) + torch.eye(w.shape[-1]).to(w) for w in weights]
    rows = [m.div(m.sum(-1, keepdim=True)) for m in mixed]
    return reduce(lambda done, later: later @ done, rows)
