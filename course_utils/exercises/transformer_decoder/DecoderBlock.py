"""The decoder block: `DecoderBlock`. Look at what is written so far, look at the source, think."""

import ast
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from course_utils import transformer_decoder as ref
from course_utils.exercises.transformer_decoder._shared import returns_tuple, state
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import two_features
from course_utils.judging.properties import no_nan
from course_utils.masking import causal_mask


def cases(draw: Draw) -> list[Case]:
    b, t, s = draw.sizes(3, low=2, high=6)
    heads, width = draw.integer(2, 3), 3 + 2 * draw.integer(0, 1)
    dim, hidden = heads * width, 3 * width + 1
    init, weights = (dim, heads, hidden), state(draw, ref.DecoderBlock(dim, heads, hidden))

    def inputs(batch: int, target: int, source: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, target, dim), draw.normal(batch, source, dim)

    def padding(batch: int, source: int) -> Tensor:
        return draw.mask(batch, 1, 1, source)

    def case(label: str, args: tuple[Tensor, ...], **fields: Any) -> Case:
        return Case(label, args=args, init=init, weights=weights, **fields)

    both = {"self_mask": causal_mask(t), "memory_mask": padding(b, s)}
    masked = (*inputs(b, t, s), causal_mask(t), padding(b, s))
    trained = inputs(b, t, s)
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
        case("no masks, with gradients", inputs(b, t, s), gradients=True),
        case("target as long as the source", inputs(b, t, t)),
        case(
            "target as long as the source, both masks",
            inputs(b, t, t),
            kwargs={"self_mask": causal_mask(t), "memory_mask": padding(b, t)},
            group="edge",
        ),
        case(
            "one target step",
            inputs(b, 1, s),
            kwargs={"self_mask": causal_mask(1), "memory_mask": padding(b, s)},
            group="edge",
        ),
        case(
            "masks without order, one per head",
            inputs(b, t, s),
            kwargs={
                "self_mask": draw.mask(b, heads, t, t),
                "memory_mask": draw.mask(b, heads, t, s),
            },
            group="edge",
        ),
        case("masks given by their place", masked, group="edge"),
        case(
            "in training mode",
            trained,
            kwargs=both,
            then=(Call(method="train"), Call(trained, both)),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="DecoderBlock",
    points=5,
    section="The decoder block",
    kind="module",
    reference=ref.DecoderBlock,
    returns=("output (B, T, D)",),
    cases=cases,
    promised=two_features,
    properties=(no_nan(),),
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            "Here you put the block together yourself: nn.TransformerDecoderLayer and its "
            "relatives are not allowed.",
            names=(
                "TransformerDecoderLayer",
                "TransformerDecoder",
                "Transformer",
                "TransformerEncoderLayer",
                "MultiheadAttention",
            ),
        ),
    ),
)


# The three steps of the block: (module, state so far, memory, self mask, memory mask, the block's
# own input) -> the new state
def attend(m: Any, h: Tensor, memory: Tensor, a: Any, c: Any, x: Tensor) -> Tensor:
    return m.norm1(h + m.self_attention(h, h, h, a)[0])


def look(m: Any, h: Tensor, memory: Tensor, a: Any, c: Any, x: Tensor) -> Tensor:
    return m.norm2(h + m.cross_attention(h, memory, memory, c)[0])


def compute(m: Any, h: Tensor, memory: Tensor, a: Any, c: Any, x: Tensor) -> Tensor:
    return m.norm3(h + m.feed_forward(h))


Step = Callable[[Any, Tensor, Tensor, Any, Any, Tensor], Any]


def block(*steps: Step) -> type[nn.Module]:
    """A decoder block of other steps, as a variant."""

    def forward(
        self: Any, x: Tensor, memory: Tensor, self_mask: Any = None, memory_mask: Any = None
    ) -> Any:
        h = x
        for step in steps:
            h = step(self, h, memory, self_mask, memory_mask, x)
        return h

    return type("DecoderBlock", (ref.DecoderBlock,), {"forward": forward})


def with_masks(first: Callable[..., Any], second: Callable[..., Any] | None = None) -> Any:
    """A block that makes other masks of its input and the two that it is given."""
    return block(
        lambda m, h, memory, a, c, x: attend(m, h, memory, first(h, a, c), c, x),
        lambda m, h, memory, a, c, x: look(
            m, h, memory, a, second(h, a, c) if second is not None else c, x
        ),
        compute,
    )


def crossed(cross: Step) -> type[nn.Module]:
    """A block with another sum after its cross-attention."""
    return block(attend, lambda m, h, *rest: m.norm2(cross(m, h, *rest)), compute)


EXERCISE.misconception(
    "mask-only-in-training",
    "The mask is left out in eval mode",
    "You pass the mask only while `self.training` is true. In evaluation the decoder then sees "
    "the future, and the validation loss is too good to be true. The mask is part of the model, "
    "not a regulariser like dropout.",
    block(
        lambda m, h, memory, a, c, x: ref.DecoderBlock.forward(
            m, h, memory, a if m.training else None, c
        )
    ),
    syntax=lambda tree: syntax.uses(tree, "training"),
)

