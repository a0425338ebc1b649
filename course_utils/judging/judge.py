"""Decides what an attempt is worth, and what its author misunderstood.

The same code judges in a notebook (visible cases only), in the grader (visible and secret
cases, the student's code in another process) and for authors. It sees an attempt only through
`play`: cases go in, outcomes come out.
"""

import hashlib
import inspect
import re
import warnings
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import Any, Protocol

from course_utils.judging import syntax
from course_utils.judging.compare import (
    gradient_difference,
    outcome_difference,
    show,
    sides,
    values_missing,
)
from course_utils.judging.draw import Draw
from course_utils.judging.exercise import SHARES, Choice, Exercise, Forbidden, Misconception
from course_utils.judging.runner import Case, Failure, Outcome, play, play_all
from course_utils.judging.shrink import Found, Shrinker, numbers
from course_utils.judging.stand_in import REFUSED, Oracle, standing_in

# In messages of torch
TUPLE = re.compile(
    r"'tuple' object has no attribute|must be Tensor, not tuple"
    r"|and 'tuple'|'tuple' and|concatenate tuple"
)
VISIBLE_SEED = 2026  # of the cases that every student sees
SHRINK_LIMIT = 2.0  # seconds for a batch of smaller cases
ANOTHER = "That explains the basic cases; some edge cases fail for another reason as well."
ENDS_ALL = ("time", "limit", "crash")  # kinds of failures after which nothing more is asked
HELPERS = ("function", "module")  # kinds of answers that a stand-in can take the place of


Row = tuple[str, str]
# of a counterexample: these are not its inputs
CASE_ROWS = ("case", "made smaller from", "rounded from", "what is wrong", "its weights")


class Attempt(Protocol):
    """A student's answer, wherever it runs."""

    source: str  # of the answer cell; empty if it is not known

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        """Put the cases of so many seeds to the answer; the limit is for each seed."""

    def assisted(self, oracle: Oracle) -> "Attempt":
        """The same answer with stand-ins for what the oracle knows (see stand_in.py)."""

    def value(self) -> Any:
        """The answer itself, where it is plain data (a choice)."""


@dataclass
class LocalAttempt:
    """An answer in this very process."""

    answer: Any
    source: str = ""
    names: MutableMapping[str, Any] = field(default_factory=dict)  # of its notebook
    oracle: Oracle | None = None

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        if self.oracle is None:
            return play_all(cases, self.answer, seeds * limit)
        with standing_in(self.names, self.oracle.wanted, self.oracle):
            return play_all(cases, self.answer, seeds * limit)

    def assisted(self, oracle: Oracle) -> "LocalAttempt":
        return replace(self, oracle=oracle)

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
    # (what, value) of the smallest visible case that fails
    counterexample: tuple[Row, ...] = ()
    # (part, expected, yours), the entries that differ between « and »
    beside: tuple[tuple[str, str, str], ...] = ()
    picture: str = ""  # HTML or SVG
    failure: Failure | None = None
    # earlier answers that are wrong, and that the reference took the place of in this verdict
    comes_from: tuple[str, ...] = ()

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
    return tuple(
        int.from_bytes(hashlib.sha256(f"{seed}/{exercise}/{i}".encode()).digest()[:6], "big")
        for i in range(rounds)
    )


@dataclass(frozen=True)
class Earlier:
    """An earlier exercise of the same notebook, and the verdict on its answer (None: not yet)."""

    exercise: Exercise
    verdict: Verdict | None = None
    look: Callable[[], Verdict | None] | None = None  # judges an answer that has no verdict yet

    @cached_property
    def known(self) -> Verdict | None:
        """The verdict; where there is none yet, that of a look at the answer."""
        return self.look() if self.verdict is None and self.look is not None else self.verdict

    @property
    def doubtful(self) -> bool:
        """May its answer spoil one that builds on it?"""
        return self.known is None or not self.known.passed or bool(self.known.comes_from)

    @property
    def roots(self) -> tuple[str, ...]:
        """Where its mistake comes from: answers before it, or itself."""
        further = self.known.comes_from if self.known is not None else ()
        return further or (self.exercise.name,)


