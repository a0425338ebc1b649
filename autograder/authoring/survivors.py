"""Judges one mutant as the grader would, and compares one that gets full points with the reference
on many further cases. `mutation.py` does so with all of them.
"""

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import lru_cache
from time import process_time
from typing import Any

import torch
from torch import Tensor

from autograder.authoring import attempts
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging import syntax
from course_utils.judging.draw import Draw
from course_utils.judging.exercise import Exercise
from course_utils.judging.judge import (
    VISIBLE_SEED,
    cases_of,
    expected_of,
    looked_at,
    own_work,
    secret_seeds,
    wrong_with,
)
from course_utils.judging.origin import is_the_courses
from course_utils.judging.runner import Case, Outcome, TimeLimit, alarm, play, quiet, time_limit

SEED = "mutation"  # of the secret cases
FURTHER = 3  # seeds of the differential test, each with the usual sizes and with others
PATIENCE = 60.0  # seconds for the differential test of one mutant: it is not about speed
ENDLESS = 20  # times what the right answer needs: a mutant that takes longer is called endless,
AT_LEAST = 1.0  # but so many seconds of processor time it gets in any case
TOO_LONG = 10.0  # seconds of processor time for all further cases: then single ones are left out
OVER_TIME = "it ran into the time limit"
Answer = Callable[..., Any]
Asked = tuple[Case, Outcome]


# Judging one ------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _names(unit: str) -> dict[str, Any]:
    return attempts.namespace(exercises.unit(unit))


def answer(exercise: Exercise, source: str) -> Answer | None:
    """What a piece of code defines as its answer, if it runs."""
    names = dict(_names(exercises.unit_of(exercise.name).name))
    # A reference may stand in the exercise's own file, and use what is defined there
    names = vars(sys.modules[exercise.reference.__module__]) | names | {"__name__": "__main__"}
    names.pop(exercise.name, None)
    try:
        with quiet(), watch(exercise.limit):
            exec(compile(source, "<mutant>", "exec"), names)
    except (Exception, SystemExit, TimeLimit):
        return None
    return names.get(exercise.name)


def breaks_rules(exercise: Exercise, source: str) -> tuple[bool, ...]:
    """For every rule of an exercise: does this code break it?"""
    tree = syntax.parse(source)
    tree = syntax.own(tree, exercise.name) if tree is not None else None
    if tree is None:
        return ()
    return tuple(
        syntax.uses(tree, *rule.names) or (rule.test is not None and rule.test(tree))
        for rule in (*exercise.forbidden, own_work(exercise.name))
    )


def watch(seconds: float) -> AbstractContextManager[None]:
    """A limit on processor time, as in the grader; outside of the main thread one by the clock."""
    main = threading.current_thread() is threading.main_thread()
    return alarm(seconds) if main and hasattr(signal, "SIGPROF") else time_limit(seconds)


def first_fault(
    exercise: Exercise,
    target: Answer,
    asked: Iterable[Asked],
    laws: bool = True,
    limit: float | None = None,
) -> str | None:
    """The first case that an answer gets wrong, as the judge sees it; None if there is none. An
    answer that draws without a seed of its own draws the same every time, so that two runs agree.
    """
    torch.manual_seed(0)
    try:
        with quiet(), watch(limit or exercise.limit * (1 + exercise.rounds)):
            for case, expected in asked:
                got = play(case, target)
                if text := _fault(exercise, case, expected, got, laws):
                    late = got.failure is not None and got.failure.kind == "time"
                    return OVER_TIME if late else f"{case.label}: {text}"
    except TimeLimit:
        return OVER_TIME
    return None


def patience(exercise: Exercise, right: Answer) -> float:
    """How many seconds a mutant of this right answer gets: the judge would wait for its own limit,
    many times as long, and refuse it as well."""
    begun = process_time()
    fault = first_fault(exercise, right, asked(exercise))
    if fault:
        raise UserError(f"{exercise.name}: a right answer that is refused: {fault}")
    longest = exercise.limit * (1 + exercise.rounds)
    return min(longest, max(AT_LEAST, ENDLESS * (process_time() - begun)))


