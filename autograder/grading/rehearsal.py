"""What right and known wrong answers give to the visible cases, and how long the solution takes:
computed before workers fork, and kept for the next run of the same code on the same machine.

The file is data in the form of `sandbox/wire.py`. One that is damaged, or of other code, is made
anew.
"""

import contextlib
import gc
import os
import platform
import struct
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from autograder import files
from autograder.course import Course
from autograder.grading.remote import outcomes_of
from autograder.grading.version import grader_version
from autograder.sandbox import agent, wire
from autograder.sandbox.wire import WireError
from course_utils.judging.exercise import Exercise, Unit
from course_utils.judging.judge import (
    VISIBLE_SEED,
    cases_of,
    expected_of,
    rehearsed,
    variant_outcomes,
)
from course_utils.judging.runner import Outcome

TIMES, LEAST = 20.0, 1.5  # an answer gets so many times what the solution needs, or so many seconds
# Seconds of processor time of a solution for all cases of a seed: exercise, reference
_needed: dict[tuple[str, Callable[..., Any]], float] = {}


def seconds_for(exercise: Exercise) -> float:
    """Seconds of processor time for all cases of a seed: a multiple of what the solution needs on
    this machine, so that an endless answer does not hold up a class."""
    solution = (exercise.name, exercise.reference)
    if solution not in _needed:
        began = time.thread_time()
        expected_of.__wrapped__(exercise, VISIBLE_SEED)
        _needed[solution] = time.thread_time() - began
    return min(exercise.limit, max(LEAST, TIMES * _needed[solution]))


def path_of(root: Path, unit: str) -> Path:
    """Where it is kept in a course."""
    return root / "runs" / "rehearsed" / f"{unit}.bin"


def prepare(course: Course, unit: str) -> None:
    """Rehearse when a unit is released, so that grading need not begin with it."""
    rehearse(course.unit(unit), path_of(course.root, unit), grader_version(unit))


def rehearse(unit: Unit, kept: Path | None = None, version: str = "", large: bool = True) -> None:
    """Know all of it, from the file `kept` if it is of this version; for a class that is not large
    nothing is computed in advance."""
    key = [version, torch.__version__, platform.node(), str(os.cpu_count())]
    if (kept is None or not _read(kept, key, unit)) and large:
        _compute(unit)
        if kept is not None:
            with contextlib.suppress(OSError, WireError):  # without it the next run is only slower
                files.write_whole(kept, _packed(key, unit))
    gc.freeze()


def _compute(unit: Unit) -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with warnings.catch_warnings():  # of torch, about what wrong variants compute
        warnings.simplefilter("ignore")
        for exercise in _exercises(unit):
            began = time.thread_time()
            expected_of(exercise, VISIBLE_SEED)
            _needed.setdefault((exercise.name, exercise.reference), time.thread_time() - began)
            for variant in _variants(exercise):
                variant_outcomes(exercise, variant, VISIBLE_SEED)
    torch.set_num_threads(threads)


def _exercises(unit: Unit) -> Iterator[Exercise]:
    return (each for each in unit.exercises if isinstance(each, Exercise))


def _variants(exercise: Exercise) -> list[Callable[..., Any]]:
    if exercise.kind == "training":  # each would train
        return []
    return [variant for known in exercise.misconceptions for variant in known.variants]


# The file ---------------------------------------------------------------------------------------


def _packed(key: list[str], unit: Unit) -> bytes:
    buffers: list[bytes] = []

    def written(outcomes: tuple[Outcome, ...]) -> list[Any]:
        return [agent.outcome_node(outcome, buffers) for outcome in outcomes]

    told = {
        exercise.name: {
            "seconds": _needed[exercise.name, exercise.reference],
            "expected": written(expected_of(exercise, VISIBLE_SEED)),
            "variants": [
                written(variant_outcomes(exercise, variant, VISIBLE_SEED))
                for variant in _variants(exercise)
            ],
        }
        for exercise in _exercises(unit)
    }
    return wire.pack({"key": key, "exercises": told}, buffers)


def _read(path: Path, key: list[str], unit: Unit) -> bool:
    """Is all of it known from the file?"""
    try:
        data = path.read_bytes()
        start = wire.PREFIX.size
        head, _ = wire.unpack_prefix(data[:start])
        header = wire.parse_header(data[start : start + head])
        if header.get("key") != key:
            return False
        _take(header["exercises"], data[start + head :], unit)
    except (OSError, struct.error, WireError, ValueError, LookupError, TypeError):
        return False
    return True


def _take(told: dict[str, Any], body: bytes, unit: Unit) -> None:
    """Believe a file: what it holds of every function, in the order in which it was written."""
    functions: list[tuple[Exercise, Callable[..., Any]]] = []
    nodes: list[Any] = []
    for exercise in _exercises(unit):
        kept, variants = told[exercise.name], _variants(exercise)
        if len(kept["variants"]) != len(variants):
            raise WireError("another number of variants")
        functions += [(exercise, exercise.reference), *((exercise, each) for each in variants)]
        nodes += [kept["expected"], *kept["variants"]]
    cases = [case for exercise, _ in functions for case in cases_of(exercise, VISIBLE_SEED)]
    found = iter(outcomes_of({"outcomes": [each for node in nodes for each in node]}, body, cases))
    for exercise, function in functions:
        count = len(cases_of(exercise, VISIBLE_SEED))
        rehearsed[exercise.name, function, VISIBLE_SEED] = tuple(next(found) for _ in range(count))
    for exercise in _exercises(unit):
        _needed[exercise.name, exercise.reference] = float(told[exercise.name]["seconds"])