def judge(
    exercise: Exercise | Choice,
    attempt: Attempt,
    seed: int | str | None = None,
    earlier: Sequence[Earlier] = (),
) -> Verdict:
    """Judge an attempt on the visible cases and, if a secret seed is given, on the cases drawn from
    it. What fails is judged once more with the reference in the place of `earlier` answers that
    are not right: one mistake is punished once."""
    if isinstance(exercise, Choice):
        return judge_choice(exercise, attempt.value())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one would show the line of the reference that it is about
        return _judged(exercise, attempt, seed, earlier)


def _judged(
    exercise: Exercise, attempt: Attempt, seed: int | str | None, earlier: Sequence[Earlier]
) -> Verdict:
    verdict = _judge(exercise, attempt, seed)
    if verdict.status != "failed" or exercise.kind == "training":
        return verdict
    doubtful = [each for each in earlier if each.exercise.kind in HELPERS and each.doubtful]
    if not doubtful:
        return verdict
    return _second_look(exercise, attempt, seed, verdict, doubtful)


@dataclass
class _Played:
    """An attempt to which the cases that come first, the visible ones, were put already."""

    attempt: Attempt
    outcomes: list[Outcome] | None
    source: str = ""

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        known, self.outcomes = self.outcomes, None
        return known if known is not None else self.attempt.play(cases, limit, seeds)

    def assisted(self, oracle: Oracle) -> Attempt:
        return self.attempt.assisted(oracle)

    def value(self) -> Any:
        return self.attempt.value()


def _second_look(
    exercise: Exercise,
    attempt: Attempt,
    seed: int | str | None,
    first: Verdict,
    doubtful: Sequence[Earlier],
) -> Verdict:
    """The verdict with stand-ins for earlier answers, if the attempt uses them and gains by it or
    shows its own mistake more clearly; else the first one."""
    oracle = Oracle({each.exercise.name: each.exercise.reference for each in doubtful})
    assisted = attempt.assisted(oracle)
    cases = list(cases_of(exercise, VISIBLE_SEED))
    endless = first.failure is not None and first.failure.kind in ENDS_ALL
    # an endless answer asks endlessly: one case shows whether a right helper ends it
    if endless and assisted.play(cases[:1], exercise.limit)[0].failure is not None:
        return first
    visible = assisted.play(cases, exercise.limit)
    if not oracle.asked:
        return first
    second = _judge(exercise, _Played(assisted, visible, attempt.source), seed)
    refused = any(case.message.startswith(f"it raised {REFUSED}") for case in second.cases)
    if second.points < first.points or (refused and second.points == first.points):
        return first
    if (second.cases, second.misconception) == (first.cases, first.misconception):
        return first  # right helpers change nothing
    roots = [root for each in doubtful if each.exercise.name in oracle.asked for root in each.roots]
    return replace(second, comes_from=tuple(dict.fromkeys(roots)))


def blame(verdict: Verdict) -> str:
    """What is said where the reference took the place of earlier answers, or nothing."""
    names = " and ".join(f"`{name}`" for name in verdict.comes_from)
    if not names:
        return ""
    if verdict.passed:
        return (
            f"This comes from your {names}: with a right one in its place all cases pass, so the "
            f"points are yours. Mend {names} next."
        )
    return (
        f"Judged with a right {names} in the place of yours, so that no mistake counts twice: what "
        f"is said here is about {verdict.exercise} alone."
    )


def _judge(exercise: Exercise, attempt: Attempt, seed: int | str | None) -> Verdict:
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    tree = syntax.parse(attempt.source) if attempt.source else None
    tree = syntax.own(tree, exercise.name) if tree is not None else None
    if tree is not None and syntax.untouched(tree):
        return replace(
            blank,
            status="not started",
            message="Not started: the line `...` still stands in the answer cell.",
        )
    if tree is not None and (broken := _broken_rule(exercise, tree)):
        return replace(
            blank,
            status="not allowed",
            misconception="not-allowed",
            title="Not allowed here",
            message=broken,
        )
    rounds, complete = _rounds(exercise, attempt, seed)
    if all(
        o.failure is not None and o.failure.kind == "missing"
        for _, _, cases, outcomes in rounds
        for o in outcomes
    ):
        return replace(
            blank,
            status="not started",
            message="Not started: the answer raises NotImplementedError.",
        )
    return _verdict(exercise, blank, tree, rounds, complete, attempt)


def _broken_rule(exercise: Exercise, tree: Any) -> str:
    """What is said of the first rule of the exercise that the source breaks, or nothing."""
    for rule in (*exercise.forbidden, own_work(exercise.name)):
        if syntax.uses(tree, *rule.names) or (rule.test is not None and rule.test(tree)):
            return rule.message
    return ""


