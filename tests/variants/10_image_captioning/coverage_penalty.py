# %% right: expanded
def coverage_penalty(weights):
    s = weights.sum(1)
    return (1 - 2 * s + s * s).sum() / len(weights)


# %% right: loops
def coverage_penalty(weights):
    B, T, R = weights.shape
    total = 0
    for b in range(B):
        for r in range(R):
            covered = sum(weights[b, t, r] for t in range(T))
            total = total + (covered - 1) ** 2
    return total / B


# %% right: mse
def coverage_penalty(weights):
    covered = torch.einsum("btr->br", weights)
    return F.mse_loss(covered, torch.ones_like(covered)) * covered.shape[1]


# %% right: norm
def coverage_penalty(weights):
    return torch.linalg.vector_norm(weights.sum(1) - 1, dim=-1).square().mean()


# %% right: plain
def coverage_penalty(weights):
    return ((1 - weights.sum(dim=1)) ** 2).sum(dim=1).mean()


# %% right: einsum
def coverage_penalty(weights):
    missing = 1 - einops.reduce(weights.double(), "b t r -> b r", "sum")
    return (torch.einsum("br,br->", missing, missing) / missing.shape[0]).to(weights.dtype)


# %% right: trace
def coverage_penalty(weights):
    total = torch.ones(weights.size(1)) @ weights - 1
    return torch.trace(total @ total.T).div(len(total))


# %% right: partial_and_helper_class
from functools import partial


class Region:
    def __init__(self, shares):
        self.total = sum(shares)

    @property
    def cost(self):
        return (self.total - 1) ** 2


def coverage_penalty(weights):
    captions = [sum(Region(shares=s).cost for s in caption.unbind(dim=1)) for caption in weights]
    return partial(torch.mean, dim=0)(torch.stack(captions))


# %% wrong: over_regions (sum-over-regions-first)
def coverage_penalty(weights):
    return ((1 - weights.sum(dim=2)) ** 2).sum(dim=1).mean()


# %% wrong: mean_steps (mean-over-steps)
def coverage_penalty(weights):
    covered = weights.mean(dim=1)
    return ((1 - covered) ** 2).sum(dim=1).mean()


# %% wrong: square_each (squared-before-summing)
def coverage_penalty(weights):
    return ((1 - weights) ** 2).sum(dim=1).sum(dim=1).mean()


# %% wrong: mean_all (mean-over-regions)
def coverage_penalty(weights):
    covered = weights.sum(dim=1)
    return F.mse_loss(covered, torch.ones_like(covered))


# %% wrong: sum_all (sum-over-batch)
def coverage_penalty(weights):
    return torch.sum((1 - torch.sum(weights, dim=1)) ** 2)


# %% wrong: abs (absolute-difference)
def coverage_penalty(weights):
    return torch.abs(1 - weights.sum(dim=1)).sum(dim=1).mean()


# %% wrong: no_square (not-squared)
def coverage_penalty(weights):
    return (1 - weights.sum(dim=1)).sum(dim=-1).mean()


# %% wrong: square_last (squared-after-summing)
def coverage_penalty(weights):
    return ((1 - weights.sum(dim=1)).sum(dim=-1)).pow(2).mean()


# %% wrong: minus (negative)
def coverage_penalty(weights):
    return -torch.pow(1 - weights.sum(dim=1), 2).sum(dim=1).mean()


# %% wrong: vector (per-caption)
def coverage_penalty(weights):
    return torch.pow(1 - weights.sum(dim=1), 2).sum(dim=1)


# %% wrong: relu (only-undershoot)
def coverage_penalty(weights):
    return F.relu(1 - weights.sum(dim=1)).pow(2).sum(dim=1).mean()


# %% wrong: in_place (changes-its-input)
def coverage_penalty(weights):
    penalty = ((1 - weights.sum(dim=1)) ** 2).sum(dim=1).mean()
    weights.data.neg_().add_(1)
    return penalty


# %% wrong: item (no-gradient)
def coverage_penalty(weights):
    return torch.tensor(((1 - weights.sum(dim=1)) ** 2).sum(dim=1).mean().item())
