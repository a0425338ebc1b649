"""The encoder block: `EncoderBlock`, (B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from course_utils import transformer_encoder as ref
from course_utils.exercises.transformer_encoder._shared import (
    NOT_ALLOWED,
    block_sizes,
    padding,
    state,
)
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import two_features


def cases(draw: Draw) -> list[Case]:
    def case(
        label: str,
        norm_first: bool,
        mask: str = "",
        group: str = "basic",
        gradients: bool = False,
        **sizes: int,
    ) -> Case:
        batch, length, dim, heads, hidden = block_sizes(draw)
        batch, length = sizes.get("batch", batch), sizes.get("length", length)
        args: tuple[Any, ...] = (draw.normal(batch, length, dim),)
        if mask == "padding":
            args += (padding(draw, batch, length),)
        elif mask == "causal":
            args += (torch.ones(length, length, dtype=torch.bool).tril(),)
        elif mask == "for all":
            args += (draw.mask(1, 1, length, length),)
        init = (dim, heads, hidden, norm_first)
        return Case(
            label,
            init=init,
            weights=state(draw, ref.EncoderBlock(*init)),
            args=args,
            group=group,
            gradients=gradients,
        )

    default, trained = (
        case("post-norm is the default", False, group="edge"),
        case("pre-norm, in training mode", True, group="edge"),
    )
    return [
        case("post-norm", False),
        case("pre-norm", True),
        case("post-norm, gradients", False, gradients=True),
        case("pre-norm, gradients", True, gradients=True),
        case("post-norm, some tokens are padding", False, "padding"),
        case("pre-norm, some tokens are padding", True, "padding"),
        case("post-norm, no token sees a later one", False, "causal", "edge"),
        case("pre-norm, two sequences, padding", True, "padding", "edge", gradients=True, batch=2),
        case("post-norm, one mask for all", False, "for all", "edge"),
        case("pre-norm, one token", True, group="edge", length=1),
        replace(default, init=(default.init or ())[:3]),
        replace(trained, then=(Call(method="train"), Call(trained.args))),
    ]


EXERCISE = Exercise(
    name="EncoderBlock",
    kind="module",
    points=5,
    section="Before or after: where the norm goes",
    reference=ref.EncoderBlock,
    cases=cases,
    promised=two_features,
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            NOT_ALLOWED.format("encoder layers"),
            ("TransformerEncoderLayer", "TransformerEncoder", "Transformer", "MultiheadAttention"),
        ),
    ),
)


Step = Callable[[Any, Tensor, Any], Any]  # (block, x, mask) -> x


def attend(block: Any, x: Tensor, mask: Any) -> Tensor:
    out: Tensor = block.attention(x, x, x, mask)[0]
    return out


def block_with(post: Step | None = None, pre: Step | None = None) -> type[nn.Module]:
    """EncoderBlock with another forward for one or both orders of the norm."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        step = pre if self.norm_first else post
        return ref.EncoderBlock.forward(self, x, mask) if step is None else step(self, x, mask)

    return type("EncoderBlock", (ref.EncoderBlock,), {"forward": forward})


def either(post: Step, pre: Step) -> tuple[type[nn.Module], ...]:
    """The mistake in both orders of the norm, or in one of them."""
    return block_with(post, pre), block_with(post=post), block_with(pre=pre)


