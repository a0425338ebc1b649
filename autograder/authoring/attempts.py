"""The bank of attempts of which we know whether they are right, and what is wrong with them.

`tests/variants/UNIT/EXERCISE.py` holds the attempts at one exercise, each in a cell that begins
with `# %% right: NAME` or `# %% wrong: NAME (misconception)`. Those at a choice are its options.
`tests/written` is a second bank, whose writers saw nothing but the assignments' texts.
"""

import contextlib
import importlib
import itertools
import linecache
import math
import multiprocessing
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging.exercise import Choice, Exercise, Unit
from course_utils.judging.judge import (
    CASE_ROWS,
    LocalAttempt,
    Verdict,
    judge,
    not_the_students,
)
from course_utils.judging.origin import is_the_courses
from course_utils.judging.runner import TimeLimit, failure_of, time_limit

BANK = SOURCE_TREE / "tests" / "variants"
WRITTEN = SOURCE_TREE / "tests" / "written"
SMALL = 24  # numbers: so many inputs are read at a glance
SLOW = {"training": 0, "module": 1}  # kinds of exercises whose attempts take longest
AUDIT_SEED = "audit"  # of the cases beyond the visible ones; COURSE_SEED replaces it
CELL = re.compile(r"^# %%.*$", re.MULTILINE)
HEADING = re.compile(r"# %% (?:right: (?P<right>\w+)|wrong: (?P<wrong>\w+) \((?P<slug>[\w -]+)\))")
NO_NAME = "no name"  # in place of a misconception: wrong in a way that is not named


@dataclass(frozen=True)
class Attempt:
    """One attempt of the bank: what a student might have written in the answer cell."""

    unit: str
    exercise: str
    name: str  # unique among the attempts at an exercise
    right: bool
    slug: str | None  # the misconception that should be named, or None where none is expected
    source: str

    @property
    def label(self) -> str:
        return f"{self.unit}/{self.exercise}: {self.name}"


def attempts(unit: Unit, bank: Path = BANK) -> list[Attempt]:
    """All attempts at the exercises of a unit, in a fixed order."""
    known = {exercise.name: exercise for exercise in unit.exercises}
    choices = [each for each in unit.exercises if isinstance(each, Choice) and bank != WRITTEN]
    found = [attempt for choice in choices for attempt in _options(unit, choice)]
    for path in sorted((bank / unit.name).glob("*.py")):
        if not isinstance(known.get(path.stem), Exercise):
            raise UserError(f"{relative(path)}: there is no exercise {path.stem!r} in {unit.name}")
        found += read_attempts(path)
    return sorted(found, key=lambda a: (a.exercise, not a.right, a.name))


def _options(unit: Unit, choice: Choice) -> Iterator[Attempt]:
    """Every option of a choice is an attempt at it."""
    for letter, option in choice.options.items():
        right, source = letter == choice.right, f'{choice.name} = "{letter}"\n'
        slug = None if right else option.slug
        yield Attempt(unit.name, choice.name, letter, right, slug, source)


def read_attempts(path: Path) -> list[Attempt]:
    """The attempts of one file."""
    text = path.read_text(encoding="utf-8")
    marks = list(CELL.finditer(text))
    if not marks or text[: marks[0].start()].strip():
        raise UserError(f"{relative(path)}: it must begin with a cell, `# %% right: NAME`")
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    found: dict[str, Attempt] = {}
    for mark, end in zip(marks, ends, strict=True):
        heading = HEADING.fullmatch(mark[0].rstrip())
        if heading is None:
            raise UserError(
                f"{relative(path)}: {mark[0]!r} should be `# %% right: NAME`, "
                "`# %% wrong: NAME (misconception)` or `# %% wrong: NAME (no name)`"
            )
        name = heading["right"] or heading["wrong"]
        if name in found:
            raise UserError(f"{relative(path)}: there are two attempts called {name}")
        slug = None if heading["slug"] == NO_NAME else heading["slug"]
        source = text[mark.end() : end].strip("\n") + "\n"
        unit, exercise = path.parent.name, path.stem
        found[name] = Attempt(unit, exercise, name, heading["right"] is not None, slug, source)
    return list(found.values())


