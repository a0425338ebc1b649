"""From patches to tokens: `PatchEmbedding`, (B, C, H, W) -> (B, N + 1, D)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.judging.exercise import Call, Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture

from ._shared import plain_reshape


def embedding_weights(draw: Draw, count: int, length: int, dim: int) -> dict[str, Tensor]:
    """A state for PatchEmbedding: `count` patches of `length` numbers."""
    return {
        "project.weight": draw.normal(dim, length, scale=length**-0.5),
        "project.bias": draw.normal(dim),
        "cls": draw.normal(1, 1, dim),
        "positions": draw.normal(1, count + 1, dim),
    }


def cases(draw: Draw) -> list[Case]:
    batch, channels, patch, rows, other = draw.sizes(5, low=2, high=6)

    def case(label: str, images: int, channels: int, patch: int, rows: int, **options: Any) -> Case:
        dim = 7 + draw.integer(0, 2)
        size = rows * patch
        weights = embedding_weights(draw, rows**2, channels * patch**2, dim)
        args = (draw.normal(images, channels, size, size),)
        return Case(label, init=(size, channels, patch, dim), weights=weights, args=args, **options)

    usual = batch, channels, patch
    trained = case("in training mode", *usual, 2, group="edge")
    return [
        case(f"{rows} x {rows} patches of {patch} x {patch}, {channels} channels", *usual, rows),
        case(f"{other} images, patches of {rows}", other, 1, rows, patch),
        case("values and gradients", batch, channels, 2, 2, gradients=True),
        case("one image", 1, channels, patch, 2, group="edge"),
        case("one patch is the whole image", *usual, 1, group="edge", gradients=True),
        case("patches of one pixel", batch, channels, 1, rows, group="edge"),
        replace(trained, then=(Call(method="train"), Call(trained.args))),
    ]


EXERCISE = Exercise(
    name="PatchEmbedding",
    points=4,
    section="From patches to tokens",
    reference=ref.PatchEmbedding,
    kind="module",
    returns=("tokens (B, N + 1, D)",),
    cases=cases,
    picture=weights_picture(0, "tokens", "features"),
)


Patches = Callable[[Tensor, int], Tensor]


def embedding(
    put_together: Callable[[Tensor, Tensor, Tensor], Tensor], cut: Patches = ref.patchify
) -> type[ref.PatchEmbedding]:
    """PatchEmbedding that makes something else of the projected patches (B, N, D), one CLS token
    per image (B, 1, D) and the positions (1, N + 1, D)."""

    def forward(self: Any, images: Tensor) -> Tensor:
        tokens, cls = self.project(cut(images, self.patch)), self.cls.expand(len(images), -1, -1)
        return put_together(tokens, cls, self.positions)

    return type("Variant", (ref.PatchEmbedding,), {"forward": forward})


EXERCISE.misconception(
    "cls-last",
    "CLS comes last",
    "You append the CLS token after the patches. The text puts it first, and the classifier will "
    "read place 0.",
    embedding(lambda tokens, cls, positions: torch.cat([tokens, cls], 1) + positions),
)

EXERCISE.misconception(
    "no-positions",
    "No positions",
    "You never add `positions`. Attention does not see order: without them the model gets the "
    "same bag of patches for an image and for its jigsaw.",
    embedding(lambda tokens, cls, positions: torch.cat([cls, tokens], 1)),
)

EXERCISE.misconception(
    "cls-without-position",
    "CLS gets no position",
    "You add positions to the patches only. `positions` has N + 1 rows: the first belongs to the "
    "CLS token.",
    embedding(lambda tokens, cls, positions: torch.cat([cls, tokens + positions[:, 1:]], 1)),
)

EXERCISE.misconception(
    "positions-off-by-one",
    "Positions are off by one",
    "You add the first N positions to the patches, so every patch gets the position of its "
    "neighbour, and CLS none. The first row belongs to CLS.",
    embedding(lambda tokens, cls, positions: torch.cat([cls, tokens + positions[:, :-1]], 1)),
)

EXERCISE.misconception(
    "no-cls",
    "The CLS token is missing",
    "You return the patches alone, N tokens. The CLS token makes N + 1: nothing else can gather "
    "what the image is about.",
    embedding(lambda tokens, cls, positions: tokens + positions[:, 1:]),
)

EXERCISE.misconception(
    "no-cls",
    "The CLS token is missing",
    "You return the patches alone, N tokens, with the first N positions. The CLS token comes "
    "before them and takes the first position.",
    embedding(lambda tokens, cls, positions: tokens + positions[:, :-1]),
)

EXERCISE.misconception(
    "cls-not-expanded",
    "One CLS token for a whole batch",
    "`cls` has shape (1, 1, D), and `cat` does not broadcast: every image of the batch needs "
    "its own CLS token. Which method repeats an axis of length one without copying?",
    embedding(lambda tokens, cls, positions: torch.cat([cls[:1], tokens], 1) + positions),
)

EXERCISE.misconception(
    "cls-added-to-all",
    "CLS is added instead of put first",
    "You add the CLS vector to every token. It should be one more token, before the others.",
    embedding(lambda tokens, cls, positions: torch.cat([0 * cls, tokens], 1) + cls + positions),
)

EXERCISE.misconception(
    "cls-not-learned",
    "A CLS token of zeros",
    "You put zeros before the patches. `self.cls` is a parameter that is learned: use it.",
    embedding(
        lambda tokens, cls, positions: torch.cat([torch.zeros_like(cls), tokens], 1) + positions
    ),
)

EXERCISE.misconception(
    "positions-multiplied",
    "Positions are multiplied",
    "You multiply by the positions. They are added: with positions near zero, a product would "
    "wipe out the image.",
    embedding(lambda tokens, cls, positions: torch.cat([cls, tokens], 1) * positions),
)

EXERCISE.misconception(
    "cls-overwrites-a-patch",
    "CLS takes the place of a patch",
    "You put the CLS token where the first patch was. It comes in addition: N + 1 tokens.",
    embedding(
        lambda tokens, cls, positions: torch.cat([cls, tokens[:, 1:]], 1) + positions[:, :-1]
    ),
)

EXERCISE.misconception(
    "reshape-tears-the-image",
    "The patches are not patches",
    "You reshape the image instead of cutting it: the tokens hold stripes of pixel rows. Use "
    "`patchify`.",
    embedding(
        lambda tokens, cls, positions: torch.cat([cls, tokens], 1) + positions,
        cut=plain_reshape,
    ),
)

EXERCISE.misconception(
    "cat-along-batch",
    "Joined along the wrong axis",
    "You concatenate along the batch. The CLS token is one more token in the sequence: which axis "
    "is that?",
    embedding(lambda tokens, cls, positions: torch.cat([cls, tokens], 0) + positions),
)

EXERCISE.misconception(
    "activation-on-tokens",
    "A nonlinearity too many",
    "You put a ReLU after the projection. An embedding is linear here; the encoder bends later.",
    embedding(lambda tokens, cls, positions: torch.cat([cls, tokens.relu()], 1) + positions),
)
