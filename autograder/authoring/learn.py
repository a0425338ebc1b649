"""Makes a misconception of a wrong answer that has no name yet: writes its skeleton into the file
of the exercise and the answer into the bank, and says what is left for the author.

What a student wrote is never run here. It is called only when the exercise is judged, and stays a
comment if it reaches for more than arithmetic needs.
"""

import ast
import builtins
import importlib
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring import attempts as bank
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.pages import unnamed
from autograder.pages.unnamed import Group
from autograder.settings import nearest
from course_utils import exercises
from course_utils.judging import syntax
from course_utils.judging.exercise import Exercise

MADE = "learned-"  # how a mistake is called to which nobody gave a name
TO_WRITE = "TO WRITE"  # marks what only an author can write
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
GIVEN = {  # what every notebook of the course imports
    "torch": "import torch",
    "nn": "from torch import nn",
    "F": "import torch.nn.functional as F",
    "math": "import math",
    "einops": "import einops",
}
MODULES = {"torch", "math", "copy", "einops", "numpy"}  # that an answer may import and still be run
CALLED = {  # builtins with which code gets at files and its surroundings
    "open", "exec", "eval", "compile", "input", "breakpoint", "exit", "quit", "globals", "locals",
    "vars", "getattr", "setattr", "delattr",
}  # fmt: skip
REACHED = {  # parts of libraries that read, write or start something
    "load", "save", "hub", "ops", "classes", "jit", "package", "utils", "multiprocessing",
    "distributed", "fromfile", "from_file", "tofile", "loadtxt", "savetxt", "genfromtxt", "memmap",
    "ctypeslib", "lib",
}  # fmt: skip


@dataclass(frozen=True)
class Learned:
    """What was written, and where."""

    group: Group
    slug: str
    attempt: str  # its name in the bank
    exercise_file: Path
    bank_file: Path
    missing: tuple[str, ...]  # names that the code uses and nobody defines
    reason: str  # why the code stands there as a comment; empty if it does not


def learn(
    course: Course,
    unit: str,
    exercise: str | None = None,
    number: int | None = None,
    slug: str = "",
) -> Learned:
    """Write the skeletons for one group of answers: that of this number, or the first one that the
    bank does not know yet."""
    group = choose(course, unit, exercise, number)
    known = exercises.find(group.exercise)
    assert isinstance(known, Exercise)  # an option of a choice always has a name
    module = exercises.unit_of(known.name).module
    code_file = SOURCE_TREE / "course_utils" / "exercises" / module / f"{known.name}.py"
    bank_file = bank.BANK / unit / f"{known.name}.py"
    for path in (code_file, bank_file.parent):
        if not path.exists():
            raise UserError(f"{path} is not there: run this in a checkout of the course")
    answer = Answer(group.code, known.name)
    name, text = _attempt(bank_file, answer)
    slug = _slug(slug or name.replace("_", "-"), known)
    skeleton = _misconception(known, name, slug, answer, unit)
    code = f"{code_file.read_text(encoding='utf-8').rstrip()}\n\n\n{skeleton}"
    ast.parse(code)  # whatever happens, the course still loads
    write_whole(code_file, code)
    write_whole(bank_file, text.replace(f"wrong: {name} (no name)", f"wrong: {name} ({slug})"))
    missing = () if answer.reason else answer.missing(unit)
    return Learned(group, slug, name, code_file, bank_file, missing, answer.reason)


def choose(course: Course, unit: str, exercise: str | None, number: int | None) -> Group:
    """The group that is meant, or a sentence that says why there is none."""
    found = unnamed_answers(course, unit, exercise)
    if number is not None:
        chosen = [group for group in found if group.number == number]
        if not chosen:
            listed = ", ".join(str(group.number) for group in found)
            of = f" of {exercise}" if exercise else ""
            raise UserError(f"{unit} has no group {number}{of}: there are {listed}")
        if name := _known_as(chosen[0], unit):
            raise UserError(f"group {number} is learned already: it is {name} in the bank")
        return chosen[0]
    for group in found:
        if group.code and not _known_as(group, unit) and Answer.can_be_read(group):
            return group
    raise UserError(f"all {len(found)} groups of {unit} are learned already, or are not Python")


