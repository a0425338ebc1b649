"""Exercises of unit 07."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import reviews, syntax
from course_utils import transformer_encoder as ref
from course_utils.exercise import Call, Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Outcome, Property, Unit
from course_utils.judge import VISIBLE_SEED
from course_utils.properties import no_nan


def state(draw: Draw, module: nn.Module) -> dict[str, Tensor]:
    """Random numbers for every weight of a module; those of a norm scatter around 1."""
    shapes = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    return {name: draw.normal(*shape, scale=0.5) + ("norm" in name and name.endswith("weight")) for name, shape in shapes.items()}


# layer_norm ----------------------------------------------------------------------------------------------------------


def layer_norm_cases(draw: Draw) -> list[Case]:
    a, b, c, d = draw.sizes(4, low=4, high=8)

    def case(label: str, x: Tensor, *eps: float, group: str = "basic", gradients: bool = False) -> Case:
        dim = x.shape[-1]
        return Case(label, args=(x, 1.5 + draw.normal(dim), draw.normal(dim), *eps), group=group, gradients=gradients)

    constant = draw.normal(c, d)
    constant[1] = 0.5  # exact in binary: its mean is itself
    spread = torch.stack([torch.linspace(-2, 2, d)[draw.permutation(d)] for _ in range(c)])  # (c, d): no token that hardly varies
    return [
        case(f"{a} sequences of {b} tokens with {d} features", 2 * draw.normal(a, b, d) + 1),
        case(f"{c} tokens with {b} features", draw.normal(c, b) - 2),
        case("four axes", 3 * draw.normal(a, 2, c, d) + 1),
        case("gradients", draw.normal(b, a, c), gradients=True),
        case("eps = 0.1", draw.normal(c, a, b), 0.1, group="edge"),
        case("tokens that hardly vary", draw.normal(c, d, scale=2e-3), group="edge"),
        case("a token whose features are all equal", constant, group="edge"),
        case("a mean far larger than the spread", spread + 0.2 * draw.normal(c, d) + 60, group="edge"),
    ]


def normalised(x: Tensor, eps: float, dims: Any = -1, unbiased: bool = False) -> Tensor:
    return (x - x.mean(dims, keepdim=True)) / (x.var(dims, unbiased=unbiased, keepdim=True) + eps).sqrt()


def norm_over(dims: Callable[[Tensor], Any]) -> Callable[..., Tensor]:
    """Layer norm with the statistics of other axes."""

    def variant(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
        return gamma * normalised(x, eps, dims(x)) + beta

    return variant


def norm_with(body: Callable[[Tensor, Tensor, Tensor, float], Tensor]) -> Callable[..., Tensor]:
    return lambda x, gamma, beta, eps=1e-5: body(x, gamma, beta, eps)


def _moments(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, square = x.mean(-1, keepdim=True), (x * x).mean(-1, keepdim=True)
    return gamma * (x - mean) / (square - mean**2 + eps).sqrt() + beta


def _no_keepdim(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return gamma * (x - x.mean(-1)) / (x.var(-1, unbiased=False) + eps).sqrt() + beta


NOT_ALLOWED = "Not allowed here: torch's own {}. The point is to write it once by hand; afterwards use torch's."

LAYER_NORM = Exercise(
    name="layer_norm",
    points=3,
    section="Layer norm",
    reference=ref.layer_norm,
    cases=layer_norm_cases,
    tolerance=2e-5,
    properties=(no_nan(),),
    forbidden=(
        Forbidden(
            NOT_ALLOWED.format("normalisations (LayerNorm, layer_norm, group_norm, batch_norm and their kin)"),
            ("LayerNorm", "layer_norm", "group_norm", "GroupNorm", "batch_norm", "BatchNorm1d", "native_layer_norm", "instance_norm"),
        ),
    ),
    misconceptions=(
        Misconception(
            "unbiased-variance",
            "Divided by D - 1 instead of D",
            "Your variance is a little too large: torch's `var` and `std` divide by D - 1 unless told otherwise, the estimate for a "
            "sample. The D features of a token are not a sample of anything; layer norm divides by D.",
            norm_with(lambda x, gamma, beta, eps: gamma * normalised(x, eps, unbiased=True) + beta),
        ),
        Misconception(
            "unbiased-and-eps-outside",
            "Divided by D - 1, and eps added to the standard deviation",
            "Two things differ from nn.LayerNorm: `std` divides by D - 1 unless told otherwise, and eps is added after the root instead "
            "of to the variance under it. A famous annotated implementation does the same; weights cannot be exchanged with torch's "
            "then.",
            norm_with(lambda x, gamma, beta, eps: gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + beta),
        ),
        Misconception(
            "eps-outside",
            "eps outside the square root",
            "You add eps to the standard deviation. It belongs to the variance, under the root: with eps = 0.1 or a token that hardly "
            "varies the difference is plain.",
            norm_with(
                lambda x, gamma, beta, eps: gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, unbiased=False, keepdim=True) + eps) + beta
            ),
        ),
        Misconception(
            "eps-fixed",
            "The argument eps is not used",
            "Your result does not depend on eps. The caller may ask for another one.",
            norm_with(lambda x, gamma, beta, eps: gamma * normalised(x, 1e-5) + beta),
        ),
        Misconception(
            "eps-missing",
            "0 divided by 0",
            "A token whose features are all equal has variance 0, and you divide by its root. That is what eps is for.",
            norm_with(lambda x, gamma, beta, eps: gamma * normalised(x, 0.0) + beta),
        ),
        Misconception(
            "no-root",
            "Divided by the variance",
            "You divide by the variance. Divide by its root, or the result depends on the units of the input.",
            norm_with(
                lambda x, gamma, beta, eps: gamma * (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + eps) + beta
            ),
        ),
        Misconception(
            "batch-statistics",
            "That is batch norm",
            "You take mean and variance of each feature over all tokens of all sequences: batch norm. A token's result then depends on "
            "who else is in the batch, padding included. Layer norm looks at one token at a time: which axis holds its features?",
            norm_over(lambda x: tuple(range(x.dim() - 1))),
        ),
        Misconception(
            "first-axis",
            "Statistics over the first axis",
            "You average over axis 0. There the sequences of the batch lie; one token's features lie along the last axis.",
            norm_over(lambda x: 0),
        ),
        Misconception(
            "axis-one",
            "Axis 1 is the features only in two dimensions",
            "With two axes your result is right, with three you average over time. Count from the end: the features are always the last "
            "axis.",
            norm_over(lambda x: 1),
        ),
        Misconception(
            "time-and-features",
            "One mean for the whole sequence",
            "You average over time and features together, so every token depends on all others of its sequence. The mean and variance "
            "of a token are its own.",
            norm_over(lambda x: (-2, -1)),
        ),
        Misconception(
            "over-everything",
            "One mean for the whole batch",
            "You take one mean and one variance of the whole tensor. Each token has its own.",
            norm_over(lambda x: tuple(range(x.dim()))),
        ),
        Misconception(
            "mean-kept",
            "The mean is not subtracted",
            "You divide by the root mean square and never subtract the mean. That is RMS norm, which newer models use; asked for is "
            "layer norm.",
            norm_with(lambda x, gamma, beta, eps: gamma * x / ((x * x).mean(-1, keepdim=True) + eps).sqrt() + beta),
        ),
        Misconception(
            "gamma-and-beta-missing",
            "gamma and beta are not used",
            "You normalise and stop. gamma and beta let the model undo the normalisation where that helps.",
            norm_with(lambda x, gamma, beta, eps: normalised(x, eps)),
        ),
        Misconception(
            "gamma-first",
            "gamma and beta before the normalisation",
            "You scale and shift first and normalise afterwards, which takes most of it away again. They come last.",
            norm_with(lambda x, gamma, beta, eps: normalised(gamma * x + beta, eps)),
        ),
        Misconception(
            "beta-scaled",
            "beta is multiplied by gamma",
            "You add beta before you multiply by gamma. The shift is added last, unscaled.",
            norm_with(lambda x, gamma, beta, eps: gamma * (normalised(x, eps) + beta)),
        ),
        Misconception(
            "cancellation",
            "A difference of two large numbers",
            "The mean of the squares minus the square of the mean is the variance on paper. In 32 bits both are large and nearly equal "
            "when the mean is large, and their difference is mostly rounding. Subtract the mean first, then square.",
            norm_with(_moments),
        ),
        Misconception(
            "keepdim-forgotten",
            "The mean has lost an axis",
            "After `x.mean(-1)` the last axis is gone, and the result is lined up with the wrong axis of x: an error at best, silent "
            "nonsense if two sizes are equal. Look at the `keepdim` argument.",
            norm_with(_no_keepdim),
            syntax=lambda tree: not syntax.uses(tree, "keepdim", "unsqueeze"),
        ),
    ),
)

# FeedForward ---------------------------------------------------------------------------------------------------------


def feed_forward_cases(draw: Draw) -> list[Case]:
    b, t, d, h = draw.sizes(4, low=3, high=9)

    def case(label: str, *shape: int, dim: int = d, hidden: int = h, group: str = "basic", gradients: bool = False) -> Case:
        weights = state(draw, ref.FeedForward(dim, hidden))
        return Case(label, init=(dim, hidden), weights=weights, args=(draw.normal(*shape, dim),), group=group, gradients=gradients)

    return [
        case(f"{b} sequences of {t} tokens, {d} features, {h} inside", b, t),
        case(f"{h} features, {d} inside", t, b, dim=h, hidden=d),
        case("gradients", b, t, gradients=True),
        case("tokens without a batch", t, group="edge"),
        case("one token", group="edge"),
    ]


def feed_forward_with(body: Callable[[Any, Tensor], Any]) -> type[nn.Module]:
    """FeedForward with another forward."""
    return type("FeedForward", (ref.FeedForward,), {"forward": body})


FEED_FORWARD = Exercise(
    name="FeedForward",
    kind="module",
    points=2,
    section="The feed-forward layer",
    reference=ref.FeedForward,
    cases=feed_forward_cases,
    misconceptions=(
        Misconception(
            "no-nonlinearity",
            "Two linear layers are one",
            "Nothing happens between your two layers. W₂(W₁x) is (W₂W₁)x: whatever the width inside, the pair can do no more than one "
            "linear layer.",
            feed_forward_with(lambda self, x: self.outer(self.inner(x))),
        ),
        Misconception(
            "relu-last",
            "The ReLU comes last",
            "Your ReLU stands behind the second layer, so the output is never negative and the two layers before it are still one "
            "linear layer. It belongs between them.",
            feed_forward_with(lambda self, x: F.relu(self.outer(self.inner(x)))),
        ),
        Misconception(
            "relu-first",
            "The ReLU comes first",
            "Your ReLU cuts the input, before any weight has seen it: half of the information is gone, and the two layers behind it are "
            "one. It belongs between them.",
            feed_forward_with(lambda self, x: self.outer(self.inner(F.relu(x)))),
        ),
        Misconception(
            "relu-twice",
            "One ReLU too many",
            "You also put a ReLU behind the second layer. What is added to the residual stream must be able to be negative.",
            feed_forward_with(lambda self, x: F.relu(self.outer(F.relu(self.inner(x))))),
        ),
        Misconception(
            "gelu",
            "GELU instead of ReLU",
            "GELU is what many later models use; asked for is the original: ReLU.",
            feed_forward_with(lambda self, x: self.outer(F.gelu(self.inner(x)))),
        ),
        Misconception(
            "other-nonlinearity",
            "tanh instead of ReLU",
            "tanh squeezes everything between -1 and 1; asked for is ReLU.",
            feed_forward_with(lambda self, x: self.outer(torch.tanh(self.inner(x)))),
        ),
        Misconception(
            "other-nonlinearity",
            "A sigmoid instead of ReLU",
            "The sigmoid squeezes everything between 0 and 1; asked for is ReLU.",
            feed_forward_with(lambda self, x: self.outer(torch.sigmoid(self.inner(x)))),
        ),
        Misconception(
            "other-nonlinearity",
            "A leaky ReLU",
            "Yours lets a little of the negative side through; asked for is the plain ReLU.",
            feed_forward_with(lambda self, x: self.outer(F.leaky_relu(self.inner(x)))),
        ),
        Misconception(
            "softmax-inside",
            "A softmax is not an activation",
            "You put a softmax between the layers: the hidden units then compete for a total of 1. Asked for is ReLU, unit by unit.",
            feed_forward_with(lambda self, x: self.outer(torch.softmax(self.inner(x), -1))),
        ),
        Misconception(
            "residual-inside",
            "The residual is the block's business",
            "You add x to the result. The encoder block does that, around this layer; here it would be added twice.",
            feed_forward_with(lambda self, x: x + self.outer(F.relu(self.inner(x)))),
        ),
        Misconception(
            "dropout-always",
            "Dropout that nobody can switch off",
            "F.dropout is on unless it is told `training=self.training`, also in eval(). Nobody asked for dropout here: leave it out.",
            syntax=lambda tree: any(not any(k.arg == "training" for k in c.keywords) for c in syntax.calls(tree, "dropout")),
        ),
        Misconception(
            "over-time",
            "Applied along time instead of features",
            "You turn the input so that the layers meet the time axis. The same network treats every position by itself: it works on "
            "the last axis, and nn.Linear does so by itself.",
            syntax=lambda tree: syntax.uses(tree, "transpose", "permute", "mT", "swapaxes", "T", "movedim"),
        ),
    ),
)

# EncoderBlock --------------------------------------------------------------------------------------------------------


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


def block_cases(draw: Draw) -> list[Case]:
    def case(label: str, norm_first: bool, mask: str = "", group: str = "basic", gradients: bool = False, steps: int = 0) -> Case:
        batch, length, dim, heads, hidden = block_sizes(draw)
        length = steps or length
        args: tuple[Any, ...] = (draw.normal(batch, length, dim),)
        if mask == "padding":
            args += (padding(draw, batch, length),)
        elif mask == "causal":
            args += (torch.ones(length, length, dtype=torch.bool).tril(),)
        init = (dim, heads, hidden, norm_first)
        return Case(label, init=init, weights=state(draw, ref.EncoderBlock(*init)), args=args, group=group, gradients=gradients)

    return [
        case("post-norm", False),
        case("pre-norm", True),
        case("post-norm, gradients", False, gradients=True),
        case("pre-norm, gradients", True, gradients=True),
        case("post-norm, some tokens are padding", False, "padding", "edge"),
        case("pre-norm, some tokens are padding", True, "padding", "edge"),
        case("post-norm, no token sees a later one", False, "causal", "edge"),
        case("pre-norm, one token", True, group="edge", steps=1),
    ]


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


def _post(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = b.norm1(x + attend(b, x, mask))
    out: Tensor = b.norm2(x + b.feed_forward(x))
    return out


def _pre(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = x + attend(b, b.norm1(x), mask)
    out: Tensor = x + b.feed_forward(b.norm2(x))
    return out


def _norm_then_add(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = x + b.norm1(attend(b, x, mask))
    out: Tensor = x + b.norm2(b.feed_forward(x))
    return out


def _normalised_residual(b: Any, x: Tensor, mask: Any) -> Tensor:
    x = b.norm1(x)
    x = x + attend(b, x, mask)
    x = b.norm2(x)
    out: Tensor = x + b.feed_forward(x)
    return out


def _no_residual_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(b.feed_forward(b.norm1(attend(b, x, mask))))


def _no_residual_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return b.feed_forward(b.norm2(attend(b, b.norm1(x), mask)))


def _one_residual_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(b.feed_forward(b.norm1(x + attend(b, x, mask))))


def _one_residual_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return b.feed_forward(b.norm2(x + attend(b, b.norm1(x), mask)))


def _residual_of_input_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(x + b.feed_forward(b.norm1(x + attend(b, x, mask))))


def _residual_of_input_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return x + b.feed_forward(b.norm2(x + attend(b, b.norm1(x), mask)))


def _parallel_post(b: Any, x: Tensor, mask: Any) -> Any:
    return b.norm2(b.norm1(x + attend(b, x, mask)) + b.feed_forward(x))


def _parallel_pre(b: Any, x: Tensor, mask: Any) -> Any:
    return x + attend(b, b.norm1(x), mask) + b.feed_forward(b.norm2(x))


def _half_normalised(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + b.attention(b.norm1(x), x, x, mask)[0]
    return x + b.feed_forward(b.norm2(x))


def _swapped_norms_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm2(x + attend(b, x, mask))
    return b.norm1(x + b.feed_forward(x))


def _swapped_norms_pre(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + attend(b, b.norm2(x), mask)
    return x + b.feed_forward(b.norm1(x))


def _norm1_twice_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + attend(b, x, mask))
    return b.norm1(x + b.feed_forward(x))


def _norm1_twice_pre(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + attend(b, b.norm1(x), mask)
    return x + b.feed_forward(b.norm1(x))


def _feed_forward_first_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + b.feed_forward(x))
    return b.norm2(x + attend(b, x, mask))


def _feed_forward_first_pre(b: Any, x: Tensor, mask: Any) -> Any:
    x = x + b.feed_forward(b.norm1(x))
    return x + attend(b, b.norm2(x), mask)


def _mixed_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + attend(b, x, mask))
    return x + b.feed_forward(b.norm2(x))


def _second_norm_missing_post(b: Any, x: Tensor, mask: Any) -> Any:
    x = b.norm1(x + attend(b, x, mask))
    return x + b.feed_forward(x)


def masked_by(change: Callable[[Tensor], Tensor | None]) -> type[nn.Module]:
    """EncoderBlock that does something to the mask first."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        return ref.EncoderBlock.forward(self, x, None if mask is None else change(mask))

    return type("EncoderBlock", (ref.EncoderBlock,), {"forward": forward})


