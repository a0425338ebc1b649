"""`check(answer)`: what a student calls, and what the last line of every test cell is."""

import os
from collections.abc import MutableMapping
from functools import partial
from typing import Any

from course_utils import choices, exercises
from course_utils.judging import card, syntax
from course_utils.judging.exercise import Choice, Exercise
from course_utils.judging.judge import Earlier, LocalAttempt, Verdict, judge, not_the_students
from course_utils.judging.origin import is_the_courses, unwrapped

# Environment variable: also draw the cases of this seed, as a grader that runs in the kernel does.
SEED = "COURSE_SEED"

_seen: dict[str, Verdict] = {}


class Result:
    """A verdict as the value of a cell: a card to look at, and a number that nbgrader reads as
    partial credit."""

    def __init__(self, verdict: Verdict, also: tuple[Verdict, ...] = ()) -> None:
        self.verdict, self.also = verdict, also  # others are only shown with it
        self.points = min(max(round(float(verdict.points), 2), 0.0), float(verdict.max_points))

    def __repr__(self) -> str:
        return repr(self.points)

    def __str__(self) -> str:
        return "\n".join(card.as_text(each) for each in (self.verdict, *self.also))

    def _repr_html_(self) -> str:
        return "".join(card.as_html(each) for each in (self.verdict, *self.also))


