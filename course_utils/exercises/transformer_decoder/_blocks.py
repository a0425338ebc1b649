"""Decoder blocks that go wrong in one way, for the misconceptions about the block."""

import ast
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from torch import Tensor, nn

from course_utils import transformer_decoder as ref
from course_utils.judging.exercise import Case, Draw, Forbidden
from course_utils.masking import causal_mask

from ._shared import state

BY_HAND = Forbidden(
    "Here you put the block together yourself: nn.TransformerDecoderLayer and its relatives are "
    "not allowed.",
    (
        "TransformerDecoderLayer",
        "TransformerDecoder",
        "Transformer",
        "TransformerEncoderLayer",
        "MultiheadAttention",
    ),
)


class Sizes:
    """A block of some size with its weights, and inputs that fit it."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.batch, self.target, self.source = draw.sizes(3, low=2, high=6)
        self.heads, width = draw.integer(2, 3), 3 + 2 * draw.integer(0, 1)
        self.dim = self.heads * width
        self.init = (self.dim, self.heads, 3 * width + 1)
        self.weights = state(draw, ref.DecoderBlock(*self.init))

    def inputs(self, target: int, source: int) -> tuple[Tensor, Tensor]:
        x = self.draw.normal(self.batch, target, self.dim)
        return x, self.draw.normal(self.batch, source, self.dim)

    def padding(self, source: int) -> Tensor:
        return self.draw.mask(self.batch, 1, 1, source)

    def masks(self, target: int, source: int) -> dict[str, Tensor]:
        return {"self_mask": causal_mask(target), "memory_mask": self.padding(source)}

    def per_head(self) -> dict[str, Tensor]:
        """Masks without order, another one for each head."""
        each = self.batch, self.heads, self.target
        names = {"self_mask": self.target, "memory_mask": self.source}
        return {name: self.draw.mask(*each, keys) for name, keys in names.items()}

    def case(self, label: str, args: tuple[Tensor, ...], group: str = "basic", **more: Any) -> Case:
        return Case(label, args, init=self.init, weights=self.weights, group=group, **more)


# (parts, state so far) -> the new state. The parts are x (the block's own input), memory and its
# mask, own (the self-attention), cross, feed, norm1 to norm3: attentions that know their masks.
Step = Callable[[Any, Tensor], Any]


def parts(block: Any, x: Tensor, memory: Tensor, self_mask: Any, memory_mask: Any) -> Any:
    def own(h: Tensor) -> Any:
        return block.self_attention(h, h, h, self_mask)[0]

    def cross(query: Tensor, key: Tensor = memory, value: Tensor = memory) -> Any:
        return block.cross_attention(query, key, value, memory_mask)[0]

    norms = {"norm1": block.norm1, "norm2": block.norm2, "norm3": block.norm3}
    layers = {"own": own, "cross": cross, "feed": block.feed_forward}
    return SimpleNamespace(x=x, memory=memory, module=block, mask=memory_mask, **layers, **norms)


def attend(b: Any, h: Tensor) -> Any:
    return b.norm1(h + b.own(h))


def look(b: Any, h: Tensor) -> Any:
    return b.norm2(h + b.cross(h))


def compute(b: Any, h: Tensor) -> Any:
    return b.norm3(h + b.feed(h))


Masks = Callable[[Any, Tensor, Any, Any], Any]  # (block, x, self mask, memory mask) -> a mask


def block(
    *steps: Step, first: Masks = lambda b, x, a, c: a, second: Masks = lambda b, x, a, c: c
) -> type[nn.Module]:
    """A decoder block of other steps or other masks, as a variant."""

    def forward(
        self: Any, x: Tensor, memory: Tensor, self_mask: Any = None, memory_mask: Any = None
    ) -> Any:
        masks = [choose(self, x, self_mask, memory_mask) for choose in (first, second)]
        b, h = parts(self, x, memory, *masks), x
        for step in steps or (attend, look, compute):
            h = step(b, h)
        return h

    return type("DecoderBlock", (ref.DecoderBlock,), {"forward": forward})


def every(wire: Callable[[Tensor, Callable[..., Any], Callable[..., Any]], Any]) -> type[nn.Module]:
    """A block that puts each of its three layers and its norm together in another way."""
    return block(
        lambda b, h: wire(h, b.own, b.norm1),
        lambda b, h: wire(h, b.cross, b.norm2),
        lambda b, h: wire(h, b.feed, b.norm3),
    )


def crossed(cross: Step) -> type[nn.Module]:
    """A block with another sum after its cross-attention."""
    return block(attend, lambda b, h: b.norm2(cross(b, h)), compute)


def unpacks_nothing(tree: ast.AST) -> bool:
    """Neither an index [0] nor a tuple on the left of an assignment."""
    nodes = list(ast.walk(tree))
    indexed = any(isinstance(n, ast.Subscript) for n in nodes)
    return not indexed and not any(
        isinstance(t, ast.Tuple) for n in nodes if isinstance(n, ast.Assign) for t in n.targets
    )