class _TupleInside(ref.EncoderBlock):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Any:
        raise TypeError


class _ReturnsWeights(ref.EncoderBlock):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Any:
        first = self.norm1(x) if self.norm_first else x
        return super().forward(x, mask), self.attention(first, first, first, mask)[1]


BLOCK = Exercise(
    name="EncoderBlock",
    kind="module",
    points=5,
    section="Before or after: where the norm goes",
    reference=ref.EncoderBlock,
    cases=block_cases,
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            NOT_ALLOWED.format("encoder layers"), ("TransformerEncoderLayer", "TransformerEncoder", "Transformer", "MultiheadAttention")
        ),
    ),
    misconceptions=(
        Misconception(
            "always-post-norm",
            "norm_first makes no difference",
            "Your block is post-norm whatever `norm_first` says. With norm_first=True each norm stands in front of its layer, inside "
            "the branch.",
            block_with(pre=_post),
        ),
        Misconception(
            "always-pre-norm",
            "norm_first makes no difference",
            "Your block is pre-norm whatever `norm_first` says. Without it each norm comes after the sum, on the residual stream itself.",
            block_with(post=_pre),
        ),
        Misconception(
            "flag-inverted",
            "The two orders are exchanged",
            "Both orders are right, each where the other one is asked for. norm_first=True means: first the norm, then the layer.",
            block_with(_pre, _post),
        ),
        Misconception(
            "norm-on-the-branch",
            "The norm is on the branch, not on the sum",
            "In post-norm you normalise what the layer returns and add x afterwards. The original adds first: the norm sees the sum.",
            block_with(_norm_then_add),
        ),
        Misconception(
            "norm-on-the-branch",
            "The norm is behind the layer, not in front of it",
            "In both orders you normalise what the layer returns and add x afterwards. Post-norm normalises the sum; pre-norm "
            "normalises what goes into the layer.",
            block_with(_norm_then_add, _norm_then_add),
        ),
        Misconception(
            "normalised-residual",
            "The residual has gone through the norm",
            "In pre-norm you overwrite x by norm(x) and add the branch to that. The point of pre-norm is a stream that no norm ever "
            "touches: keep x as it is, and normalise only what goes into the layer.",
            block_with(pre=_normalised_residual),
        ),
        Misconception(
            "no-residual",
            "Nothing is added",
            "You pass each layer's result on without adding what went in. Then a block can only replace its input, never correct it, "
            "and a deep stack is hard to train. Each of the two layers has its own residual connection.",
            block_with(_no_residual_post, _no_residual_pre),
        ),
        Misconception(
            "one-residual",
            "One residual connection is missing",
            "You add around the attention but not around the feed-forward layer. Each of the two has its own.",
            block_with(_one_residual_post, _one_residual_pre),
        ),
        Misconception(
            "residual-of-the-input",
            "The second residual starts too early",
            "Behind the feed-forward layer you add the block's input again. The second residual starts from what the first half "
            "returned, or the attention's contribution is only seen through the feed-forward layer.",
            block_with(_residual_of_input_post, _residual_of_input_pre),
        ),
        Misconception(
            "in-parallel",
            "The feed-forward layer does not see the attention",
            "You feed the block's input into the feed-forward layer. The two halves come one after the other: it works on what "
            "attention has gathered.",
            block_with(_parallel_post, _parallel_pre),
        ),
        Misconception(
            "only-the-query-normalised",
            "Keys and values come from another x",
            "In pre-norm only your queries are normalised. It is self-attention: queries, keys and values all come from the same "
            "normalised x.",
            block_with(pre=_half_normalised),
        ),
        Misconception(
            "norms-swapped",
            "norm1 and norm2 exchanged",
            "norm1 belongs to the attention, norm2 to the feed-forward layer; yours are the other way round, so that copied weights do "
            "not fit.",
            block_with(_swapped_norms_post, _swapped_norms_pre),
        ),
        Misconception(
            "norm1-twice",
            "norm1 is used twice",
            "norm2 is never used: both halves go through norm1. Each norm has a gamma and a beta of its own.",
            block_with(_norm1_twice_post, _norm1_twice_pre),
        ),
        Misconception(
            "feed-forward-first",
            "The halves in the wrong order",
            "Attention comes first, the feed-forward layer second: gather, then work on what was gathered.",
            block_with(_feed_forward_first_post, _feed_forward_first_pre),
        ),
        Misconception(
            "mixed-orders",
            "Half post-norm, half pre-norm",
            "Without norm_first your attention is post-norm, but your feed-forward layer is pre-norm. Both halves follow the same order.",
            block_with(_mixed_post),
        ),
        Misconception(
            "second-norm-missing",
            "The last norm is missing",
            "In post-norm the sum behind the feed-forward layer is normalised too: Add & Norm, twice.",
            block_with(_second_norm_missing_post),
        ),
        Misconception(
            "mask-dropped",
            "The mask does not arrive",
            "Your block takes a mask and never hands it to the attention: padding is attended to like words.",
            masked_by(lambda mask: None),
        ),
        Misconception(
            "mask-inverted",
            "The mask is inverted",
            "You hand on the opposite of the mask. Here True means *may attend*, from the beginning to the end of the course.",
            masked_by(lambda mask: ~mask),
        ),
        Misconception(
            "mask-transposed",
            "Queries are masked instead of keys",
            "You turn the mask around. It says who may be looked *at*: its last axis runs over keys.",
            masked_by(lambda mask: mask.mT),
        ),
        Misconception(
            "returns-the-weights",
            "The weights are returned, too",
            "A block returns its output alone, so that blocks can be stacked. Asked for is one tensor (B, T, D).",
            _ReturnsWeights,
        ),
        Misconception(
            "tuple-not-unpacked",
            "The attention returns a pair",
            "`self.attention(...)` returns (output, weights), and you add the pair to x. Which of the two goes on?",
            _TupleInside,
            syntax=lambda tree: bool(syntax.calls(tree, "attention")),
        ),
    ),
)