class Problem:
    """Shown instead of a traceback when `check` itself was called wrongly; worth nothing."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return repr(0.0)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return (
            f"<div style='border-left:6px solid #57606a;padding:8px 14px'>{escape(self.text)}</div>"
        )


def check(answer: Any, exercise: str | None = None) -> Result | Problem:
    """Check an answer against the cases that everybody may see, at once, and say what is wrong and
    why."""
    name = exercise if exercise is not None else getattr(answer, "__name__", None)
    if not isinstance(name, str):
        return _shown(
            Problem('Tell check() which exercise this is: check(answer, "name of the exercise").')
        )
    try:
        found = exercises.find(name)
    except KeyError as error:
        return _shown(Problem(error.args[0]))
    if isinstance(found, Exercise) and not callable(answer):
        return _shown(
            Problem(
                f"{name} should be a {'class' if found.kind == 'module' else 'function'}, "
                f"but it is {type(answer).__name__}."
            )
        )
    if isinstance(found, Choice) and _shell() is not None and not os.environ.get(SEED):
        return _shown(_decided(found, answer))
    if isinstance(found, Exercise) and is_the_courses(answer, found):
        verdict = not_the_students(found)
    else:
        attempt = LocalAttempt(answer, source_of(answer, name, found), namespace_of(answer))
        seed = os.environ.get(SEED) or None
        verdict = judge(found, attempt, seed, earlier_than(name, attempt.names))
    _seen[name] = verdict
    return _shown(Result(verdict))


def earlier_than(name: str, names: MutableMapping[str, Any]) -> list[Earlier]:
    """The exercises before this one in its assignment, with what was said of their answers; one
    that was not checked yet is looked at if need be, and nothing is shown."""
    before: list[Earlier] = []
    for each in exercises.unit_of(name).exercises:
        if each.name == name:
            break
        if isinstance(each, Exercise):
            look = partial(_looked_at, each, names, tuple(before))
            before.append(Earlier(each, _seen.get(each.name), look))
    return before


def _looked_at(
    exercise: Exercise, names: MutableMapping[str, Any], before: tuple[Earlier, ...]
) -> Verdict | None:
    """The verdict on an answer of the notebook, on the visible cases; None if there is none."""
    answer = names.get(exercise.name)
    if not callable(answer):
        return None
    if is_the_courses(answer, exercise):
        return not_the_students(exercise)
    source = source_of(answer, exercise.name, exercise)
    return judge(exercise, LocalAttempt(answer, source, names), None, before)


def namespace_of(answer: Any) -> dict[str, Any]:
    """Where an answer looks for what it calls: the notebook, or its module."""
    shell = _shell()
    if shell is not None:
        names: dict[str, Any] = shell.user_ns
        return names
    inner = unwrapped(answer)
    methods = list(vars(inner).values()) if isinstance(inner, type) else [inner]
    found = (getattr(method, "__globals__", None) for method in methods)
    return next((names for names in found if names is not None), {})


def _decided(choice: Choice, answer: Any) -> Result | Problem:
    """The verdict of a choice in a notebook, together with the others or not yet."""
    unit, names = exercises.unit_of(choice.name), _shell().user_ns
    answers = {each.name: names.get(each.name) for each in unit.exercises} | {choice.name: answer}
    if others := choices.undecided(choice, unit, answers):
        return Problem(choices.wait(choice, answer, others))
    told = choices.told_with(choice, unit, answers)
    verdicts = [judge(each, LocalAttempt(answers[each.name])) for each in told]
    _seen.update({verdict.exercise: verdict for verdict in verdicts})
    return Result(verdicts[0], tuple(verdicts[1:]))


def source_of(answer: Any, name: str, exercise: Exercise | Choice) -> str:
    """The cell that defined the answer: the newest one that binds its name, else whatever Python
    can find."""
    if isinstance(exercise, Choice):
        return ""
    for cell in reversed(_cells()):
        tree = syntax.parse(cell)
        if tree is not None and syntax.defines(tree, name):
            return cell
    import inspect
    import textwrap

    try:
        return textwrap.dedent(inspect.getsource(answer))
    except (OSError, TypeError):
        return ""


def _shell() -> Any:
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _cells() -> list[str]:
    shell = _shell()
    return [str(cell) for cell in shell.user_ns.get("In", [])] if shell is not None else []


def _rich() -> bool:
    """Is there a front end that shows HTML?"""
    shell = _shell()
    return shell is not None and type(shell).__name__ not in ("TerminalInteractiveShell",)


def _shown(result: Any) -> Any:
    if not _rich():
        print(result)
    return result


def ready(*names: str) -> bool:
    """May a cell run that is built from these answers? Only once their checks are green; while a
    notebook is graded, never: such cells earn nothing and take time."""
    missing = [name for name in names if name not in _seen or not _seen[name].passed]
    if os.environ.get(SEED):
        print("This cell is left out while the notebook is graded.")
    elif missing:
        print(
            "This cell puts your own parts together. It runs once these checks are green: "
            f"{', '.join(missing)}."
        )
    return not missing and not os.environ.get(SEED)


def summary(unit: str) -> "Summary":
    """The total of an assignment and what is still missing; the last cell of every assignment shows
    it."""
    return Summary(unit)


class Summary:
    def __init__(self, unit: str) -> None:
        self.unit = exercises.unit(unit)
        self.rows = [(e.name, _seen.get(e.name), e.points) for e in self.unit.exercises]
        names = _shell().user_ns if _shell() is not None else {}
        self.noted = {
            e.name
            for e in self.unit.exercises
            if isinstance(e, Choice) and choices.letter_of(e, names.get(e.name)) is not None
        }

    def _lines(self) -> list[tuple[str, str, str]]:
        lines = []
        for name, verdict, points in self.rows:
            unseen = "noted, told with the others" if name in self.noted else "not checked yet"
            mark, _, word = card.LOOKS[verdict.status] if verdict is not None else ("○", "", unseen)
            lines.append(
                (f"{mark} {name}", f"{verdict.points if verdict else 0:g} / {points:g}", word)
            )
        return lines

    def _total(self) -> str:
        got = sum(verdict.points for _, verdict, _ in self.rows if verdict is not None)
        open_ = [name for name, verdict, _ in self.rows if verdict is None or not verdict.passed]
        rest = (
            f"Still to do: {', '.join(open_)}."
            if open_
            else "Everything that can be checked here is right."
        )
        return (
            f"{got:g} of {self.unit.points:g} points on the visible cases. {rest} "
            "Written answers are graded by hand."
        )

    def __str__(self) -> str:
        return "\n".join(
            [f"{name:<32} {points:>9}  {word}" for name, points, word in self._lines()]
            + [self._total()]
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from html import escape

        cells = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{escape(text)}</td>" for text in line)
            + "</tr>"
            for line in self._lines()
        )
        head = (
            "<tr><th style='text-align:left'>exercise</th><th "
            "style='text-align:left'>points</th><th style='text-align:left'>state</th></tr>"
        )
        return (
            f"<table><thead>{head}</thead><tbody>{cells}</tbody></table><p>"
            f"{escape(self._total())}</p>"
        )
