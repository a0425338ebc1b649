"""Decides what an attempt is worth, and what its author misunderstood.

The same code judges in a notebook (visible cases only), in the grader (visible and secret cases, the student's code in
another process) and for authors. It sees an attempt only through `play`: cases go in, outcomes come out.
"""

import hashlib
import inspect
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, Protocol

from course_utils import syntax
from course_utils.compare import gradient_difference, outcome_difference, show
from course_utils.draw import Draw
from course_utils.exercise import SHARES, Choice, Exercise
from course_utils.play import Case, Failure, Outcome, play, play_all

TUPLE = re.compile(
    r"'tuple' object has no attribute|must be Tensor, not tuple|and 'tuple'|'tuple' and|concatenate tuple"
)  # in messages of torch
VISIBLE_SEED = 2026  # of the cases that every student sees


class Attempt(Protocol):
    """A student's answer, wherever it runs."""

    source: str  # of the answer cell; empty if it is not known

    def play(self, cases: list[Case], limit: float) -> list[Outcome]:
        """Put the cases to the answer."""

    def value(self) -> Any:
        """The answer itself, where it is plain data (a choice)."""


@dataclass
class LocalAttempt:
    """An answer in this very process."""

    answer: Any
    source: str = ""

    def play(self, cases: list[Case], limit: float) -> list[Outcome]:
        return play_all(cases, self.answer, limit)

    def value(self) -> Any:
        return self.answer


@dataclass(frozen=True)
class CaseResult:
    label: str
    group: str
    passed: bool
    visible: bool
    message: str = ""


@dataclass(frozen=True)
class Verdict:
    """What an attempt is worth and why; `message` is one paragraph of plain words."""

    exercise: str
    kind: str
    section: str
    points: float
    max_points: float
    status: str  # "passed", "failed", "not started", "not allowed"
    misconception: str | None = None  # slug
    title: str = ""  # of the misconception
    message: str = ""
    cases: tuple[CaseResult, ...] = ()
    counterexample: tuple[tuple[str, str], ...] = ()  # (what, value) of the smallest visible case that fails
    picture: str = ""  # HTML or SVG
    failure: Failure | None = None

    @property
    def passed(self) -> bool:
        return self.points >= self.max_points

    def as_json(self) -> dict[str, Any]:
        """The object that `autograder try --json` prints."""
        return {
            "exercise": self.exercise,
            "points": self.points,
            "max_points": self.max_points,
            "passed": self.passed,
            "misconception": self.misconception,
            "message": self.message,
            "cases": [asdict(case) for case in self.cases],
        }


def secret_seeds(seed: int | str, exercise: str, rounds: int) -> tuple[int, ...]:
    """The seeds of the secret cases: one-way, so that a case does not give away the secret."""
    return tuple(int.from_bytes(hashlib.sha256(f"{seed}/{exercise}/{i}".encode()).digest()[:6], "big") for i in range(rounds))


def judge(exercise: Exercise | Choice, attempt: Attempt, seed: int | str | None = None) -> Verdict:
    """Judge an attempt on the visible cases and, if a secret seed is given, on the cases drawn from it."""
    if isinstance(exercise, Choice):
        return judge_choice(exercise, attempt.value())
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    tree = syntax.parse(attempt.source) if attempt.source else None
    tree = syntax.own(tree, exercise.name) if tree is not None else None
    if tree is not None and syntax.untouched(tree):
        return replace(blank, status="not started", message="Not started: the line `...` still stands in the answer cell.")
    if tree is not None:
        for rule in exercise.forbidden:
            if syntax.uses(tree, *rule.names) or (rule.test is not None and rule.test(tree)):
                return replace(blank, status="not allowed", misconception="not-allowed", title="Not allowed here", message=rule.message)
    seeds = (VISIBLE_SEED, *(secret_seeds(seed, exercise.name, exercise.rounds) if seed is not None else ()))
    rounds = []
    for number, each in enumerate(seeds):
        cases = cases_of(exercise, each)
        rounds.append((number == 0, each, cases, attempt.play(list(cases), exercise.limit)))
        if any(outcome.failure is not None and outcome.failure.kind in ("time", "limit", "crash") for outcome in rounds[-1][3]):
            break  # no use to wait for the other rounds
    if all(o.failure is not None and o.failure.kind == "missing" for _, _, cases, outcomes in rounds for o in outcomes):
        return replace(blank, status="not started", message="Not started: the answer raises NotImplementedError.")
    return _verdict(exercise, blank, tree, rounds, complete=len(rounds) == len(seeds))


