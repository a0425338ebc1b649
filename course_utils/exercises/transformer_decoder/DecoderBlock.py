"""The decoder block: `DecoderBlock`. Look at what is written so far, look at the source, think."""

from course_utils import transformer_decoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise
from course_utils.judging.promises import two_features
from course_utils.judging.properties import no_nan
from course_utils.masking import causal_mask

from ._blocks import BY_HAND, Sizes, attend, block, compute, crossed, every, look, unpacks_nothing
from ._shared import returns_tuple


def cases(draw: Draw) -> list[Case]:
    made = Sizes(draw)
    t, s, inputs, masks, case = made.target, made.source, made.inputs, made.masks, made.case
    both = masks(t, s)
    masked = (*inputs(t, s), causal_mask(t), made.padding(s))
    trained = inputs(t, s)
    again = Call(method="train"), Call(trained, both)
    return [
        case(f"{t} target steps, {s} source steps, no masks", inputs(t, s)),
        case("a causal mask", inputs(t, s), kwargs={"self_mask": causal_mask(t)}),
        case("a source with padding", inputs(s, t), kwargs={"memory_mask": made.padding(t)}),
        case("both masks, with gradients", inputs(t, s), kwargs=masks(t, s), gradients=True),
        case("no masks, with gradients", inputs(t, s), gradients=True),
        case("target as long as the source", inputs(t, t)),
        case("target as long as the source, both masks", inputs(t, t), "edge", kwargs=masks(t, t)),
        case("one target step", inputs(1, s), "edge", kwargs=masks(1, s)),
        case("masks without order, one per head", inputs(t, s), "edge", kwargs=made.per_head()),
        case("masks given by their place", masked, "edge"),
        case("in training mode", trained, "edge", kwargs=both, then=again),
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
    forbidden=(BY_HAND,),
)

# Masks: a is the self-attention's, c the cross-attention's
EXERCISE.misconception(
    "mask-only-in-training",
    "The mask is left out in eval mode",
    "You pass the mask only while `self.training` is true. In evaluation the decoder then sees "
    "the future, and the validation loss is too good to be true. The mask is part of the model, "
    "not a regulariser like dropout.",
    block(first=lambda b, x, a, c: a if b.training else None),
    syntax=lambda tree: syntax.uses(tree, "training"),
)
EXERCISE.misconception(
    "no-self-mask",
    "Self-attention sees the future",
    "`self_mask` never reaches the self-attention. In training every position then reads the very "
    "word that it should predict: low loss, useless model. Which call takes a mask?",
    block(first=lambda b, x, a, c: None),
)
EXERCISE.misconception(
    "no-memory-mask",
    "Padding of the source is attended to",
    "`memory_mask` never reaches the cross-attention, so the padding at the end of short sources "
    "takes part in every average. Which call looks at the memory?",
    block(second=lambda b, x, a, c: None),
)
EXERCISE.misconception(
    "no-masks",
    "Both masks are ignored",
    "Neither mask is passed on. One of them hides the future from the self-attention, the other "
    "hides padding from the cross-attention.",
    block(first=lambda b, x, a, c: None, second=lambda b, x, a, c: None),
)
EXERCISE.misconception(
    "own-causal-mask",
    "A mask that nobody asked for",
    "You build a causal mask inside the block and ignore the one that is given. A block does what "
    "its caller says: without a mask it attends to everything.",
    block(first=lambda b, x, a, c: causal_mask(x.shape[1])),
)
EXERCISE.misconception(
    "own-causal-mask",
    "A mask where none was given",
    "Where `self_mask` is None you make a causal mask yourself. Here None means that nothing is "
    "hidden: a block does what its caller says, so that the same block can also read a text that "
    "is known from end to end.",
    block(first=lambda b, x, a, c: causal_mask(x.shape[1]) if a is None else a),
    block(first=lambda b, x, a, c: causal_mask(x.shape[1]) & (True if a is None else a)),
)
EXERCISE.misconception(
    "causal-cross-attention",
    "A causal mask on the cross-attention",
    "You give `self_mask` to the cross-attention. It is (T, T), the cross-attention's weights are "
    "(T, S): it fits only where source and target are equally long. And why hide the source? All "
    "of it is known before the first word is written.",
    block(second=lambda b, x, a, c: a),
)
EXERCISE.misconception(
    "masks-swapped",
    "The two masks are swapped",
    "`self_mask` goes to the cross-attention and `memory_mask` to the self-attention. Compare "
    "their shapes with the shape of the weights in each of them.",
    block(first=lambda b, x, a, c: c, second=lambda b, x, a, c: a),
)

