"""What an exercise is: one value that says everything about it, in a file of its own.

The smallest useful one, `course_utils/exercises/masking/causal_mask.py`:

    EXERCISE = Exercise(
        name="causal_mask",                # also the grade id of its answer cell
        points=2,
        section="The causal mask",         # heading of the lecture that teaches it
        reference=masking.causal_mask,     # what a right answer equals
        cases=lambda draw: [Case("5 steps", args=(5,))],
    )

    @EXERCISE.misconception(
        "strict-mask",
        "A step may look at itself",
        "Your first row allows nothing at all. What is left for softmax to share out there?",
    )
    def strict(length: int) -> Tensor:
        return masking.causal_mask(length).tril(-1)
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from course_utils.judging.draw import Draw
from course_utils.judging.promises import Promise
from course_utils.judging.runner import Call, Case, Outcome

Group = Literal["basic", "edge", "property"]
Kind = Literal["function", "module", "callable", "training", "choice"]
Variant = Callable[..., Any]  # code that makes a mistake: a function or a class
V = TypeVar("V", bound=Variant)
Picture = Callable[[Case, Outcome, Outcome], str]

# How the points are split between the groups that an exercise has.
SHARES: dict[str, int] = {"basic": 3, "edge": 1, "property": 1}


@dataclass(frozen=True)
class Property:
    """A law that every outcome must obey; `broken` says how it was broken, or None."""

    label: str
    broken: Callable[[Case, Outcome], str | None]


@dataclass(frozen=True, eq=False)
class Misconception:
    """A wrong answer with a name, known by code that behaves the same (`variants`, any of them), by
    its syntax tree (`syntax`), or by both; where no two right answers behave alike (a training), by
    a `symptom` that every outcome shows.

    `hint` teaches: what was done, why it matters, where to look; it does not give the answer away.
    """

    slug: str
    title: str
    hint: str
    variants: list[Variant] = field(default_factory=list)
    syntax: Callable[[ast.AST], bool] | None = None
    symptom: Callable[[Case, Outcome], bool] | None = None
    section: str = ""  # of the lecture, where another one than the exercise's teaches this

    def __call__(self, variant: V) -> V:
        """As a decorator: this code makes the mistake."""
        self.variants.append(variant)
        return variant

    @property
    def rank(self) -> int:
        """How much it takes to be named: of two that fit, the higher one is meant; 0 fits all."""
        behaviour = bool(self.variants) + (self.symptom is not None)
        return 2 * behaviour + (self.syntax is not None)


@dataclass(frozen=True)
class Forbidden:
    """What an answer may not use: names (of attributes, imports, keywords), or whatever `test`
    finds in its syntax tree."""

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
    returns: tuple[str, ...] = ()  # names of what comes back, for messages: ("output (B, T, D)", …)
    properties: tuple[Property, ...] = ()
    forbidden: tuple[Forbidden, ...] = ()
    tolerance: float = 1e-5  # absolute and relative; 1e-4 for whole blocks
    limit: float = 5.0  # seconds for all cases of one seed together
    rounds: int = 3  # how many secret seeds the grader draws cases from
    picture: Picture | None = None  # (case, expected, got) -> HTML or SVG
    # what the text promises of every input (see promises.py): a case that a card shows keeps to it
    promised: Promise | None = None
    misconceptions: list[Misconception] = field(default_factory=list, init=False)

    def misconception(
        self,
        slug: str,
        title: str,
        hint: str,
        *variants: Variant,
        syntax: Callable[[ast.AST], bool] | None = None,
        symptom: Callable[[Case, Outcome], bool] | None = None,
        section: str = "",
    ) -> Misconception:
        """Add a misconception; what comes back decorates further code that makes the mistake."""
        known = Misconception(slug, title, hint, list(variants), syntax, symptom, section)
        self.misconceptions.append(known)
        return known

    def borrow(
        self,
        other: "Exercise",
        through: Callable[[Variant], Variant],
        only: tuple[str, ...] = (),
        but: tuple[str, ...] = (),
    ) -> None:
        """Add misconceptions of another exercise, `only` these or all `but` those; `through` makes
        answers to this exercise of their code."""
        for slug in only or dict.fromkeys(
            m.slug for m in other.misconceptions if m.slug not in but
        ):
            for known in [m for m in other.misconceptions if m.slug == slug and m.variants]:
                variants = [through(variant) for variant in known.variants]
                self.misconceptions.append(replace(known, variants=variants))


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
            raise ValueError(
                f"choice {self.name!r}: the right option {self.right!r} is not one of "
                f"{sorted(self.options)}"
            )
        for letter, option in self.options.items():
            if letter != self.right and not option.slug:
                raise ValueError(f"choice {self.name!r}: the wrong option {letter!r} needs a slug")

    def is_right(self, letter: str) -> bool:
        return letter == self.right


@dataclass(frozen=True)
class Unit:
    """A unit of the course: its number and name as in `01_nadaraya_watson`, and its exercises in
    the order of the assignment."""

    name: str
    title: str
    exercises: tuple["Exercise | Choice", ...]

    def __post_init__(self) -> None:
        for exercise in self.exercises:
            for known in getattr(exercise, "misconceptions", ()):
                if not known.rank:
                    raise ValueError(
                        f"{exercise.name}: the misconception {known.slug!r} needs code that makes "
                        "the mistake, a symptom or a look at the syntax"
                    )

    @property
    def module(self) -> str:
        """The unit's name as a Python module: reference code is `course_utils.<module>`."""
        return self.name.split("_", 1)[1]

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)


__all__ = [
    "Call",
    "Case",
    "Choice",
    "Draw",
    "Exercise",
    "Forbidden",
    "Misconception",
    "Option",
    "Outcome",
    "Property",
    "Unit",
]
