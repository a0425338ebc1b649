"""What the text of an exercise promises of every input, ready to use as `Exercise.promised`: a case
that was made smaller for a card keeps to it."""

from collections.abc import Callable
from typing import Any

from course_utils.judging.runner import Case

Promise = Callable[[Case], bool]


def all_of(*promises: Promise) -> Promise:
    return lambda case: all(promise(case) for promise in promises)


def different(*places: int) -> Promise:
    """The arguments with these numbers are pairwise different: ids such as bos and eos."""
    return lambda case: len({case.args[place] for place in places}) == len(places)


def positive(place: int) -> Promise:
    """This argument is larger than 0."""
    return lambda case: float(case.args[place]) > 0


def shares(place: int) -> Promise:
    """The rows of this argument are weights: not negative, and they sum to one."""

    def kept(case: Case) -> bool:
        weights = case.args[place].double()
        return bool((weights >= 0).all() and ((weights.sum(-1) - 1).abs() < 1e-4).all())

    return kept


def no_ties(place: int) -> Promise:
    """No two numbers in a row of this argument are equal."""
    return lambda case: not bool((case.args[place].sort(-1).values.diff(dim=-1) == 0).any())


def something_real(targets: int, pad: int) -> Promise:
    """At least one target is not padding."""
    return lambda case: bool((case.args[targets] != case.args[pad]).any())


def every_row_allows(place: int) -> Promise:
    """The mask, if there is one, leaves every row something to look at."""

    def kept(case: Case) -> bool:
        mask = case.args[place] if place < len(case.args) else None
        return mask is None or bool(mask.any(-1).all())

    return kept


def at_least_two(place: int) -> Promise:
    """This argument has two entries or more."""
    return lambda case: len(case.args[place]) >= 2


def even(size: Callable[[Case], int]) -> Promise:
    """A size that is cut into pairs."""
    return lambda case: size(case) % 2 == 0


def two_features(case: Case) -> bool:
    """A layer norm of one feature forgets what went in: nothing could be seen in such a case."""
    size: Any = case.init[0] if case.init is not None else case.args[0].shape[-1]
    return bool(size >= 2)