def judge_choice(exercise: Choice, answer: Any) -> Verdict:
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    letters = ", ".join(f'"{letter}"' for letter in exercise.options)
    if answer is None or answer is ...:
        return replace(blank, status="not started", message=f"Not started: set {exercise.name} to one of {letters}.")
    letter = answer.strip().lower() if isinstance(answer, str) else answer
    if not isinstance(letter, str) or letter not in exercise.options:
        return replace(
            blank, misconception="not-an-option", title="Not one of the options", message=f"The answer must be one of {letters}."
        )
    option = exercise.options[letter]
    case = CaseResult(f"option {letter}", "basic", letter == exercise.right, True)
    if letter == exercise.right:
        return replace(blank, points=exercise.points, status="passed", message=option.why, cases=(case,))
    return replace(blank, misconception=option.slug, title=option.text, message=option.why, cases=(case,))


@lru_cache(maxsize=4096)
def cases_of(exercise: Exercise, seed: int) -> tuple[Case, ...]:
    return tuple(exercise.cases(Draw(seed)))


@lru_cache(maxsize=4096)
def expected_of(exercise: Exercise, seed: int) -> tuple[Outcome, ...]:
    return tuple(play(case, exercise.reference) for case in cases_of(exercise, seed))


@lru_cache(maxsize=16384)
def variant_outcomes(exercise: Exercise, variant: Callable[..., Any], seed: int) -> tuple[Outcome, ...]:
    return tuple(play(case, variant) for case in cases_of(exercise, seed))


def wrong_with(exercise: Exercise, case: Case, expected: Outcome, got: Outcome) -> str | None:
    """What is wrong with an outcome in a sentence, or None."""
    if case.raises is not None:
        if got.failure is None:
            return f"this should raise {case.raises.__name__}, but returned {'a value' if got.value is not None else 'None'}"
        return None if got.failure.type == case.raises.__name__ else f"this should raise {case.raises.__name__}; {told(got.failure)}"
    if got.failure is not None:
        return told(got.failure)
    if case.verify is not None:
        return looked_at(case.verify, got)
    return outcome_difference(expected, got, exercise.tolerance, exercise.returns, argument_names(exercise, case))


def looked_at(look: Callable[..., str | None], *what: Any) -> str | None:
    """An author's own look at an outcome; one that stumbles over the form of what came back has found something wrong."""
    try:
        return look(*what)
    except Exception:
        return "what came back does not have the form that the text asks for"


def told(failure: Failure) -> str:
    """A failure in a sentence, with the line of the student's own code."""
    if failure.kind == "time":
        return "it ran into the time limit: is there a loop that never ends?"
    if failure.kind == "limit":
        return f"it hit a limit of the grader: {failure.message}"
    if failure.kind == "crash":
        return f"the process ended while this ran: {failure.message}"
    if failure.kind == "missing":
        return "it raises NotImplementedError: a part is still to be written"
    if failure.kind == "parameters":
        return f"the module does not have the parameters of the text: {failure.message}"
    where = f" in your line {failure.line}: `{failure.code}`" if failure.line else ""
    return f"it raised {failure.type}: {failure.message}{where}"


def _verdict(exercise: Exercise, blank: Verdict, tree: Any, rounds: list[Any], complete: bool) -> Verdict:
    results: list[CaseResult] = []
    failed: list[tuple[int, int, Case, Outcome, Outcome, str]] = []
    for visible, seed, cases, outcomes in rounds:
        for case, expected, got in zip(cases, expected_of(exercise, seed), outcomes, strict=True):
            message = wrong_with(exercise, case, expected, got)
            results.append(CaseResult(case.label, case.group, message is None, visible, message if message and visible else ""))
            if message is not None and visible:
                failed.append((list(SHARES).index(case.group), case.size, case, expected, got, message))
        results += _laws(exercise, visible, cases, outcomes)
    points = _points(exercise, results) if complete else 0.0
    verdict = replace(blank, points=points, cases=tuple(results))
    if verdict.passed:
        return replace(verdict, status="passed", message="All cases pass.")
    verdict = _diagnose(exercise, verdict, tree, rounds)
    if failed:
        _, _, case, expected, got, message = min(failed, key=lambda item: item[:2])
        verdict = replace(
            verdict,
            message=verdict.message or f"For the case “{case.label}”: {message}.",
            counterexample=_counterexample(exercise, case, expected, got, message),
            picture=_picture(exercise, case, expected, got),
            failure=got.failure,
        )
    elif not verdict.message:
        law = next((r for r in results if not r.passed and r.visible), None)
        labels = sorted({r.label for r in results if not r.passed})
        verdict = replace(
            verdict,
            message=f"{law.label}: {law.message}."
            if law
            else f"It passes the cases that you can see, but not others of the kind: {', '.join(labels)}. Is something fixed that should depend on the input?",
        )
    return verdict


