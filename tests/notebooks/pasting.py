"""What a student gets who hands in pieces of a lecture: its functions, classes and lambdas under
the names of the exercises, and its statements with renamed variables as their bodies."""

import ast
import builtins
import copy
import itertools
import math
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import jupytext
import nbformat
import torch
import torch.nn.functional as F
from torch import nn

from autograder.authoring import notebooks
from autograder.course import SOURCE_TREE, Course
from course_utils import exercises
from course_utils.judging.exercise import Exercise, Unit
from course_utils.judging.judge import (
    VISIBLE_SEED,
    LocalAttempt,
    cases_of,
    expected_of,
    judge,
    wrong_with,
)

COURSE = Course(SOURCE_TREE)
SEED = "pasting"  # of the cases that a grader would add
LONGEST = 4  # statements in a row
MOST = 4  # variables to be renamed: all orders are tried


@dataclass
class Paste:
    """Pieces of a lecture, handed in at one exercise."""

    exercise: Exercise
    points: float = 0.0
    source: str = ""  # the best piece
    tried: int = 0
    seen: set[str] = field(default_factory=set)

    def hand_in(self, source: str, names: dict[str, Any]) -> None:
        """Judge a piece as the grader does; one that fails the first case is not looked at any
        further."""
        if source in self.seen or self.points == self.exercise.points:
            return
        self.seen.add(source)
        answer = defined(source, self.exercise.name, names)
        if answer is None or not starts_right(self.exercise, answer):
            return
        verdict = judge(self.exercise, LocalAttempt(answer, source), SEED)
        self.tried += 1
        if verdict.points > self.points:
            self.points, self.source = verdict.points, source


def defined(source: str, name: str, names: dict[str, Any]) -> Any:
    scope = dict(names)
    with suppress(Exception):
        exec(compile(source, "<paste>", "exec"), scope)
        return scope.get(name)
    return None


def starts_right(exercise: Exercise, answer: Any) -> bool:
    """Does it pass the first case that everybody sees?"""
    if exercise.kind == "training":
        return True
    case = cases_of(exercise, VISIBLE_SEED)[0]
    got = LocalAttempt(answer).play([case], exercise.limit)[0]
    return wrong_with(exercise, case, expected_of(exercise, VISIBLE_SEED)[0], got) is None


def pasted(unit: Unit) -> list[Paste]:
    """Every exercise of a unit, with what pieces of its lecture earn there at best."""
    cells = lecture_cells(unit)
    return [paste_at(unit, each, cells) for each in unit.exercises if isinstance(each, Exercise)]


def paste_at(unit: Unit, exercise: Exercise, cells: list[list[ast.stmt]]) -> Paste:
    """Hand in every piece of some cells at one exercise."""
    paste, names = Paste(exercise), namespace(unit, exercise)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in definitions(cells, exercise):
            paste.hand_in(source, names)
        for source in bodies(cells, exercise, stub_of(unit, exercise), set(names)):
            paste.hand_in(source, names)
    return paste


def lecture_cells(unit: Unit) -> list[list[ast.stmt]]:
    """The statements of a lecture's code cells."""
    notebook = jupytext.read(notebooks.lecture_source(COURSE, unit.name), fmt="py:percent")
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return [ast.parse(source).body for source in sources]


def stub_of(unit: Unit, exercise: Exercise) -> ast.Module:
    """The answer cell as students get it."""
    path = COURSE.assignments / unit.name / f"{unit.name}.ipynb"
    cells = {cell["id"]: cell for cell in nbformat.read(path, as_version=4).cells}
    return ast.parse(cells[exercise.name].source)


def namespace(unit: Unit, exercise: Exercise) -> dict[str, Any]:
    """What an answer cell finds: the import cell's names, earlier units, and all other exercises of
    the unit, solved."""
    names: dict[str, Any] = {"torch": torch, "nn": nn, "F": F, "math": math, "__name__": "__main__"}
    solved = [
        each
        for other in exercises.units()
        if other.name <= unit.name
        for each in other.exercises
        if isinstance(each, Exercise) and each.name != exercise.name
    ]
    return names | {each.name: each.reference for each in solved}


# Definitions ----------------------------------------------------------------------------------


