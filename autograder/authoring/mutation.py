"""All mutants of all right answers: which the judge refuses, and what the others are.

`tests/equivalents/UNIT.toml` lists which changes keep an answer right, and why:

    [[equivalent]]
    exercise = "softmax"                 # or a list of exercises
    operator = "detach"                  # as `autograder mutate` prints it
    change = "top = … -> top = ….detach()"  # what stands on both sides of the arrow; … is any text
    reason = "The largest score cancels, and so does its gradient."

Nobody has to believe the list: what it calls equivalent must also equal the reference on many
further cases, with other seeds, sizes and scales, gradients included.

What became of the mutants of an answer is remembered in `build/mutation` until the answer, the
exercise, what these import or the code that judges has changed: a second run judges only that.
"""

import ast
import hashlib
import inspect
import json
import multiprocessing
import os
import re
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import torch

from autograder.authoring import attempts, mutate, survivors
from autograder.authoring.mutate import Mutant, mutants
from autograder.authoring.survivors import OVER_TIME, answer, asked, breaks_rules
from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging import compare, judge, syntax
from course_utils.judging.exercise import Exercise, Unit

LISTS = SOURCE_TREE / "tests" / "equivalents"
KEPT = SOURCE_TREE / "build" / "mutation"
KILLED = "killed"


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


# What is judged, and what came of it -------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """The mutants of one right answer."""

    exercise: str
    origin: str  # "reference", or the name of a right attempt
    source: str


@dataclass(frozen=True)
class Alive:
    """A mutant with full points, and where it differs from the reference on further cases."""

    mutant: Mutant
    fault: str | None


@dataclass(frozen=True)
class Judged:
    """What became of the mutants of one right answer."""

    exercise: str
    origin: str
    killed: int
    endless: int  # of those: they took many times as long as the right answer
    alive: tuple[Alive, ...]

    @property
    def mutants(self) -> int:
        return self.killed + len(self.alive)


def origins(exercise: Exercise, unit: Unit) -> dict[str, str]:
    """Right answers by name: the reference, and those of the bank."""
    right = [a for a in attempts.attempts(unit) if a.right and a.exercise == exercise.name]
    reference = textwrap.dedent(inspect.getsource(exercise.reference))
    return {"reference": reference} | {attempt.name: attempt.source for attempt in right}


def jobs(units: list[Unit], only: str | None = None, name: str | None = None) -> Iterator[Job]:
    """Every right answer. Trainings take minutes: their mutants are left out."""
    for unit in units:
        for exercise in unit.exercises:
            if not isinstance(exercise, Exercise) or exercise.kind == "training":
                continue
            if name in (None, exercise.name):
                for origin, source in origins(exercise, unit).items():
                    if only in (None, origin):
                        yield Job(exercise.name, origin, source)


class Judging:
    """Judges mutants of one right answer."""

    def __init__(self, job: Job) -> None:
        exercise, right = exercises.find(job.exercise), None
        assert isinstance(exercise, Exercise)
        self.exercise = exercise
        right = answer(exercise, job.source)
        if right is None:
            raise UserError(f"{job.exercise}, {job.origin}: a right answer that does not run")
        try:
            self.limit = survivors.patience(exercise, right)
        except UserError as error:
            raise UserError(f"{job.origin}: {error}") from None
        self.broken = breaks_rules(exercise, job.source)  # by the right answer: references may

    def fault(self, source: str) -> str | None:
        """Why a mutant is refused, or None if it gets full points."""
        rules = zip(breaks_rules(self.exercise, source), self.broken, strict=True)
        if any(new and not old for new, old in rules):
            return "it breaks a rule"
        target = answer(self.exercise, source)
        if target is None:
            return "it does not run"
        return survivors.first_fault(self.exercise, target, asked(self.exercise), limit=self.limit)

    def difference(self, source: str) -> str | None:
        return difference(self.exercise, source)


def difference(exercise: Exercise, source: str) -> str | None:
    """Where an answer differs from the reference on further cases, or None."""
    target = answer(exercise, source)
    if target is None:
        return "it does not run"
    return survivors.differs(exercise, target, _settled(exercise))


@lru_cache(maxsize=8)
def _settled(exercise: Exercise) -> tuple[survivors.Asked, ...]:
    sources = origins(exercise, exercises.unit_of(exercise.name)).values()
    found = (answer(exercise, source) for source in sources)
    return survivors.settled(exercise, [right for right in found if right is not None])


def judged(job: Job) -> Judged:
    judging, alive, counts = Judging(job), [], Counter[str]()
    for mutant in mutants(job.source):
        fault = judging.fault(mutant.source)
        counts.update([KILLED if fault else "alive", "endless" if fault == OVER_TIME else ""])
        if fault is None:
            alive.append(Alive(mutant, judging.difference(mutant.source)))
    return Judged(job.exercise, job.origin, counts[KILLED], counts["endless"], tuple(alive))