def _laws(exercise: Exercise, visible: bool, cases: Any, outcomes: list[Outcome]) -> list[CaseResult]:
    """The properties as results of their own, one each, over all cases of a round."""
    results = []
    pairs = [(case, got) for case, got in zip(cases, outcomes, strict=True) if case.raises is None]
    for law in exercise.properties:
        texts = ["it did not run" if got.failure is not None else looked_at(law.broken, case, got) for case, got in pairs]
        text = next((text for text in texts if text), None)
        results.append(CaseResult(law.label, "property", text is None, visible, text if text and visible else ""))
    changed = [f"modified in place: {_changed_names(exercise, case, got)}" for case, got in pairs if got.changed]
    results.append(CaseResult("leaves its inputs as they are", "property", not changed, visible, changed[0] if changed and visible else ""))
    return results


def _points(exercise: Exercise, results: list[CaseResult]) -> float:
    """Each group counts when all of its cases pass; edge cases and properties count only on top of a right basis."""
    groups = {r.group for r in results}
    good = {g for g in groups if all(r.passed for r in results if r.group == g)}
    if "basic" in groups and "basic" not in good:
        return 0.0
    if good == groups:
        return float(exercise.points)
    return round(exercise.points * sum(SHARES[g] for g in good) / sum(SHARES[g] for g in groups), 2)


def _diagnose(exercise: Exercise, verdict: Verdict, tree: Any, rounds: list[Any]) -> Verdict:
    """Name the misconception: one whose variant behaves the same on every case, else one that the general rules know."""
    best: tuple[int, Any] | None = None
    for known in exercise.misconceptions:
        if known.syntax is not None and (tree is None or not known.syntax(tree)):
            continue
        if known.variant is not None and not _behaves_like(exercise, known.variant, rounds):
            continue
        if known.symptom is not None and not _shows(known.symptom, rounds):
            continue
        rank = (known.syntax is not None) + 2 * (known.variant is not None) + 2 * (known.symptom is not None)
        if best is None or rank > best[0]:
            best = (rank, known)
    if best is not None:
        return replace(verdict, misconception=best[1].slug, title=best[1].title, message=best[1].hint)
    slug, title, message = _general(exercise, rounds)
    return replace(verdict, misconception=slug, title=title, message=message)


def _behaves_like(exercise: Exercise, variant: Callable[..., Any], rounds: list[Any]) -> bool:
    for _, seed, _, outcomes in rounds:
        for theirs, got in zip(variant_outcomes(exercise, variant, seed), outcomes, strict=True):
            if outcome_difference(theirs, got, exercise.tolerance) is not None or theirs.changed != got.changed:
                return False
    return True


def _shows(symptom: Callable[[Case, Outcome], bool], rounds: list[Any]) -> bool:
    pairs = [pair for _, _, cases, outcomes in rounds for pair in zip(cases, outcomes, strict=True)]
    return all(got.failure is None and symptom(case, got) for case, got in pairs)