def namespace(unit: Unit) -> dict[str, Any]:
    """What an answer cell finds in its notebook: torch, and the reference code of all units up to
    its own, as if everything else were solved."""
    import torch.nn.functional as F
    from torch import nn

    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": F, "math": math, "__name__": "__main__"}
    with contextlib.suppress(ImportError):
        names["einops"] = importlib.import_module("einops")
    for earlier in exercises.units():
        if earlier.name <= unit.name:
            with contextlib.suppress(ModuleNotFoundError):
                module = importlib.import_module(f"course_utils.{earlier.module}")
                names |= {
                    name: value for name, value in vars(module).items() if not name.startswith("_")
                }
    return names


def judge_source(
    exercise: Exercise | Choice, source: str, filename: str = "<attempt>", seed: str | None = None
) -> Verdict:
    """Run what an answer cell would hold, and judge what it defines."""
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    names = namespace(exercises.unit_of(exercise.name))
    names.pop(exercise.name, None)
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)  # to show a failing line
    try:
        with contextlib.redirect_stdout(sys.stderr), time_limit(30):
            exec(compile(source, filename, "exec"), names)
    except (Exception, SystemExit, TimeLimit) as error:
        failure = failure_of(error)
        return replace(
            blank,
            message=f"The attempt itself fails: {failure.type}: {failure.message}",
            failure=failure,
        )
    if exercise.name not in names:
        return replace(blank, message=f"The attempt does not define {exercise.name}.")
    answer = names[exercise.name]
    if isinstance(exercise, Exercise) and is_the_courses(answer, exercise):
        return not_the_students(exercise)
    return judge(exercise, LocalAttempt(answer, source), seed)


def judge_file(exercise: Exercise | Choice, path: Path) -> Verdict:
    """Judge a file that holds what an answer cell would hold."""
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    return judge_source(exercise, source, str(path), audit_seed())


def judge_attempt(attempt: Attempt) -> Verdict:
    exercise = exercises.find(attempt.exercise)
    return judge_source(exercise, attempt.source, attempt.label, audit_seed())


def audit_seed() -> str:
    return os.environ.get("COURSE_SEED", AUDIT_SEED)


def judge_file_or_attempt(exercise: Exercise | Choice, where: str, bank: Path = BANK) -> Verdict:
    """Judge a file, or the attempt of this name in the bank."""
    if Path(where).is_file():
        return judge_file(exercise, Path(where))
    known = attempts(exercises.unit_of(exercise.name), bank)
    for attempt in known:
        if (attempt.exercise, attempt.name) == (exercise.name, where):
            return judge_attempt(attempt)
    names = ", ".join(a.name for a in known if a.exercise == exercise.name)
    raise UserError(f"there is no file {where}, and no such attempt in the bank (it has: {names})")


LARGE = re.compile(r"a tensor of shape \(([\d, ]*)\)")
NOT_INPUT = re.compile(r"shape \([\d, ]*\)$|^\[\d+\] |row t", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan|True|False)\b")


def numbers_shown(verdict: Verdict) -> int | None:
    """How many numbers the inputs have in the case that a card shows; None if it shows none."""
    rows = [text for what, text in verdict.counterexample if what not in CASE_ROWS]
    if not rows:
        return None
    text = "\n".join(rows)
    large = (math.prod(map(int, re.findall(r"\d+", found[1]))) for found in LARGE.finditer(text))
    return sum(large) + len(NUMBER.findall(NOT_INPUT.sub("", LARGE.sub("", text))))


@dataclass(frozen=True)
class Judged:
    attempt: Attempt
    points: float
    max_points: float
    named: str | None
    shown: int | None = None  # numbers in the inputs of the case that the card shows

    @property
    def false_pass(self) -> bool:
        return not self.attempt.right and self.points >= self.max_points

    @property
    def false_fail(self) -> bool:
        return self.attempt.right and self.points < self.max_points

    @property
    def wrongly_named(self) -> bool:
        """A name that is not the right one; none at all is not wrong."""
        return not self.attempt.right and self.named not in (None, self.attempt.slug)


def _judged(group: list[Attempt]) -> list[Judged]:
    torch.set_num_threads(1)
    found = []
    for attempt in group:
        verdict = judge_attempt(attempt)
        points, named = (verdict.points, verdict.max_points), verdict.misconception
        found.append(Judged(attempt, *points, named, numbers_shown(verdict)))
    return found


def _counts(judged: list[Judged]) -> tuple[str, ...]:
    named = [j for j in judged if j.attempt.slug is not None]
    counts = (
        sum(not j.attempt.right for j in judged),
        sum(j.false_pass for j in judged),
        sum(j.attempt.right for j in judged),
        sum(j.false_fail for j in judged),
    )
    return *map(str, counts), f"{sum(j.named == j.attempt.slug for j in named)} of {len(named)}"