# What is remembered -----------------------------------------------------------------------------


DECIDES: tuple[Callable[..., Any], ...] = (
    judge.cases_of,
    judge.expected_of,
    judge.wrong_with,
    judge.looked_at,
    judge.own_work,
    judge.told,
)


@lru_cache(maxsize=1024)
def _imported(path: Path) -> frozenset[Path]:
    """A file of course_utils, and all others that it imports."""
    found, todo = {path}, [path]
    while todo:
        for name in _course_modules(todo.pop()):
            spec = find_spec(name)
            file = Path(spec.origin) if spec is not None and spec.origin else path
            if file not in found:
                found.add(file)
                todo.append(file)
    return frozenset(found)


def _course_modules(path: Path) -> Iterator[str]:
    """The modules of the course that a file imports, also those beside it (`from ._shared`)."""
    beside = path.relative_to(SOURCE_TREE).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            above = beside[: len(beside) + 1 - node.level] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        yield from (name for name in names if name.startswith("course_utils.") and _is_file(name))


@lru_cache(maxsize=4096)
def _is_file(name: str) -> bool:
    path = SOURCE_TREE / name.replace(".", "/")
    return path.with_suffix(".py").exists()


@lru_cache(maxsize=256)
def _stamp(exercise: str) -> str:
    """Changes with whatever may change the fate of a mutant of this exercise, except its source."""
    unit = exercises.unit_of(exercise)
    files = set(_imported(SOURCE_TREE / "course_utils/exercises" / unit.module / f"{exercise}.py"))
    for earlier in exercises.units():  # what an answer finds in its notebook
        path = SOURCE_TREE / "course_utils" / f"{earlier.module}.py"
        if earlier.name <= unit.name and path.exists():
            files |= _imported(path)
    files |= {Path(str(module.__file__)) for module in (compare, syntax, survivors, mutate)}
    digest = hashlib.sha256(torch.__version__.encode())
    for path in sorted(files):  # comments change no fate
        digest.update(ast.dump(ast.parse(path.read_text(encoding="utf-8"))).encode())
    for function in DECIDES:
        digest.update(inspect.getsource(function).encode())
    found = exercises.find(exercise)
    assert isinstance(found, Exercise)
    digest.update(json.dumps(origins(found, unit)).encode())  # the differential test asks them
    return digest.hexdigest()


def remembered(job: Job, stamp: str, folder: Path | None = None) -> Judged | None:
    path = (folder or KEPT) / job.exercise / f"{job.origin}.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if (kept["stamp"], kept["source"]) != (stamp, job.source):
        return None
    alive = tuple(Alive(Mutant(**each["mutant"]), each["fault"]) for each in kept["alive"])
    return Judged(job.exercise, job.origin, kept["killed"], kept["endless"], alive)


def remember(job: Job, stamp: str, found: Judged, folder: Path | None = None) -> None:
    path = (folder or KEPT) / job.exercise / f"{job.origin}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"stamp": stamp, "source": job.source, **asdict(found)}, indent=1)
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


# All of them ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fate:
    """What a mutant with full points is; `why` is the reason for an equivalent one, and how it
    differs, if it does, for a hole."""

    exercise: str
    origin: str
    mutant: Mutant
    kind: Literal["equivalent", "hole"]
    why: str = ""


def fate(exercise: str, origin: str, alive: Alive) -> Fate:
    listed = _known(exercises.unit_of(exercise).name)
    entry = next((entry for entry in listed if entry.fits(exercise, alive.mutant)), None)
    if alive.fault is not None:
        why = f"{'listed as equivalent, but ' if entry else ''}{alive.fault}"
        return Fate(exercise, origin, alive.mutant, "hole", why)
    if entry is None:
        return Fate(exercise, origin, alive.mutant, "hole")
    return Fate(exercise, origin, alive.mutant, "equivalent", entry.reason)


@lru_cache
def _known(unit: str) -> tuple[Known, ...]:
    return tuple(known(exercises.unit(unit)))


