"""Answers that are alike: by their syntax tree, so that other names, comments and spaces do not hide it."""

import ast
import hashlib
import inspect
import textwrap
from collections import defaultdict
from dataclasses import dataclass

from course_utils import syntax
from course_utils.exercise import Choice, Exercise

SHORT = 30  # nodes: below that, honest answers coincide


class Canonical(ast.NodeTransformer):
    """Names by order of appearance, no annotations, no docstrings."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def _name(self, name: str) -> str:
        return self.names.setdefault(name, f"v{len(self.names)}")

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._name(node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._name(node.arg), None)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns, node.body = None, _without_docstring(node.body)
        self.generic_visit(node)
        node.name = self._name(node.name)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = _without_docstring(node.body)
        self.generic_visit(node)
        return node


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return (body[1:] or [ast.Pass()]) if text else body


@dataclass(frozen=True)
class Print:
    """The fingerprints of an answer: `exact` up to names and layout, `shape` also up to constants and names of functions."""

    exact: str
    shape: str
    size: int


def fingerprint(source: str) -> Print | None:
    tree = syntax.parse(source)
    if tree is None:
        return None
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Assign)]
    if not tree.body:
        return None
    try:
        canonical = Canonical().visit(tree)
        nodes = [type(node).__name__ for node in ast.walk(canonical)]
        exact = ast.dump(canonical)
    except RecursionError:
        return None
    return Print(_digest(exact), _digest(" ".join(nodes)), len(nodes))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Group:
    exercise: str
    students: tuple[str, ...]
    exact: bool
    reference: bool  # equal to the course's own code
    size: int

    @property
    def short(self) -> bool:
        return self.size < SHORT


def groups(exercise: Exercise | Choice, answers: dict[str, str]) -> list[Group]:
    """Students with the same answer (exact), or with the same shape of answer; the reference counts as one to compare with."""
    if isinstance(exercise, Choice):
        return []
    prints = {student: found for student, text in answers.items() if (found := fingerprint(text)) is not None and "..." not in text}
    own = reference_print(exercise)
    exact: dict[str, list[str]] = defaultdict(list)
    shape: dict[str, list[str]] = defaultdict(list)
    for student, found in prints.items():
        exact[found.exact].append(student)
        shape[found.shape].append(student)
    result = []
    for key, students in exact.items():
        copied = own is not None and key == own.exact
        if len(students) > 1 or copied:
            result.append(Group(exercise.name, tuple(sorted(students)), True, copied, prints[students[0]].size))
    for students in shape.values():
        if len({prints[s].exact for s in students}) > 1:
            result.append(Group(exercise.name, tuple(sorted(students)), False, False, prints[students[0]].size))
    return sorted(result, key=lambda group: (group.short, not group.exact, -len(group.students)))


def reference_print(exercise: Exercise) -> Print | None:
    try:
        return fingerprint(textwrap.dedent(inspect.getsource(exercise.reference)))
    except (OSError, TypeError):
        return None