def _fault(
    exercise: Exercise, case: Case, expected: Outcome, got: Outcome, laws: bool
) -> str | None:
    if text := wrong_with(exercise, case, expected, got):
        return text
    if case.raises is not None:
        return None
    if got.changed:
        return "it changes its input"
    broken = (looked_at(law.broken, case, got) for law in exercise.properties if laws)
    return next((text for text in broken if text), None)


def asked(exercise: Exercise, seed: str | int = SEED) -> Iterator[Asked]:
    """What the grader asks: the visible cases, then the secret ones."""
    for each in (VISIBLE_SEED, *secret_seeds(seed, exercise.name, exercise.rounds)):
        yield from zip(cases_of(exercise, each), expected_of(exercise, each), strict=True)


def survives(exercise: Exercise, source: str) -> bool:
    """Would this get full points? As in the judge, but it ends with the first case that fails."""
    if any(breaks_rules(exercise, source)):
        return False
    target = answer(exercise, source)
    if target is None or is_the_courses(target, exercise):
        return False
    return first_fault(exercise, target, asked(exercise)) is None


# The differential test --------------------------------------------------------------------------


class Wide(Draw):
    """Draws other sizes and scales than the judge does."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.factor = (0.1, 1.0, 3.0)[seed % 3]

    def sizes(self, count: int, low: int = 2, high: int = 9) -> list[int]:
        return super().sizes(count, low, 2 * high)

    def normal(self, *shape: int, scale: float = 1.0) -> Tensor:
        return super().normal(*shape, scale=self.factor * scale)


@lru_cache(maxsize=8)
def further(exercise: Exercise) -> tuple[Asked, ...]:
    """Cases that the judge does not ask, with what the reference gives."""
    found = []
    for seed in range(FURTHER):
        for draw in (Draw(seed), Wide(seed)):
            # Not every size is allowed everywhere: such cases are left out
            with contextlib.suppress(Exception):
                found += exercise.cases(draw)
    keeps = exercise.promised or (lambda case: True)  # what the text promises of every input
    pairs = ((case, play(case, exercise.reference)) for case in found if case.raises or keeps(case))
    return tuple((c, e) for c, e in pairs if c.raises is not None or e.failure is None)


def with_gradients(exercise: Exercise, pair: Asked) -> Asked:
    if pair[0].gradients or pair[0].verify or pair[0].raises:
        return pair
    case = replace(pair[0], gradients=True)
    return case, play(case, exercise.reference)


def settled(exercise: Exercise, right: Iterable[Answer]) -> tuple[Asked, ...]:
    """The further cases, as far as they are asked.

    Values always are, and gradients wherever the exercise's own case asks for them: a right answer
    that fails there is not right, and stops the run. Only where the exercise compares gradients in
    other cases, and not in this one (scores of 10,000, a query of zeros), are they asked for in
    addition, and there right answers may differ, since no text says what they are. Then, and only
    then, what is asked is taken back to what the exercise asks: the values.
    """
    targets = list(right)
    pairs = _solved_in_time(exercise, targets)
    graded = any(case.gradients for case, _ in pairs)
    most = [with_gradients(exercise, pair) if graded else pair for pair in pairs]
    if any(differs(exercise, target, most) for target in targets):
        for target in targets:
            if fault := differs(exercise, target, pairs):
                raise UserError(f"{exercise.name}: a right answer fails a further case: {fault}")
        for number, pair in enumerate(most):
            if any(differs(exercise, target, [pair]) for target in targets):
                most[number] = pairs[number]
    return tuple(most)


def _solved_in_time(exercise: Exercise, right: Iterable[Answer]) -> tuple[Asked, ...]:
    """Without cases whose sizes are too much for a right answer (all orders of 18 things): how long
    a right answer may take for sizes that nobody asks for is not said."""
    pairs = further(exercise)
    for target in right:
        if differs(exercise, target, pairs, TOO_LONG) == OVER_TIME:
            kept = ((pair, differs(exercise, target, [pair], AT_LEAST)) for pair in pairs)
            pairs = tuple(pair for pair, fault in kept if fault != OVER_TIME)
    return pairs


def differs(
    exercise: Exercise, target: Answer, asked: Iterable[Asked], limit: float = PATIENCE
) -> str | None:
    """Where an answer differs from the reference, or None."""
    loose = replace(exercise, tolerance=10 * exercise.tolerance)  # other scales, other rounding
    return first_fault(loose, target, asked, laws=False, limit=limit)