# The cross-attention
EXERCISE.misconception(
    "queries-from-memory",
    "The source asks, the target answers",
    "In your cross-attention the queries come from the memory. Then there is one output per source "
    "word, and (B, S, D) cannot be added to (B, T, D). Who needs information here, and who has it?",
    crossed(lambda b, h: h + b.cross(b.memory, h, h)),
)
EXERCISE.misconception(
    "values-from-target",
    "Keys from the source, values from the target",
    "Your cross-attention takes keys from the memory but values from the target. What is found at "
    "source word s must be brought from source word s: both come from the same place.",
    crossed(lambda b, h: h + b.cross(h, b.memory, h)),
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
    "with its own weights: one has learned to look back, the other to look across.",
    crossed(lambda b, h: h + b.module.self_attention(h, b.memory, b.memory, b.mask)[0]),
)
EXERCISE.misconception(
    "query-before-self-attention",
    "Cross-attention of the block's input",
    "The queries of your cross-attention are the input of the block, not the output of the first "
    "sub-layer. Each sub-layer works on what the one before it made.",
    crossed(lambda b, h: h + b.cross(b.x)),
)
EXERCISE.misconception(
    "memory-normalised",
    "The memory is normalised again",
    "You send the memory through a norm of the decoder. It comes from the encoder ready to use, "
    "the same for every block.",
    crossed(lambda b, h: h + b.cross(h, b.norm2(b.memory), b.norm2(b.memory))),
)

# Residuals
EXERCISE.misconception(
    "residual-from-input",
    "The second residual starts too early",
    "After the cross-attention you add the input of the whole block. A residual goes around one "
    "sub-layer: add what went into *this* one.",
    crossed(lambda b, h: b.x + b.cross(h)),
)
EXERCISE.misconception(
    "no-cross-residual",
    "No residual around the cross-attention",
    "After your cross-attention only what came from the source is left: what the decoder knew of "
    "its own text is gone. Two of your three sub-layers have a residual.",
    crossed(lambda b, h: b.cross(h)),
)
EXERCISE.misconception(
    "no-self-residual",
    "No residual around the self-attention",
    "Your first sub-layer replaces its input instead of adding to it. The other two add to theirs.",
    block(lambda b, h: b.norm1(b.own(h)), look, compute),
)
EXERCISE.misconception(
    "no-feed-forward-residual",
    "No residual around the feed-forward layer",
    "Your last sub-layer replaces its input instead of adding to it. The other two add to theirs.",
    block(attend, look, lambda b, h: b.norm3(b.feed(h))),
)
EXERCISE.misconception(
    "no-residuals",
    "No residuals",
    "Each of your sub-layers replaces its input. Without the sum the input is lost after the "
    "first block, and gradients fade in deep stacks.",
    every(lambda h, layer, norm: norm(layer(h))),
)

# Norms
EXERCISE.misconception(
    "no-norms",
    "No norms",
    "The three norms are not used. Post-norm means: after each sum, a norm.",
    every(lambda h, layer, norm: h + layer(h)),
)
EXERCISE.misconception(
    "one-norm",
    "One norm for all",
    "You use `norm1` three times. Each sub-layer has its own norm, with its own scale and shift.",
    block(attend, lambda b, h: b.norm1(h + b.cross(h)), lambda b, h: b.norm1(h + b.feed(h))),
)
EXERCISE.misconception(
    "pre-norm",
    "Pre-norm instead of post-norm",
    "You normalise what goes into each sub-layer. That is pre-norm, a good block too, but this "
    "one is post-norm: the norm comes after the sum.",
    every(lambda h, layer, norm: h + layer(norm(h))),
)
EXERCISE.misconception(
    "norm-before-sum",
    "The norm comes before the sum",
    "You normalise what the sub-layer gives and then add. Post-norm is the other way round: first "
    "the sum, then the norm of all of it.",
    every(lambda h, layer, norm: h + norm(layer(h))),
)

# Steps, and what comes back
EXERCISE.misconception(
    "cross-before-self",
    "Cross-attention comes first",
    "You look at the source before you look at what is written so far. The order is: own text, "
    "source, feed-forward.",
    block(look, attend, compute),
    block(lambda b, h: b.norm1(h + b.cross(h)), lambda b, h: b.norm2(h + b.own(h)), compute),
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
EXERCISE.misconception(
    "tuple-not-unpacked",
    "A tuple is added to a tensor",
    "MultiHeadAttention returns a pair, (output, weights), and you add the pair to a tensor. "
    "Which of the two goes on?",
    block(lambda b, h: h + b.module.self_attention(h, h, h)),
    syntax=unpacks_nothing,
)
