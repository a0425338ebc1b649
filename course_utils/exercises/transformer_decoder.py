"""Unit 08: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import syntax
from course_utils import transformer_decoder as ref
from course_utils.exercise import Call, Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Unit
from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import merge_heads, split_heads
from course_utils.properties import no_nan
from course_utils.toys import Toy


def state(draw: Draw, module: nn.Module) -> dict[str, Tensor]:
    """Random weights for a module: no zeros, no ones, no two alike."""
    return {
        name: draw.normal(*tensor.shape, scale=0.4) + ("norm" in name and "weight" in name) for name, tensor in module.state_dict().items()
    }


def named(slug: str, title: str, hint: str, *variants: Callable[..., Any]) -> tuple[Misconception, ...]:
    """One misconception that can be written in several ways."""
    return tuple(Misconception(slug, title, hint, variant) for variant in variants)


def returns_tuple(tree: ast.AST, method: str) -> bool:
    """Does this method return several things?"""
    methods = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == method]
    return any(isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple) for m in methods for n in ast.walk(m))


# DecoderBlock --------------------------------------------------------------------------------------------------------


def block_cases(draw: Draw) -> list[Case]:
    b, t, s = draw.sizes(3, low=2, high=6)
    heads, width = draw.integer(2, 3), 4
    dim, hidden = heads * width, 3 * width + 1
    init, weights = (dim, heads, hidden), state(draw, ref.DecoderBlock(dim, heads, hidden))

    def inputs(batch: int, target: int, source: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, target, dim), draw.normal(batch, source, dim)

    def padding(batch: int, source: int) -> Tensor:
        return draw.mask(batch, 1, 1, source)

    def case(label: str, args: tuple[Tensor, Tensor], **fields: Any) -> Case:
        return Case(label, args=args, init=init, weights=weights, hidden_values=True, **fields)

    return [
        case(f"{t} target steps, {s} source steps, no masks", inputs(b, t, s)),
        case("a causal mask", inputs(b, t, s), kwargs={"self_mask": causal_mask(t)}),
        case("a source with padding", inputs(b, s, t), kwargs={"memory_mask": padding(b, t)}),
        case(
            "both masks, with gradients",
            inputs(b, t, s),
            kwargs={"self_mask": causal_mask(t), "memory_mask": padding(b, s)},
            gradients=True,
        ),
        case("target as long as the source", inputs(b, t, t)),
        case(
            "target as long as the source, both masks",
            inputs(b, t, t),
            kwargs={"self_mask": causal_mask(t), "memory_mask": padding(b, t)},
            group="edge",
        ),
        case("one target step", inputs(b, 1, s), kwargs={"self_mask": causal_mask(1), "memory_mask": padding(b, s)}, group="edge"),
        case(
            "masks without order, one per head",
            inputs(b, t, s),
            kwargs={"self_mask": draw.mask(b, heads, t, t), "memory_mask": draw.mask(b, heads, t, s)},
            group="edge",
        ),
    ]


def block(forward: Callable[..., Any]) -> type[nn.Module]:
    """A decoder block with another forward, as a variant."""
    return type(
        "DecoderBlock",
        (ref.DecoderBlock,),
        {"forward": lambda self, x, memory, self_mask=None, memory_mask=None: forward(self, x, memory, self_mask, memory_mask)},
    )


def _cross_first(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(x + m.cross_attention(x, memory, memory, c)[0])
    x = m.norm2(x + m.self_attention(x, x, x, a)[0])
    return m.norm3(x + m.feed_forward(x))


def _cross_first_own_norms(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm2(x + m.cross_attention(x, memory, memory, c)[0])
    x = m.norm1(x + m.self_attention(x, x, x, a)[0])
    return m.norm3(x + m.feed_forward(x))


def _with_masks(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    def forward(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
        x = m.norm1(x + m.self_attention(x, x, x, first(x, a, c))[0])
        x = m.norm2(x + m.cross_attention(x, memory, memory, second(x, a, c))[0])
        return m.norm3(x + m.feed_forward(x))

    return forward


def _with_cross(cross: Callable[..., Any]) -> Callable[..., Any]:
    """`cross(module, state after self-attention, input of the block, memory, memory mask)` -> the new state."""

    def forward(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
        h = m.norm1(x + m.self_attention(x, x, x, a)[0])
        h = m.norm2(cross(m, h, x, memory, c))
        return m.norm3(h + m.feed_forward(h))

    return forward


def _pre_norm(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    h = m.norm1(x)
    x = x + m.self_attention(h, h, h, a)[0]
    x = x + m.cross_attention(m.norm2(x), memory, memory, c)[0]
    return x + m.feed_forward(m.norm3(x))


def _norm_inside(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = x + m.norm1(m.self_attention(x, x, x, a)[0])
    x = x + m.norm2(m.cross_attention(x, memory, memory, c)[0])
    return x + m.norm3(m.feed_forward(x))


def _no_residuals(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(m.self_attention(x, x, x, a)[0])
    x = m.norm2(m.cross_attention(x, memory, memory, c)[0])
    return m.norm3(m.feed_forward(x))


def _no_norms(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = x + m.self_attention(x, x, x, a)[0]
    x = x + m.cross_attention(x, memory, memory, c)[0]
    return x + m.feed_forward(x)


def _one_norm(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(x + m.self_attention(x, x, x, a)[0])
    x = m.norm1(x + m.cross_attention(x, memory, memory, c)[0])
    return m.norm1(x + m.feed_forward(x))


def _no_feed_forward(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(x + m.self_attention(x, x, x, a)[0])
    return m.norm2(x + m.cross_attention(x, memory, memory, c)[0])


def _no_feed_forward_residual(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(x + m.self_attention(x, x, x, a)[0])
    x = m.norm2(x + m.cross_attention(x, memory, memory, c)[0])
    return m.norm3(m.feed_forward(x))


def _no_self_residual(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(m.self_attention(x, x, x, a)[0])
    x = m.norm2(x + m.cross_attention(x, memory, memory, c)[0])
    return m.norm3(x + m.feed_forward(x))


def _no_cross(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    x = m.norm1(x + m.self_attention(x, x, x, a)[0])
    return m.norm3(x + m.feed_forward(x))


def _tuple_kept(m: Any, x: Tensor, memory: Tensor, a: Any, c: Any) -> Any:
    return x + m.self_attention(x, x, x, a)


def _unpacks_nothing(tree: ast.AST) -> bool:
    """Neither an index [0] nor a tuple on the left of an assignment."""
    nodes = list(ast.walk(tree))
    indexed = any(isinstance(n, ast.Subscript) for n in nodes)
    return not indexed and not any(isinstance(t, ast.Tuple) for n in nodes if isinstance(n, ast.Assign) for t in n.targets)


DECODER_BLOCK = Exercise(
    name="DecoderBlock",
    points=5,
    section="The decoder block",
    kind="module",
    reference=ref.DecoderBlock,
    returns=("output (B, T, D)",),
    cases=block_cases,
    properties=(no_nan(),),
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            "Here you put the block together yourself: nn.TransformerDecoderLayer and its relatives are not allowed.",
            names=("TransformerDecoderLayer", "TransformerDecoder", "Transformer", "TransformerEncoderLayer", "MultiheadAttention"),
        ),
    ),
    misconceptions=(
        Misconception(
            "mask-only-in-training",
            "The mask is left out in eval mode",
            "You pass the mask only while `self.training` is true. In evaluation the decoder then sees the future, and the "
            "validation loss is too good to be true. "
            "The mask is part of the model, not a regulariser like dropout.",
            block(_with_masks(lambda x, a, c: None, lambda x, a, c: c)),
            syntax=lambda tree: syntax.uses(tree, "training"),
        ),
        Misconception(
            "no-self-mask",
            "Self-attention sees the future",
            "`self_mask` never reaches the self-attention. In training every position then reads the very word that it should predict: "
            "low loss, useless model. Where does MultiHeadAttention take its mask?",
            block(_with_masks(lambda x, a, c: None, lambda x, a, c: c)),
        ),
        Misconception(
            "no-memory-mask",
            "Padding of the source is attended to",
            "`memory_mask` never reaches the cross-attention, so the padding at the end of short sources takes part in every "
            "average. Which call looks at the memory?",
            block(_with_masks(lambda x, a, c: a, lambda x, a, c: None)),
        ),
        Misconception(
            "no-masks",
            "Both masks are ignored",
            "Neither mask is passed on. One of them hides the future from the self-attention, the other hides padding from the "
            "cross-attention.",
            block(_with_masks(lambda x, a, c: None, lambda x, a, c: None)),
        ),
        Misconception(
            "own-causal-mask",
            "A mask of your own",
            "You build a causal mask inside the block and ignore the one that is given. A block does what its caller says: "
            "without a mask it attends to everything.",
            block(_with_masks(lambda x, a, c: causal_mask(x.shape[1]), lambda x, a, c: c)),
        ),
        *named(
            "own-causal-mask",
            "A mask where none was given",
            "Where `self_mask` is None you make a causal mask yourself. Here None means that nothing is hidden: a block does what its "
            "caller says, so that the same block can also read a text that is known from end to end.",
            block(_with_masks(lambda x, a, c: causal_mask(x.shape[1]) if a is None else a, lambda x, a, c: c)),
            block(_with_masks(lambda x, a, c: causal_mask(x.shape[1]) & (True if a is None else a), lambda x, a, c: c)),
        ),
        Misconception(
            "causal-cross-attention",
            "A causal mask on the cross-attention",
            "You give `self_mask` to the cross-attention. It is (T, T), the cross-attention's weights are (T, S): it fits only "
            "where source and target are equally long. "
            "And why hide the source? All of it is known before the first word is written.",
            block(_with_masks(lambda x, a, c: a, lambda x, a, c: a)),
        ),
        Misconception(
            "masks-swapped",
            "The two masks are swapped",
            "`self_mask` goes to the cross-attention and `memory_mask` to the self-attention. Compare their shapes with the shape "
            "of the weights in each of them.",
            block(_with_masks(lambda x, a, c: c, lambda x, a, c: a)),
        ),
        Misconception(
            "queries-from-memory",
            "The source asks, the target answers",
            "In your cross-attention the queries come from the memory. Then there is one output per source word, and (B, S, D) "
            "cannot be added to (B, T, D). "
            "Who needs information here, and who has it?",
            block(_with_cross(lambda m, h, x, memory, c: h + m.cross_attention(memory, h, h, c)[0])),
        ),
        Misconception(
            "values-from-target",
            "Keys from the source, values from the target",
            "Your cross-attention takes its keys from the memory but its values from the target. What is found at source word s "
            "must be brought from source word s: keys and values come from the same place.",
            block(_with_cross(lambda m, h, x, memory, c: h + m.cross_attention(h, memory, h, c)[0])),
        ),
        Misconception(
            "no-cross-attention",
            "The source is never read",
            "The memory plays no part in your output: a translator that never looks at what it translates. The block has three sub-layers.",
            block(_no_cross),
        ),
        Misconception(
            "shared-attention",
            "One attention for both",
            "You use `self_attention` for the cross-attention as well. The block has two of them with weights of their own: one "
            "has learned to look back, the other to look across.",
            block(_with_cross(lambda m, h, x, memory, c: h + m.self_attention(h, memory, memory, c)[0])),
        ),
        Misconception(
            "query-before-self-attention",
            "Cross-attention of the block's input",
            "The queries of your cross-attention are the input of the block, not the output of the first sub-layer. Each "
            "sub-layer works on what the one before it made.",
            block(_with_cross(lambda m, h, x, memory, c: h + m.cross_attention(x, memory, memory, c)[0])),
        ),
        Misconception(
            "residual-from-input",
            "The second residual starts too early",
            "After the cross-attention you add the input of the whole block. A residual goes around one sub-layer: add what went "
            "into *this* one.",
            block(_with_cross(lambda m, h, x, memory, c: x + m.cross_attention(h, memory, memory, c)[0])),
        ),
        Misconception(
            "memory-normalised",
            "The memory is normalised again",
            "You send the memory through a norm of the decoder. It comes from the encoder ready to use, the same for every block.",
            block(_with_cross(lambda m, h, x, memory, c: h + m.cross_attention(h, m.norm2(memory), m.norm2(memory), c)[0])),
        ),
        Misconception(
            "no-cross-residual",
            "No residual around the cross-attention",
            "Behind your cross-attention only what came from the source is left: what the decoder knew of its own text is gone. "
            "Two of your three sub-layers have a residual.",
            block(_with_cross(lambda m, h, x, memory, c: m.cross_attention(h, memory, memory, c)[0])),
        ),
        Misconception(
            "no-self-residual",
            "No residual around the self-attention",
            "Your first sub-layer replaces its input instead of adding to it. Two of your three sub-layers have a residual.",
            block(_no_self_residual),
        ),
        Misconception(
            "no-feed-forward-residual",
            "No residual around the feed-forward layer",
            "Your last sub-layer replaces its input instead of adding to it. Two of your three sub-layers have a residual.",
            block(_no_feed_forward_residual),
        ),
        Misconception(
            "no-residuals",
            "No residuals",
            "Each of your sub-layers replaces its input. Without the sum the input is lost after the first block, and gradients "
            "fade in deep stacks.",
            block(_no_residuals),
        ),
        Misconception(
            "no-norms",
            "No norms",
            "The three norms are not used. Post-norm means: after each sum, a norm.",
            block(_no_norms),
        ),
        Misconception(
            "one-norm",
            "One norm for all",
            "You use `norm1` three times. Each sub-layer has a norm of its own, with its own scale and shift.",
            block(_one_norm),
        ),
        Misconception(
            "pre-norm",
            "Pre-norm instead of post-norm",
            "You normalise what goes into each sub-layer. That is pre-norm, a good block too, but this one is post-norm: the norm "
            "comes after the sum.",
            block(_pre_norm),
        ),
        Misconception(
            "norm-before-sum",
            "The norm comes before the sum",
            "You normalise what the sub-layer gives and then add. Post-norm is the other way round: first the sum, then the norm "
            "of all of it.",
            block(_norm_inside),
        ),
        *named(
            "cross-before-self",
            "Cross-attention comes first",
            "You look at the source before you look at what is written so far. The order is: own text, source, feed-forward.",
            block(_cross_first),
            block(_cross_first_own_norms),
        ),
        Misconception(
            "no-feed-forward",
            "The feed-forward layer is missing",
            "Your block ends after the two attentions. Attention only mixes; what computes with the mixture is the third sub-layer.",
            block(_no_feed_forward),
        ),
        Misconception(
            "returns-weights-too",
            "More than the output",
            "You return a tuple. Attentions return (output, weights); a block returns its output alone, so that blocks can be stacked.",
            syntax=lambda tree: returns_tuple(tree, "forward"),
        ),
        Misconception(
            "tuple-not-unpacked",
            "A tuple is added to a tensor",
            "MultiHeadAttention returns a pair, (output, weights), and you add the pair to a tensor. Which of the two goes on?",
            block(_tuple_kept),
            syntax=_unpacks_nothing,
        ),
    ),
)

# smoothed_loss -------------------------------------------------------------------------------------------------------


def loss_cases(draw: Draw) -> list[Case]:
    b, t, v = draw.sizes(3, low=3, high=8)

    def batch(batch: int, length: int, words: int, pad: int, scale: float = 2.0) -> tuple[Tensor, Tensor, int]:
        targets = draw.integers(0, words - 1, batch, length)
        targets[targets == pad] = (pad + 1) % words
        for row in range(batch):  # sentences of different lengths
            targets[row, 1 + (row + 1) % length :] = pad
        return draw.normal(batch, length, words, scale=scale), targets, pad

    far = batch(t, b, v, 0)
    return [
        Case(f"{b} sentences of at most {t} words, {v} words in all", args=(*batch(b, t, v, 0), 0.1)),
        Case("more smoothing, another padding id", args=(*batch(t, v, b, b - 1), 0.3)),
        Case("gradients", args=(*batch(v, b, t, 0), 0.2), gradients=True),
        Case("no smoothing: plain cross entropy", args=(*batch(b, v, t, 1), 0.0), group="edge"),
        Case("smoothing 1: only the uniform part is left", args=(*batch(v, t, b, 0), 1.0), group="edge"),
        Case("logits of ±200", args=(100 * far[0], *far[1:], 0.1), group="edge"),
        Case("no padding at all", args=(draw.normal(b, t, v), draw.integers(1, v - 1, b, t), 0, 0.1), group="edge"),
    ]


def smoothed(spread: Callable[[Tensor, Tensor, int, float], Tensor]) -> Callable[..., Tensor]:
    """The loss with another target distribution: `spread(one-hot (B, T, V), log probabilities, pad, smoothing)` -> (B, T, V)."""

    def variant(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
        log_probs = F.log_softmax(logits, dim=-1)
        hot = F.one_hot(targets, logits.shape[-1]).float()
        loss = -(spread(hot, log_probs, pad, smoothing) * log_probs).sum(-1)
        return loss[targets != pad].mean()

    return variant


def _terms(logits: Tensor, targets: Tensor, smoothing: float) -> Tensor:
    log_probs = F.log_softmax(logits, dim=-1)
    return -(1 - smoothing) * log_probs.gather(-1, targets[..., None]).squeeze(-1) - smoothing * log_probs.mean(-1)


def _denominator_with_pad(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    return (_terms(logits, targets, smoothing) * (targets != pad)).mean()


def _smooth_part_with_pad(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    log_probs = F.log_softmax(logits, dim=-1)
    right = log_probs.gather(-1, targets[..., None]).squeeze(-1)
    return -(1 - smoothing) * right[targets != pad].mean() - smoothing * log_probs.mean()


def _per_sentence(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    real = (targets != pad).float()
    return ((_terms(logits, targets, smoothing) * real).sum(1) / real.sum(1)).mean()


def _sum_of_tokens(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    return _terms(logits, targets, smoothing)[targets != pad].sum()


def _unstable_loss(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    log_probs = logits.softmax(-1).log()
    loss = -(1 - smoothing) * log_probs.gather(-1, targets[..., None]).squeeze(-1) - smoothing * log_probs.mean(-1)
    return loss[targets != pad].mean()


def _no_softmax(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    loss = -(1 - smoothing) * logits.gather(-1, targets[..., None]).squeeze(-1) - smoothing * logits.mean(-1)
    return loss[targets != pad].mean()


def _twice_softmax(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    return ref.smoothed_loss(logits.softmax(-1), targets, pad, smoothing)


def _without_pad_class(hot: Tensor, log_probs: Tensor, pad: int, s: float) -> Tensor:
    others = torch.ones(hot.shape[-1])
    others[pad] = 0
    return (1 - s) * hot + s * (1 - hot) * others / (hot.shape[-1] - 2)


def _calls_with(tree: ast.AST, name: str, count: int) -> bool:
    return any(len(call.args) >= count for call in syntax.calls(tree, name))


SMOOTHED_LOSS = Exercise(
    name="smoothed_loss",
    points=4,
    section="Label smoothing: do not be too sure",
    reference=ref.smoothed_loss,
    returns=("the loss, a scalar",),
    cases=loss_cases,
    properties=(no_nan(),),
    forbidden=(
        Forbidden(
            "torch has this built in; here you write it yourself. The argument label_smoothing is not allowed, everything else is.",
            names=("label_smoothing",),
            test=lambda tree: _calls_with(tree, "cross_entropy", 8) or _calls_with(tree, "CrossEntropyLoss", 6),
        ),
    ),
    misconceptions=(
        *named(
            "others-only",
            "The right word gets nothing of the smoothing",
            "You spread the smoothing over the wrong words alone. Here, as in torch, all V words share it, the right one too.",
            smoothed(lambda hot, log_probs, pad, s: (1 - s) * hot + s * (1 - hot) / (hot.shape[-1] - 1)),
            smoothed(lambda hot, log_probs, pad, s: (1 - s) * hot + s * (1 - hot) / hot.shape[-1]),
        ),
        Misconception(
            "padding-is-no-word",
            "Padding is left out as a word",
            "You take padding out of the words that share the smoothing (as the Annotated Transformer does). Here, as in torch, "
            "`pad` says only which *positions* are ignored.",
            smoothed(_without_pad_class),
        ),
        Misconception(
            "not-divided",
            "The smoothing is not shared out",
            "Every one of the V words gets the whole smoothing in your target, which then sums to far more than one. It is one s "
            "for all words together.",
            smoothed(lambda hot, log_probs, pad, s: (1 - s) * hot + s),
        ),
        Misconception(
            "not-reduced",
            "The right word keeps everything",
            "Your target keeps 1 for the right word and adds the smoothing on top: it sums to 1 + s. What the others get must be "
            "taken from somewhere.",
            smoothed(lambda hot, log_probs, pad, s: hot + s / hot.shape[-1]),
        ),
        Misconception(
            "roles-swapped",
            "s and 1 - s are swapped",
            "Most of your target is uniform, and only s of it lies on the right word. Look again at which part smoothing is.",
            smoothed(lambda hot, log_probs, pad, s: s * hot + (1 - s) / hot.shape[-1]),
        ),
        Misconception(
            "smoothing-ignored",
            "Plain cross entropy",
            "Your loss does not depend on `smoothing`: it is the plain cross entropy.",
            smoothed(lambda hot, log_probs, pad, s: hot),
        ),
        Misconception(
            "pad-counted",
            "Padding is learned",
            "You average over every position, padding included. The model is then rewarded for predicting padding, which no one "
            "will ever ask it for.",
            lambda logits, targets, pad, smoothing: _terms(logits, targets, smoothing).mean(),
        ),
        Misconception(
            "pad-in-the-denominator",
            "Divided by all positions",
            "Padding adds nothing to your sum, but it is still counted when you divide: a batch with more padding looks better. "
            "Divide by the number of real tokens.",
            _denominator_with_pad,
        ),
        Misconception(
            "pad-in-the-uniform-part",
            "Padding is ignored in one part only",
            "The part with the right words ignores padding, the uniform part does not. Both are sums over the same positions.",
            _smooth_part_with_pad,
        ),
        Misconception(
            "mean-of-sentences",
            "A mean of means",
            "You average within each sentence first, then over the sentences: a word of a short sentence counts for more. Asked "
            "for is one mean over all real tokens.",
            _per_sentence,
        ),
        Misconception(
            "sum-over-tokens",
            "A sum instead of a mean",
            "Your loss grows with the number of tokens in the batch. Asked for is the mean over the tokens that are not padding.",
            _sum_of_tokens,
        ),
        Misconception(
            "not-averaged",
            "One loss per token",
            "You return one loss per token. Asked for is one number: their mean.",
            lambda logits, targets, pad, smoothing: _terms(logits, targets, smoothing)[targets != pad],
        ),
        Misconception(
            "unstable-log",
            "The logarithm of a rounded 0",
            "You take the softmax first and its logarithm afterwards. With logits of 200 a probability rounds to 0, and its "
            "logarithm is minus infinity. There is one function that does both safely.",
            _unstable_loss,
        ),
        Misconception(
            "no-softmax",
            "Logits used as log probabilities",
            "You use the logits as they are. They are not normalised: a model could lower this loss for ever by making all of them larger.",
            _no_softmax,
        ),
        Misconception(
            "softmax-before-cross-entropy",
            "Softmax twice",
            "You apply softmax to the logits and then something that applies it again. The second softmax sees numbers between 0 "
            "and 1 and makes them all nearly equal.",
            _twice_softmax,
        ),
        Misconception(
            "wrong-sign",
            "The sign is lost",
            "Your loss is negative: better predictions give a *larger* number. A loss is what gets smaller.",
            lambda logits, targets, pad, smoothing: -ref.smoothed_loss(logits, targets, pad, smoothing),
        ),
    ),
)

# warmup_rate ---------------------------------------------------------------------------------------------------------


def warmup_cases(draw: Draw) -> list[Case]:
    dim, warmup = draw.integer(8, 40), draw.integer(20, 60)

    def at(label: str, step: int, group: str = "basic") -> Case:
        return Case(f"{label}: step {step}, dim {dim}, warmup {warmup}", args=(step, dim, warmup), group=group)

    return [
        at("rising", draw.integer(2, warmup // 2)),
        at("falling", draw.integer(2 * warmup, 5 * warmup)),
        at("at the top", warmup),
        at("just before the top", warmup - 1),
        at("just after the top", warmup + 1),
        at("the first step", 1, "edge"),
        Case("as in the paper: dim 512, warmup 4000, at the top", args=(4000, 512, 4000), group="edge"),
        Case("no warm-up to speak of: warmup 1", args=(draw.integer(2, 9), dim, 1), group="edge"),
    ]


WARMUP_RATE = Exercise(
    name="warmup_rate",
    points=2,
    section="Warm-up: small steps first",
    reference=ref.warmup_rate,
    returns=("the learning rate, a number",),
    cases=warmup_cases,
    tolerance=1e-6,
    misconceptions=(
        Misconception(
            "max-instead-of-min",
            "The larger of the two curves",
            "You take the larger of the two: the rate starts high, falls, and then grows for ever. Draw both curves over the step "
            "and see which one should rule at which time.",
            lambda step, dim, warmup: dim**-0.5 * max(step**-0.5, step * warmup**-1.5),
        ),
        Misconception(
            "dim-upside-down",
            "Wide models get larger steps",
            "You multiply by the root of `dim`. Wide models need smaller steps: look at the sign of the exponent.",
            lambda step, dim, warmup: dim**0.5 * min(step**-0.5, step * warmup**-1.5),
        ),
        Misconception(
            "dim-ignored",
            "The width plays no part",
            "Your rate does not depend on `dim`. The first factor is missing.",
            lambda step, dim, warmup: min(step**-0.5, step * warmup**-1.5),
        ),
        Misconception(
            "dim-not-rooted",
            "Divided by dim, not by its root",
            "You divide by `dim` itself. The exponent is -0.5, not -1.",
            lambda step, dim, warmup: min(step**-0.5, step * warmup**-1.5) / dim,
        ),
        Misconception(
            "never-falls",
            "It never falls",
            "Your rate rises for ever. After `warmup` steps another curve takes over.",
            lambda step, dim, warmup: dim**-0.5 * step * warmup**-1.5,
        ),
        Misconception(
            "no-warmup",
            "No warm-up",
            "Your rate is largest at the very first step, when Adam's averages know nothing yet. The rising part is missing.",
            lambda step, dim, warmup: dim**-0.5 * step**-0.5,
        ),
        Misconception(
            "stays-at-the-top",
            "It stays at the top",
            "After the warm-up your rate stays where it is. It should fall with the root of the step.",
            lambda step, dim, warmup: dim**-0.5 * min(warmup**-0.5, step * warmup**-1.5),
        ),
        *named(
            "broken-at-the-top",
            "The two parts do not meet",
            "The two parts of your curve do not meet at step `warmup`: there is a jump. Put step = warmup into both; they must "
            "give the same.",
            lambda step, dim, warmup: dim**-0.5 * min(step**-0.5, step * warmup**-0.5),
            lambda step, dim, warmup: dim**-0.5 * min(step**-0.5, step / warmup),
        ),
        Misconception(
            "counts-from-zero",
            "One step too late",
            "Your curve is shifted by one step: `step` counts from 1 already.",
            lambda step, dim, warmup: ref.warmup_rate(step + 1, dim, warmup),
        ),
        Misconception(
            "counts-from-zero",
            "One step too early",
            "Your curve is shifted by one step: the first step is 1, not 0, and 0 to the power -0.5 does not exist.",
            lambda step, dim, warmup: dim**-0.5 * min((step - 1) ** -0.5, (step - 1) * warmup**-1.5),
        ),
        Misconception(
            "falls-too-fast",
            "It falls too fast",
            "After the top your rate falls like 1 / step. It should fall with the root of the step: four times as late, half as large.",
            lambda step, dim, warmup: dim**-0.5 * min(warmup**0.5 / step, step * warmup**-1.5),
        ),
    ),
)

# greedy_decode -------------------------------------------------------------------------------------------------------


def word_table(draw: Draw, words: int, eos: int, end: int | None) -> Toy:
    """A toy language model that writes eos as its `end`-th token whatever came before, and never earlier (None: never at all)."""
    length = 9
    table = draw.normal(length, words, words, scale=1.5)
    table[: length if end is None else end - 1, :, eos] -= 30
    if end is not None:
        table[end - 1, :, eos] += 30
    return Toy("table_model", {"table": table})


def greedy_cases(draw: Draw) -> list[Case]:
    v, w = draw.sizes(2, low=5, high=9)
    bos, eos = (int(i) for i in draw.permutation(v)[:2])
    start, stop = (int(i) for i in draw.permutation(w)[:2])
    return [
        Case("ends by itself after 4 tokens", args=(word_table(draw, v, eos, 4), bos, eos, 8)),
        Case("ends by itself after 6 tokens", args=(word_table(draw, w, stop, 6), start, stop, 9)),
        Case("another start", args=(word_table(draw, w, stop, 3), (stop + 1) % w, stop, 9)),
        Case("cut off after 5 tokens", args=(word_table(draw, v, eos, None), bos, eos, 5)),
        Case("ends exactly at max_len", args=(word_table(draw, w, stop, 5), start, stop, 5), group="edge"),
        Case("ends at once", args=(word_table(draw, v, eos, 1), bos, eos, 6), group="edge"),
        Case("one token at most", args=(word_table(draw, w, stop, 4), start, stop, 1), group="edge"),
        Case("eos is token 0", args=(word_table(draw, v, 0, 3), 1, 0, 7), group="edge"),
    ]


def greedy(
    context: Callable[[list[int]], list[int]] = list,
    stop: bool = True,
    pick: Callable[[Tensor], int] = lambda logits: int(logits.argmax(-1)),
) -> Callable[..., list[int]]:
    """Greedy decoding with another context, stop rule or choice, as a variant."""

    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
        tokens = [bos]
        while len(tokens) <= max_len and not (stop and eos in tokens[1:]):
            tokens.append(pick(next_logits(torch.tensor([context(tokens)]))))
        return tokens[1:]

    return variant


def _no_batch_axis(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
    return [int(next_logits(torch.tensor([bos])).argmax(-1))]


def _pads_after_eos(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
    tokens = ref.greedy_decode(next_logits, bos, eos, max_len)
    return tokens + [eos] * (max_len - len(tokens)) if eos in tokens else tokens


GREEDY_DECODE = Exercise(
    name="greedy_decode",
    points=3,
    section="Greedy decoding",
    kind="callable",
    reference=ref.greedy_decode,
    returns=("a list of ints",),
    cases=greedy_cases,
    limit=2.0,
    misconceptions=(
        Misconception(
            "last-token-only",
            "Only the last token is given to the model",
            "You call the model with the newest token alone. It then believes that the sentence has just begun: without a cache "
            "the model must be given everything written so far.",
            greedy(context=lambda tokens: tokens[-1:]),
        ),
        Misconception(
            "bos-not-given",
            "The model is not told that the sentence begins",
            "Your first call contains `bos`, but later ones do not: you give the model only what it wrote itself. The text so far "
            "is bos and everything after it.",
            greedy(context=lambda tokens: tokens[1:] or tokens),
        ),
        Misconception(
            "always-the-same-context",
            "The text does not grow",
            "You call the model with the same tokens again and again: what it wrote is never added to what it reads.",
            greedy(context=lambda tokens: tokens[:1]),
        ),
        Misconception(
            "bos-in-result",
            "bos is part of the answer",
            "Your list begins with `bos`. The model did not write that; it belongs to the input only.",
            lambda next_logits, bos, eos, max_len: [bos, *ref.greedy_decode(next_logits, bos, eos, max_len)],
        ),
        Misconception(
            "eos-dropped",
            "eos is missing from the answer",
            "You stop at `eos` but leave it out. The list must end in it, or no one can tell a finished sentence from one that "
            "was cut off.",
            lambda next_logits, bos, eos, max_len: [t for t in ref.greedy_decode(next_logits, bos, eos, max_len) if t != eos],
        ),
        Misconception(
            "never-stops",
            "It goes on after eos",
            "You always write `max_len` tokens. After `eos` the sentence is over; what follows is noise that the model was never "
            "trained to write.",
            greedy(stop=False),
        ),
        Misconception(
            "pads-after-eos",
            "Filled up to max_len",
            "You stop at `eos` and then fill the list up to `max_len`. That is useful in a batch; asked for is a list that ends in eos.",
            _pads_after_eos,
        ),
        Misconception(
            "max-len-counts-bos",
            "One token too few",
            "You stop one token early: `bos` is counted as one of the `max_len` tokens, but it is not part of the answer.",
            lambda next_logits, bos, eos, max_len: ref.greedy_decode(next_logits, bos, eos, max_len - 1),
        ),
        Misconception(
            "one-too-many",
            "One token too many",
            "Your list can become max_len + 1 long. Count the turns of your loop.",
            lambda next_logits, bos, eos, max_len: ref.greedy_decode(next_logits, bos, eos, max_len + 1),
        ),
        Misconception(
            "samples",
            "A token is drawn, not chosen",
            "You draw the next token at random. That is sampling, which is good for stories; greedy decoding takes the likeliest "
            "token, and gives the same answer every time.",
            syntax=lambda tree: syntax.uses(tree, "multinomial", "choice", "choices", "Categorical"),
        ),
        Misconception(
            "wrong-axis",
            "The maximum over the batch",
            "You look for the maximum along the first axis. The logits are (1, V): along the first axis there is only one entry, "
            "and its index is always 0. Words are on the last axis.",
            greedy(pick=lambda logits: int(logits.argmax(0)[0])),
        ),
        Misconception(
            "least-likely",
            "The least likely token",
            "You take the token with the smallest logit.",
            greedy(pick=lambda logits: int(logits.argmin(-1))),
        ),
        Misconception(
            "second-best",
            "Not the likeliest token",
            "You take the second of the sorted tokens. Counting starts at 0.",
            greedy(pick=lambda logits: int(logits[0].topk(2).indices[1])),
        ),
        Misconception(
            "no-batch-axis",
            "The batch axis is missing",
            "The model wants tokens of shape (1, t), a batch of one sentence; you give it shape (t,).",
            _no_batch_axis,
        ),
        Misconception(
            "one-token-only",
            "Only one token",
            "You return after the first token. Decoding is a loop: each token is added to the text, and the model is asked again.",
            lambda next_logits, bos, eos, max_len: ref.greedy_decode(next_logits, bos, eos, 1),
        ),
        *named(
            "batch-of-lists",
            "A batch instead of a list",
            "You return a batch of one sentence. Asked for is the sentence: a flat list of ints.",
            lambda next_logits, bos, eos, max_len: [ref.greedy_decode(next_logits, bos, eos, max_len)],
            lambda next_logits, bos, eos, max_len: torch.tensor([ref.greedy_decode(next_logits, bos, eos, max_len)]),
        ),
    ),
)

# beam_search ---------------------------------------------------------------------------------------------------------

Hypothesis = tuple[float, list[int]]


def expand(
    next_logits: ref.NextLogits,
    bos: int,
    hypothesis: Hypothesis,
    value: Callable[[Tensor], Tensor] = lambda logits: F.log_softmax(logits, dim=-1),
) -> list[Hypothesis]:
    """All hypotheses that are one token longer."""
    score, tokens = hypothesis
    return [(score + float(v), [*tokens, token]) for token, v in enumerate(value(next_logits(torch.tensor([[bos, *tokens]])))[0])]


def best(hypotheses: list[Hypothesis], count: int) -> list[Hypothesis]:
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis[0])[:count]


def length_normalised(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int, final: bool = False
) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        pool = [h for old in hypotheses for h in ([old] if eos in old[1] else expand(next_logits, bos, old))]
        hypotheses = sorted(pool, key=lambda h: -h[0] if final else -h[0] / len(h[1]))[:beams]
    score, tokens = max(hypotheses, key=lambda h: h[0] / max(len(h[1]), 1))
    return tokens, score


def beam_cases(draw: Draw) -> list[Case]:
    """Tables on which all sound ways to treat finished hypotheses agree, and on which the path to the best sentence looks bad at first."""

    def case(label: str, words: int, max_len: int, beams: int, wanted: Callable[..., bool], group: str = "basic") -> Case:
        for _ in range(400):
            bos, eos = (int(i) for i in draw.permutation(words)[:2])
            table = draw.normal(max_len, words, words, scale=1.6)
            table[-1, :, eos] += 2  # most sentences come to an end
            toy = Toy("table_model", {"table": table})
            if _agreed(toy, bos, eos, max_len, beams, wanted):
                break
        return Case(label, args=(toy, bos, eos, max_len, beams), group=group)

    a, b = draw.sizes(2, low=4, high=6)
    return [
        case("2 beams, where greedy goes wrong", a, 4, 2, lambda found, greedy, normal, size: found != greedy and size > 2),
        case("3 beams, where greedy goes wrong", b, 5, 3, lambda found, greedy, normal, size: found != greedy and size > 2),
        case("one beam: the same as greedy", b, 4, 1, lambda found, greedy, normal, size: size > 2),
        case("no length normalisation", a, 5, 3, lambda found, greedy, normal, size: found != normal),
        case("cut off at max_len", b, 3, 2, lambda found, greedy, normal, size: size == 0, "edge"),
        case("more beams than words", 4, 3, 6, lambda found, greedy, normal, size: size > 1, "edge"),
        case("one token", a, 1, 2, lambda found, greedy, normal, size: True, "edge"),
    ]


def _agreed(toy: Toy, bos: int, eos: int, max_len: int, beams: int, wanted: Callable[..., bool]) -> bool:
    """Do the sound searches agree on this table, and is it of the wanted kind (length 0 stands for a sentence without an end)?"""
    logs = toy.weights["table"].log_softmax(-1)
    search = TableSearch(logs.tolist(), bos, eos, max_len)
    found = search.compete(beams)
    if any(search.aside(beams, narrow, enough) != found for narrow, enough in ((False, False), (True, False), (False, True))):
        return False
    size = len(found) if found[-1] == eos else 0
    return wanted(found, search.compete(1), search.compete(beams, normalised=True), size)


class TableSearch:
    """The searches of this exercise on a table of log probabilities in plain Python: drawing cases takes hundreds of them."""

    def __init__(self, logs: list[list[list[float]]], bos: int, eos: int, max_len: int) -> None:
        self.logs, self.bos, self.eos, self.max_len = logs, bos, eos, max_len

    def longer(self, hypothesis: Hypothesis) -> list[Hypothesis]:
        score, tokens = hypothesis
        row = self.logs[len(tokens)][tokens[-1] if tokens else self.bos]
        return [(score + value, [*tokens, token]) for token, value in enumerate(row)]

    def compete(self, beams: int, normalised: bool = False) -> list[int]:
        kept: list[Hypothesis] = [(0.0, [])]
        for _ in range(self.max_len):
            kept = best([h for old in kept for h in ([old] if self.eos in old[1] else self.longer(old))], beams)
        return max(kept, key=lambda h: h[0] / len(h[1]))[1] if normalised else kept[0][1]

    def aside(self, beams: int, narrow: bool, enough: bool) -> list[int]:
        alive: list[Hypothesis] = [(0.0, [])]
        finished: list[Hypothesis] = []
        for _ in range(self.max_len):
            kept = best([h for old in alive for h in self.longer(old)], beams - narrow * len(finished))
            finished += [h for h in kept if h[1][-1] == self.eos]
            alive = [h for h in kept if h[1][-1] != self.eos]
            if (enough and len(finished) >= beams) or not alive:
                break
        return best(finished + alive, 1)[0][1]


def _beam(
    value: Callable[[Tensor], Tensor] = lambda logits: F.log_softmax(logits, dim=-1),
    freeze: bool = True,
    rank: Callable[[Hypothesis], float] = lambda h: h[0],
    accumulate: bool = True,
    each: int | None = None,
) -> Callable[..., tuple[list[int], float]]:
    """Beam search with other scores, without frozen ends, with another ranking …, as a variant."""

    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
        hypotheses: list[Hypothesis] = [(0.0, [])]
        for _ in range(max_len):
            pool: list[Hypothesis] = []
            for old in hypotheses:
                if freeze and eos in old[1]:
                    pool.append(old)
                else:
                    pool += best(expand(next_logits, bos, old if accumulate else (0.0, old[1]), value), each if each and old[1] else 10**6)
            hypotheses = sorted(pool, key=lambda h: -rank(h))[:beams]
        return hypotheses[0][1], hypotheses[0][0]

    return variant


def _greedy_with_score(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
    return ref.beam_search(next_logits, bos, eos, max_len, 1)


def _first_finished(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        hypotheses = best([h for old in hypotheses for h in expand(next_logits, bos, old)], beams)
        for score, tokens in hypotheses:
            if tokens[-1] == eos:
                return tokens, score
    return hypotheses[0][1], hypotheses[0][0]


def _top_ends(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        hypotheses = best([h for old in hypotheses for h in ([old] if eos in old[1] else expand(next_logits, bos, old))], beams)
        if hypotheses[-1][1][-1] == eos:
            break
    return hypotheses[-1][1], hypotheses[-1][0]


def _finished_lost(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        longer = [h for old in hypotheses if eos not in old[1] for h in expand(next_logits, bos, old)]
        if not longer:
            break
        hypotheses = best(longer, beams)
    return hypotheses[0][1], hypotheses[0][0]


def _exhaustive(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
    return ref.beam_search(next_logits, bos, eos, max_len, 10**6)


def _finally_normalised(score_too: bool) -> Callable[..., tuple[list[int], float]]:
    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
        tokens, score = length_normalised(next_logits, bos, eos, max_len, beams, final=True)
        return tokens, score / len(tokens) if score_too else score

    return variant


def _always_normalised(score_too: bool) -> Callable[..., tuple[list[int], float]]:
    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
        tokens, score = length_normalised(next_logits, bos, eos, max_len, beams)
        return tokens, score / len(tokens) if score_too else score

    return variant


def _too_many_beams(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> tuple[list[int], float]:
    next_logits(torch.tensor([[bos]]))[0].topk(beams)
    return ref.beam_search(next_logits, bos, eos, max_len, beams)


def _beam_result(change: Callable[[list[int], float, int, int], Any]) -> Callable[..., Any]:
    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> Any:
        return change(*ref.beam_search(next_logits, bos, eos, max_len, beams), bos, eos)

    return variant


BEAM_SEARCH = Exercise(
    name="beam_search",
    points=5,
    section="Beam search",
    kind="callable",
    reference=ref.beam_search,
    returns=("a list of ints", "its log probability"),
    cases=beam_cases,
    tolerance=1e-4,
    limit=4.0,
    misconceptions=(
        Misconception(
            "greedy-in-disguise",
            "Only one beginning survives",
            "Your search finds what greedy decoding finds, however many beams it has. Do several beginnings really survive each "
            "step, and are *all* their continuations compared?",
            _greedy_with_score,
        ),
        Misconception(
            "one-continuation-each",
            "Every beginning gets one continuation",
            "After the first step each of your beams goes its own way greedily. Continuations of all beams compete with one "
            "another: a good beginning may deserve two places, a bad one none.",
            _beam(each=1),
        ),
        Misconception(
            "raw-logits",
            "Logits are added up",
            "You add logits. They are not log probabilities: a step with large logits counts for more than one with small ones, "
            "whatever the model believes. Normalise each step first.",
            _beam(value=lambda logits: logits),
        ),
        Misconception(
            "probabilities-added",
            "Probabilities are added up",
            "You add probabilities. The probability of a sentence is the *product* of its steps: what do you add up, if you want to add?",
            _beam(value=lambda logits: logits.softmax(-1)),
        ),
        Misconception(
            "probability-not-log",
            "The probability instead of its logarithm",
            "You return the probability itself. Asked for is its logarithm: products of a hundred probabilities round to 0, sums "
            "of their logarithms do not.",
            _beam_result(lambda tokens, score, bos, eos: (tokens, float(torch.tensor(score).exp()))),
        ),
        Misconception(
            "negative-score",
            "The sign is lost",
            "Your score is positive. The logarithm of a probability never is; have you returned a loss or the key of a heap?",
            _beam_result(lambda tokens, score, bos, eos: (tokens, -score)),
        ),
        Misconception(
            "last-step-only",
            "Only the last step counts",
            "You compare hypotheses by their newest token alone. A hypothesis is as likely as all of its steps together: what "
            "came before must be carried along.",
            _beam(accumulate=False),
        ),
        Misconception(
            "finished-keep-growing",
            "Finished sentences keep growing",
            "You go on extending hypotheses that already ended in `eos`, and every further token makes them less likely. A "
            "finished hypothesis stays as it is.",
            _beam(freeze=False),
        ),
        Misconception(
            "finished-keep-growing",
            "Finished sentences keep growing",
            "You cut the result at `eos`, but the search went on behind it: the tokens after the end still counted in the score. "
            "A finished hypothesis stays as it is.",
            lambda next_logits, bos, eos, max_len, beams: (
                lambda found: (found[0][: found[0].index(eos) + 1] if eos in found[0] else found[0], found[1])
            )(_beam(freeze=False)(next_logits, bos, eos, max_len, beams)),
        ),
        Misconception(
            "finished-thrown-away",
            "Finished sentences are thrown away",
            "A hypothesis that ends in `eos` is dropped at the next step, so your search can only return the last ones alive. The "
            "best sentence may have ended earlier.",
            _finished_lost,
        ),
        Misconception(
            "first-finished-wins",
            "The first to finish wins",
            "You return as soon as some hypothesis ends in `eos`. One that is still being written may be likelier.",
            _first_finished,
        ),
        *named(
            "length-normalised",
            "Normalised by the length",
            "You rank hypotheses by log probability per token. Many systems do, because plain log probabilities favour short "
            "sentences; but it finds something else, and is not asked for here.",
            _finally_normalised(False),
            _finally_normalised(True),
        ),
        *named(
            "length-normalised",
            "Normalised by the length",
            "You rank hypotheses by log probability per token at every step. Many systems do, because plain log probabilities "
            "favour short sentences; but it finds something else, and is not asked for here.",
            _always_normalised(False),
            _always_normalised(True),
        ),
        Misconception(
            "score-per-token",
            "The score per token",
            "The sentence is right, but you return its log probability divided by its length. Asked for is the total.",
            _beam_result(lambda tokens, score, bos, eos: (tokens, score / len(tokens))),
        ),
        Misconception(
            "worst-kept",
            "The worst are kept",
            "You keep the least likely hypotheses. Log probabilities are negative: the best is the one nearest to 0.",
            _beam(rank=lambda h: -h[0]),
        ),
        Misconception(
            "worst-of-the-best",
            "The last of the beam is returned",
            "Your beam is right, but you return its last hypothesis, the worst of the kept ones.",
            _top_ends,
        ),
        Misconception(
            "beams-ignored",
            "Nothing is ever dropped",
            "You keep every hypothesis, so that `beams` plays no part. That finds the best sentence of a toy, and never ends for "
            "a real vocabulary: after each step only `beams` of them survive.",
            _exhaustive,
        ),
        Misconception(
            "too-many-beams",
            "More beams than words",
            "`topk` fails when it is asked for more than there are. In the first step there are only V continuations, and `beams` "
            "may be larger.",
            _too_many_beams,
        ),
        Misconception(
            "bos-in-result",
            "bos is part of the answer",
            "Your list begins with `bos`. The model did not write that; it belongs to the input only.",
            _beam_result(lambda tokens, score, bos, eos: ([bos, *tokens], score)),
        ),
        Misconception(
            "eos-dropped",
            "eos is missing from the answer",
            "You leave out `eos`. The list ends in it, as in greedy_decode.",
            _beam_result(lambda tokens, score, bos, eos: ([t for t in tokens if t != eos], score)),
        ),
        Misconception(
            "score-missing",
            "The score is missing",
            "You return the sentence alone. Asked for is the pair: the sentence and its total log probability.",
            _beam_result(lambda tokens, score, bos, eos: tokens),
        ),
    ),
)

# CachedAttention -----------------------------------------------------------------------------------------------------


def cache_cases(draw: Draw) -> list[Case]:
    b, c, t = draw.sizes(3, low=2, high=6)
    heads, width = draw.integer(2, 3), 4
    dim = heads * width
    init, weights = (dim, heads), {name: 2 * value for name, value in state(draw, ref.CachedAttention(dim, heads)).items()}

    def steps(batch: int, count: int) -> tuple[Call, ...]:
        return tuple(Call((draw.normal(batch, 1, dim),), method="step") for _ in range(count))

    def case(label: str, calls: tuple[Call, ...], **fields: Any) -> Case:
        return Case(label, args=calls[0].args, method="step", then=calls[1:], init=init, weights=weights, hidden_values=True, **fields)

    reset = Call((), method="reset")
    return [
        case("the first step", steps(b, 1)),
        case("two steps", steps(b, 2)),
        case(f"{t + 2} steps", steps(c, t + 2)),
        case("a new sequence after reset()", (*steps(b, 3), reset, *steps(b, 2))),
        case("gradients reach the weights", steps(b, 1), gradients=True),
        case("one sentence, 9 steps", steps(1, 9), group="edge"),
        case("another batch size after reset()", (*steps(b, 2), reset, *steps(b + 1, 3)), group="edge"),
        case("reset() before the first step and twice", (*steps(c, 1), reset, reset, *steps(c, 2)), group="edge"),
    ]


class _Cached(ref.CachedAttention):
    """The right answer in pieces, each of which a variant can replace."""

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return split_heads(self.query(x), self.heads), split_heads(self.key(x), self.heads), split_heads(self.value(x), self.heads)

    def remember(self, key: Tensor, value: Tensor) -> None:
        self.keys = key if self.keys is None else torch.cat([self.keys, key], dim=2)
        self.values = value if self.values is None else torch.cat([self.values, value], dim=2)

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        out: Tensor = masked_attention(query, keys, values)[0]
        return out

    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = self.out(merge_heads(self.attend(query, self.keys, self.values)))
        return out


class _NoCache(_Cached):
    def remember(self, key: Tensor, value: Tensor) -> None:
        self.keys, self.values = key, value


class _NewestMissing(_Cached):
    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        past = (key, value) if self.keys is None or self.values is None else (self.keys, self.values)
        out: Tensor = self.out(merge_heads(self.attend(query, *past)))
        self.remember(key, value)
        return out


class _ValuesFromKeys(_Cached):
    def remember(self, key: Tensor, value: Tensor) -> None:
        super().remember(key, key)


class _KeysFromValues(_Cached):
    def remember(self, key: Tensor, value: Tensor) -> None:
        super().remember(value, value)


class _RawInput(_Cached):
    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return split_heads(self.query(x), self.heads), split_heads(x, self.heads), split_heads(x, self.heads)


class _FirstKeyOnly(_Cached):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return values[:, :, :1].expand_as(query)


class _NoScale(_Cached):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (query @ keys.mT).softmax(-1) @ values


class _ScaledByDim(_Cached):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (query @ keys.mT / math.sqrt(query.shape[-1] * self.heads)).softmax(-1) @ values


class _OneHead(_Cached):
    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return split_heads(self.query(x), 1), split_heads(self.key(x), 1), split_heads(self.value(x), 1)


class _NoOut(_Cached):
    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = merge_heads(self.attend(query, self.keys, self.values))
        return out


class _NeverResets(_Cached):
    def reset(self) -> None:
        self.keys = getattr(self, "keys", None)
        self.values = getattr(self, "values", None)


class _KeysKept(_Cached):
    def reset(self) -> None:
        self.keys = getattr(self, "keys", None)
        self.values = None


class _JoinsBatch(_Cached):
    axis = 0

    def remember(self, key: Tensor, value: Tensor) -> None:
        self.keys = key if self.keys is None else torch.cat([self.keys, key], dim=self.axis)
        self.values = value if self.values is None else torch.cat([self.values, value], dim=self.axis)


class _JoinsHeads(_JoinsBatch):
    axis = 1


class _JoinsFeatures(_JoinsBatch):
    axis = 3


class _AllSteps(_Cached):
    """Attends again for every step so far and returns all of them."""

    def reset(self) -> None:
        super().reset()
        self.queries: Tensor | None = None

    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.queries = query if self.queries is None else torch.cat([self.queries, query], dim=2)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = self.out(merge_heads(masked_attention(self.queries, self.keys, self.values, causal_mask(self.queries.shape[2]))[0]))
        return out


class _AllStepsUnmasked(_AllSteps):
    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.queries = query if self.queries is None else torch.cat([self.queries, query], dim=2)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = self.out(merge_heads(masked_attention(self.queries, self.keys, self.values)[0]))
        return out


class _ValuesSummed(_Cached):
    """No softmax: the values are weighed by the raw scores."""

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return query @ keys.mT / math.sqrt(query.shape[-1]) @ values


CACHED_ATTENTION = Exercise(
    name="CachedAttention",
    points=5,
    section="The KV cache",
    kind="module",
    reference=ref.CachedAttention,
    returns=("output (B, 1, D)",),
    cases=cache_cases,
    properties=(no_nan(),),
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            "Here you write the attention yourself: nn.MultiheadAttention and its function are not allowed.",
            names=("MultiheadAttention", "multi_head_attention_forward"),
        ),
    ),
    misconceptions=(
        Misconception(
            "nothing-cached",
            "Every step sees only itself",
            "From the second step on your result does not depend on earlier steps: the newest key and value replace the old ones "
            "instead of joining them.",
            _NoCache,
        ),
        Misconception(
            "newest-missing",
            "The newest step does not see itself",
            "You attend to the cache and add the newest key and value afterwards. The diagonal of a causal mask is allowed: a "
            "step may look at itself, so it must be in the cache when it looks.",
            _NewestMissing,
        ),
        Misconception(
            "values-from-keys",
            "Keys are cached as values",
            "Your cache of values holds keys. The first step shows it already: with one key its weight is 1, and the output "
            "should be the projected value.",
            _ValuesFromKeys,
        ),
        Misconception(
            "keys-from-values",
            "Values are cached as keys",
            "Your cache of keys holds values. The first step cannot show it (one weight, always 1); from the second on the scores "
            "are wrong.",
            _KeysFromValues,
        ),
        Misconception(
            "inputs-not-projected",
            "The inputs are cached as they are",
            "You cache the inputs and use them as keys and values. They have to pass through `key` and `value` first: those "
            "layers learned what to be found by and what to give.",
            _RawInput,
        ),
        *named(
            "wrong-axis",
            "Joined along the wrong axis",
            "Old and new keys are joined along an axis that is not time, so the shapes no longer fit at the second step. Keys are "
            "(B, H, t, d): which of the four grows?",
            _JoinsBatch,
            _JoinsHeads,
            _JoinsFeatures,
        ),
        Misconception(
            "never-resets",
            "reset() does not forget",
            "After reset() your attention still sees the sequence before it. Both caches have to be empty again.",
            _NeverResets,
        ),
        Misconception(
            "resets-half",
            "reset() forgets only half",
            "After reset() the values are gone but the keys are not (or the other way round): the two caches have different lengths.",
            _KeysKept,
        ),
        Misconception(
            "first-key-only",
            "Masked down to the first step",
            "Every step of yours looks at the first step only. A triangular mask built for one row is [1, 0, 0, …]: it lets the "
            "newest query see what the *first* one may see. Does a step-by-step decoder need a mask at all?",
            _FirstKeyOnly,
        ),
        Misconception(
            "no-scale",
            "The scores are not scaled",
            "You leave out the division by the root of the key size, so the softmax is too sharp.",
            _NoScale,
        ),
        Misconception(
            "scaled-by-dim",
            "Scaled by the whole width",
            "You divide by the root of D. Each head works with d = D / H features, and its scores are sums over d of them.",
            _ScaledByDim,
        ),
        Misconception(
            "one-head",
            "One large head",
            "You attend with all D features at once. There are `heads` attentions side by side, each with a slice of the "
            "features: split, attend, merge.",
            _OneHead,
        ),
        Misconception(
            "no-softmax",
            "Scores used as weights",
            "The scores never become weights: there is no softmax between them and the values.",
            _ValuesSummed,
        ),
        Misconception(
            "no-output-projection",
            "The last layer is missing",
            "You return the merged heads. As in MultiHeadAttention they pass through `out` at the end.",
            _NoOut,
        ),
        *named(
            "all-steps-returned",
            "All steps are computed again",
            "You cache queries as well and return the outputs of all steps so far. Old outputs cannot change any more: only the "
            "newest query is needed, and the result is (B, 1, D).",
            _AllSteps,
            _AllStepsUnmasked,
        ),
        Misconception(
            "returns-weights-too",
            "More than the output",
            "You return a tuple. `step` returns its output alone, (B, 1, D).",
            syntax=lambda tree: returns_tuple(tree, "step"),
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_YOUR_TURN = Choice(
    name="slide_your_turn",
    points=2,
    section="Cross-attention: the target asks, the source answers",
    right="c",
    options={
        "a": Option(
            "sim(name, Salut) · Salut + sim(name, je) · je + sim(name, suis) · suis + sim(name, Alex) · Alex, as in the rows above it",
            "It continues the pattern of the slide, and the pattern is what is wrong: raw similarities can be negative and do not "
            "sum to one, so four similar words make a vector four times as long.",
            "raw-similarities",
        ),
        "b": Option(
            "sim(name, Hello) · Hello + sim(name, my) · my + sim(name, name) · name, with the weights softmaxed",
            "That is self-attention: English words mixed with English words. Nothing of the French sentence would arrive.",
            "self-instead-of-cross",
        ),
        "c": Option(
            "w₁ · Salut + w₂ · je + w₃ · suis + w₄ · Alex, where w is the softmax of the four similarities of *name*",
            "Right. One softmax per query, over the keys: the row of *name* becomes four positive weights that sum to one.",
        ),
        "d": Option(
            "As c, but each similarity is softmaxed together with those of *Hello* and *my* to the same French word",
            "That is a softmax along the wrong axis: the three English words would compete for each French word, and the weights "
            "of *name* would not sum to one.",
            "softmax-over-queries",
        ),
    },
)

SLIDE_CROSS = Choice(
    name="slide_cross",
    points=2,
    section="Which layer of the encoder?",
    right="d",
    options={
        "a": Option(
            "Only the value: it must be made with a matrix W_v of its own. Layer ℓ of the decoder does read layer ℓ of the encoder.",
            "The value is wrong indeed. But count layers: nothing forces an encoder and a decoder to have the same number, and "
            "the encoder's output is computed once, when all of its layers are done.",
            "layer-by-layer",
        ),
        "b": Option(
            "Only the layer: keys and values come from the last layer of the encoder. The three formulas are right as they stand.",
            "The layer is wrong indeed. But look at the formula for the value: with v = k there would be only two projections, "
            "and what a word is found by would be what it gives.",
            "value-is-key",
        ),
        "c": Option(
            "The direction: the queries must come from the encoder, keys and values from the decoder.",
            "Then there would be one output per *source* word. The decoder needs one per target word: it asks, the encoder's "
            "output is what is searched.",
            "direction-reversed",
        ),
        "d": Option(
            "Three things: the value needs its own W_v, keys and values come from the *last* encoder layer, and the query comes "
            "from the masked self-attention of the same block.",
            "Right. The other deck has it so, and so does torch: `nn.Transformer` gives the same `memory` to every layer of the decoder.",
        ),
    },
)

SLIDE_SEQUENTIAL = Choice(
    name="slide_sequential",
    points=2,
    section="Teacher forcing: all positions at once",
    right="b",
    options={
        "a": Option(
            "12 in training, 12 in translating: the decoder is sequential.",
            "In training the right words are known beforehand. They all go in together, and the mask sees to it that none is used "
            "too early.",
            "sequential-in-training",
        ),
        "b": Option(
            "1 in training, 12 in translating.",
            "Right. The mask makes one parallel pass equal to 12 separate ones; in translating, word 5 cannot be fed in before it "
            "has been chosen.",
        ),
        "c": Option(
            "1 in training, 1 in translating: attention needs no recurrence.",
            "There is no recurrence inside a pass, but there is one around it: each word that was chosen is an input of the next pass.",
            "parallel-in-translating",
        ),
        "d": Option(
            "12 in training, 1 in translating.",
            "The other way round. When are all target words known beforehand?",
            "the-wrong-way-round",
        ),
    },
)

SLIDE_TABLES = Choice(
    name="slide_tables",
    points=2,
    section="Two tables, read critically",
    right="c",
    options={
        "a": Option(
            "“The big Transformer has the best BLEU in both columns.”",
            "28.4 and 41.8 are the largest numbers of their columns, ensembles included. The table supports this.",
            "best-in-both",
        ),
        "b": Option(
            "“The base Transformer is better than ConvS2S from English to German, at about a third of its training cost.”",
            "27.3 against 25.16 BLEU, and 3.3·10¹⁸ against 9.6·10¹⁸ operations. The table supports this.",
            "cheaper-and-better",
        ),
        "c": Option(
            "“A lower perplexity means a better summary.”",
            "Right: this one is contradicted. Transformer-D has the lower perplexity (2.22 against 2.47) and the *lower* ROUGE-L "
            "(33.6 against 34.2) than Transformer-ED. And it read eight times as much text, so the two rows differ in more than "
            "the model.",
        ),
        "d": Option(
            "“From English to French the base Transformer is worse than ConvS2S.”",
            "38.1 against 40.46 BLEU. The table supports this, although the slide's headline does not say so.",
            "always-better",
        ),
    },
)

UNIT = Unit(
    name="08_transformer_decoder",
    title="The Transformer decoder: translation and generation",
    exercises=(
        DECODER_BLOCK,
        SLIDE_YOUR_TURN,
        SLIDE_CROSS,
        SLIDE_SEQUENTIAL,
        SMOOTHED_LOSS,
        WARMUP_RATE,
        GREEDY_DECODE,
        BEAM_SEARCH,
        CACHED_ATTENTION,
        SLIDE_TABLES,
    ),
)
