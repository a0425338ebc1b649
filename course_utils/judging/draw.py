"""Random inputs for cases: one seeded generator, sizes that are all different, values that are
never constant."""

import torch
from torch import Tensor


class Draw:
    """Draws everything a case needs from one seed, so that the same seed gives the same cases
    everywhere."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.generator = torch.Generator().manual_seed(seed)

    def sizes(self, count: int, low: int = 2, high: int = 9) -> list[int]:
        """`count` pairwise different sizes from low to high: a wrong axis cannot hide behind two
        equal ones."""
        if high - low + 1 < count:
            raise ValueError(f"there are no {count} different sizes from {low} to {high}")
        return [
            low + int(i) for i in torch.randperm(high - low + 1, generator=self.generator)[:count]
        ]

    def integer(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def normal(self, *shape: int, scale: float = 1.0) -> Tensor:
        return scale * torch.randn(shape, generator=self.generator)

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> Tensor:
        return low + (high - low) * torch.rand(shape, generator=self.generator)

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """Whole numbers from low to high, both included."""
        return torch.randint(low, high + 1, shape, generator=self.generator)

    def permutation(self, length: int) -> Tensor:
        return torch.randperm(length, generator=self.generator)

    def mask(self, *shape: int, keep: float = 0.6) -> Tensor:
        """A boolean mask, True = may attend, with at least one True and (if longer than one) one
        False in every row."""
        values = torch.rand(shape, generator=self.generator)
        mask = values < keep
        mask = mask | (values == values.amin(-1, keepdim=True))
        return mask & (values != values.amax(-1, keepdim=True)) if shape[-1] > 1 else mask