# Encoder -------------------------------------------------------------------------------------------------------------


def encoder_cases(draw: Draw) -> list[Case]:
    def case(label: str, depth: int, norm_first: bool, masked: bool = False, group: str = "basic", gradients: bool = False) -> Case:
        batch, length, dim, heads, hidden = block_sizes(draw)
        args: tuple[Any, ...] = (draw.normal(batch, length, dim),)
        if masked:
            args += (padding(draw, batch, length),)
        init = (dim, heads, hidden, depth, norm_first)
        return Case(label, init=init, weights=state(draw, ref.Encoder(*init)), args=args, group=group, gradients=gradients)

    return [
        case("3 post-norm blocks", 3, False),
        case("2 pre-norm blocks", 2, True),
        case("2 post-norm blocks, gradients", 2, False, gradients=True),
        case("3 post-norm blocks, some tokens are padding", 3, False, True, "edge"),
        case("2 pre-norm blocks, some tokens are padding", 2, True, True, "edge"),
        case("one pre-norm block", 1, True, group="edge"),
    ]


class _Shared(ref.Encoder):
    def __init__(self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False) -> None:
        super().__init__(dim, heads, hidden, depth, norm_first)
        self.blocks = nn.ModuleList([ref.EncoderBlock(dim, heads, hidden, norm_first)] * depth)