def post_norm(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = b.norm1(x + attend(b, x, mask))
    out: Tensor = b.norm2(x + b.feed_forward(x))
    return out


EXERCISE.misconception(
    "always-post-norm",
    "norm_first makes no difference",
    "Your block is post-norm whatever `norm_first` says. With norm_first=True each norm stands in "
    "front of its layer, inside the branch.",
    block_with(pre=post_norm),
)


def pre_norm(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = x + attend(b, b.norm1(x), mask)
    out: Tensor = x + b.feed_forward(b.norm2(x))
    return out


EXERCISE.misconception(
    "always-pre-norm",
    "norm_first makes no difference",
    "Your block is pre-norm whatever `norm_first` says. Without it each norm comes after the sum, "
    "on the residual stream itself.",
    block_with(post=pre_norm),
)

EXERCISE.misconception(
    "flag-inverted",
    "The two orders are swapped",
    "Both orders are right, each where the other one is asked for. norm_first=True means: first "
    "the norm, then the layer.",
    block_with(pre_norm, post_norm),
)


def norm_then_add(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = x + b.norm1(attend(b, x, mask))
    out: Tensor = x + b.norm2(b.feed_forward(x))
    return out


EXERCISE.misconception(
    "norm-on-the-branch",
    "The norm is on the branch, not on the sum",
    "In post-norm you normalise what the layer returns and add x afterwards. The original adds "
    "first: the norm sees the sum.",
    block_with(norm_then_add),
)

EXERCISE.misconception(
    "norm-on-the-branch",
    "The norm comes after the layer, not before it",
    "You normalise what the layer returns and add x afterwards. Post-norm normalises the sum; "
    "pre-norm normalises what goes into the layer.",
    block_with(norm_then_add, norm_then_add),
    block_with(pre=norm_then_add),
)


def normalised_residual(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = b.norm1(x)
    x = x + attend(b, x, mask)
    x = b.norm2(x)
    out: Tensor = x + b.feed_forward(x)
    return out


EXERCISE.misconception(
    "normalised-residual",
    "The residual has gone through the norm",
    "In pre-norm you overwrite x by norm(x) and add the branch to that. The point of pre-norm is "
    "a stream that no norm ever touches: keep x as it is, and normalise only what goes into the "
    "layer.",
    block_with(pre=normalised_residual),
)


def no_residual_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(b.feed_forward(b.norm1(attend(b, x, mask))))


def no_residual_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return b.feed_forward(b.norm2(attend(b, b.norm1(x), mask)))


EXERCISE.misconception(
    "no-residual",
    "Nothing is added",
    "You pass each layer's result on without adding what went in. Then a block can only replace "
    "its input, never correct it, and a deep stack is hard to train. Each of the two layers has "
    "its own residual connection.",
    *either(no_residual_post, no_residual_pre),
)


def one_residual_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(b.feed_forward(b.norm1(x + attend(b, x, mask))))


def one_residual_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return b.feed_forward(b.norm2(x + attend(b, b.norm1(x), mask)))


EXERCISE.misconception(
    "one-residual",
    "One residual connection is missing",
    "You add around the attention but not around the feed-forward layer. Each of the two has its "
    "own.",
    *either(one_residual_post, one_residual_pre),
)


def residual_of_input_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(x + b.feed_forward(b.norm1(x + attend(b, x, mask))))


def residual_of_input_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return x + b.feed_forward(b.norm2(x + attend(b, b.norm1(x), mask)))


EXERCISE.misconception(
    "residual-of-the-input",
    "The second residual starts too early",
    "After the feed-forward layer you add the block's input again. The second residual starts "
    "from what the first half returned, or the attention's contribution is only seen through the "
    "feed-forward layer.",
    *either(residual_of_input_post, residual_of_input_pre),
)


def parallel_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(b.norm1(x + attend(b, x, mask)) + b.feed_forward(x))


def parallel_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return x + attend(b, b.norm1(x), mask) + b.feed_forward(b.norm2(x))


EXERCISE.misconception(
    "in-parallel",
    "The feed-forward layer does not see the attention",
    "You feed the block's input into the feed-forward layer. The two halves come one after the "
    "other: it works on what attention has gathered.",
    *either(parallel_post, parallel_pre),
)


def half_normalised(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + b.attention(b.norm1(x), x, x, mask)[0]
    return x + b.feed_forward(b.norm2(x))


EXERCISE.misconception(
    "only-the-query-normalised",
    "Keys and values come from another x",
    "In pre-norm only your queries are normalised. It is self-attention: queries, keys and values "
    "all come from the same normalised x.",
    block_with(pre=half_normalised),
)


def swapped_norms_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm2(x + attend(b, x, mask))
    return b.norm1(x + b.feed_forward(x))


def swapped_norms_pre(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + attend(b, b.norm2(x), mask)
    return x + b.feed_forward(b.norm1(x))


EXERCISE.misconception(
    "norms-swapped",
    "norm1 and norm2 are swapped",
    "norm1 belongs to the attention, norm2 to the feed-forward layer; yours are the other way "
    "round, so that copied weights do not fit.",
    *either(swapped_norms_post, swapped_norms_pre),
)


def norm1_twice_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + attend(b, x, mask))
    return b.norm1(x + b.feed_forward(x))


def norm1_twice_pre(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + attend(b, b.norm1(x), mask)
    return x + b.feed_forward(b.norm1(x))


EXERCISE.misconception(
    "norm1-twice",
    "norm1 is used twice",
    "norm2 is never used: both halves go through norm1. Each norm has its own gamma and beta.",
    *either(norm1_twice_post, norm1_twice_pre),
)


def feed_forward_first_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + b.feed_forward(x))
    return b.norm2(x + attend(b, x, mask))


def feed_forward_first_pre(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + b.feed_forward(b.norm1(x))
    return x + attend(b, b.norm2(x), mask)


EXERCISE.misconception(
    "feed-forward-first",
    "The halves in the wrong order",
    "Attention comes first, the feed-forward layer second: gather, then work on what was gathered.",
    *either(feed_forward_first_post, feed_forward_first_pre),
)


def mixed_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + attend(b, x, mask))
    return x + b.feed_forward(b.norm2(x))


EXERCISE.misconception(
    "mixed-orders",
    "Half post-norm, half pre-norm",
    "Without norm_first your attention is post-norm, but your feed-forward layer is pre-norm. "
    "Both halves follow the same order.",
    block_with(mixed_post),
)


def second_norm_missing_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + attend(b, x, mask))
    return x + b.feed_forward(x)


EXERCISE.misconception(
    "second-norm-missing",
    "The last norm is missing",
    "In post-norm the sum after the feed-forward layer is normalised too: Add & Norm, twice.",
    block_with(second_norm_missing_post),
)


MASKS = "The model"  # the section of the lecture that speaks of the mask's shape


def masked_by(change: Callable[[Tensor], Tensor | None]) -> type[nn.Module]:
    """EncoderBlock that does something to the mask first."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        return ref.EncoderBlock.forward(self, x, None if mask is None else change(mask))

    return type("EncoderBlock", (ref.EncoderBlock,), {"forward": forward})


EXERCISE.misconception(
    "default-pre-norm",
    "Post-norm is the default",
    "Without the argument `norm_first` your block is pre-norm. The constructor is given, with "
    "`norm_first=False`: leave it as it is.",
    type(
        "EncoderBlock",
        (ref.EncoderBlock,),
        {
            "__init__": lambda self, dim, heads, hidden, norm_first=True: ref.EncoderBlock.__init__(
                self, dim, heads, hidden, norm_first
            )
        },
    ),
)

EXERCISE.misconception(
    "mask-dropped",
    "The mask does not arrive",
    "Your block takes a mask and never hands it to the attention: padding is attended to like "
    "words.",
    masked_by(lambda mask: None),
    section=MASKS,
)

EXERCISE.misconception(
    "mask-inverted",
    "The mask is inverted",
    "You hand on the opposite of the mask. Here True means *may attend*, from the beginning to "
    "the end of the course.",
    masked_by(lambda mask: ~mask),
    section=MASKS,
)

EXERCISE.misconception(
    "mask-transposed",
    "Queries are masked instead of keys",
    "You turn the mask around. It says who may be looked *at*: its last axis runs over keys.",
    masked_by(lambda mask: mask.mT),
    section=MASKS,
)


@EXERCISE.misconception(
    "returns-the-weights",
    "The weights are returned, too",
    "A block returns its output alone, so that blocks can be stacked. The text asks for one "
    "tensor (B, "
    "T, D).",
)
class ReturnsWeights(ref.EncoderBlock):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Any:
        first = self.norm1(x) if self.norm_first else x
        return super().forward(x, mask), self.attention(first, first, first, mask)[1]


@EXERCISE.misconception(
    "tuple-not-unpacked",
    "The attention returns a pair",
    "`self.attention(...)` returns (output, weights), and you add the pair to x. Which of the two "
    "goes on?",
    syntax=lambda tree: bool(syntax.calls(tree, "attention")),
)
class TupleInside(ref.EncoderBlock):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Any:
        raise TypeError
