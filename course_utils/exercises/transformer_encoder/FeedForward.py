"""The feed-forward layer: `FeedForward`, (..., D) -> (..., D)."""

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils import transformer_encoder as ref
from course_utils.judging import syntax
from course_utils.judging.compare import difference
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Outcome
from course_utils.judging.runner import play

from ._shared import state


def cases(draw: Draw) -> list[Case]:
    b, t, d, h = draw.sizes(4, low=3, high=9)

    def case(
        label: str,
        *shape: int,
        dim: int = d,
        hidden: int = h,
        group: str = "basic",
        gradients: bool = False,
    ) -> Case:
        weights = state(draw, ref.FeedForward(dim, hidden))
        return Case(
            label,
            init=(dim, hidden),
            weights=weights,
            args=(draw.normal(*shape, dim),),
            group=group,
            gradients=gradients,
        )

    quiet = case("tokens in plenty", 20, t, hidden=40)
    return [
        case(f"{b} sequences of {t} tokens, {d} features, {h} inside", b, t),
        case(f"{h} features, {d} inside", t, b, dim=h, hidden=d),
        case("values and gradients", b, t, gradients=True),
        case("tokens without a batch", t, group="edge"),
        case("one token", group="edge"),
        replace(
            quiet,
            label="the same in training mode: no dropout",
            then=(Call(method="train"), Call(quiet.args)),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="FeedForward",
    kind="module",
    points=2,
    section="The feed-forward layer",
    reference=ref.FeedForward,
    cases=cases,
)


def feed_forward_with(body: Callable[[Any, Tensor], Any]) -> type[nn.Module]:
    """FeedForward with another forward."""
    return type("FeedForward", (ref.FeedForward,), {"forward": body})


linear = feed_forward_with(lambda self, x: self.outer(self.inner(x)))


def is_linear(case: Case, got: Outcome) -> bool:
    """In eval mode; what else is done in training mode does not matter."""
    return difference(play(case, linear).value, got.value, 1e-4) is None


EXERCISE.misconception(
    "no-nonlinearity",
    "Two linear layers are one",
    "Nothing happens between your two layers. W₂(W₁x) is (W₂W₁)x: whatever the width inside, the "
    "pair can do no more than one linear layer.",
    symptom=is_linear,
)

EXERCISE.misconception(
    "relu-last",
    "The ReLU comes last",
    "Your ReLU comes after the second layer, so the output is never negative and the two layers "
    "before it are still one linear layer. It belongs between them.",
    feed_forward_with(lambda self, x: F.relu(self.outer(self.inner(x)))),
)

EXERCISE.misconception(
    "relu-first",
    "The ReLU comes first",
    "Your ReLU cuts the input, before any weight has seen it: half of the information is gone, "
    "and the two layers after it are one. It belongs between them.",
    feed_forward_with(lambda self, x: self.outer(self.inner(F.relu(x)))),
)

EXERCISE.misconception(
    "relu-twice",
    "One ReLU too many",
    "You also put a ReLU after the second layer. What is added to the residual stream must be "
    "able to be negative.",
    feed_forward_with(lambda self, x: F.relu(self.outer(F.relu(self.inner(x))))),
)

EXERCISE.misconception(
    "gelu",
    "GELU instead of ReLU",
    "GELU is what many later models use; the text asks for the original: ReLU.",
    feed_forward_with(lambda self, x: self.outer(F.gelu(self.inner(x)))),
)

EXERCISE.misconception(
    "other-nonlinearity",
    "tanh instead of ReLU",
    "tanh squeezes everything between -1 and 1; the text asks for ReLU.",
    feed_forward_with(lambda self, x: self.outer(torch.tanh(self.inner(x)))),
)

EXERCISE.misconception(
    "other-nonlinearity",
    "A sigmoid instead of ReLU",
    "The sigmoid squeezes everything between 0 and 1; the text asks for ReLU.",
    feed_forward_with(lambda self, x: self.outer(torch.sigmoid(self.inner(x)))),
)

EXERCISE.misconception(
    "other-nonlinearity",
    "A leaky ReLU",
    "Yours lets a little of the negative side through; the text asks for the plain ReLU.",
    feed_forward_with(lambda self, x: self.outer(F.leaky_relu(self.inner(x)))),
)

EXERCISE.misconception(
    "softmax-inside",
    "A softmax is not an activation",
    "You put a softmax between the layers: the hidden units then compete for a total of 1. The "
    "text "
    "asks for ReLU, unit by unit.",
    feed_forward_with(lambda self, x: self.outer(torch.softmax(self.inner(x), -1))),
)

EXERCISE.misconception(
    "residual-inside",
    "The residual is the block's business",
    "You add x to the result. The encoder block does that, around this layer; here it would be "
    "added twice.",
    feed_forward_with(lambda self, x: x + self.outer(F.relu(self.inner(x)))),
)


def always_on(tree: ast.AST) -> bool:
    """Is F.dropout called without being told whether this is training?"""
    return any(
        len(call.args) < 3 and not any(word.arg == "training" for word in call.keywords)
        for call in syntax.calls(tree, "dropout")
        if not isinstance(call.func, ast.Attribute) or ast.unparse(call.func.value) != "self"
    )


EXERCISE.misconception(
    "dropout-always",
    "Dropout that nobody can switch off",
    "F.dropout is on unless it is told `training=self.training`, also in eval(). Nobody asked for "
    "dropout here: leave it out.",
    syntax=always_on,
    symptom=lambda case, got: True,
)


def drops_in_training(case: Case, got: Outcome) -> bool:
    """Right in eval mode, something else in training mode."""
    want = play(case, ref.FeedForward).values
    apart = [difference(a, b, 1e-4) for a, b in zip(want, got.values, strict=True)]
    return apart[0] is None and (not case.then or apart[-1] is not None)


EXERCISE.misconception(
    "dropout-in-training",
    "Dropout where none was asked for",
    "In eval mode your layer is right; in training mode it drops some of the hidden units. The "
    "text asks for no dropout: where a model wants some, the block around this layer adds it.",
    symptom=drops_in_training,
)


TURNS = ("transpose", "permute", "mT", "swapaxes", "T", "movedim", "rearrange", "einsum")


def turned_first(tree: ast.AST) -> bool:
    """Are axes exchanged before (or in) the call of the first layer?"""
    inner = [(c.end_lineno or 0, c.end_col_offset or 0) for c in syntax.calls(tree, "inner")]
    turns = [
        (node.lineno, node.col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in TURNS
    ]
    return bool(inner and turns) and min(turns) < min(inner)


def over_time(turn: Callable[[Tensor], Tensor]) -> type[nn.Module]:
    return feed_forward_with(lambda self, x: turn(self.outer(F.relu(self.inner(turn(x))))))


EXERCISE.misconception(
    "over-time",
    "Applied along time instead of features",
    "You turn the input so that the layers meet the time axis. The same network treats every "
    "position by itself: it works on the last axis, and nn.Linear does so by itself.",
    over_time(lambda x: x.transpose(-1, -2)),
    over_time(lambda x: x.transpose(1, 2)),
    over_time(lambda x: x.permute(0, 2, 1)),
    over_time(lambda x: x.mT),
    syntax=turned_first,
)