EXERCISE.misconception(
    "no-self-mask",
    "Self-attention sees the future",
    "`self_mask` never reaches the self-attention. In training every position then reads the very "
    "word that it should predict: low loss, useless model. Where does MultiHeadAttention take its "
    "mask?",
    with_masks(lambda x, a, c: None),
)

EXERCISE.misconception(
    "no-memory-mask",
    "Padding of the source is attended to",
    "`memory_mask` never reaches the cross-attention, so the padding at the end of short sources "
    "takes part in every average. Which call looks at the memory?",
    with_masks(lambda x, a, c: a, lambda x, a, c: None),
)

EXERCISE.misconception(
    "no-masks",
    "Both masks are ignored",
    "Neither mask is passed on. One of them hides the future from the self-attention, the other "
    "hides padding from the cross-attention.",
    with_masks(lambda x, a, c: None, lambda x, a, c: None),
)

EXERCISE.misconception(
    "own-causal-mask",
    "A mask that nobody asked for",
    "You build a causal mask inside the block and ignore the one that is given. A block does what "
    "its caller says: without a mask it attends to everything.",
    with_masks(lambda x, a, c: causal_mask(x.shape[1])),
)

EXERCISE.misconception(
    "own-causal-mask",
    "A mask where none was given",
    "Where `self_mask` is None you make a causal mask yourself. Here None means that nothing is "
    "hidden: a block does what its caller says, so that the same block can also read a text that "
    "is known from end to end.",
    with_masks(lambda x, a, c: causal_mask(x.shape[1]) if a is None else a),
    with_masks(lambda x, a, c: causal_mask(x.shape[1]) & (True if a is None else a)),
)

EXERCISE.misconception(
    "causal-cross-attention",
    "A causal mask on the cross-attention",
    "You give `self_mask` to the cross-attention. It is (T, T), the cross-attention's weights are "
    "(T, S): it fits only where source and target are equally long. And why hide the source? All "
    "of it is known before the first word is written.",
    with_masks(lambda x, a, c: a, lambda x, a, c: a),
)

EXERCISE.misconception(
    "masks-swapped",
    "The two masks are swapped",
    "`self_mask` goes to the cross-attention and `memory_mask` to the self-attention. Compare "
    "their shapes with the shape of the weights in each of them.",
    with_masks(lambda x, a, c: c, lambda x, a, c: a),
)


EXERCISE.misconception(
    "queries-from-memory",
    "The source asks, the target answers",
    "In your cross-attention the queries come from the memory. Then there is one output per "
    "source word, and (B, S, D) cannot be added to (B, T, D). Who needs information here, and who "
    "has it?",
    crossed(lambda m, h, memory, a, c, x: h + m.cross_attention(memory, h, h, c)[0]),
)

EXERCISE.misconception(
    "values-from-target",
    "Keys from the source, values from the target",
    "Your cross-attention takes its keys from the memory but its values from the target. What is "
    "found at source word s must be brought from source word s: keys and values come from the "
    "same place.",
    crossed(lambda m, h, memory, a, c, x: h + m.cross_attention(h, memory, h, c)[0]),
)


EXERCISE.misconception(
    "no-cross-attention",
    "The source is never read",
    "The memory plays no part in your output: a translator that never looks at what it "
    "translates. The block has three sub-layers.",
    block(attend, compute),
)

EXERCISE.misconception(
    "shared-attention",
    "One attention for both",
    "You use `self_attention` for the cross-attention as well. The block has two of them, each "
    "with "
    "its own weights: one has learned to look back, the other to look across.",
    crossed(lambda m, h, memory, a, c, x: h + m.self_attention(h, memory, memory, c)[0]),
)

EXERCISE.misconception(
    "query-before-self-attention",
    "Cross-attention of the block's input",
    "The queries of your cross-attention are the input of the block, not the output of the first "
    "sub-layer. Each sub-layer works on what the one before it made.",
    crossed(lambda m, h, memory, a, c, x: h + m.cross_attention(x, memory, memory, c)[0]),
)

EXERCISE.misconception(
    "residual-from-input",
    "The second residual starts too early",
    "After the cross-attention you add the input of the whole block. A residual goes around one "
    "sub-layer: add what went into *this* one.",
    crossed(lambda m, h, memory, a, c, x: x + m.cross_attention(h, memory, memory, c)[0]),
)

EXERCISE.misconception(
    "memory-normalised",
    "The memory is normalised again",
    "You send the memory through a norm of the decoder. It comes from the encoder ready to use, "
    "the same for every block.",
    crossed(
        lambda m, h, memory, a, c, x: (
            h + m.cross_attention(h, m.norm2(memory), m.norm2(memory), c)[0]
        )
    ),
)

EXERCISE.misconception(
    "no-cross-residual",
    "No residual around the cross-attention",
    "After your cross-attention only what came from the source is left: what the decoder knew of "
    "its own text is gone. Two of your three sub-layers have a residual.",
    crossed(lambda m, h, memory, a, c, x: m.cross_attention(h, memory, memory, c)[0]),
)


