"""What an exercise is: one value that says everything about it, in one place.

The smallest useful one:

    Exercise(
        name="causal_mask",                         # also the grade id of its answer cell
        points=2,
        section="The causal mask",                  # heading of the lecture that teaches it
        reference=masking.causal_mask,              # what a right answer equals
        cases=lambda draw: [Case("5 steps", args=(5,))],
        misconceptions=(
            Misconception(
                slug="strict-mask",
                title="A step may look at itself",
                hint="Your first row allows nothing at all. What is left for softmax to share out there?",
                variant=lambda length: masking.causal_mask(length).tril(-1),
            ),
        ),
    )
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from course_utils.draw import Draw
from course_utils.play import Call, Case, Outcome

Group = Literal["basic", "edge", "property"]
Kind = Literal["function", "module", "callable", "training", "choice"]

SHARES: dict[str, int] = {"basic": 3, "edge": 1, "property": 1}  # how the points are split between the groups that an exercise has


@dataclass(frozen=True)
class Property:
    """A law that every outcome must obey; `broken` says in a sentence how it was broken, or None."""

    label: str
    broken: Callable[[Case, Outcome], str | None]


@dataclass(frozen=True)
class Misconception:
    """A wrong answer with a name: recognised by equal behaviour (`variant`), by its syntax tree (`syntax`), or by both;
    where no two right answers behave alike (a training), by a `symptom` that every outcome shows.

    `hint` teaches: what was done, why it matters, where to look; it does not give the answer away.
    """

    slug: str
    title: str
    hint: str
    variant: Callable[..., Any] | None = None
    syntax: Callable[[ast.AST], bool] | None = None
    symptom: Callable[[Case, Outcome], bool] | None = None

    def __post_init__(self) -> None:
        if self.variant is None and self.syntax is None and self.symptom is None:
            raise ValueError(f"misconception {self.slug!r} needs a variant, a symptom or a look at the syntax")


@dataclass(frozen=True)
class Forbidden:
    """What an answer may not use: names (of attributes, imports, keywords), or whatever `test` finds in its syntax tree."""

    message: str
    names: tuple[str, ...] = ()
    test: Callable[[ast.AST], bool] | None = None


@dataclass(frozen=True, eq=False)
class Exercise:
    """A graded exercise that is judged by running it."""

    name: str
    points: float
    section: str
    reference: Callable[..., Any]
    cases: Callable[[Draw], list[Case]]
    kind: Kind = "function"
    returns: tuple[str, ...] = ()  # names of what comes back, for messages: ("output (B, T, D)", "weights (B, T, S)")
    properties: tuple[Property, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    tolerance: float = 1e-5  # absolute and relative; 1e-4 for whole blocks
    limit: float = 5.0  # seconds for all cases of one seed together
    rounds: int = 3  # how many secret seeds the grader draws cases from
    picture: Callable[[Case, Outcome, Outcome], str] | None = None  # (case, expected, got) -> HTML or SVG


@dataclass(frozen=True)
class Option:
    """One option of a choice: its text, and what is said to a student who picks it."""

    text: str
    why: str
    slug: str = ""  # the misconception behind a wrong option


@dataclass(frozen=True)
class Choice:
    """A multiple-choice question; every wrong option explains itself."""

    name: str
    points: float
    section: str
    right: str
    options: Mapping[str, Option]
    kind: Kind = field(default="choice", init=False)

    def __post_init__(self) -> None:
        if self.right not in self.options:
            raise ValueError(f"choice {self.name!r}: the right option {self.right!r} is not one of {sorted(self.options)}")
        for letter, option in self.options.items():
            if letter != self.right and not option.slug:
                raise ValueError(f"choice {self.name!r}: the wrong option {letter!r} needs a slug")


@dataclass(frozen=True)
class Unit:
    """A unit of the course: its number and name as in `01_nadaraya_watson`, and its exercises in the order of the assignment."""

    name: str
    title: str
    exercises: tuple["Exercise | Choice", ...]

    @property
    def module(self) -> str:
        """The unit's name as a Python module: reference code is `course_utils.<module>`."""
        return self.name.split("_", 1)[1]

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)


__all__ = ["Call", "Case", "Choice", "Draw", "Exercise", "Forbidden", "Misconception", "Option", "Outcome", "Property", "Unit"]
