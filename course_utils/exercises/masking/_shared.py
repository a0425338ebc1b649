"""What several exercises of this unit have in common."""

import torch
from torch import Tensor


def additive(mask: Tensor) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


NOT_BOOLEAN = (
    "Your mask holds numbers. Masks in this course are boolean: then `~mask` and `masked_fill` "
    "work, and nobody can mistake a 1 for a weight."
)


ADDITIVE_MASK = (
    "You return a mask of 0 and -inf, to be added to scores (as torch's "
    "`generate_square_subsequent_mask` does). Here a mask is boolean: True where attention "
    "is allowed."
)