def _rounds(exercise: Exercise, attempt: Attempt, seed: int | str | None) -> tuple[list[Any], bool]:
    """The cases of each seed with their outcomes, and whether all were played."""
    seeds = (
        VISIBLE_SEED,
        *(secret_seeds(seed, exercise.name, exercise.rounds) if seed is not None else ()),
    )
    cases = [cases_of(exercise, each) for each in seeds]
    visible = attempt.play(list(cases[0]), exercise.limit)
    if any(each.failure is not None and each.failure.kind in ENDS_ALL for each in visible):
        return [(True, seeds[0], cases[0], visible)], len(seeds) == 1  # no use to wait for the rest
    secret: list[Outcome] = []
    if len(seeds) > 1:  # all at once: each question takes its time, whatever it asks
        asked = [case for each in cases[1:] for case in each]
        secret = attempt.play(asked, exercise.limit, len(seeds) - 1)
    outcomes, rounds = iter([*visible, *secret]), list[Any]()
    for number, each in enumerate(seeds):
        got = [next(outcomes) for _ in cases[number]]
        rounds.append((number == 0, each, cases[number], got))
        if any(one.failure is not None and one.failure.kind in ENDS_ALL for one in got):
            break
    return rounds, len(rounds) == len(seeds)


def not_the_students(exercise: Exercise) -> Verdict:
    """The verdict on the course's own code, handed in as an answer."""
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    return replace(
        blank,
        status="not allowed",
        misconception="the-reference",
        title="This is the course's own code",
        message=f"`{exercise.name}` is taken from course_utils, directly or through a wrapper. It "
        "is right, but it is not your answer; and when the notebook is graded, it is not there. "
        "Write it in the answer cell.",
    )


def own_work(name: str) -> Forbidden:
    """What is forbidden in every exercise."""
    return Forbidden(
        f"You import the course's own `{name}`. Write it yourself; to compare with the course's, "
        "import it in another cell, under another name.",
        test=lambda tree: syntax.imports_the_reference(tree, name),
    )


def judge_choice(exercise: Choice, answer: Any) -> Verdict:
    blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    letters = ", ".join(f'"{letter}"' for letter in exercise.options)
    if answer is None or answer is ...:
        return replace(
            blank,
            status="not started",
            message=f"Not started: set {exercise.name} to one of {letters}.",
        )
    letter = answer.strip().lower() if isinstance(answer, str) else answer
    if not isinstance(letter, str) or letter not in exercise.options:
        return replace(
            blank,
            misconception="not-an-option",
            title="Not one of the options",
            message=f"The answer must be one of {letters}.",
        )
    option = exercise.options[letter]
    right = exercise.is_right(letter)
    case = CaseResult(f"option {letter}", "basic", right, True)
    if right:
        return replace(
            blank, points=exercise.points, status="passed", message=option.why, cases=(case,)
        )
    return replace(
        blank, misconception=option.slug, title=option.text, message=option.why, cases=(case,)
    )


@lru_cache(maxsize=512)
def cases_of(exercise: Exercise, seed: int) -> tuple[Case, ...]:
    return tuple(exercise.cases(Draw(seed)))


# Outcomes that are known from an earlier run of the same code: exercise, function, seed
rehearsed: dict[tuple[str, Callable[..., Any], int], tuple[Outcome, ...]] = {}


@lru_cache(maxsize=512)
def expected_of(exercise: Exercise, seed: int) -> tuple[Outcome, ...]:
    """What the reference gives; in secret cases only where it is compared (training is slow)."""
    known = rehearsed.get((exercise.name, exercise.reference, seed))
    return known or tuple(
        play(case, exercise.reference) if seed == VISIBLE_SEED or case.verify is None else Outcome()
        for case in cases_of(exercise, seed)
    )


@lru_cache(maxsize=16384)
def variant_outcomes(
    exercise: Exercise, variant: Callable[..., Any], seed: int
) -> tuple[Outcome, ...]:
    known = rehearsed.get((exercise.name, variant, seed))
    return known or tuple(play(case, variant) for case in cases_of(exercise, seed))