def definitions(cells: list[list[ast.stmt]], exercise: Exercise) -> Iterator[str]:
    """Each function, class and lambda of a lecture under the exercise's name, after everything else
    that the lecture defines."""
    tops = [node for body in cells for node in body if is_definition(node)]
    before = "\n\n".join(ast.unparse(node) for node in tops)
    nodes = [node for body in cells for top in body for node in ast.walk(top)]
    for node in nodes:
        if isinstance(node, ast.Lambda):
            yield f"{before}\n\n{exercise.name} = {ast.unparse(node)}"
        elif is_definition(node):
            renamed: Any = copy.deepcopy(node)
            renamed.name = exercise.name
            yield f"{before}\n\n{ast.unparse(renamed)}"


def is_definition(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


# Statements -----------------------------------------------------------------------------------


def bodies(
    cells: list[list[ast.stmt]], exercise: Exercise, stub: ast.Module, known: set[str]
) -> Iterator[str]:
    """The stub with every run of statements in place of `...`, its variables renamed to the
    arguments in every order."""
    holes = [node for node in ast.walk(stub) if isinstance(node, ast.FunctionDef) and is_hole(node)]
    if len(holes) != 1:
        return
    arguments = [argument.arg for argument in holes[0].args.args]
    needed = len(arguments) - len(holes[0].args.defaults)  # who ignores one is not right
    for run in runs(cells):
        free = free_names(run) - known - set(dir(builtins))
        if not needed <= len(free) <= min(len(arguments), MOST):
            continue
        for order in itertools.permutations(arguments, len(free)):
            names = dict(zip(sorted(free), order, strict=True))
            if not is_object(names, run, stub):
                continue
            for end in endings(run, len(exercise.returns)):
                yield filled(stub, [*run[:-1], *end], names)


def is_object(names: dict[str, str], run: list[ast.stmt], stub: ast.Module) -> bool:
    """Is what is renamed to `self` used as one, with attributes that the class has?"""
    itself = {name for name, argument in names.items() if argument == "self"}
    return attributes(run, itself) <= attributes(stub.body, {"self"}) and all(
        attributes(run, {name}) for name in itself
    )


def attributes(statements: list[ast.stmt], names: set[str]) -> set[str]:
    """Which attributes of these names are used."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
    }


def is_hole(function: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and node.value.value is ...
        for node in function.body
    )


def runs(cells: list[list[ast.stmt]]) -> Iterator[list[ast.stmt]]:
    for body in cells:
        for start in range(len(body)):
            for end in range(start + 1, min(start + LONGEST, len(body)) + 1):
                if isinstance(body[end - 1], ast.Assign | ast.Expr):
                    yield body[start:end]


def free_names(run: list[ast.stmt]) -> set[str]:
    """Names that are read before the run binds them."""
    bound: set[str] = set()
    free: set[str] = set()
    for statement in run:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        inside = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
        stored = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
        local = stored if not isinstance(statement, ast.Assign) else set()
        loops = {
            name.id
            for node in ast.walk(statement)
            if isinstance(node, ast.comprehension)
            for name in ast.walk(node.target)
            if isinstance(name, ast.Name)
        }
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        free |= read - bound - inside - local - loops
        bound |= stored
    return free


def endings(run: list[ast.stmt], results: int) -> Iterator[list[ast.stmt]]:
    """Ways to return what the last statement computes, alone or beside what an earlier one did."""
    last = run[-1]
    value = last.value if isinstance(last, ast.Expr) else targets(last)
    keep = [] if isinstance(last, ast.Expr) else [last]
    yield [*keep, ast.Return(value)]
    if results == 2:
        stored = [node for each in run for node in ast.walk(each) if isinstance(node, ast.Name)]
        for name in sorted({node.id for node in stored if not isinstance(node.ctx, ast.Load)}):
            other = ast.Name(name, ast.Load())
            yield [*keep, ast.Return(ast.Tuple([value, other], ast.Load()))]


def targets(statement: ast.stmt) -> ast.expr:
    assert isinstance(statement, ast.Assign)
    loaded: ast.expr = ast.parse(ast.unparse(statement.targets[0]), mode="eval").body
    return loaded


class Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def filled(stub: ast.Module, body: list[ast.stmt], names: dict[str, str]) -> str:
    whole = copy.deepcopy(stub)
    hole = next(n for n in ast.walk(whole) if isinstance(n, ast.FunctionDef) and is_hole(n))
    hole.body = [Renamed(names).visit(copy.deepcopy(statement)) for statement in body]
    return ast.unparse(ast.fix_missing_locations(whole))
