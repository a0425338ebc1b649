"""The encoder: `Encoder`, (B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from torch import Tensor, nn

from course_utils import transformer_encoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import two_features

from ._shared import ENCODERS, NOT_ALLOWED, block_sizes, changed, padding, state


def cases(draw: Draw) -> list[Case]:
    def case(
        label: str,
        depth: int,
        norm_first: bool,
        masked: bool = False,
        scale: float = 1,
        **more: Any,
    ) -> Case:
        batch, length, dim, heads, hidden = block_sizes(draw)
        args: tuple[Any, ...] = (scale * draw.normal(batch, length, dim),)
        if masked:
            args += (padding(draw, batch, length),)
        init = (dim, heads, hidden, depth, norm_first)
        weights = state(draw, ref.Encoder(*init))
        for name in weights:
            if ".out." in name or ".outer." in name:
                weights[name] = scale * weights[name]  # what a block adds to the stream
        return Case(label, init=init, weights=weights, args=args, **more)

    default = case("post-norm is the default", 2, False, group="edge")
    trained = case("2 pre-norm blocks, in training mode", 2, True, group="edge")
    return [
        case("3 post-norm blocks", 3, False),
        case("2 pre-norm blocks", 2, True),
        case("2 post-norm blocks, gradients", 2, False, gradients=True),
        case("2 pre-norm blocks, gradients", 2, True, gradients=True),
        case("3 post-norm blocks, some tokens are padding", 3, False, True, group="edge"),
        case("2 pre-norm blocks, some tokens are padding", 2, True, True, group="edge"),
        case("one pre-norm block", 1, True, group="edge"),
        case("pre-norm, tokens that hardly vary", 2, True, group="edge", scale=2e-3),
        replace(default, init=(default.init or ())[:4]),
        replace(trained, then=(Call(method="train"), Call(trained.args))),
    ]


EXERCISE = Exercise(
    name="Encoder",
    kind="module",
    points=4,
    section="Stacking, and a trap",
    reference=ref.Encoder,
    cases=cases,
    promised=two_features,
    tolerance=1e-4,
    forbidden=(Forbidden(NOT_ALLOWED.format("encoder"), ENCODERS),),
)


def with_part(name: str, make: Callable[..., nn.Module | None]) -> type[nn.Module]:
    """Encoder whose `blocks` or `norm` is made otherwise, from the arguments of the constructor."""

    class Encoder(ref.Encoder):
        def __init__(
            self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False
        ) -> None:
            super().__init__(dim, heads, hidden, depth, norm_first)
            setattr(self, name, make(dim, heads, hidden, depth, norm_first))

    return Encoder


EXERCISE.misconception(
    "shared-blocks",
    "One block, listed several times",
    "All your blocks are the same object: `[block] * depth` repeats a reference, not a block. The "
    "stack has the weights of one block, and training one trains all. Make a new block for each "
    "place.",
    with_part(
        "blocks",
        lambda dim, heads, hidden, depth, norm_first: nn.ModuleList(
            [ref.EncoderBlock(dim, heads, hidden, norm_first)] * depth
        ),
    ),
)

CONTAINERS = "ModuleList", "Sequential", "ModuleDict"
REGISTERING = "add_module", "register_module", "setattr"

EXERCISE.misconception(
    "plain-list",
    "A Python list hides the blocks",
    "Your blocks are in a plain list or tuple. PyTorch does not look into those: the encoder says "
    "it has no such parameters, the optimiser never gets them, `.to(device)` forgets them. Which "
    "container of nn registers what is in it?",
    with_part("blocks", lambda *sizes: nn.ModuleList()),
    syntax=lambda tree: not syntax.uses(tree, *CONTAINERS, *REGISTERING),
)

EXERCISE.misconception(
    "final-norm-missing",
    "A pre-norm stack ends without a norm",
    "With norm_first the stream itself is never normalised: after some blocks it has grown, and "
    "nobody brings it back. One last norm, called `norm`, comes after the stack.",
    with_part("norm", lambda *sizes: None),
)


def final(encoder: Any, x: Tensor) -> Any:
    return x if encoder.norm is None else encoder.norm(x)


def as_it_is(encoder: Any, x: Tensor) -> Any:
    return x


def through(
    step: Callable[[Any, Any, Tensor, Any], Any] = lambda encoder, block, x, mask: block(x, mask),
    order: Callable[[Any], Iterable[Any]] = list,
    last: Callable[[Any, Tensor], Any] = final,
) -> type[nn.Module]:
    """Encoder with another step for each block, other blocks, or another end."""

    def forward(self: Any, x: Tensor, mask: Tensor | None = None) -> Any:
        for block in order(self.blocks):
            x = step(self, block, x, mask)
        return last(self, x)

    return changed(ref.Encoder, forward=forward)


EXERCISE.misconception(
    "final-norm-not-used",
    "The last norm is made but not used",
    "`self.norm` exists, but forward never calls it.",
    through(last=as_it_is),
)

EXERCISE.misconception(
    "final-norm-always",
    "One norm too many",
    "Your encoder has a last norm also without norm_first. A post-norm block already ends in one; "
    "only a pre-norm stack needs it.",
    with_part("norm", lambda dim, *others: nn.LayerNorm(dim)),
)

EXERCISE.misconception(
    "norm-in-the-loop",
    "The last norm comes after every block",
    "You apply `self.norm` after each block. It comes once, after the whole stack; the stream "
    "between the blocks stays free.",
    through(lambda encoder, block, x, mask: final(encoder, block(x, mask)), last=as_it_is),
)

EXERCISE.misconception(
    "default-pre-norm",
    "Post-norm is the default",
    "Without the argument `norm_first` your encoder is pre-norm. The text has `norm_first=False`.",
    lambda dim, heads, hidden, depth, norm_first=True: ref.Encoder(
        dim, heads, hidden, depth, norm_first
    ),
)

EXERCISE.misconception(
    "another-eps",
    "Another eps in the last norm",
    "For tokens that hardly vary your last norm gives something else than `nn.LayerNorm(dim)`: its "
    "eps is not the usual 1e-5.",
    with_part("norm", lambda dim, *others: nn.LayerNorm(dim, eps=1e-6) if others[-1] else None),
)

EXERCISE.misconception(
    "flag-not-passed",
    "The blocks do not know about norm_first",
    "Your blocks are post-norm always: norm_first is not handed on to them.",
    with_part(
        "blocks",
        lambda dim, heads, hidden, depth, norm_first: nn.ModuleList(
            ref.EncoderBlock(dim, heads, hidden) for _ in range(depth)
        ),
    ),
)

EXERCISE.misconception(
    "same-input",
    "Every block gets the first input",
    "Each of your blocks starts from the original x, and only the last one's result is returned: "
    "depth without depth.",
    through(order=lambda blocks: blocks[-1:]),
)

EXERCISE.misconception(
    "first-block-only",
    "Only the first block is used",
    "Your result comes from the first block alone. Is the `return` inside the loop?",
    through(order=lambda blocks: blocks[:1]),
)

EXERCISE.misconception(
    "reversed-blocks",
    "From the last block to the first",
    "You go through the blocks from the end. The input meets `blocks[0]` first.",
    through(order=reversed),
)

EXERCISE.misconception(
    "blocks-side-by-side",
    "Blocks side by side instead of on top of each other",
    "Your blocks all start from the original x, and their results are added. Each block works on "
    "what the one before it returned.",
    through(order=lambda blocks: [lambda x, mask: sum(block(x, mask) for block in blocks)]),
)

EXERCISE.misconception(
    "residual-around-blocks",
    "A residual too many",
    "You add x around each block. A block has its residual connections inside.",
    through(lambda encoder, block, x, mask: x + block(x, mask)),
)

EXERCISE.misconception(
    "mask-dropped",
    "The mask does not arrive",
    "Your encoder takes a mask and hands it to no block.",
    through(lambda encoder, block, x, mask: block(x)),
)

EXERCISE.misconception(
    "mask-in-the-first-block-only",
    "The mask arrives in one block only",
    "Your first block knows the mask, the others do not: from the second on, padding is attended "
    "to.",
    through(lambda encoder, block, x, mask: block(x, mask if block is encoder.blocks[0] else None)),
)