def wrong_with(exercise: Exercise, case: Case, expected: Outcome, got: Outcome) -> str | None:
    """What is wrong with an outcome in a sentence, or None."""
    if case.raises is not None:
        if got.failure is None:
            return (
                f"this should raise {case.raises.__name__}, but returned "
                f"{'a value' if got.value is not None else 'None'}"
            )
        return (
            None
            if got.failure.type == case.raises.__name__
            else f"this should raise {case.raises.__name__}; {told(got.failure)}"
        )
    if got.failure is not None:
        return told(got.failure)
    if missing := values_missing(got, 1 + len(case.then)):
        return missing
    if case.verify is not None:
        return looked_at(case.verify, got)
    return outcome_difference(
        expected, got, exercise.tolerance, exercise.returns, input_names(exercise, case)
    )


def looked_at(look: Callable[..., str | None], *what: Any) -> str | None:
    """An author's own look at an outcome; one that stumbles over the form of what came back has
    found something wrong."""
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


def _verdict(
    exercise: Exercise,
    blank: Verdict,
    tree: Any,
    rounds: list[Any],
    complete: bool,
    attempt: Attempt,
) -> Verdict:
    results: list[CaseResult] = []
    failed: list[Found] = []
    for visible, seed, cases, outcomes in rounds:
        for case, expected, got in zip(cases, expected_of(exercise, seed), outcomes, strict=True):
            message = wrong_with(exercise, case, expected, got)
            told_here = message if message and visible else ""
            label = _label(case, told_here)
            results.append(CaseResult(label, case.group, message is None, visible, told_here))
            if message is not None and visible:
                failed.append(Found(case, expected, got, message))
        results += _laws(exercise, visible, cases, outcomes)
    points = _points(exercise, results) if complete else 0.0
    verdict = replace(blank, points=points, cases=tuple(results))
    if verdict.passed:
        return replace(verdict, status="passed", message="All cases pass.")
    verdict = _diagnose(exercise, verdict, tree, rounds)
    if failed:
        return _shown(exercise, verdict, attempt, min(failed, key=_readable))
    if not verdict.message:
        law = next((r for r in results if not r.passed and r.visible), None)
        labels = sorted({r.label for r in results if not r.passed})
        verdict = replace(
            verdict,
            message=f"{law.label}: {law.message}."
            if law
            else "It passes the cases that you can see, but not others of the kind: "
            f"{', '.join(labels)}. Is something fixed that should depend on the input?",
        )
    return verdict


def _label(case: Case, message: str) -> str:
    """What a case is called; one for gradients may fail before it comes to them."""
    early = message and case.gradients and "gradient" not in message
    return (
        f"{case.label} (already the values)" if early and "gradient" in case.label else case.label
    )


def _readable(found: Found) -> tuple[int, bool, bool, int]:
    """Basic cases first, then those without gradients, then those with a wrong shape (which says
    more than wrong numbers), then small ones."""
    group = list(SHARES).index(found.case.group)
    return group, found.case.gradients, " has shape " not in found.message, numbers(found.case)


def _shown(exercise: Exercise, verdict: Verdict, attempt: Attempt, found: Found) -> Verdict:
    """The verdict with a case that fails, made as small as can be."""
    variants = [
        variant
        for known in exercise.misconceptions
        if known.slug == verdict.misconception
        for variant in known.variants
    ]

    def same_mistake(case: Case, got: Outcome) -> bool:
        fitting = (outcome_difference(play(case, v), got, exercise.tolerance) for v in variants)
        return not variants or any(text is None for text in fitting)

    shrinker = Shrinker(
        exercise.reference,
        lambda cases: attempt.play(cases, min(exercise.limit, SHRINK_LIMIT)),
        partial(wrong_with, exercise),
        same_mistake,
        exercise.promised or (lambda case: True),
    )
    smallest = found
    if exercise.kind != "training":
        smallest = _as_a_variant_fails(exercise, shrinker, found, variants) or shrinker.shrink(
            found
        )
    case, expected, got, message = (
        smallest.case,
        smallest.expected,
        smallest.got,
        smallest.message,
    )
    where = f"For the case “{case.label}”: " if smallest is found else "In a small case: "
    return replace(
        verdict,
        message=verdict.message or f"{where}{message}.",
        counterexample=_counterexample(exercise, smallest, found),
        beside=sides(expected, got, exercise.tolerance, exercise.returns)
        if case.verify is None and case.raises is None and not case.hidden_values
        else (),
        picture=_picture(exercise, found.case, found.expected, found.got),
        failure=got.failure,
    )


