"""What several exercises of this unit have in common."""

from typing import Any

import torch
from torch import Tensor, nn

from course_utils.judging.exercise import Draw


def state(draw: Draw, module: nn.Module) -> dict[str, Tensor]:
    """Random numbers for every weight of a module; those of a norm scatter around 1."""
    shapes = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    return {
        name: draw.normal(*shape, scale=0.5) + ("norm" in name and name.endswith("weight"))
        for name, shape in shapes.items()
    }


NOT_ALLOWED = (
    "Not allowed here: torch's own {}. The point is to write it once by hand; afterwards use "
    "torch's."
)
ENCODERS = ("TransformerEncoderLayer", "TransformerEncoder", "Transformer")


def block_sizes(draw: Draw) -> tuple[int, int, int, int, int]:
    """Batch, length, dim, heads, hidden: all sizes different."""
    batch, length = draw.sizes(2, low=3, high=5)
    heads = draw.integer(2, 3)
    dim = heads * draw.integer(3, 4)  # 6, 8, 9 or 12
    return batch, length, dim, heads, draw.sizes(1, low=13, high=17)[0]


def padding(draw: Draw, batch: int, length: int) -> Tensor:
    """(B, 1, 1, T): every sequence has a real token, the first one also padding."""
    lengths = draw.integers(1, length, batch, 1)
    lengths[0] = length - 1
    return (torch.arange(length) < lengths)[:, None, None, :]


def mask_of(draw: Draw, kind: str, batch: int, length: int) -> tuple[Tensor, ...]:
    """A mask of this kind as a further argument; none for ""."""
    if kind == "padding":
        return (padding(draw, batch, length),)
    if kind == "causal":
        return (torch.ones(length, length, dtype=torch.bool).tril(),)
    return (draw.mask(1, 1, length, length),) if kind == "for all" else ()


def changed(base: type[nn.Module], **methods: Any) -> type[nn.Module]:
    """The reference with other methods."""
    return type(base.__name__, (base,), methods)