def _general(exercise: Exercise, rounds: list[Any]) -> tuple[str | None, str, str]:
    """Mistakes that can be told without knowing the exercise: (slug, title, message)."""
    _, seed, cases, outcomes = rounds[0]
    usual = [(c, e, g) for c, e, g in zip(cases, expected_of(exercise, seed), outcomes, strict=True) if c.raises is None]
    failures = [g.failure for _, _, g in usual if g.failure is not None]
    values = [(e.value, g.value) for _, e, g in usual if g.failure is None and e.failure is None]
    if any(f.kind == "time" for f in failures):
        return "endless", "It never ends", "The answer ran into the time limit. Which loop has no way out, or does far more than it must?"
    if failures and all(f.kind == "parameters" for f in failures):
        return (
            "parameters",
            "Other parameters than the text asks for",
            failures[0].message and f"The module does not have the parameters of the text: {failures[0].message}.",
        )
    if pair := next((f for f in failures if TUPLE.search(f.message)), None):
        where = f" in your line {pair.line}, `{pair.code}`," if pair.line else ""
        return (
            "tuple-not-unpacked",
            "A tuple where a tensor is wanted",
            f"Something that you call returns several results in a tuple, and{where} you go on with the tuple as if it were one tensor. "
            "Attention, for one, returns (output, weights). Which part do you want? Take it by its number, or unpack the tuple.",
        )
    if values and all(got is None and want is not None for want, got in values):
        return (
            "returns-nothing",
            "Nothing is returned",
            "The answer returns None. Is the `return` missing, or does a branch end without one?",
        )
    if values and all(
        isinstance(want, tuple) and isinstance(got, tuple) and _swapped(want, got, exercise.tolerance) for want, got in values
    ):
        return (
            "swapped-results",
            "Results in the wrong order",
            f"Both results are right, but in the wrong order: return {', '.join(exercise.returns) or 'them as the text says'}.",
        )
    if any(g.changed for _, _, g in usual):
        return (
            "changes-its-input",
            "The input is changed",
            "The answer modifies a tensor that it was given. The caller still needs it: work on a copy, or use operations without a trailing underscore and without `+=`.",
        )
    graded = [(e, g) for _, e, g in usual if e.gradients and g.failure is None]
    values_right = all(
        outcome_difference(replace(e, gradients={}), replace(g, gradients={}), exercise.tolerance) is None for _, e, g in usual
    )
    if values_right and graded and all(gradient_difference(e, g, exercise.tolerance) for e, g in graded):
        return (
            "no-gradient",
            "The values are right, the gradient is not",
            "Nothing can be learned through this answer: somewhere the values leave the graph, by `.detach()`, `.item()`, `.data`, NumPy or `torch.no_grad()`.",
        )
    return None, "", ""


def _swapped(want: tuple[Any, ...], got: tuple[Any, ...], tolerance: float) -> bool:
    return len(want) == len(got) == 2 and outcome_difference(Outcome((want[::-1],)), Outcome((got,)), tolerance) is None


def _counterexample(exercise: Exercise, case: Case, expected: Outcome, got: Outcome, message: str) -> tuple[tuple[str, str], ...]:
    rows = [("case", case.label), ("what is wrong", message)]
    if case.size <= 60 and not case.hidden_values:
        rows += [(name, show(value)) for name, value in zip(argument_names(exercise, case), case.args, strict=True)]
        rows += [(key, show(value)) for key, value in case.kwargs.items()]
        if expected.failure is None and case.verify is None and case.raises is None:
            rows.append(("expected", show(expected.values[0] if len(expected.values) == 1 else expected.values)))
        if got.failure is None:
            rows.append(("yours", show(got.values[0] if len(got.values) == 1 else got.values)))
    return tuple(rows)


def argument_names(exercise: Exercise, case: Case) -> list[str]:
    """What the arguments of a case are called in the reference."""
    target = exercise.reference if case.init is None else getattr(exercise.reference, case.method or "forward", exercise.reference)
    names = _parameters(target)
    return [names[i] if i < len(names) else f"argument {i + 1}" for i in range(len(case.args))]


@lru_cache
def _parameters(target: Callable[..., Any]) -> tuple[str, ...]:
    try:
        return tuple(name for name in inspect.signature(target).parameters if name != "self")
    except (TypeError, ValueError):
        return ()


def _changed_names(exercise: Exercise, case: Case, got: Outcome) -> str:
    """Which arguments were changed; the numbers come from the student's process, so one that does not exist is no surprise."""
    known = [name for i, name in enumerate(argument_names(exercise, case)) if i in got.changed]
    return " and ".join(f"`{name}`" for name in known) or "an argument"


def _picture(exercise: Exercise, case: Case, expected: Outcome, got: Outcome) -> str:
    if exercise.picture is None or expected.failure is not None or got.failure is not None:
        return ""
    try:
        return exercise.picture(case, expected, got)
    except Exception:  # a picture of something malformed is not worth a verdict
        return ""
