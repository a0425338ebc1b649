"""Makes a case that fails small enough to be read: fewer rows, smaller sizes, rounder numbers.

The answer is asked again, in batches; a smaller case is kept only if the reference accepts it, it
keeps to what the text promises, and the answer is wrong in the same way. Only visible cases are
ever shrunk.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from course_utils.judging.runner import Call, Case, Outcome, play
from course_utils.judging.toys import Toy

BATCHES, CANDIDATES = 12, 24  # how often the answer is asked, and how much at once
PLAYS = 500  # cases that are put to the answer at most
SECONDS = 2.5  # of processor time for all batches: a busy machine shows the same cards
ASLEEP = 60.0  # seconds on the wall, for an answer that waits instead of working
ROUNDINGS = ((0, 0), (0, 1), (1, 1), (0, 4), (1, 4))  # digits of inputs and weights, best first
SMALL = 2  # numbers: nothing smaller is looked for
Part = Callable[[Tensor, int, int], Tensor]  # of a tensor: along which axis, how long
TARGETS = (1, 2, 3, 4, 6)  # sizes that are tried in place of a larger one


@dataclass(frozen=True)
class Found:
    """A case that fails: what a right answer gives, what this one gave, and what is wrong."""

    case: Case
    expected: Outcome
    got: Outcome
    message: str

    @property
    def way(self) -> tuple[object, ...]:
        """In which way it fails, without the numbers."""
        if self.got.failure is not None:
            return (self.got.failure.kind, self.got.failure.type, self.got.failure.line)
        words = ("gradient", "shape", "NaN", "boolean", "None", "tuple", "raise", "floating")
        return ("wrong", *(word for word in words if word in self.message))


@dataclass(frozen=True)
class Shrinker:
    """Asks an answer about smaller and smaller cases."""

    reference: Callable[..., Any]
    ask: Callable[[list[Case]], list[Outcome]]
    wrong_with: Callable[[Case, Outcome, Outcome], str | None]
    same_mistake: Callable[[Case, Outcome], bool]
    promised: Callable[[Case], bool]  # by the text, of every case
    began: tuple[float, float] = field(default_factory=lambda: clocks(), init=False)
    plays: list[int] = field(default_factory=lambda: [0], init=False)  # so far, as one number

    def shrink(self, found: Found) -> Found:
        """The smallest case that was found to fail in the same way; `found` if there is none."""
        if not can_be_shrunk(found):
            return found
        if found.case.gradients and "gradient" not in found.message:
            found = self.better(found, [replace(found.case, gradients=False)]) or found
        for _ in range(BATCHES):
            smaller = self.smaller(found) if numbers(found.case) > SMALL else None
            if smaller is None:
                break
            found = smaller
        roundings = ROUNDINGS if found.case.weights else ((0, 0), (1, 1))
        rounder = [rounded(found.case, *digits) for digits in roundings]
        return self.better(found, rounder) or found

    def late(self) -> bool:
        worked, waited = (now - then for now, then in zip(clocks(), self.began, strict=True))
        return worked > SECONDS or waited > ASLEEP or self.plays[0] >= PLAYS

    def smaller(self, found: Found) -> Found | None:
        """The smallest of the next smaller cases; only if need be one in which two axes that had
        different sizes become alike."""
        for alike in (False, True):
            cases = sorted(smaller_cases(found.case, alike), key=numbers)
            if smaller := self.better(found, cases):
                return smaller
        return None

    def better(self, found: Found, cases: list[Case]) -> Found | None:
        """The first of these cases that the reference accepts and the answer fails in the way that
        it failed before."""
        fitted = [fit_weights(case, self.reference) for case in cases[:CANDIDATES]]
        played = [(case, play(case, self.reference)) for case in fitted]
        played = [
            (case, expected)
            for case, expected in played
            if acceptable(case, expected) and self.promised(case)
        ]
        if not played or self.late():
            return None
        self.plays[0] += len(played)
        outcomes = self.ask([case for case, _ in played])
        for (case, expected), got in zip(played, outcomes, strict=False):
            made = Found(case, expected, got, self.wrong_with(case, expected, got) or "")
            if made.message and made.way == found.way and self.same_mistake(case, got):
                return made
        return None


def clocks() -> tuple[float, float]:
    """The time that this process has worked, and that of the clock on the wall."""
    return time.process_time(), time.monotonic()


def can_be_shrunk(found: Found) -> bool:
    """Is it a case of plain numbers, that came to an end, and is compared with the reference?"""
    case, failure = found.case, found.got.failure
    ended = failure is None or failure.kind == "raised"
    return ended and case.verify is None and not case.hidden_values


def acceptable(case: Case, expected: Outcome) -> bool:
    """Does the reference take this case, and give ordinary numbers (or raise what it should)?"""
    if case.raises is not None:
        return expected.failure is not None and expected.failure.type == case.raises.__name__
    return expected.failure is None and all(_ordinary(value) for value in expected.values)


def _ordinary(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return all(_ordinary(item) for item in value)
    if not isinstance(value, Tensor):
        return True
    return value.numel() > 0 and not bool(value.isnan().any())


def numbers(case: Case) -> int:
    """How many numbers a reader would have to look at; a size counts as so many."""
    calls = (argument for call in case.then for argument in call.args)
    every = (*case.args, *case.kwargs.values(), *(case.init or ()), *calls)
    return sum(_count(each) for each in every)


def _count(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, list | tuple):
        return sum(_count(item) for item in value)
    if isinstance(value, Toy):
        told = [value.weights[name] for name in value.told]
        return sum(_count(item) for item in (*told, *value.config.values()))
    whole = isinstance(value, int) and not isinstance(value, bool)
    return abs(value) if whole else 1


def smaller_cases(case: Case, alike: bool = False) -> Iterator[Case]:
    """The case with one of its sizes made smaller wherever it occurs (sizes of a case are pairwise
    different, so equal ones mean the same axis), alone or with its multiples, or with fewer
    calls; `alike`: those in which two axes become alike."""
    sizes = set(_sizes(case))
    for size in sorted(sizes, reverse=True):
        for target in {*TARGETS, (size + 1) // 2, size - 1}:
            if target < size:
                multiples = {each: each // size * target for each in sizes if each % size == 0}
                for change in ({size: target}, multiples):
                    if becomes_alike(change, sizes) == alike:
                        yield from _resized(case, change, _first)
                        yield from _resized(case, change, _last)
    if case.then and not alike:
        yield replace(case, then=case.then[: len(case.then) // 2])


def _sizes(value: Any) -> Iterator[int]:
    if isinstance(value, Case):
        value = [value.args, value.kwargs, value.init, value.then]
    if isinstance(value, Call):
        value = [value.args, value.kwargs]
    if isinstance(value, Toy):
        value = [value.weights, value.config]
    if isinstance(value, Tensor):
        yield from (size for size in value.shape if size > 1)
    elif isinstance(value, dict):
        yield from _sizes(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _sizes(item)
    elif isinstance(value, int) and not isinstance(value, bool) and 1 < value <= 64:
        yield value


def becomes_alike(change: Mapping[int, int], sizes: set[int]) -> bool:
    others = sizes - set(change)
    return any(target in others and target > 1 for target in change.values())


def _first(value: Tensor, axis: int, size: int) -> Tensor:
    return value.narrow(axis, 0, size)


def _last(value: Tensor, axis: int, size: int) -> Tensor:
    return value.narrow(axis, value.shape[axis] - size, size)


def _resized(case: Case, sizes: Mapping[int, int], part: Part) -> Iterator[Case]:
    """The case with these sizes made smaller, unless a mask would allow nothing in a row in which
    it allowed something."""
    try:
        made = replace(
            case,
            args=_cut(case.args, sizes, part),
            kwargs=_cut(dict(case.kwargs), sizes, part),
            init=_cut(case.init, sizes, part),
            then=_cut(case.then, sizes, part),
        )
    except _EmptyRow:
        return
    if numbers(made) < numbers(case):
        yield made


def fit_weights(case: Case, reference: Callable[..., Any]) -> Case:
    """The case with its weights cut to what a module of its sizes has."""
    if case.init is None or case.weights is None:
        return case
    try:
        wanted = {name: each.shape for name, each in reference(*case.init).state_dict().items()}
    except Exception:  # sizes that do not go together
        return case
    weights = {}
    for name, old in case.weights.items():
        shape = wanted.get(name, old.shape)
        if len(shape) != old.dim() or any(a > b for a, b in zip(shape, old.shape, strict=True)):
            return case
        weights[name] = old[tuple(slice(size) for size in shape)].clone()
    return replace(case, weights=weights)


class _EmptyRow(Exception):
    """A mask lost all that it allowed."""


def _cut(value: Any, sizes: Mapping[int, int], part: Part) -> Any:
    if isinstance(value, Tensor):
        return _cut_tensor(value, sizes, part)
    if isinstance(value, Call):
        args, kwargs = _cut(value.args, sizes, part), _cut(dict(value.kwargs), sizes, part)
        return replace(value, args=args, kwargs=kwargs)
    if isinstance(value, Toy):
        weights, config = _cut(value.weights, sizes, part), _cut(value.config, sizes, part)
        return replace(value, weights=weights, config=config)
    if isinstance(value, dict):
        return {key: _cut(item, sizes, part) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_cut(item, sizes, part) for item in value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return sizes.get(value, value) if whole else value


def _cut_tensor(value: Tensor, sizes: Mapping[int, int], part: Part) -> Tensor:
    made = value
    for axis, length in enumerate(value.shape):
        made = part(made, axis, sizes.get(length, length))
    if made.dtype == torch.bool and made.dim():
        if bool(value.any(-1).all()) and not bool(made.any(-1).all()):
            raise _EmptyRow
    elif not made.is_floating_point() and made.numel():
        largest = int(value.max())
        for size, target in sizes.items():
            if largest <= size:  # lengths up to the size, or numbers of tokens below it
                made = made.clamp(max=target - int(largest < size))
    return made.clone()


def rounded(case: Case, digits: int, of_weights: int) -> Case:
    """The case with rounder numbers: so many digits of its inputs, and of a module's weights."""

    def round_off(value: Any, digits: int = digits) -> Any:
        if isinstance(value, Tensor) and value.is_floating_point():
            return value.round(decimals=digits) + 0.0  # no -0
        if isinstance(value, float):
            return round(value, digits) or value
        if isinstance(value, list | tuple):
            return type(value)(round_off(item) for item in value)
        return value

    kwargs = {key: round_off(value) for key, value in case.kwargs.items()}
    then = tuple(replace(call, args=round_off(call.args)) for call in case.then)
    weights = case.weights and {
        key: round_off(value, of_weights) for key, value in case.weights.items()
    }
    return replace(case, args=round_off(case.args), kwargs=kwargs, then=then, weights=weights)
