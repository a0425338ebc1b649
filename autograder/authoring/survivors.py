"""Judges mutants, and sorts those that get full points: equivalent, or a hole of the judge.

`tests/equivalents/UNIT.toml` lists which changes keep an answer right, and why:

    [[equivalent]]
    exercise = "softmax"                 # or a list of exercises
    operator = "detach"                  # as `autograder mutate` prints it
    change = "top = … -> top = ….detach()"  # what stands on both sides of the arrow; … is any text
    reason = "The largest score cancels, and so does its gradient."

Nobody has to believe the list: what it calls equivalent must also equal the reference on many
further cases, with other seeds, sizes and scales, gradients included.
"""

import contextlib
import inspect
import multiprocessing
import os
import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from autograder.authoring import attempts
from autograder.authoring.mutate import Mutant, mutants
from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging import syntax
from course_utils.judging.draw import Draw
from course_utils.judging.exercise import Exercise, Unit
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
from course_utils.judging.runner import Case, Outcome, TimeLimit, play, quiet, time_limit

SEED = "mutation"  # of the secret cases
LISTS = SOURCE_TREE / "tests" / "equivalents"
PATIENCE = 600.0  # seconds for the differential test of one mutant: it is not about speed
FURTHER = 4  # seeds of the differential test, each with the usual sizes and with others
Answer = Callable[..., Any]


# What is known to be equivalent -----------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """An entry of a list: changes that keep an answer right."""

    exercises: tuple[str, ...]
    operator: str
    change: str
    reason: str

    def fits(self, exercise: str, mutant: Mutant) -> bool:
        if exercise not in self.exercises or mutant.operator != self.operator:
            return False
        pattern = ".*".join(re.escape(part) for part in self.change.split("…"))
        return re.fullmatch(pattern, mutant.change, re.DOTALL) is not None


def known(unit: Unit, folder: Path = LISTS) -> list[Known]:
    """The list of a unit; a unit without a file has none."""
    path = folder / f"{unit.name}.toml"
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{attempts.relative(path)}: {error}") from None
    return [_entry(unit, path, entry) for entry in entries]


def _entry(unit: Unit, path: Path, entry: dict[str, Any]) -> Known:
    wanted = {"exercise", "operator", "change", "reason"}
    if set(entry) != wanted or not all(entry.values()):
        raise UserError(f"{attempts.relative(path)}: an entry needs {sorted(wanted)}: {entry}")
    named = entry["exercise"]
    names = (named,) if isinstance(named, str) else tuple(named)
    if unknown := set(names) - {exercise.name for exercise in unit.exercises}:
        raise UserError(f"{attempts.relative(path)}: no exercise of {unit.name}: {sorted(unknown)}")
    return Known(names, entry["operator"], entry["change"], entry["reason"])


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
        with quiet(), time_limit(exercise.limit):
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


def first_fault(
    exercise: Exercise,
    target: Answer,
    asked: Iterable[tuple[Case, Outcome]],
    laws: bool = True,
    limit: float | None = None,
) -> str | None:
    """The first case that an answer gets wrong, as the judge sees it; None if there is none."""
    try:
        with quiet(), time_limit(limit or exercise.limit * (1 + exercise.rounds)):
            for case, expected in asked:
                got = play(case, target)
                if text := _fault(exercise, case, expected, got, laws):
                    return f"{case.label}: {text}"
    except TimeLimit:
        return "it ran into the time limit"
    return None


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


def asked(exercise: Exercise, seed: str | int = SEED) -> Iterator[tuple[Case, Outcome]]:
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


@lru_cache(maxsize=64)
def further(exercise: Exercise) -> tuple[tuple[Case, Outcome], ...]:
    """Cases that the judge does not ask; where gradients count anywhere, they count in all."""
    found = []
    for seed in range(FURTHER):
        for draw in (Draw(seed), Wide(seed)):
            # Not every size is allowed everywhere: such cases are left out
            with contextlib.suppress(Exception):
                found += exercise.cases(draw)
    graded = any(case.gradients for case in found)
    found = [
        replace(case, gradients=True) if graded and not (case.verify or case.raises) else case
        for case in found
    ]
    pairs = ((case, play(case, exercise.reference)) for case in found)
    return tuple((c, e) for c, e in pairs if c.raises is not None or e.failure is None)


