"""The encoder block: `EncoderBlock`, (B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""

from dataclasses import replace
from typing import Any

from torch import Tensor

from course_utils import transformer_encoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import two_features

from . import _blocks
from ._blocks import block_with, either, masked_by, norm_then_add, post_norm, pre_norm, rewired
from ._shared import ENCODERS, NOT_ALLOWED, block_sizes, changed, mask_of, state


def cases(draw: Draw) -> list[Case]:
    def case(
        label: str, norm_first: bool, mask: str = "", group: str = "basic", **more: Any
    ) -> Case:
        batch, length, dim, heads, hidden = block_sizes(draw)
        batch, length = more.pop("batch", batch), more.pop("length", length)
        args = draw.normal(batch, length, dim), *mask_of(draw, mask, batch, length)
        init = (dim, heads, hidden, norm_first)
        weights = state(draw, ref.EncoderBlock(*init))
        return Case(label, init=init, weights=weights, args=args, group=group, **more)

    default = case("post-norm is the default", False, group="edge")
    trained = case("pre-norm, in training mode", True, group="edge")
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
    forbidden=(Forbidden(NOT_ALLOWED.format("encoder layers"), (*ENCODERS, "MultiheadAttention")),),
)

EXERCISE.misconception(
    "always-post-norm",
    "norm_first makes no difference",
    "Your block is post-norm whatever `norm_first` says. With norm_first=True each norm stands in "
    "front of its layer, inside the branch.",
    block_with(pre=post_norm),
)

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

EXERCISE.misconception(
    "normalised-residual",
    "The residual has gone through the norm",
    "In pre-norm you overwrite x by norm(x) and add the branch to that. The point of pre-norm is "
    "a stream that no norm ever touches: keep x, and normalise only what goes into the layer.",
    *_blocks.normed_streams(),
)

EXERCISE.misconception(
    "no-residual",
    "Nothing is added",
    "You pass each layer's result on without adding what went in. Then a block can only replace "
    "its input, never correct it, and a deep stack is hard to train. Each of the two layers has "
    "its own residual connection.",
    *either(
        lambda b, x: b.norm2(b.feed(b.norm1(b.attend(x)))),
        lambda b, x: b.feed(b.norm2(b.attend(b.norm1(x)))),
    ),
)

EXERCISE.misconception(
    "one-residual",
    "One residual connection is missing",
    "You add around the attention but not around the feed-forward layer. Each has its own.",
    *either(
        lambda b, x: b.norm2(b.feed(b.norm1(x + b.attend(x)))),
        lambda b, x: b.feed(b.norm2(x + b.attend(b.norm1(x)))),
    ),
)

EXERCISE.misconception(
    "residual-of-the-input",
    "The second residual starts too early",
    "After the feed-forward layer you add the block's input again. The second residual starts "
    "from what the first half returned, or the attention's contribution is only seen through the "
    "feed-forward layer.",
    *either(
        lambda b, x: b.norm2(x + b.feed(b.norm1(x + b.attend(x)))),
        lambda b, x: x + b.feed(b.norm2(x + b.attend(b.norm1(x)))),
    ),
)

EXERCISE.misconception(
    "in-parallel",
    "The feed-forward layer does not see the attention",
    "You feed the block's input into the feed-forward layer. The two halves come one after the "
    "other: it works on what attention has gathered.",
    *either(
        lambda b, x: b.norm2(b.norm1(x + b.attend(x)) + b.feed(x)),
        lambda b, x: x + b.attend(b.norm1(x)) + b.feed(b.norm2(x)),
    ),
)

EXERCISE.misconception(
    "only-the-query-normalised",
    "Keys and values come from another x",
    "In pre-norm only your queries are normalised. It is self-attention: queries, keys and values "
    "all come from the same normalised x.",
    block_with(pre=lambda b, x: (y := x + b.attend(b.norm1(x), x)) + b.feed(b.norm2(y))),
)

EXERCISE.misconception(
    "norms-swapped",
    "norm1 and norm2 are swapped",
    "norm1 belongs to the attention, norm2 to the feed-forward layer; yours are the other way "
    "round, so that copied weights do not fit.",
    *rewired(norm1="norm2", norm2="norm1"),
)

EXERCISE.misconception(
    "norm1-twice",
    "norm1 is used twice",
    "norm2 is never used: both halves go through norm1. Each norm has its own gamma and beta.",
    *rewired(norm2="norm1"),
)

EXERCISE.misconception(
    "feed-forward-first",
    "The halves in the wrong order",
    "Attention comes first, the feed-forward layer second: gather, then work on what was gathered.",
    *rewired(attend="feed", feed="attend"),
)

EXERCISE.misconception(
    "mixed-orders",
    "Half post-norm, half pre-norm",
    "Without norm_first your attention is post-norm, but your feed-forward layer is pre-norm. "
    "Both halves follow the same order.",
    block_with(lambda b, x: (y := b.norm1(x + b.attend(x))) + b.feed(b.norm2(y))),
)

EXERCISE.misconception(
    "second-norm-missing",
    "The last norm is missing",
    "In post-norm the sum after the feed-forward layer is normalised too: Add & Norm, twice.",
    block_with(lambda b, x: (y := b.norm1(x + b.attend(x))) + b.feed(y)),
)

EXERCISE.misconception(
    "default-pre-norm",
    "Post-norm is the default",
    "Without the argument `norm_first` your block is pre-norm. The constructor is given, with "
    "`norm_first=False`: leave it as it is.",
    lambda dim, heads, hidden, norm_first=True: ref.EncoderBlock(dim, heads, hidden, norm_first),
)

EXERCISE.misconception(
    "mask-dropped",
    "The mask does not arrive",
    "Your block takes a mask but never hands it on: padding is attended to like words.",
    masked_by(lambda mask: None),
    section="The model",
)

EXERCISE.misconception(
    "mask-inverted",
    "The mask is inverted",
    "You hand on the opposite of the mask. Here True means *may attend*, from the beginning to "
    "the end of the course.",
    masked_by(lambda mask: ~mask),
    section="The model",
)

EXERCISE.misconception(
    "mask-transposed",
    "Queries are masked instead of keys",
    "You turn the mask around. It says who may be looked *at*: its last axis runs over keys.",
    masked_by(lambda mask: mask.mT),
    section="The model",
)


@EXERCISE.misconception(
    "returns-the-weights",
    "The weights are returned, too",
    "A block returns its output alone, so that blocks can be stacked. The text asks for one "
    "tensor (B, T, D).",
)
class ReturnsWeights(ref.EncoderBlock):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Any:
        first = self.norm1(x) if self.norm_first else x
        return super().forward(x, mask), self.attention(first, first, first, mask)[1]


EXERCISE.misconception(
    "tuple-not-unpacked",
    "The attention returns a pair",
    "`self.attention(...)` returns (output, weights), and you add the pair to x. Which of the two "
    "goes on?",
    changed(ref.EncoderBlock, forward=lambda self, x, mask=None: x + self.attention(x, x, x, mask)),
    syntax=lambda tree: bool(syntax.calls(tree, "attention")),
)
