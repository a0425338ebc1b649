"""The bank of variants: attempts of which we know whether they are right, and what is wrong with them."""

import contextlib
import importlib
import linecache
import math
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from course_utils import exercises
from course_utils.exercise import Choice, Exercise, Unit
from course_utils.judge import LocalAttempt, Verdict, judge
from course_utils.play import TimeLimit, failure_of, time_limit

BANK = SOURCE_TREE / "tests" / "variants"
AUDIT_SEED = "audit"  # of the cases beyond the visible ones; COURSE_SEED in the environment replaces it


@dataclass(frozen=True)
class Variant:
    """One file of the bank."""

    unit: str
    exercise: str
    right: bool
    path: Path

    @property
    def slug(self) -> str | None:
        """The misconception that should be named, or None where none is expected."""
        with self.path.open(encoding="utf-8") as file:
            first = file.readline().strip()
        if self.right or not first.startswith("# misconception:"):
            return None
        slug = first.split(":", 1)[1].strip()
        return None if slug == "-" else slug


def variants(unit: str, bank: Path = BANK) -> list[Variant]:
    """All attempts in the bank for a unit, in a fixed order."""
    found = sorted((bank / unit).glob("*/*/*.py"))
    return [Variant(unit, path.parts[-3], path.parts[-2] == "right", path) for path in found]


def namespace(unit: Unit) -> dict[str, Any]:
    """What an answer cell finds in its notebook: torch, and the reference code of all units up to its own, as if everything else were solved."""
    import torch.nn.functional as F
    from torch import nn

    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": F, "math": math, "__name__": "__main__"}
    with contextlib.suppress(ImportError):
        names["einops"] = importlib.import_module("einops")
    for earlier in exercises.units():
        if earlier.name <= unit.name:
            with contextlib.suppress(ModuleNotFoundError):
                module = importlib.import_module(f"course_utils.{earlier.module}")
                names |= {name: value for name, value in vars(module).items() if not name.startswith("_")}
    return names


def judge_source(exercise: Exercise | Choice, source: str, filename: str = "<attempt>", seed: str | None = None) -> Verdict:
    """Run what an answer cell would hold, and judge what it defines."""
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    names = namespace(exercises.unit_of(exercise.name))
    names.pop(exercise.name, None)
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)  # so that a failing line can be shown
    try:
        with contextlib.redirect_stdout(sys.stderr), time_limit(30):
            exec(compile(source, filename, "exec"), names)
    except (Exception, SystemExit, TimeLimit) as error:
        failure = failure_of(error)
        return replace(blank, message=f"The attempt itself fails: {failure.type}: {failure.message}", failure=failure)
    if exercise.name not in names:
        return replace(blank, message=f"The attempt does not define {exercise.name}.")
    return judge(exercise, LocalAttempt(names[exercise.name], source), seed)


def judge_file(exercise: Exercise | Choice, path: Path) -> Verdict:
    try:
        source = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None
    return judge_source(exercise, source, str(path), os.environ.get("COURSE_SEED", AUDIT_SEED))


@dataclass(frozen=True)
class Judged:
    variant: Variant
    points: float
    max_points: float
    named: str | None

    @property
    def false_pass(self) -> bool:
        return not self.variant.right and self.points >= self.max_points

    @property
    def false_fail(self) -> bool:
        return self.variant.right and self.points < self.max_points


def _judge_variant(variant: Variant) -> Judged:
    torch.set_num_threads(1)
    verdict = judge_file(exercises.find(variant.exercise), variant.path)
    return Judged(variant, verdict.points, verdict.max_points, verdict.misconception)


def _counts(judged: list[Judged]) -> tuple[str, ...]:
    named = [j for j in judged if j.variant.slug is not None]
    counts = (
        sum(not j.variant.right for j in judged),
        sum(j.false_pass for j in judged),
        sum(j.variant.right for j in judged),
        sum(j.false_fail for j in judged),
    )
    return *map(str, counts), f"{sum(j.named == j.variant.slug for j in named)} of {len(named)}"


@dataclass(frozen=True)
class Audit:
    """How the bank was judged."""

    judged: list[Judged]
    exercises: int

    def as_json(self) -> dict[str, Any]:
        named = [j for j in self.judged if j.variant.slug is not None]
        return {
            "exercises": self.exercises,
            "wrong": sum(not j.variant.right for j in self.judged),
            "right": sum(j.variant.right for j in self.judged),
            "false_passes": [relative(j.variant.path) for j in self.judged if j.false_pass],
            "false_fails": [relative(j.variant.path) for j in self.judged if j.false_fail],
            "named": len(named),
            "named_right": sum(j.named == j.variant.slug for j in named),
            "table": self.rows(),
        }

    @property
    def good(self) -> bool:
        data = self.as_json()
        return not data["false_passes"] and not data["false_fails"] and data["named_right"] >= 0.95 * data["named"]

    def rows(self) -> list[tuple[str, ...]]:
        """The table: a heading, a row per exercise, the total."""
        table: list[tuple[str, ...]] = [("unit", "exercise", "wrong", "false passes", "right", "false fails", "named right")]
        for unit, exercise in dict.fromkeys((j.variant.unit, j.variant.exercise) for j in self.judged):
            table.append((unit, exercise, *_counts([j for j in self.judged if j.variant.exercise == exercise])))
        return [*table, ("all", f"{self.exercises} exercises", *_counts(self.judged))]

    def markdown(self) -> str:
        return as_markdown(self.rows())

    def misnamed(self) -> list[tuple[str, str, str]]:
        """(file, expected, named) where the two differ."""
        return [
            (relative(j.variant.path), j.variant.slug, j.named or "-") for j in self.judged if j.variant.slug and j.named != j.variant.slug
        ]


def as_markdown(table: Iterable[Iterable[str]]) -> str:
    """The table of an audit as it stands in docs/audit.md."""
    head, *rows = ("| " + " | ".join(row) + " |" for row in table)
    return "\n".join([head, "|---|---|---:|---:|---:|---:|---:|", *rows])


def relative(path: Path) -> str:
    return str(path.relative_to(SOURCE_TREE)) if path.is_relative_to(SOURCE_TREE) else str(path)


def audit(units: Iterable[Unit], advance: Callable[[], None] = lambda: None, workers: int | None = None, bank: Path = BANK) -> Audit:
    """Judge every variant, in as many processes as there are cores."""
    units = list(units)
    known = {exercise.name for unit in units for exercise in unit.exercises}
    todo = [variant for unit in units for variant in variants(unit.name, bank)]
    for variant in todo:
        if variant.exercise not in known:
            raise UserError(f"{relative(variant.path)}: there is no exercise {variant.exercise!r} in {variant.unit}")
    torch.set_num_threads(1)  # a pool of threads must not exist when the workers are forked
    judged = []
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    with context.Pool(workers or os.cpu_count() or 1) as pool:
        for result in pool.imap(_judge_variant, todo, chunksize=4):
            judged.append(result)
            advance()
    return Audit(judged, len(known))
