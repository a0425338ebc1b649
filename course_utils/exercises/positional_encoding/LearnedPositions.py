"""Learned positions: `LearnedPositions`. One trainable vector per position, added to the input."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import positional_encoding as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, length, dim, spare = draw.sizes(4, low=2, high=9)
    rows = length + spare
    init, long = (rows, dim), {"table.weight": draw.normal(rows, dim)}

    def x(steps: int) -> Tensor:
        return draw.normal(batch, steps, dim)

    return [
        Case(f"{length} steps, positions for {rows}", init=init, weights=long, args=(x(length),)),
        Case("another length", init=init, weights=long, args=(x(length + 1),)),
        Case(
            "gradients reach the table", init=init, weights=long, args=(x(length),), gradients=True
        ),
        Case("one step", init=init, weights=long, args=(x(1),), group="edge"),
        Case(
            "exactly as long as the table", init=init, weights=long, args=(x(rows),), group="edge"
        ),
        Case(
            "longer than the table",
            init=init,
            weights=long,
            args=(x(rows + 1),),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "a batch of one",
            init=init,
            weights=long,
            args=(draw.normal(1, length, dim),),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="LearnedPositions",
    kind="module",
    points=3,
    section="Learned positions",
    reference=ref.LearnedPositions,
    returns=("x with positions (B, T, D)",),
    cases=cases,
)


def learned(
    forward: Callable[[Any, Tensor], Tensor], checked: bool = True
) -> type[ref.LearnedPositions]:
    """The module with another forward, which refuses what is too long unless told otherwise."""

    def run(self: Any, x: Tensor) -> Tensor:
        if checked and x.shape[1] > self.table.num_embeddings:
            raise ValueError("too long")
        return forward(self, x)

    return type("Variant", (ref.LearnedPositions,), {"forward": run})


EXERCISE.misconception(
    "position-of-the-batch",
    "Positions along the batch",
    "You take one row of the table per sequence instead of one per time step: all steps of a "
    "sequence get the same vector. The batch is axis 0, the time is axis 1.",
    learned(
        lambda self, x: (
            x + self.table.weight[torch.arange(len(x)) % self.table.num_embeddings][:, None]
        )
    ),
)

EXERCISE.misconception(
    "batch-size-for-length",
    "The size of the batch taken for the length",
    "You take as many rows as there are sequences in the batch. It runs only where both numbers "
    "are equal: `x.shape` is (B, T, D).",
    learned(lambda self, x: x + self.table.weight[: x.shape[0]]),
    syntax=lambda tree: syntax.uses(tree, "shape", "size") or bool(syntax.calls(tree, "len")),
)

EXERCISE.misconception(
    "positions-from-one",
    "The positions are counted from 1",
    "Your first step gets row 1 of the table. Row 0 is never used, and a sequence as long as the "
    "table runs out of it.",
    learned(lambda self, x: x + self.table(torch.arange(1, x.shape[1] + 1))),
)

EXERCISE.misconception(
    "last-rows",
    "The last rows instead of the first",
    "You take the last T rows of the table, so the vector of a step depends on how long the "
    "sequence is. Step t gets row t.",
    learned(lambda self, x: x + self.table.weight[-x.shape[1] :]),
)

EXERCISE.misconception(
    "same-position-for-all",
    "Every step gets the same vector",
    "You add the same row to every step. That cannot tell them apart.",
    learned(lambda self, x: x + self.table.weight[0]),
)

EXERCISE.misconception(
    "position-of-the-length",
    "Every step gets the row of the length",
    "You look up the number T itself, instead of the numbers 0 … T - 1: all steps get the same "
    "row.",
    learned(lambda self, x: x + self.table(torch.tensor(x.shape[1] - 1))),
)

EXERCISE.misconception(
    "input-forgotten",
    "The input is gone",
    "You return the positions alone: all sequences look the same. Add them to x.",
    learned(lambda self, x: self.table.weight[: x.shape[1]].expand_as(x)),
)

EXERCISE.misconception(
    "positions-without-batch",
    "The input is gone",
    "You return the rows of the table (T, D). The text asks for x plus these rows, (B, T, D).",
    learned(lambda self, x: self.table.weight[: x.shape[1]]),
)

EXERCISE.misconception(
    "multiplied",
    "Multiplied instead of added",
    "You multiply x by the positions. The text asks for the sum.",
    learned(lambda self, x: x * self.table.weight[: x.shape[1]]),
)

EXERCISE.misconception(
    "concatenated",
    "Concatenated instead of added",
    "You put the positions after the features, so the result is twice as wide. The text asks for "
    "the "
    "sum, of the same size as x.",
    learned(lambda self, x: torch.cat([x, self.table.weight[: x.shape[1]].expand_as(x)], -1)),
)

EXERCISE.misconception(
    "nothing-added",
    "Nothing is added",
    "x comes back as it went in.",
    learned(lambda self, x: x),
)

EXERCISE.misconception(
    "unchecked-lookup",
    "The error is not the one that was asked for",
    "For a sequence longer than the table the look-up fails by itself, with an IndexError. The "
    "text "
    "asks for a ValueError that tells the caller what is wrong with the input.",
    learned(lambda self, x: x + self.table(torch.arange(x.shape[1])), checked=False),
)

EXERCISE.misconception(
    "unchecked-slice",
    "The error is not the one that was asked for",
    "For a sequence longer than the table your slice is too short, and the sum fails by itself. "
    "The text asks for a ValueError that tells the caller what is wrong with the input.",
    learned(lambda self, x: x + self.table.weight[: x.shape[1]], checked=False),
)

EXERCISE.misconception(
    "sequence-cut",
    "The sequence is cut silently",
    "For a sequence longer than the table you drop the end. Nobody would notice that text is "
    "missing: raise a ValueError.",
    learned(
        lambda self, x: (y := x[:, : self.table.num_embeddings]) + self.table.weight[: y.shape[1]],
        checked=False,
    ),
)

EXERCISE.misconception(
    "wraps-around",
    "The positions start again at 0",
    "For a sequence longer than the table you begin again at row 0, so two steps share a "
    "position. The text asks for a ValueError.",
    learned(
        lambda self, x: x + self.table(torch.arange(x.shape[1]) % self.table.num_embeddings),
        checked=False,
    ),
)

EXERCISE.misconception(
    "last-row-repeated",
    "All late steps share the last position",
    "For a sequence longer than the table you use its last row again and again. The text asks "
    "for a "
    "ValueError.",
    learned(
        lambda self, x: (
            x + self.table(torch.arange(x.shape[1]).clamp(max=self.table.num_embeddings - 1))
        ),
        checked=False,
    ),
)


def refuse() -> Tensor:
    raise ValueError("too long")


EXERCISE.misconception(
    "off-by-one-refusal",
    "One step too strict",
    "You refuse a sequence that is exactly as long as the table. It has a row for each of its "
    "steps: `>` and `>=` differ in this case.",
    learned(
        lambda self, x: (
            ref.LearnedPositions.forward(self, x)
            if x.shape[1] < self.table.num_embeddings
            else refuse()
        )
    ),
)