@lru_cache(maxsize=64)
def fair(exercise: Exercise, right: str) -> tuple[tuple[Case, Outcome], ...]:
    """The further cases that a right answer itself solves: a mutant is not asked for more."""
    target, asked = answer(exercise, right), further(exercise)
    if target is None:
        return asked
    return tuple(pair for pair in asked if not differs(exercise, target, [pair]))


def differs(
    exercise: Exercise, target: Answer, asked: Iterable[tuple[Case, Outcome]]
) -> str | None:
    loose = replace(exercise, tolerance=10 * exercise.tolerance)  # other scales, other rounding
    return first_fault(loose, target, asked, laws=False, limit=PATIENCE)


def difference(exercise: Exercise, source: str, right: str) -> str | None:
    """Where a mutant of a right answer differs from the reference on further cases, or None. What
    another right answer does not do either (a gradient where scores are extreme) does not count."""
    target = answer(exercise, source)
    if target is None:
        return "it does not run"
    asked = fair(exercise, right)
    if not differs(exercise, target, asked):
        return None
    faults = ((pair, differs(exercise, target, [pair])) for pair in asked)
    return next((fault for pair, fault in faults if fault and solved(exercise, pair)), None)


def solved(exercise: Exercise, asked: tuple[Case, Outcome]) -> bool:
    """Does every right answer of the bank solve this case?"""
    sources = origins(exercise, exercises.unit_of(exercise.name)).values()
    targets = (answer(exercise, source) for source in sources)
    return not any(differs(exercise, target, [asked]) for target in targets if target is not None)


# All of them ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    exercise: str
    origin: str  # "reference", or the name of a right attempt
    right: str  # the source of that answer
    mutant: Mutant
    broken: tuple[bool, ...]  # the rules that the right answer itself breaks: references may


@dataclass(frozen=True)
class Fate:
    """What became of a mutant; `why` is the reason for an equivalent one, and how it differs, if it
    does, for a hole."""

    kind: Literal["killed", "equivalent", "hole"]
    why: str = ""


KILLED = Fate("killed")


def fate(job: Job) -> Fate:
    exercise = exercises.find(job.exercise)
    assert isinstance(exercise, Exercise)
    source = job.mutant.source
    rules = zip(breaks_rules(exercise, source), job.broken, strict=True)
    target = None if any(new and not old for new, old in rules) else answer(exercise, source)
    if target is None or first_fault(exercise, target, asked(exercise)):
        return KILLED
    fault = difference(exercise, source, job.right)
    listed = _known(exercises.unit_of(job.exercise).name)
    entry = next((entry for entry in listed if entry.fits(job.exercise, job.mutant)), None)
    if fault is not None:
        return Fate("hole", f"{'listed as equivalent, but ' if entry else ''}{fault}")
    return Fate("hole") if entry is None else Fate("equivalent", entry.reason)


@lru_cache
def _known(unit: str) -> tuple[Known, ...]:
    return tuple(known(exercises.unit(unit)))


def _judged(job: Job) -> tuple[Job, Fate]:
    torch.set_num_threads(1)
    return job, fate(job)