@dataclass(frozen=True)
class Mutation:
    """What came of the mutants of some exercises."""

    judged: tuple[Judged, ...]
    fates: tuple[Fate, ...]  # of those that are alive
    idle: tuple[Known, ...]  # entries of the lists that no survivor needs

    def of(self, kind: str) -> list[Fate]:
        return [fate for fate in self.fates if fate.kind == kind]

    @property
    def mutants(self) -> int:
        return sum(each.mutants for each in self.judged)

    @property
    def killed(self) -> int:
        return sum(each.killed for each in self.judged)

    @property
    def good(self) -> bool:
        return not self.of("hole") and not self.idle

    def rows(self) -> list[dict[str, Any]]:
        """The count of each exercise, then of all."""
        counts: dict[str, Counter[str]] = {}
        for each in self.judged:
            found = Counter(mutants=each.mutants, killed=each.killed, endless=each.endless, right=1)
            alive = [
                f for f in self.fates if (f.exercise, f.origin) == (each.exercise, each.origin)
            ]
            found.update(fate.kind for fate in alive)
            for where in (f"{exercises.unit_of(each.exercise).name}/{each.exercise}", "all"):
                counts.setdefault(where, Counter()).update(found)
        counts["all"] = counts.pop("all", Counter())  # last
        return [
            {"exercise": where, **{kind: count[kind] for kind in KINDS}, "score": score(count)}
            for where, count in counts.items()
        ]

    def lines(self) -> Iterator[str]:
        for each in self.of("hole"):
            where = f"{each.exercise} ({each.origin}, line {each.mutant.line})"
            change = f"{each.mutant.operator}: {each.mutant.change}"
            yield f"{where}: {change}{f'  # {each.why}' if each.why else ''}"
        for entry in self.idle:
            yield f"listed, but nothing of the kind survives: {', '.join(entry.exercises)}: " + (
                f"{entry.operator}: {entry.change}"
            )
        same, holes = (len(self.of(kind)) for kind in ("equivalent", "hole"))
        yield f"{self.mutants} mutants: {self.killed} killed, {same} equivalent, {holes} holes"

    def as_json(self) -> dict[str, Any]:
        table = self.rows()
        told = [
            {"exercise": f.exercise, "origin": f.origin, **asdict(f.mutant), "why": f.why}
            for f in self.of("hole")
        ]
        return {
            **{key: table[-1][key] for key in ("mutants", "killed", "endless", "equivalent")},
            "holes": told,
            "idle": [asdict(entry) for entry in self.idle],
            "score": table[-1]["score"],
            "table": table,
        }


KINDS = ("right", "mutants", "killed", "endless", "equivalent", "hole")


def score(count: Counter[str]) -> float:
    """How many of those that are wrong were found; 1 only if all were."""
    wrong = count["mutants"] - count["equivalent"]
    return 1.0 if not wrong else int(10_000 * count["killed"] / wrong) / 10_000


Task = tuple[tuple[Job, str], ...]  # right answers, each with its stamp


def tasks(todo: list[tuple[Job, str]]) -> list[Task]:
    """What one process does at a time: an exercise, the longest first, since its further cases are
    worked out once; of few exercises, each answer by itself."""
    by_exercise: dict[str, list[tuple[Job, str]]] = {}
    for each in todo:
        by_exercise.setdefault(each[0].exercise, []).append(each)
    if len(by_exercise) < 4 * (os.cpu_count() or 1):
        return [(each,) for each in todo]
    whole = sorted(by_exercise.values(), key=lambda e: -sum(len(job.source) for job, _ in e))
    return [tuple(each) for each in whole]


def _worked(task: Task) -> list[tuple[Job, Judged]]:
    torch.set_num_threads(1)
    found = []
    for job, stamp in task:
        found.append((job, judged(job)))
        remember(job, stamp, found[-1][1])
    return found


def run(
    units: list[Unit],
    advance: Callable[[], None] = lambda: None,
    only: str | None = None,
    name: str | None = None,
    again: bool = False,
) -> Mutation:
    """Judge every mutant, in as many processes as there are cores; `only` those of one origin, or
    of the exercise of this name; `again` also those whose fate is remembered."""
    torch.set_num_threads(1)  # a pool of threads must not exist when the workers are forked
    wanted = list(jobs(units, only, name))
    stamps = {job: _stamp(job.exercise) for job in wanted}
    kept = {job: None if again else remembered(job, stamp) for job, stamp in stamps.items()}
    todo = [(job, stamps[job]) for job in wanted if kept[job] is None]
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    if todo:
        with context.Pool(os.cpu_count()) as pool:
            for done in pool.imap_unordered(_worked, tasks(todo)):
                for job, found in done:
                    kept[job] = found
                    advance()
    return summed(units, [found for found in kept.values() if found], not (only or name))


def summed(units: list[Unit], found: list[Judged], whole: bool) -> Mutation:
    """The fates of what is alive, and the entries of the lists without use if all were judged."""
    fates = [fate(each.exercise, each.origin, alive) for each in found for alive in each.alive]
    return Mutation(tuple(found), tuple(fates), tuple(_idle(units, fates) if whole else ()))


def _idle(units: list[Unit], fates: list[Fate]) -> Iterator[Known]:
    for unit in units:
        for entry in known(unit):
            if not any(entry.fits(fate.exercise, fate.mutant) for fate in fates):
                yield entry