def _as_a_variant_fails(
    exercise: Exercise, shrinker: Shrinker, found: Found, variants: Sequence[Callable[..., Any]]
) -> Found | None:
    """The smallest case in which a known wrong answer fails, if this answer, which behaves like
    it, fails there as well: found once, and not anew with every answer of a class."""
    visible = cases_of(exercise, VISIBLE_SEED)
    number = next((i for i, case in enumerate(visible) if case is found.case), None)
    if number is None:
        return None
    for variant in variants:
        theirs = variant_outcomes(exercise, variant, VISIBLE_SEED)[number]
        if _same(exercise, theirs, found.got):
            case = _smallest_case(exercise, variant, number)
            return shrinker.better(found, [case]) if case is not None else None
    return None


@lru_cache(maxsize=4096)
def _smallest_case(exercise: Exercise, variant: Callable[..., Any], number: int) -> Case | None:
    """The visible case of this number, made as small as can be for a known wrong answer."""
    case = cases_of(exercise, VISIBLE_SEED)[number]
    expected = expected_of(exercise, VISIBLE_SEED)[number]
    got = variant_outcomes(exercise, variant, VISIBLE_SEED)[number]
    message = wrong_with(exercise, case, expected, got)
    if message is None:
        return None
    shrinker = Shrinker(
        exercise.reference,
        lambda cases: [play(case, variant) for case in cases],
        partial(wrong_with, exercise),
        lambda case, got: True,
        exercise.promised or (lambda case: True),
    )
    found = Found(case, expected, got, message)
    smallest = shrinker.shrink(found)
    return None if smallest is found else smallest.case


def _laws(
    exercise: Exercise, visible: bool, cases: Any, outcomes: list[Outcome]
) -> list[CaseResult]:
    """The properties as results of their own, one each, over all cases of a round."""
    results = []
    pairs = [(case, got) for case, got in zip(cases, outcomes, strict=True) if case.raises is None]
    for law in exercise.properties:
        texts = [
            "it did not run" if got.failure is not None else looked_at(law.broken, case, got)
            for case, got in pairs
        ]
        text = next((text for text in texts if text), None)
        results.append(
            CaseResult(
                law.label, "property", text is None, visible, text if text and visible else ""
            )
        )
    changed = [
        f"modified in place: {_changed_names(exercise, case, got)}"
        for case, got in pairs
        if got.changed
    ]
    results.append(
        CaseResult(
            "leaves its inputs as they are",
            "property",
            not changed,
            visible,
            changed[0] if changed and visible else "",
        )
    )
    return results


def _points(exercise: Exercise, results: list[CaseResult]) -> float:
    """Each group counts when all of its cases pass; edge cases and properties count only on top of
    a right basis."""
    groups = {r.group for r in results}
    good = {g for g in groups if all(r.passed for r in results if r.group == g)}
    if "basic" in groups and "basic" not in good:
        return 0.0
    if good == groups:
        return float(exercise.points)
    return round(exercise.points * sum(SHARES[g] for g in good) / sum(SHARES[g] for g in groups), 2)


def _diagnose(exercise: Exercise, verdict: Verdict, tree: Any, rounds: list[Any]) -> Verdict:
    """Name the misconception: one whose variant behaves the same on every case, else one that the
    general rules know, else one that explains all but further mistakes in edge cases."""
    fitting = [known for known in exercise.misconceptions if _fits(exercise, known, tree, rounds)]
    if fitting:
        best = max(fitting, key=lambda known: known.rank)  # the first one on a tie
        section = best.section or verdict.section
        return replace(
            verdict,
            misconception=best.slug,
            title=best.title,
            message=best.hint,
            section=section,
        )
    slug, title, message = _general(exercise, rounds)
    section = verdict.section
    if slug is None and (known := _first_of_two(exercise, tree, rounds)) is not None:
        slug, title, message = known.slug, known.title, f"{known.hint} {ANOTHER}"
        section = known.section or section
    return replace(verdict, misconception=slug, title=title, message=message, section=section)


def _first_of_two(exercise: Exercise, tree: Any, rounds: list[Any]) -> Misconception | None:
    """The only misconception that explains the basic cases, where edge cases fail for another
    reason as well."""
    found = [
        known
        for known in exercise.misconceptions
        if known.symptom is None
        and (known.syntax is None or (tree is not None and known.syntax(tree)))
        and any(_explains_the_basis(exercise, variant, rounds) for variant in known.variants)
    ]
    return found[0] if len({known.slug for known in found}) == 1 else None


