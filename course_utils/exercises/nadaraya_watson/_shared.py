"""What several exercises of this unit have in common."""

from torch import Tensor

from course_utils.judging.exercise import Draw


def squared(queries: Tensor, keys: Tensor) -> Tensor:
    return (queries[:, None] - keys[None, :]) ** 2


def points(draw: Draw, queries: int, keys: int) -> tuple[Tensor, Tensor]:
    """Queries and keys on a common scale, in no particular order."""
    return draw.uniform(queries, low=-2, high=2), draw.uniform(keys, low=-2, high=2)


def far_away(draw: Draw, count: int) -> Tensor:
    """Queries 15 bandwidths of 0.7 from keys up to 2: every exponential is 0 in float32, yet the
    scores keep five good digits."""
    return draw.uniform(count, low=12.6, high=13.0)