@dataclass(frozen=True)
class Mutation:
    """What came of the mutants of some exercises."""

    fates: tuple[tuple[Job, Fate], ...]
    idle: tuple[Known, ...]  # entries of the lists that no survivor needs

    def of(self, kind: str) -> list[tuple[Job, Fate]]:
        return [(job, fate) for job, fate in self.fates if fate.kind == kind]

    @property
    def good(self) -> bool:
        return not self.of("hole") and not self.idle

    @property
    def score(self) -> float:
        """How many of those that are wrong were found."""
        wrong = len(self.fates) - len(self.of("equivalent"))
        return len(self.of("killed")) / wrong if wrong else 1.0

    def rows(self) -> list[dict[str, Any]]:
        """The count of each exercise, then of all."""
        counts: dict[str, Counter[str]] = {}
        for job, fate in self.fates:
            unit = exercises.unit_of(job.exercise).name
            for where in (f"{unit}/{job.exercise}", "all"):
                counts.setdefault(where, Counter()).update([fate.kind])
        counts["all"] = counts.pop("all", Counter())  # last
        kinds = ("killed", "equivalent", "hole")
        return [
            {"exercise": where, "mutants": count.total()} | {kind: count[kind] for kind in kinds}
            for where, count in counts.items()
        ]

    def lines(self) -> Iterator[str]:
        for job, fate in self.of("hole"):
            where = f"{job.exercise} ({job.origin}, line {job.mutant.line}): {job.mutant.operator}"
            yield f"{where}: {job.mutant.change}{f'  # {fate.why}' if fate.why else ''}"
        for entry in self.idle:
            yield f"listed, but nothing of the kind survives: {', '.join(entry.exercises)}: " + (
                f"{entry.operator}: {entry.change}"
            )
        killed, same, holes = (len(self.of(kind)) for kind in ("killed", "equivalent", "hole"))
        yield f"{len(self.fates)} mutants: {killed} killed, {same} equivalent, {holes} holes"

    def as_json(self) -> dict[str, Any]:
        told = [
            {"exercise": job.exercise, "origin": job.origin, **asdict(job.mutant), "why": fate.why}
            for job, fate in self.of("hole")
        ]
        return {
            "mutants": len(self.fates),
            "killed": len(self.of("killed")),
            "equivalent": len(self.of("equivalent")),
            "holes": told,
            "idle": [asdict(entry) for entry in self.idle],
            "score": round(self.score, 4),
            "table": self.rows(),
        }


def origins(exercise: Exercise, unit: Unit) -> dict[str, str]:
    """Right answers by name: the reference, and those of the bank."""
    right = [a for a in attempts.attempts(unit) if a.right and a.exercise == exercise.name]
    reference = textwrap.dedent(inspect.getsource(exercise.reference))
    return {"reference": reference} | {attempt.name: attempt.source for attempt in right}


def jobs(units: list[Unit], only: str | None = None, name: str | None = None) -> Iterator[Job]:
    """Every mutant of every right answer. Trainings take minutes: their mutants are left out."""
    for unit in units:
        for exercise in unit.exercises:
            if not isinstance(exercise, Exercise) or exercise.kind == "training":
                continue
            if name not in (None, exercise.name):
                continue
            for origin, source in origins(exercise, unit).items():
                if only in (None, origin):
                    rules = breaks_rules(exercise, source)
                    _must_run(exercise, origin, source)
                    for mutant in mutants(source):
                        yield Job(exercise.name, origin, source, mutant, rules)


def _must_run(exercise: Exercise, origin: str, source: str) -> None:
    """Mutants of an answer that fails by itself would prove nothing."""
    target = answer(exercise, source)
    fault = "it does not run" if target is None else first_fault(exercise, target, asked(exercise))
    if fault:
        raise UserError(f"{exercise.name}, {origin}: a right answer that is refused: {fault}")


def run(
    units: list[Unit],
    advance: Callable[[], None] = lambda: None,
    only: str | None = None,
    name: str | None = None,
) -> Mutation:
    """Judge every mutant, in as many processes as there are cores; `only` those of one origin, or
    of the exercise of this name."""
    torch.set_num_threads(1)  # a pool of threads must not exist when the workers are forked
    todo, fates = list(jobs(units, only, name)), []
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with context.Pool(os.cpu_count()) as pool:
        for judged in pool.imap(_judged, todo, chunksize=8):
            fates.append(judged)
            advance()
    return Mutation(tuple(fates), tuple(() if only or name else _idle(units, fates)))


def _idle(units: list[Unit], fates: list[tuple[Job, Fate]]) -> Iterator[Known]:
    alive = [job for job, fate in fates if fate.kind != "killed"]
    for unit in units:
        for entry in known(unit):
            if not any(entry.fits(job.exercise, job.mutant) for job in alive):
                yield entry