def _explains_the_basis(exercise: Exercise, variant: Callable[..., Any], rounds: list[Any]) -> bool:
    """The same outcome in every basic case, some of them wrong; in every other case the same one,
    or a wrong one."""
    basis = False
    for _, seed, cases, outcomes in rounds:
        known = expected_of(exercise, seed), variant_outcomes(exercise, variant, seed)
        for case, want, theirs, got in zip(cases, *known, outcomes, strict=True):
            wrong = wrong_with(exercise, case, want, got) is not None
            if not _same(exercise, theirs, got) and (case.group == "basic" or not wrong):
                return False
            basis |= case.group == "basic" and wrong and got.failure is None
    return basis


def _same(exercise: Exercise, theirs: Outcome, got: Outcome) -> bool:
    differ = outcome_difference(theirs, got, exercise.tolerance) is not None
    return not differ and theirs.changed == got.changed


def _fits(exercise: Exercise, known: Misconception, tree: Any, rounds: list[Any]) -> bool:
    if known.syntax is not None and (tree is None or not known.syntax(tree)):
        return False
    if known.variants and not any(_behaves_like(exercise, v, rounds) for v in known.variants):
        return False
    return known.symptom is None or _shows(known.symptom, rounds)


def _behaves_like(exercise: Exercise, variant: Callable[..., Any], rounds: list[Any]) -> bool:
    """The same outcome in every case; where all that the two share is errors, also the same
    ones. The visible round comes first: it is known already, and rules out most variants."""
    pairs: list[tuple[Outcome, Outcome]] = []
    for _, seed, _, outcomes in rounds:
        pairs += zip(variant_outcomes(exercise, variant, seed), outcomes, strict=True)
        if not all(_same(exercise, theirs, got) for theirs, got in pairs[-len(outcomes) :]):
            return False
    return any(got.failure is None for _, got in pairs) or all(
        _wording(theirs.failure) == _wording(got.failure) for theirs, got in pairs
    )


def _wording(failure: Failure | None) -> str:
    """What an error says, without its numbers and names."""
    return re.sub(r"\d+|'[^']*'", "#", failure.message)[:30] if failure is not None else ""


def _shows(symptom: Callable[[Case, Outcome], bool], rounds: list[Any]) -> bool:
    """Does every case show it? A look that stumbles over what came back has not seen it."""
    pairs = [pair for _, _, cases, outcomes in rounds for pair in zip(cases, outcomes, strict=True)]
    try:
        return all(got.failure is None and symptom(case, got) for case, got in pairs)
    except Exception:
        return False


def _general(exercise: Exercise, rounds: list[Any]) -> tuple[str | None, str, str]:
    """Mistakes that can be told without knowing the exercise: (slug, title, message)."""
    _, seed, cases, outcomes = rounds[0]
    usual = [
        (c, e, g)
        for c, e, g in zip(cases, expected_of(exercise, seed), outcomes, strict=True)
        if c.raises is None
    ]
    failures = [g.failure for _, _, g in usual if g.failure is not None]
    values = [(e.value, g.value) for _, e, g in usual if g.failure is None and e.failure is None]
    if any(f.kind == "time" for f in failures):
        return (
            "endless",
            "It never ends",
            "The answer ran into the time limit. Which loop has no way out, or does far more "
            "than it must?",
        )
    if failures and all(f.kind == "parameters" for f in failures):
        return (
            "parameters",
            "Other parameters than the text asks for",
            failures[0].message
            and f"The module does not have the parameters of the text: {failures[0].message}.",
        )
    if pair := next((f for f in failures if TUPLE.search(f.message)), None):
        where = f" in your line {pair.line}, `{pair.code}`," if pair.line else ""
        return (
            "tuple-not-unpacked",
            "A tuple where a tensor is wanted",
            f"Something that you call returns several results in a tuple, and{where} you go "
            "on with the tuple as if it were one tensor. "
            "Attention, for one, returns (output, weights). Which part do you want? Take it "
            "by its number, or unpack the tuple.",
        )
    if values and all(got is None and want is not None for want, got in values):
        return (
            "returns-nothing",
            "Nothing is returned",
            "The answer returns None. Is the `return` missing, or does a branch end without one?",
        )
    if values and all(
        isinstance(want, tuple)
        and isinstance(got, tuple)
        and _swapped(want, got, exercise.tolerance)
        for want, got in values
    ):
        return (
            "swapped-results",
            "Results in the wrong order",
            "Both results are right, but in the wrong order: return "
            f"{', '.join(exercise.returns) or 'them as the text says'}.",
        )
    if any(g.changed for _, _, g in usual):
        return (
            "changes-its-input",
            "The input is changed",
            "The answer modifies a tensor that it was given. The caller still needs it: work on "
            "a copy, or use operations without a trailing underscore and without `+=`.",
        )
    graded = [(e, g) for _, e, g in usual if e.gradients and g.failure is None]
    values_right = all(
        outcome_difference(replace(e, gradients={}), replace(g, gradients={}), exercise.tolerance)
        is None
        for _, e, g in usual
    )
    if (
        values_right
        and graded
        and all(gradient_difference(e, g, exercise.tolerance) for e, g in graded)
    ):
        return (
            "no-gradient",
            "The values are right, the gradient is not",
            "Nothing can be learned through this answer: somewhere the values leave the graph, "
            "by `.detach()`, `.item()`, `.data`, NumPy or `torch.no_grad()`.",
        )
    return None, "", ""