class _PlainList(ref.Encoder):
    def __init__(self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False) -> None:
        super().__init__(dim, heads, hidden, 0, norm_first)


class _NoFinalNorm(ref.Encoder):
    def __init__(self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False) -> None:
        super().__init__(dim, heads, hidden, depth, norm_first)
        self.norm = None


class _NormAlways(ref.Encoder):
    def __init__(self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False) -> None:
        super().__init__(dim, heads, hidden, depth, norm_first)
        self.norm = nn.LayerNorm(dim)


class _AlwaysPost(ref.Encoder):
    def __init__(self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False) -> None:
        super().__init__(dim, heads, hidden, depth, norm_first)
        self.blocks = nn.ModuleList(ref.EncoderBlock(dim, heads, hidden) for _ in range(depth))


def encoder_with(body: Callable[[Any, Tensor, Any], Any]) -> type[nn.Module]:
    """Encoder with another forward."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        return body(self, x, mask)

    return type("Encoder", (ref.Encoder,), {"forward": forward})


def final(encoder: Any, x: Tensor) -> Any:
    return x if encoder.norm is None else encoder.norm(x)


def _mask_dropped(encoder: Any, x: Tensor, mask: Any) -> Any:
    for block in encoder.blocks:
        x = block(x)
    return final(encoder, x)


def _mask_once(encoder: Any, x: Tensor, mask: Any) -> Any:
    for number, block in enumerate(encoder.blocks):
        x = block(x, mask if number == 0 else None)
    return final(encoder, x)


def _same_input(encoder: Any, x: Tensor, mask: Any) -> Any:
    return final(encoder, encoder.blocks[-1](x, mask))


def _reversed(encoder: Any, x: Tensor, mask: Any) -> Any:
    for block in reversed(encoder.blocks):
        x = block(x, mask)
    return final(encoder, x)


def _norm_unused(encoder: Any, x: Tensor, mask: Any) -> Any:
    for block in encoder.blocks:
        x = block(x, mask)
    return x


def _norm_in_the_loop(encoder: Any, x: Tensor, mask: Any) -> Any:
    for block in encoder.blocks:
        x = final(encoder, block(x, mask))
    return x


def _extra_residual(encoder: Any, x: Tensor, mask: Any) -> Any:
    for block in encoder.blocks:
        x = x + block(x, mask)
    return final(encoder, x)


def _first_only(encoder: Any, x: Tensor, mask: Any) -> Any:
    return final(encoder, encoder.blocks[0](x, mask))


def _sum_of_blocks(encoder: Any, x: Tensor, mask: Any) -> Any:
    return final(encoder, torch.stack([block(x, mask) for block in encoder.blocks]).sum(0))


ENCODER = Exercise(
    name="Encoder",
    kind="module",
    points=4,
    section="Stacking, and a trap",
    reference=ref.Encoder,
    cases=encoder_cases,
    tolerance=1e-4,
    forbidden=(Forbidden(NOT_ALLOWED.format("encoder"), ("TransformerEncoderLayer", "TransformerEncoder", "Transformer")),),
    misconceptions=(
        Misconception(
            "shared-blocks",
            "One block, listed several times",
            "All your blocks are the same object: `[block] * depth` repeats a reference, not a block. The stack has the weights of one "
            "block, and training one trains all. Make a new block for each place.",
            _Shared,
        ),
        Misconception(
            "plain-list",
            "A Python list hides the blocks",
            "Your blocks are in a plain list or tuple. PyTorch does not look into those: the encoder says it has no such parameters, "
            "the optimiser never gets them, `.to(device)` forgets them. Which container of nn registers what is in it?",
            _PlainList,
            syntax=lambda tree: not syntax.uses(tree, "ModuleList", "Sequential", "ModuleDict", "add_module", "register_module", "setattr"),
        ),
        Misconception(
            "final-norm-missing",
            "A pre-norm stack ends without a norm",
            "With norm_first the stream itself is never normalised: after some blocks it has grown, and nobody brings it back. One last "
            "norm, called `norm`, stands behind the stack.",
            _NoFinalNorm,
        ),
        Misconception(
            "final-norm-not-used",
            "The last norm is made but not used",
            "`self.norm` exists, but forward never calls it.",
            encoder_with(_norm_unused),
        ),
        Misconception(
            "final-norm-always",
            "One norm too many",
            "Your encoder has a last norm also without norm_first. A post-norm block already ends in one; only a pre-norm stack needs it.",
            _NormAlways,
        ),
        Misconception(
            "norm-in-the-loop",
            "The last norm comes after every block",
            "You apply `self.norm` behind each block. It stands once, behind the whole stack; the stream between the blocks stays free.",
            encoder_with(_norm_in_the_loop),
        ),
        Misconception(
            "flag-not-passed",
            "The blocks do not know about norm_first",
            "Your blocks are post-norm always: norm_first is not handed on to them.",
            _AlwaysPost,
        ),
        Misconception(
            "same-input",
            "Every block gets the first input",
            "Each of your blocks starts from the original x, and only the last one's result is returned: depth without depth.",
            encoder_with(_same_input),
        ),
        Misconception(
            "first-block-only",
            "Only the first block is used",
            "Your result comes from the first block alone. Is the `return` inside the loop?",
            encoder_with(_first_only),
        ),
        Misconception(
            "reversed-blocks",
            "From the last block to the first",
            "You go through the blocks from the end. The input meets `blocks[0]` first.",
            encoder_with(_reversed),
        ),
        Misconception(
            "blocks-side-by-side",
            "Blocks side by side instead of on top of each other",
            "Your blocks all start from the original x, and their results are added. Each block works on what the one before it returned.",
            encoder_with(_sum_of_blocks),
        ),
        Misconception(
            "residual-around-blocks",
            "A residual too many",
            "You add x around each block. A block has its residual connections inside.",
            encoder_with(_extra_residual),
        ),
        Misconception(
            "mask-dropped",
            "The mask does not arrive",
            "Your encoder takes a mask and hands it to no block.",
            encoder_with(_mask_dropped),
        ),
        Misconception(
            "mask-in-the-first-block-only",
            "The mask arrives in one block only",
            "Your first block knows the mask, the others do not: from the second on, padding is attended to.",
            encoder_with(_mask_once),
        ),
    ),
)

# masked_mean ---------------------------------------------------------------------------------------------------------


def mean_cases(draw: Draw) -> list[Case]:
    b, t, d, e = draw.sizes(4, low=3, high=8)
    lengths = draw.integers(1, t - 1, b, 1)
    empty = draw.mask(e, t)
    empty[1] = False
    return [
        Case(f"{b} sequences of {t} tokens, {d} features", args=(3 * draw.normal(b, t, d) + 1, torch.arange(t) < lengths)),
        Case("tokens to skip anywhere", args=(3 * draw.normal(e, d, b) - 1, draw.mask(e, d))),
        Case("gradients", args=(draw.normal(b, t, e), draw.mask(b, t)), gradients=True),
        Case("nothing to skip", args=(draw.normal(d, b, t), torch.ones(d, b, dtype=torch.bool))),
        Case("a sequence without any token", args=(3 * draw.normal(e, t, d), empty), group="edge"),
        Case("zeros among the real tokens", args=(F.relu(draw.normal(e, t, b)), draw.mask(e, t)), group="edge"),
        Case("one token left of each", args=(draw.normal(t, d, e), torch.arange(d) < torch.ones(t, 1)), group="edge"),
    ]


def _sum(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask[..., None]).sum(1)


def _max(x: Tensor, mask: Tensor) -> Tensor:
    return x.masked_fill(~mask[..., None], -torch.inf).amax(1)


def _max_zero(x: Tensor, mask: Tensor) -> Tensor:
    return _max(x, mask).masked_fill(~mask.any(1, keepdim=True), 0)


def _last(x: Tensor, mask: Tensor) -> Tensor:
    return x[torch.arange(len(x)), mask.sum(1) - 1]


def _nonzero(x: Tensor, mask: Tensor) -> Tensor:
    kept = x * mask[..., None]
    return kept.sum(1) / (kept != 0).sum(1).clamp(min=1)


def _no_axis(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask).sum(1) / mask.sum(1)


MASKED_MEAN = Exercise(
    name="masked_mean",
    points=3,
    section="One vector for a sequence",
    reference=ref.masked_mean,
    cases=mean_cases,
    properties=(no_nan(),),
    misconceptions=(
        Misconception(
            "mask-ignored",
            "Padding is averaged with the rest",
            "You average over all positions. The more padding, the less is left of the sentence: the same sentence gets another vector "
            "in another batch.",
            lambda x, mask: x.mean(1),
        ),
        Misconception(
            "divided-by-the-length",
            "Zeros count as tokens",
            "You set padding to zero, but still divide by the number of all positions. How many tokens were added up, row by row?",
            lambda x, mask: _sum(x, mask) / x.shape[1],
        ),
        Misconception(
            "not-divided",
            "A sum is not a mean",
            "You add up the right positions and do not divide: long sentences get long vectors.",
            _sum,
        ),
        Misconception(
            "inverted",
            "The mean of the padding",
            "You average the positions where the mask is False. True means: this token counts.",
            lambda x, mask: ref.masked_mean(x, ~mask),
        ),
        Misconception(
            "empty-row",
            "0 divided by 0",
            "A sequence without any token gives NaN. The text asks for zeros there: what may the divisor never be?",
            lambda x, mask: _sum(x, mask) / mask.sum(1, keepdim=True),
        ),
        Misconception(
            "count-plus-one",
            "One too many in the divisor",
            "You add 1 to every count. That saves the empty sequence, and makes all others too small.",
            lambda x, mask: _sum(x, mask) / (mask.sum(1, keepdim=True) + 1),
        ),
        Misconception(
            "one-count-for-all",
            "One count for the whole batch",
            "You divide by the number of real tokens in the whole batch. Each sequence has its own.",
            lambda x, mask: _sum(x, mask) / mask.sum().clamp(min=1),
        ),
        Misconception(
            "sentences-mixed",
            "All sentences in one mean",
            "`x[mask]` lines up the real tokens of all sequences; their mean is one vector for the whole batch. Asked for is one per "
            "sequence.",
            lambda x, mask: x[mask].mean(0),
        ),
        Misconception(
            "axis-kept",
            "A time axis of length one is left",
            "Your result has shape (B, 1, D), asked for is (B, D).",
            lambda x, mask: ref.masked_mean(x, mask)[:, None],
        ),
        Misconception(
            "maximum",
            "The maximum, not the mean",
            "You take the largest value of each feature. That is a pooling, too, but asked for is the mean.",
            _max,
        ),
        Misconception(
            "maximum",
            "The maximum, not the mean",
            "You take the largest value of each feature. That is a pooling, too, but asked for is the mean.",
            _max_zero,
        ),
        Misconception(
            "last-token",
            "One token instead of the mean",
            "You pick the last real token. That is how recurrent models are read out; asked for is the mean of all of them.",
            _last,
        ),
        Misconception(
            "first-token",
            "One token instead of the mean",
            "You pick the first token. That is how a model with a CLS token is read out; asked for is the mean of all of them.",
            lambda x, mask: x[:, 0],
        ),
        Misconception(
            "zeros-skipped",
            "A zero is not padding",
            "You count the entries that are not 0. A feature of a real token may well be 0, behind a ReLU half of them are: count "
            "tokens by the mask.",
            _nonzero,
        ),
        Misconception(
            "features-averaged",
            "The wrong axis",
            "You average over the features: one number per token is left. Asked for is one vector per sequence.",
            lambda x, mask: (x * mask[..., None]).mean(-1),
        ),
        Misconception(
            "mask-without-an-axis",
            "The mask meets the wrong axis",
            "x is (B, T, D), the mask (B, T): lined up from the right, T meets D. Give the mask one more axis.",
            _no_axis,
            syntax=lambda tree: not syntax.uses(tree, "unsqueeze") and not _adds_axis(tree),
        ),
    ),
)


def _adds_axis(tree: ast.AST) -> bool:
    """Is there an indexing with None, such as mask[..., None]?"""
    found = (node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript))
    parts = (part for index in found for part in (index.elts if isinstance(index, ast.Tuple) else [index]))
    return any(isinstance(part, ast.Constant) and part.value is None for part in parts)


# train_classifier ----------------------------------------------------------------------------------------------------

SEEN, UNSEEN, BAR = 1000, 400, 0.9


@dataclass(frozen=True, eq=False)
class Marked:
    """Looks at the predictions for reviews that were never seen: are nine of ten right?"""

    classes: int
    labels: Tensor  # (M,): the impression named last
    rivals: Tensor  # (M,): the one named first

    def logits(self, outcome: Outcome) -> Tensor | None:
        """(M, classes), or None if that is not what the model returned."""
        logits = outcome.values[1] if len(outcome.values) > 1 else None
        fits = isinstance(logits, Tensor) and logits.shape == (len(self.labels), self.classes)
        return logits if fits else None

    def share(self, outcome: Outcome, labels: Tensor) -> float:
        """How often the prediction is this label."""
        logits = self.logits(outcome)
        return 0.0 if logits is None else float((logits.argmax(-1) == labels).double().mean())

    def __call__(self, outcome: Outcome) -> str | None:
        if self.logits(outcome) is None:
            return f"the model should return logits of shape ({len(self.labels)}, {self.classes}) for {len(self.labels)} reviews"
        right = self.share(outcome, self.labels)
        return None if right >= BAR else f"{right:.0%} of the reviews never seen are classified rightly, asked for are {BAR:.0%}"


def training_cases(draw: Draw) -> list[Case]:
    classes = (
        4 if draw.seed == VISIBLE_SEED else 3 + 2 * draw.integer(0, 1)
    )  # a number of classes that is written down fits one of them only
    made = [reviews.review(draw.generator, classes) for _ in range(SEEN + UNSEEN)]
    words = sorted({word for text, _, _ in made for word in text})
    order = draw.permutation(len(words) + 1).tolist()  # ids in no order at all, the padding somewhere among them
    ids, pad = dict(zip(words, order, strict=False)), order[-1]
    lengths = torch.tensor([len(text) for text, _, _ in made])
    width = int(lengths.max())
    tokens = torch.tensor([[ids[word] for word in text] + [pad] * (width - len(text)) for text, _, _ in made])
    first, last = torch.tensor([(first, last) for _, first, last in made]).T
    seen, unseen = tokens[:SEEN], tokens[SEEN:]
    short = unseen[lengths[SEEN:] <= 14][:50]
    calls = tuple(Call((part,)) for part in (unseen, unseen[:50], short, short, short[:, :14]))
    args = (seen, last[:SEEN], classes, pad, draw.integer(0, 999))
    label = f"{SEEN} reviews of {classes} kinds to learn from, {UNSEEN} never seen"
    return [Case(label, args=args, then=calls, verify=Marked(classes, last[SEEN:], first[SEEN:]), hidden_values=True)]


def apart(one: Any, other: Any) -> bool:
    """Do two answers for the same sequences differ by more than rounding?"""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor) or one.shape != other.shape:
        return True
    return not torch.allclose(one.double(), other.double(), rtol=1e-3, atol=1e-3 * float(one.double().std().clamp(min=1.0)))


def wavers(case: Case, got: Outcome) -> bool:
    return apart(got.values[3], got.values[4])


def depends_on_neighbours(case: Case, got: Outcome) -> bool:
    everything = got.values[1]
    return not wavers(case, got) and apart(everything[:50] if isinstance(everything, Tensor) else None, got.values[2])


def depends_on_padding(case: Case, got: Outcome) -> bool:
    return not wavers(case, got) and not depends_on_neighbours(case, got) and apart(got.values[4], got.values[5])


def law(label: str, broken: Callable[[Case, Outcome], bool], text: str) -> Property:
    return Property(label, lambda case, got: text if broken(case, got) else None)


def marked(case: Case) -> Marked:
    assert isinstance(case.verify, Marked)
    return case.verify


def no_logits(case: Case, got: Outcome) -> bool:
    return marked(case).logits(got) is None


def blind_to_order(case: Case, got: Outcome) -> bool:
    """The two impressions are found, but which of them came last is a coin toss."""
    mark = marked(case)
    right, rival = mark.share(got, mark.labels), mark.share(got, mark.rivals)
    return right + rival > 0.85 and right < 0.75


def below(bar: float) -> Callable[[Case, Outcome], bool]:
    return lambda case, got: marked(case).logits(got) is not None and marked(case).share(got, marked(case).labels) < bar


def nothing_learned(case: Case, got: Outcome) -> bool:
    return below(1 / marked(case).classes + 0.15)(case, got)


def stops_early(case: Case, got: Outcome) -> bool:
    return below(BAR)(case, got)


def reads(tree: ast.AST, name: str) -> bool:
    """Is this variable used anywhere?"""
    return any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in ast.walk(tree))


def returns(tree: ast.AST, name: str) -> bool:
    """Does the function of this name return something anywhere?"""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    return not functions or any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(functions[0]))


def trains(tree: ast.AST) -> bool:
    """Does it compute gradients and use them?"""
    return syntax.uses(tree, "backward", "grad") and syntax.uses(tree, "step", "add_", "sub_", "data", "copy_")


def clears(tree: ast.AST) -> bool:
    """Are gradients cleared: by zero_grad, by `grad = None`, or by never keeping them?"""
    unset = (node for node in ast.walk(tree) if isinstance(node, ast.Assign))
    return syntax.uses(tree, "zero_grad", "zero_") or any(getattr(t, "attr", "") == "grad" for node in unset for t in node.targets)


TRAINING = Exercise(
    name="train_classifier",
    kind="training",
    points=5,
    section="The training loop",
    reference=ref.train_classifier,
    cases=training_cases,
    limit=60.0,
    rounds=1,
    properties=(
        law("the same reviews get the same answer twice", wavers, "two calls with the same reviews give different logits"),
        law(
            "a review is judged by itself",
            depends_on_neighbours,
            "fifty reviews get other logits when they are given without the other 350",
        ),
        law("padding does not count", depends_on_padding, "the same reviews get other logits when some padding behind them is cut off"),
    ),
    misconceptions=(
        Misconception(
            "labels-misaligned",
            "Reviews and labels in different orders",
            "You shuffle tokens and labels each in an order of its own. Nothing can be learned from labels that belong to other "
            "reviews: draw one order and use it for both.",
            symptom=below(0.6),
            syntax=lambda tree: len(syntax.calls(tree, "randperm")) > 1 or len(syntax.calls(tree, "shuffle")) > 1,
        ),
        Misconception(
            "returns-nothing",
            "Nothing is returned",
            "The model is trained and then thrown away: the function has no `return`.",
            syntax=lambda tree: not returns(tree, "train_classifier"),
        ),
        Misconception(
            "never-trained",
            "The weights never change",
            "Your model is returned as it was made: nothing in the answer computes gradients and takes steps with them.",
            symptom=below(0.6),
            syntax=lambda tree: not trains(tree),
        ),
        Misconception(
            "gradients-pile-up",
            "Old gradients are never cleared",
            "`backward` adds to the gradients that are there. Nothing in your loop clears them, so that each step also repeats all steps before it.",
            symptom=stops_early,
            syntax=lambda tree: trains(tree) and not clears(tree),
        ),
        Misconception(
            "order-ignored",
            "Which words, but not in which order",
            "Your model finds the two impressions of a review, but which of them came last is a coin toss. Attention and a mean are "
            "blind to order: where does your model learn where a word stands?",
            symptom=blind_to_order,
        ),
        Misconception(
            "dropout-left-on",
            "Returned in training mode",
            "The same reviews get different answers each time: dropout is still on. A model that is to predict is switched to "
            "evaluation first.",
            symptom=wavers,
        ),
        Misconception(
            "neighbours-count",
            "A review's answer depends on the others in the batch",
            "The same review gets another answer in other company. Statistics over the batch do that, and attention along the wrong "
            "axis: torch's own layers take the batch as the *second* axis unless told otherwise.",
            symptom=depends_on_neighbours,
        ),
        Misconception(
            "pad-not-used",
            "Padding is not what you take it for",
            "Your model never looks at `pad`, and the answer for a review depends on how much padding follows it. The id of the padding "
            "is an argument: it need not be 0.",
            symptom=depends_on_padding,
            syntax=lambda tree: not reads(tree, "pad"),
        ),
        Misconception(
            "padding-counts",
            "Padding is read like words",
            "The same review gets another answer when padding behind it is cut off. Padding can come in at two places: where tokens "
            "attend to others, and where the sequence becomes one vector.",
            symptom=depends_on_padding,
        ),
        Misconception(
            "not-logits",
            "Not one number per class",
            "The model should return one number per class for each review: (M, classes), before any argmax.",
            symptom=no_logits,
        ),
        Misconception(
            "nothing-learned",
            "No better than guessing",
            "On reviews that it never saw, your model is no better than chance. Does the loss fall? If not: do the gradients reach all "
            "parameters, are they cleared, was the optimiser given the parameters of the model that you return?",
            symptom=nothing_learned,
        ),
        Misconception(
            "stopped-early",
            "Learned something, but not enough",
            "Your model has learned something, but fewer than nine of ten unseen reviews are right. Print the loss: is it still falling "
            "(train longer, or with larger steps), does it jump (smaller steps), does every epoch see all reviews?",
            symptom=stops_early,
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_FEED_FORWARD = Choice(
    name="slide_feed_forward",
    points=2,
    section="The feed-forward layer",
    right="c",
    options={
        "a": Option(
            "Nothing: the second layer brings the width back, and that is all that matters.",
            "The width comes back, true. But what could two such layers do that one of them, a D by D matrix, could not?",
            "trusts-the-slide",
        ),
        "b": Option(
            "The layers should be convolutions, so that neighbouring tokens meet.",
            "Tokens meet in the attention. The feed-forward layer is applied to each position by itself, and is meant to be.",
            "wants-convolution",
        ),
        "c": Option(
            "The nonlinearity between them: two linear layers in a row equal one, whatever the width inside.",
            "Right. W₂(W₁x + b₁) + b₂ is a linear layer with the matrix W₂W₁: all the width inside would buy nothing.",
        ),
        "d": Option(
            "A softmax at the end, so that the features of a token sum to one.",
            "The features of a token are no distribution, and they are added to the residual stream: they must be free to be negative.",
            "wants-softmax",
        ),
    },
)

SLIDE_LAYER_NORM = Choice(
    name="slide_layer_norm",
    points=2,
    section="Layer norm",
    right="b",
    options={
        "a": Option(
            "Over the whole sequence: a training sample is a sentence, so its T · D numbers share one mean.",
            "That is what the slide's words say, and the trap in them. Then a token would change whenever a word is added at the other "
            "end of the sentence, and padding would take part in the mean.",
            "per-sequence",
        ),
        "b": Option(
            "Over the D features of one token: B · T means in all, each token by itself.",
            "Right. That is why it does not care about the batch, the length of the sequence or the padding in it.",
        ),
        "c": Option(
            "Over the batch: one mean for each feature, D in all.",
            "That is batch norm. With sequences of different lengths the padding is in the mean, and a token's result depends on who "
            "else is in the batch.",
            "per-feature",
        ),
        "d": Option(
            "Over the batch and the features: one mean for each time step, T in all.",
            "Then the third words of all sentences would share a mean, though they have nothing in common but their number.",
            "per-step",
        ),
    },
)

SLIDE_LINEAR = Choice(
    name="slide_linear",
    points=2,
    section="Is self-attention linear?",
    right="d",
    options={
        "a": Option(
            "It is: the output is a weighted sum of the values, and the values are W_v h.",
            "The sum is linear in the values. But where do the weights come from, and do they stay what they are when h is doubled?",
            "trusts-the-slide",
        ),
        "b": Option(
            "It is linear only without the scale 1/√d: the square root is not linear.",
            "The scale is a fixed number, the same for all inputs. Multiplying by a number is as linear as it gets.",
            "blames-the-scale",
        ),
        "c": Option(
            "It is linear if the softmax is replaced by the plain scores q · k.",
            "Without softmax, doubling h makes the output eight times as large: q, k and v all contain h. That is cubic.",
            "blames-the-softmax-alone",
        ),
        "d": Option(
            "It is not: the weights depend on h as well, so that f(2h) is not 2 f(h). Linear in the values, for weights held fixed.",
            "Right. And still the feed-forward layer is needed: whatever the weights, each output lies among averages of the values.",
        ),
    },
)

SLIDE_STOCKS = Choice(
    name="slide_stocks",
    points=2,
    section="Stock prices: an honest failure",
    right="a",
    options={
        "a": Option(
            "Whether it beats “tomorrow's price is today's” on later data, with nothing of the future among the inputs.",
            "Right. Two series that both rise look alike, and a curve that lags by one day looks like a forecast. Only the comparison "
            "with persistence on later data tells.",
        ),
        "b": Option(
            "Whether the predicted curve lies close to the true one in the plot.",
            "A forecast that repeats yesterday's price lies so close that the eye cannot tell. Close to what a trivial forecast cannot "
            "do is the question.",
            "trusts-the-plot",
        ),
        "c": Option(
            "Whether the error is small on days drawn at random from the whole period.",
            "Then the days around each test day are in the training set, those after it included. Test on what comes after everything "
            "that was trained on.",
            "random-split",
        ),
        "d": Option(
            "Whether the two prices correlate: with a correlation of .9 the forecast must be good.",
            "Nearly all prices that rise for years correlate with .9, with one another and with the price of butter. What counts is the "
            "correlation of the changes.",
            "trusts-correlation",
        ),
    },
)

UNIT = Unit(
    name="07_transformer_encoder",
    title="The Transformer encoder",
    exercises=(
        LAYER_NORM,
        FEED_FORWARD,
        BLOCK,
        ENCODER,
        MASKED_MEAN,
        TRAINING,
        SLIDE_FEED_FORWARD,
        SLIDE_LAYER_NORM,
        SLIDE_LINEAR,
        SLIDE_STOCKS,
    ),
)
