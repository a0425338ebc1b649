"""Grouped queries: `grouped_query_attention(query, key, value, mask)`.

(B, H, T, d), (B, G, S, d), (B, G, S, d) -> output (B, H, T, d), weights (B, H, T, S): H / G
heads of queries share one head of keys and values.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.exercises.multi_head_attention._shared import (
    Attend,
    Result,
    add_attention_mistakes,
)
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.promises import every_row_allows
from course_utils.judging.properties import rows_sum_to_one
from course_utils.masking import masked_attention


def grouped_query_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Result:
    share = sharing(query, key)
    key, value = (x.repeat_interleave(share, dim=1) for x in (key, value))  # (B, H, S, d)
    return masked_attention(query, key, value, mask)


def sharing(query: Tensor, key: Tensor) -> int:
    """How many heads of queries share a head of keys."""
    if query.shape[1] % key.shape[1]:
        raise ValueError(f"{query.shape[1]} heads cannot share {key.shape[1]} evenly")
    return query.shape[1] // key.shape[1]


def low_scores(draw: Draw, b: int, t: int, s: int, d: int) -> tuple[Tensor, Tensor, Tensor]:
    """4 heads, 2 groups. Every score lies below -500, so that no masked one may compete, and they
    lie far apart, so that rounding cannot matter."""
    direction = torch.nn.functional.normalize(draw.normal(d), dim=0)
    queries = draw.uniform(b, 4, t, 1, low=1.0, high=1.2) * d**0.5 * direction
    order = torch.stack([draw.permutation(s) for _ in range(2 * b)]).view(b, 2, s, 1)
    return queries, -(500.0 + 40 * order) * direction, draw.normal(b, 2, s, d)


def cases(draw: Draw) -> list[Case]:
    b, t, s, d = draw.sizes(4, low=2, high=7)

    def tensors(heads: int, groups: int) -> tuple[Tensor, Tensor, Tensor]:
        keys, values = (draw.normal(b, groups, s, d) for _ in range(2))
        return draw.normal(b, heads, t, d), keys, values

    few = torch.tensor([[[[0.0]], [[1.0]], [[2.0]], [[3.0]]]])  # (1, 4, 1, 1)
    keys = torch.tensor([[[[0.0], [1.0]], [[1.0], [0.0]]]])  # (1, 2, 2, 1)
    return [
        Case("four heads of one number, two groups", args=(few, keys, 10 * keys)),
        Case("6 heads, 2 groups", args=tensors(6, 2)),
        Case("6 heads, 3 groups, gradients", args=tensors(6, 3), gradients=True),
        Case("with a mask", args=(*tensors(4, 2), draw.mask(b, 1, t, s)), gradients=True),
        Case(
            "a mask, and very low scores",
            args=(*low_scores(draw, b, t, s, d), draw.mask(b, 1, t, s)),
            group="edge",
        ),
        Case("one group for all heads", args=tensors(5, 1), group="edge"),
        Case("a group for each head", args=tensors(3, 3), group="edge"),
        Case("one mask (T, S) for all", args=(*tensors(4, 2), draw.mask(t, s)), group="edge"),
        Case("a mask for each head", args=(*tensors(4, 2), draw.mask(b, 4, t, s)), group="edge"),
        Case("7 heads, 2 groups", args=tensors(7, 2), raises=ValueError, group="edge"),
    ]


EXERCISE = Exercise(
    name="grouped_query_attention",
    points=3,
    section="What heads cost",
    reference=grouped_query_attention,
    returns=("output (B, H, T, d)", "weights (B, H, T, S)"),
    cases=cases,
    promised=every_row_allows(3),
    properties=(rows_sum_to_one(1),),
    picture=weights_picture(1),
)


def grouped_by(spread: Callable[[Tensor, int], Tensor]) -> Callable[..., Result]:
    """Keys and values spread over the heads in another way, as a variant."""

    def variant(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Result:
        share = sharing(query, key)
        return masked_attention(query, spread(key, share), spread(value, share), mask)

    return variant


EXERCISE.misconception(
    "groups-in-turn",
    "The heads take the groups in turn",
    "You repeat the whole list of key heads: head 0 gets group 0, head 1 group 1, head 2 group 0 "
    "again. Neighbouring heads share a group: the first H / G heads of queries belong to group 0.",
    grouped_by(lambda x, share: x.repeat(1, share, 1, 1)),
)

EXERCISE.misconception(
    "first-group-for-all",
    "All heads use the first group",
    "Every head of queries looks at the keys and values of group 0. Which group does the last "
    "head belong to?",
    grouped_by(lambda x, share: x[:, :1].expand(-1, share * x.shape[1], -1, -1)),
)

EXERCISE.misconception(
    "groups-averaged",
    "The groups are averaged",
    "You average the keys and values of all groups, so that every head sees the same. Each head "
    "has its own group.",
    grouped_by(
        lambda x, share: x.mean(1, keepdim=True).expand(-1, share * x.shape[1], -1, -1),
    ),
)


@EXERCISE.misconception(
    "repeats-the-keys-within-a-head",
    "The places are repeated, not the heads",
    "You repeat along the axis of the places, so that a head sees every key several times. The "
    "axis of the heads is the one before it.",
)
def repeats_places(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Result:
    key, value = (x.repeat_interleave(sharing(query, key), dim=2) for x in (key, value))
    return masked_attention(query, key, value, mask)


EXERCISE.misconception(
    "values-in-turn",
    "Keys and values are shared out differently",
    "The weights are right, the output is not: keys are repeated one way and values another. Both "
    "belong to the same group.",
    lambda query, key, value, mask=None: masked_attention(
        query,
        key.repeat_interleave(sharing(query, key), dim=1),
        value.repeat(1, sharing(query, key), 1, 1),
        mask,
    ),
)


@EXERCISE.misconception(
    "uneven-groups",
    "Heads that cannot be shared evenly",
    "7 heads cannot share 2 groups. You take the heads that fit, or whatever broadcasting makes of "
    "them; the text asks for a ValueError.",
)
def unevenly(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Result:
    heads, groups = query.shape[1], key.shape[1]
    index = torch.arange(heads) * groups // heads
    return masked_attention(query, key[:, index], value[:, index], mask)


def unchecked(spread: Callable[[Tensor, int], Tensor]) -> Callable[..., Result]:
    """H // G copies of each group, whether they fit or not."""

    def variant(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Result:
        share = query.shape[1] // key.shape[1]
        return masked_attention(query, spread(key, share), spread(value, share), mask)

    return variant


EXERCISE.misconception(
    "uneven-groups",
    "The error is not the one that was asked for",
    "7 heads cannot share 2 groups, and nothing in your answer looks at that: torch stumbles over "
    "the shapes later, with an error of its own. The text asks for a ValueError that says so.",
    unchecked(lambda x, share: x.repeat_interleave(share, dim=1)),
)


def shared_out(attend: Attend) -> Attend:
    """Another attention inside the heads, as a variant."""

    def variant(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Result:
        key, value = (x.repeat_interleave(sharing(query, key), dim=1) for x in (key, value))
        return attend(query, key, value, mask)

    return variant


add_attention_mistakes(EXERCISE, shared_out)