def unnamed_answers(course: Course, unit: str, exercise: str | None = None) -> list[Group]:
    """The groups of a unit; a sentence if there is none."""
    if course.foreign:
        raise UserError("misconceptions belong to exercises of this course: nbgrader's have none")
    names = [each.name for each in course.unit(unit).exercises]
    if exercise is not None and exercise not in names:
        near = nearest(exercise, names) or f"; it has {', '.join(names)}"
        raise UserError(f"{unit} has no exercise {exercise!r}{near}")
    everybody = unnamed.graded(course, unit)
    if not everybody:
        raise UserError(f"nobody is graded in {unit}: run `autograder grade {unit[:2]}` first")
    found = unnamed.groups(course, unit, everybody)
    found = [group for group in found if exercise in (None, group.exercise)]
    if not found:
        where = exercise or unit
        raise UserError(f"every wrong answer to {where} has a name: there is nothing to learn")
    return found


def _known_as(group: Group, unit: str) -> str:
    """The attempt of the bank with this code that has a name already."""
    path = bank.BANK / unit / f"{group.exercise}.py"
    if not path.is_file() or not Answer.can_be_read(group):
        return ""
    mine = Answer(group.code, group.exercise).shape
    named = (attempt for attempt in bank.read_attempts(path) if attempt.slug)
    return next((attempt.name for attempt in named if _shape(attempt) == mine), "")


def _shape(attempt: bank.Attempt) -> str:
    tree = syntax.parse(attempt.source)
    if tree is not None and not tree.body:  # it stands there as a comment
        tree = syntax.parse(re.sub(r"(?m)^# ?", "", attempt.source))
    return ast.dump(essential(tree, attempt.exercise)) if tree is not None else ""


# The answer --------------------------------------------------------------------------------------


def essential(tree: ast.Module, name: str) -> ast.Module:
    """The definition of the answer and what it needs; no docstrings, in which people write
    anything, and nothing that only prints or tries."""
    defining = [node for node in tree.body if syntax.bound(node)]
    found = syntax.own(ast.Module(defining, type_ignores=[]), name)
    for node in ast.walk(found):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return found


class Answer:
    """What a student wrote, without comments and without what the answer does not need."""

    def __init__(self, source: str, name: str) -> None:
        tree = syntax.parse(source)
        if tree is None or not syntax.defines(tree, name):
            raise UserError(f"the answer is not Python that defines {name}: nothing can be learned")
        self.name, self.tree = name, essential(tree, name)
        self.code = ast.unparse(self.tree)
        self.shape = ast.dump(self.tree)
        self.reason = reaching(self.tree)

    @staticmethod
    def can_be_read(group: Group) -> bool:
        tree = syntax.parse(group.code)
        return tree is not None and syntax.defines(tree, group.exercise)

    @property
    def free(self) -> list[str]:
        """Names that the code uses and does not define."""
        names = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name)]
        mine = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.arg):
                mine.add(node.arg)
            elif isinstance(node, ast.stmt):
                mine |= syntax.bound(node)
        used = dict.fromkeys(node.id for node in names if node.id not in mine)
        return sorted(name for name in used if not hasattr(builtins, name))

    def imports(self, unit: str) -> list[str]:
        """The lines that bring in what a notebook has: torch, and right earlier answers."""
        found = [GIVEN[name] for name in self.free if name in GIVEN]
        homes = {name: _home(name, unit) for name in self.free if name not in GIVEN}
        return found + [f"from {home} import {name}" for name, home in homes.items() if home]

    def missing(self, unit: str) -> tuple[str, ...]:
        return tuple(name for name in self.free if name not in GIVEN and not _home(name, unit))