def _swapped(want: tuple[Any, ...], got: tuple[Any, ...], tolerance: float) -> bool:
    return (
        len(want) == len(got) == 2
        and outcome_difference(Outcome((want[::-1],)), Outcome((got,)), tolerance) is None
    )


def _counterexample(exercise: Exercise, found: Found, original: Found) -> tuple[Row, ...]:
    """The case in rows: where it was found, what is wrong, and what went in."""
    case = found.case
    rows = [(_origin(case, original.case), _label(original.case, found.message))]
    failure, message = found.got.failure, found.message
    if failure is not None and failure.kind == "raised" and case.raises is None:
        message = f"it raised {failure.type}"  # the card begins with what Python says
    rows.append(("what is wrong", message))
    if case.hidden_values:
        return tuple(rows)
    if case.init is not None:
        rows.append(("made by", f"{exercise.name}({', '.join(show(v) for v in case.init)})"))
        if case.weights:
            rows.append(("its weights", show(dict(case.weights))))
    if failure is not None and failure.kind == "parameters":
        return tuple(rows)  # it was never called
    rows += [
        (name, show(value))
        for name, value in zip(argument_names(exercise, case), case.args, strict=True)
    ]
    rows += [(key, show(value)) for key, value in case.kwargs.items()]
    for number, call in enumerate(case.then):
        given = "\n".join(show(value) for value in call.args) or "()"
        rows.append((f"call {number + 2} {call.method or ''}".rstrip(), given))
    return tuple(rows)


def _origin(case: Case, original: Case) -> str:
    """How a case that is shown came of the one whose label stands beside it."""
    if numbers(case) < numbers(original):
        return "made smaller from"
    alike = show(list(case.inputs)) == show(list(original.inputs))
    return "case" if alike and case.init == original.init else "rounded from"


def argument_names(exercise: Exercise, case: Case) -> list[str]:
    """What the arguments of a case are called in the reference."""
    target = (
        exercise.reference
        if case.init is None
        else getattr(exercise.reference, case.method or "forward", exercise.reference)
    )
    names = _parameters(target)
    return [names[i] if i < len(names) else f"argument {i + 1}" for i in range(len(case.args))]


def input_names(exercise: Exercise, case: Case) -> list[str]:
    """What all inputs of a case are called, as in `Case.inputs`."""
    return [*argument_names(exercise, case), *case.kwargs]


@lru_cache
def _parameters(target: Callable[..., Any]) -> tuple[str, ...]:
    try:
        return tuple(name for name in inspect.signature(target).parameters if name != "self")
    except (TypeError, ValueError):
        return ()


def _changed_names(exercise: Exercise, case: Case, got: Outcome) -> str:
    """Which arguments were changed; the numbers come from the student's process, so one that does
    not exist is no surprise."""
    known = [name for i, name in enumerate(input_names(exercise, case)) if i in got.changed]
    return " and ".join(f"`{name}`" for name in known) or "an argument"


def _picture(exercise: Exercise, case: Case, expected: Outcome, got: Outcome) -> str:
    if exercise.picture is None or expected.failure is not None or got.failure is not None:
        return ""
    try:
        return exercise.picture(case, expected, got)
    except Exception:  # a picture of something malformed is not worth a verdict
        return ""
