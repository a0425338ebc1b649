"""Encoder blocks that go wrong in one way, for the misconceptions about the block."""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from torch import Tensor, nn

from course_utils import transformer_encoder as ref

from ._shared import changed

# (parts, x) -> x, where the parts are attend, feed, norm1 and norm2
Step = Callable[[Any, Tensor], Any]


def block_with(post: Step | None = None, pre: Step | None = None) -> type[nn.Module]:
    """EncoderBlock with another forward for one or both orders of the norm."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        def attend(x: Tensor, keys: Tensor | None = None) -> Any:
            keys = x if keys is None else keys
            return self.attention(x, keys, keys, mask)[0]

        step = pre if self.norm_first else post
        if step is None:
            return ref.EncoderBlock.forward(self, x, mask)
        parts = {"feed": self.feed_forward, "norm1": self.norm1, "norm2": self.norm2}
        return step(SimpleNamespace(attend=attend, **parts), x)

    return changed(ref.EncoderBlock, forward=forward)


def either(post: Step, pre: Step) -> tuple[type[nn.Module], ...]:
    """The mistake in both orders of the norm, or in one of them."""
    return block_with(post, pre), block_with(post=post), block_with(pre=pre)


def post_norm(b: Any, x: Tensor) -> Any:
    x = b.norm1(x + b.attend(x))
    return b.norm2(x + b.feed(x))


def pre_norm(b: Any, x: Tensor) -> Any:
    x = x + b.attend(b.norm1(x))
    return x + b.feed(b.norm2(x))


def norm_then_add(b: Any, x: Tensor) -> Any:
    x = x + b.norm1(b.attend(x))
    return x + b.norm2(b.feed(x))


def normed_streams() -> Iterator[type[nn.Module]]:
    """Pre-norm in which x is overwritten by its norm before both layers, or before one of them."""

    def with_norms(first: bool, second: bool) -> type[nn.Module]:
        def step(b: Any, x: Tensor) -> Any:
            y = b.norm1(x)
            x = (y if first else x) + b.attend(y)
            z = b.norm2(x)
            return (z if second else x) + b.feed(z)

        return block_with(pre=step)

    return (with_norms(*halves) for halves in ((True, True), (True, False), (False, True)))


def rewired(**places: str) -> tuple[type[nn.Module], ...]:
    """The right steps, but in the place of a part stands another one: norm2="norm1"."""

    def parts(b: Any) -> Any:
        others = {place: getattr(b, part) for place, part in places.items()}
        return SimpleNamespace(**(vars(b) | others))

    return either(lambda b, x: post_norm(parts(b), x), lambda b, x: pre_norm(parts(b), x))


def masked_by(change: Callable[[Tensor], Tensor | None]) -> type[nn.Module]:
    """EncoderBlock that does something to the mask first."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        return ref.EncoderBlock.forward(self, x, None if mask is None else change(mask))

    return changed(ref.EncoderBlock, forward=forward)