@dataclass(frozen=True)
class Audit:
    """How the bank was judged."""

    judged: list[Judged]
    exercises: int
    untried: tuple[tuple[str, str], ...] = ()  # unit and exercise without any attempt
    written: bool = False  # by writers who saw only the texts

    def as_json(self) -> dict[str, Any]:
        named = [j for j in self.judged if j.attempt.slug is not None]
        return {
            "exercises": self.exercises,
            "wrong": sum(not j.attempt.right for j in self.judged),
            "right": sum(j.attempt.right for j in self.judged),
            "untried": ["/".join(where) for where in self.untried],
            "false_passes": [j.attempt.label for j in self.judged if j.false_pass],
            "false_fails": [j.attempt.label for j in self.judged if j.false_fail],
            "named": len(named),
            "named_right": sum(j.named == j.attempt.slug for j in named),
            "not_recognised": sum(not j.attempt.right and j.named is None for j in self.judged),
            "wrong_names": [j.attempt.label for j in self.judged if j.wrongly_named],
            "cases_shown": sum(j.shown is not None for j in self.judged),
            "small_cases_shown": sum(j.shown is not None and j.shown <= SMALL for j in self.judged),
            "table": self.rows(),
        }

    @property
    def good(self) -> bool:
        data = self.as_json()
        verdicts = not data["false_passes"] and not data["false_fails"]
        if self.written:  # a wrong name is worse than none
            return verdicts and not data["wrong_names"]
        return verdicts and not self.untried and data["named_right"] >= 0.95 * data["named"]

    def rows(self) -> list[tuple[str, ...]]:
        """The table: a heading, a row per exercise, the total."""
        head = ("unit", "exercise", "wrong", "false passes", "right", "false fails", "named right")
        groups: dict[tuple[str, str], list[Judged]] = {}
        for judged in self.judged:
            groups.setdefault((judged.attempt.unit, judged.attempt.exercise), []).append(judged)
        groups |= {where: [] for where in self.untried}
        rows = [(*where, *_counts(groups[where])) for where in sorted(groups)]
        return [head, *rows, ("all", f"{self.exercises} exercises", *_counts(self.judged))]

    def markdown(self) -> str:
        return as_markdown(self.rows())

    def misnamed(self) -> list[tuple[str, str, str]]:
        """(attempt, expected, named) where the two differ; nothing is expected of those without a
        name in the bank."""
        return [
            (j.attempt.label, j.attempt.slug or NO_NAME, j.named or NO_NAME)
            for j in self.judged
            if (j.attempt.slug and j.named != j.attempt.slug) or (self.written and j.wrongly_named)
        ]


def as_markdown(table: Iterable[Iterable[str]]) -> str:
    """The table of an audit as it stands in docs/audit.md."""
    head, *rows = ("| " + " | ".join(row) + " |" for row in table)
    return "\n".join([head, "|---|---|---:|---:|---:|---:|---:|", *rows])


def relative(path: Path) -> str:
    return str(path.relative_to(SOURCE_TREE)) if path.is_relative_to(SOURCE_TREE) else str(path)


def audit(
    units: Iterable[Unit],
    advance: Callable[[], None] = lambda: None,
    workers: int | None = None,
    bank: Path = BANK,
) -> Audit:
    """Judge every attempt, in as many processes as there are cores: an exercise at a time, whose
    cases and wrong variants are then computed once. What takes longest comes first."""
    units = list(units)
    todo = [attempt for unit in units for attempt in attempts(unit, bank)]
    groups = [list(group) for _, group in itertools.groupby(todo, lambda each: each.exercise)]
    kinds = {each.name: each.kind for unit in units for each in unit.exercises}
    groups.sort(key=lambda group: (SLOW.get(kinds[group[0].exercise], 2), -len(group)))
    torch.set_num_threads(1)  # a pool of threads must not exist when the workers are forked
    judged, order = list[Judged](), {attempt: place for place, attempt in enumerate(todo)}
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with context.Pool(workers or os.cpu_count() or 1) as pool:
        for results in pool.imap_unordered(_judged, groups):
            judged += results
            for _ in results:
                advance()
    judged.sort(key=lambda each: order[each.attempt])
    everything = [(unit.name, each.name) for unit in units for each in unit.exercises]
    tried = {(attempt.unit, attempt.exercise) for attempt in todo}
    untried = tuple(each for each in everything if each not in tried and bank != WRITTEN)
    return Audit(judged, len(everything), untried, bank == WRITTEN)