EXERCISE.misconception(
    "no-self-residual",
    "No residual around the self-attention",
    "Your first sub-layer replaces its input instead of adding to it. Two of your three "
    "sub-layers have a residual.",
    block(lambda m, h, memory, a, c, x: m.norm1(m.self_attention(h, h, h, a)[0]), look, compute),
)


EXERCISE.misconception(
    "no-feed-forward-residual",
    "No residual around the feed-forward layer",
    "Your last sub-layer replaces its input instead of adding to it. Two of your three sub-layers "
    "have a residual.",
    block(attend, look, lambda m, h, memory, a, c, x: m.norm3(m.feed_forward(h))),
)


EXERCISE.misconception(
    "no-residuals",
    "No residuals",
    "Each of your sub-layers replaces its input. Without the sum the input is lost after the "
    "first block, and gradients fade in deep stacks.",
    block(
        lambda m, h, memory, a, c, x: m.norm1(m.self_attention(h, h, h, a)[0]),
        lambda m, h, memory, a, c, x: m.norm2(m.cross_attention(h, memory, memory, c)[0]),
        lambda m, h, memory, a, c, x: m.norm3(m.feed_forward(h)),
    ),
)


EXERCISE.misconception(
    "no-norms",
    "No norms",
    "The three norms are not used. Post-norm means: after each sum, a norm.",
    block(
        lambda m, h, memory, a, c, x: h + m.self_attention(h, h, h, a)[0],
        lambda m, h, memory, a, c, x: h + m.cross_attention(h, memory, memory, c)[0],
        lambda m, h, memory, a, c, x: h + m.feed_forward(h),
    ),
)


EXERCISE.misconception(
    "one-norm",
    "One norm for all",
    "You use `norm1` three times. Each sub-layer has its own norm, with its own scale and shift.",
    block(
        attend,
        lambda m, h, memory, a, c, x: m.norm1(h + m.cross_attention(h, memory, memory, c)[0]),
        lambda m, h, memory, a, c, x: m.norm1(h + m.feed_forward(h)),
    ),
)


EXERCISE.misconception(
    "pre-norm",
    "Pre-norm instead of post-norm",
    "You normalise what goes into each sub-layer. That is pre-norm, a good block too, but this "
    "one is post-norm: the norm comes after the sum.",
    block(
        lambda m, h, memory, a, c, x: (
            h + m.self_attention(m.norm1(h), m.norm1(h), m.norm1(h), a)[0]
        ),
        lambda m, h, memory, a, c, x: h + m.cross_attention(m.norm2(h), memory, memory, c)[0],
        lambda m, h, memory, a, c, x: h + m.feed_forward(m.norm3(h)),
    ),
)


EXERCISE.misconception(
    "norm-before-sum",
    "The norm comes before the sum",
    "You normalise what the sub-layer gives and then add. Post-norm is the other way round: first "
    "the sum, then the norm of all of it.",
    block(
        lambda m, h, memory, a, c, x: h + m.norm1(m.self_attention(h, h, h, a)[0]),
        lambda m, h, memory, a, c, x: h + m.norm2(m.cross_attention(h, memory, memory, c)[0]),
        lambda m, h, memory, a, c, x: h + m.norm3(m.feed_forward(h)),
    ),
)


EXERCISE.misconception(
    "cross-before-self",
    "Cross-attention comes first",
    "You look at the source before you look at what is written so far. The order is: own text, "
    "source, feed-forward.",
    block(
        lambda m, h, memory, a, c, x: m.norm1(h + m.cross_attention(h, memory, memory, c)[0]),
        lambda m, h, memory, a, c, x: m.norm2(h + m.self_attention(h, h, h, a)[0]),
        compute,
    ),
    block(look, attend, compute),
)


EXERCISE.misconception(
    "no-feed-forward",
    "The feed-forward layer is missing",
    "Your block ends after the two attentions. Attention only mixes; what computes with the "
    "mixture is the third sub-layer.",
    block(attend, look),
)

EXERCISE.misconception(
    "returns-weights-too",
    "More than the output",
    "You return a tuple. Attentions return (output, weights); a block returns its output alone, "
    "so that blocks can be stacked.",
    syntax=lambda tree: returns_tuple(tree, "forward"),
)


def unpacks_nothing(tree: ast.AST) -> bool:
    """Neither an index [0] nor a tuple on the left of an assignment."""
    nodes = list(ast.walk(tree))
    indexed = any(isinstance(n, ast.Subscript) for n in nodes)
    return not indexed and not any(
        isinstance(t, ast.Tuple) for n in nodes if isinstance(n, ast.Assign) for t in n.targets
    )


EXERCISE.misconception(
    "tuple-not-unpacked",
    "A tuple is added to a tensor",
    "MultiHeadAttention returns a pair, (output, weights), and you add the pair to a tensor. "
    "Which of the two goes on?",
    block(lambda m, h, memory, a, c, x: h + m.self_attention(h, h, h, a)),
    syntax=unpacks_nothing,
)