def reaching(tree: ast.AST) -> str:
    """Why code is not to be run before somebody has read it; empty if it only computes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            modules = modules or [alias.name for alias in node.names]
            if strange := [each for each in modules if each.split(".")[0] not in MODULES]:
                return f"it imports {strange[0] or 'something'}"
        if name := _reached(node):
            return f"it uses {name}"
    return ""


def _reached(node: ast.AST) -> str:
    """What a node reaches for, if that is more than arithmetic needs."""
    if isinstance(node, ast.Name):
        return node.id if node.id in CALLED or node.id.startswith("__") else ""
    if isinstance(node, ast.alias):
        name, mine = node.name.split(".")[-1], False
    elif isinstance(node, ast.Attribute):
        name, mine = node.attr, ast.unparse(node.value) in ("self", "super()")
    else:
        return ""
    private = name.startswith("__" if mine else "_") and name != "__init__"
    return name if name in REACHED or private else ""


def _home(name: str, unit: str) -> str:
    """The newest module of the course, up to this unit, that has something of this name."""
    home = ""
    for each in exercises.units():
        module = f"course_utils.{each.module}"
        path = SOURCE_TREE / "course_utils" / f"{each.module}.py"
        known = path.is_file() and each.name <= unit
        if known and hasattr(importlib.import_module(module), name):
            home = module
    return home


# What is written ---------------------------------------------------------------------------------


def _attempt(path: Path, answer: Answer) -> tuple[str, str]:
    """The name of the attempt and the new text of its file; one that is there already, without a
    name of its mistake, stays where it is."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    known = bank.read_attempts(path) if text else []
    for attempt in known:
        if not attempt.right and attempt.slug is None and _shape(attempt) == answer.shape:
            return attempt.name, text
    taken, count = {attempt.name for attempt in known}, 1
    while f"learned_{count}" in taken:
        count += 1
    name = f"learned_{count}"
    code = textwrap.indent(answer.code, "# ") if answer.reason else answer.code
    cell = f"# %% wrong: {name} (no name)\n{code}\n"
    return name, f"{text.rstrip()}\n\n\n{cell}" if text else cell


def _slug(slug: str, exercise: Exercise) -> str:
    if not SLUG.fullmatch(slug):
        raise UserError(f"--name {slug!r}: a name is words and hyphens, for instance off-by-one")
    if any(known.slug == slug for known in exercise.misconceptions):
        raise UserError(f"{exercise.name} has a misconception {slug} already: take another --name")
    return slug


def _misconception(exercise: Exercise, name: str, slug: str, answer: Answer, unit: str) -> str:
    """The skeleton in the file of the exercise."""
    what = [
        f'    "{slug}",',
        f'    "{TO_WRITE}: what went wrong, in a few words",',
        f'    "{TO_WRITE}: what was done, why it matters and where to look, but not the answer.",',
    ]
    if exercise.kind == "training":  # known by a symptom, since no two trainings end alike
        lines = ["EXERCISE.misconception(", *what]
        return "\n".join([*lines, f"    symptom=lambda case, got: False,  # {TO_WRITE}", ")", ""])
    head = ["@EXERCISE.misconception(", *what, ")", f"def {name}(*args, **kwargs):"]
    if answer.reason:
        said = [f"{answer.reason}: read it before you let it run", "", *answer.code.splitlines()]
        body = [f"# {line}".rstrip() for line in said] + ["raise NotImplementedError"]
    else:
        end = f"return {answer.name}(*args, **kwargs)"
        body = [*answer.imports(unit), "", answer.code, "", end]
    return "\n".join(head) + "\n" + textwrap.indent("\n".join(body).strip("\n"), "    ") + "\n"


def report(learned: Learned, unit: str) -> list[str]:
    """What was done, and what is left to do."""
    group, number = learned.group, unit[:2]
    count = len(group.students)
    who = "1 student gave" if count == 1 else f"{count} students gave"
    slug, attempt = learned.slug, learned.attempt
    found = [
        f"group {group.number}: {who} such an answer to {group.exercise}",
        f"wrote the misconception {slug} into {_where(learned.exercise_file, slug)}",
        f"wrote the attempt {attempt} into {_where(learned.bank_file, attempt)}",
        "read the code first: a student wrote it, and from now on it runs without walls",
    ]
    if learned.reason:
        found.append(f"it stands there as a comment, because {learned.reason}")
    for name in learned.missing:
        found.append(f"it uses {name}, which nobody defines: write it into the answer")
    name = f"; a name that says more than {slug}, in both files" if slug.startswith(MADE) else ""
    return [
        *found,
        f"left to write, marked {TO_WRITE}: the title and the hint{name}; shorter code if the"
        " mistake needs less",
        f"then: autograder try {group.exercise} {attempt}; autograder audit --unit {number};"
        f" autograder grade {number} --changed",
    ]


def _where(path: Path, words: str) -> str:
    lines = path.read_text(encoding="utf-8").splitlines()
    last = max(number for number, line in enumerate(lines, start=1) if words in line)
    return f"{bank.relative(path)}, line {last}"
