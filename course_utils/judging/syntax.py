"""Looks at the syntax tree of an answer: what it uses, and whether it was begun at all."""

import ast
from collections.abc import Iterator
from functools import lru_cache

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
LONGEST = 100_000  # characters that are parsed: a tree takes hundreds of times their memory
KEPT = 5_000  # characters of a source whose tree is kept


def parse(source: str) -> ast.Module | None:
    """The tree of an answer cell, without the lines that only a notebook understands; None if it is
    not Python, or far too long. Nobody changes a tree, so short ones are kept."""
    if len(source) > LONGEST:
        return None
    return _parsed(source) if len(source) <= KEPT else _parsed.__wrapped__(source)


@lru_cache(maxsize=64)
def _parsed(source: str) -> ast.Module | None:
    lines = [
        "pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()
    ]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=2)  # of the answer that is being judged: nobody changes a tree
def walk(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree. Every rule looks at them, so they are found once."""
    return tuple(ast.walk(tree))


def own(tree: ast.Module, name: str) -> ast.Module:
    """What belongs to the answer `name`: its definition, what that refers to in the same source,
    and statements that run in any case.

    A helper that stands beside the answer and is not used by it may do as it likes.
    """
    if not defines(tree, name):
        return tree
    binds = {node: bound(node) for node in tree.body}
    more = [node for node in tree.body if not binds[node]]
    wanted, kept = {name}, set[ast.stmt]()
    while True:
        kept.update(more)
        wanted |= {
            part.id for node in more for part in ast.walk(node) if isinstance(part, ast.Name)
        }
        more = [node for node in tree.body if node not in kept and wanted & binds[node]]
        if not more:
            return ast.Module([node for node in tree.body if node in kept], type_ignores=[])


def bound(node: ast.stmt) -> set[str]:
    """The names that a definition, an import or an assignment binds; none
    for any other statement."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names} - {"*"}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {
            part.id
            for target in targets
            for part in ast.walk(target)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
    return set()


@lru_cache(maxsize=2)
def names_used(tree: ast.AST) -> frozenset[str]:
    """Names by which something of a library could be reached: attributes, imports, keyword
    arguments, strings in getattr. What the answer defines itself is none of these."""
    return frozenset(_names_used(tree))


def _names_used(tree: ast.AST) -> Iterator[str]:
    mine = Own(tree)
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and not mine.member(node):
            yield node.attr
        elif isinstance(node, ast.ImportFrom | ast.Import) and not of_the_course(node):
            for alias in node.names:
                yield from alias.name.split(".")
        elif isinstance(node, ast.Call):
            yield from _named_by(node, mine)


def _named_by(call: ast.Call, mine: "Own") -> Iterator[str]:
    """The keywords of a call, unless the answer itself defines what is called, and the strings of a
    getattr."""
    called = call.func.id if isinstance(call.func, ast.Name) else None
    partial = getattr(call.func, "attr", called) == "partial" and call.args
    target = call.args[0] if partial else call.func
    if not mine.defines(target):
        yield from (keyword.arg for keyword in call.keywords if keyword.arg)
    if called == "getattr":
        for argument in call.args[1:]:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def of_the_course(node: ast.ImportFrom | ast.Import) -> bool:
    """Does this import from the course? It has functions with the names of torch's."""
    names = [alias.name for alias in node.names]
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
    return all(module.split(".")[0] == "course_utils" for module in modules)


class Own:
    """What an answer defines itself: functions and classes, and the objects that it makes of
    them."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = walk(tree)
        functions = [n for n in nodes if isinstance(n, FUNCTION)]
        classes = [n for n in nodes if isinstance(n, ast.ClassDef)]
        self.methods = {f.name for c in classes for f in c.body if isinstance(f, FUNCTION)}
        self.classes = {c.name for c in classes}
        self.functions = {f.name for f in functions} - self.methods | self.classes
        stored = (n for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))
        self.members = self.methods | {n.attr for n in stored}
        self.objects = self.classes | ({"self", "cls"} if classes else set())
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                self.functions |= bound(node)
            elif isinstance(node, ast.Assign) and self.has(node.value):
                self.objects |= bound(node)

    def has(self, value: ast.AST) -> bool:
        """Is this an object of a class of the answer, or the class?"""
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id in self.classes
        return isinstance(value, ast.Name) and value.id in self.objects

    def member(self, node: ast.Attribute) -> bool:
        """Is this a method or field of such an object?"""
        return node.attr in self.members and self.has(node.value)

    def defines(self, called: ast.AST) -> bool:
        """Is this a function, class or method of the answer?"""
        if isinstance(called, ast.Attribute):
            return called.attr in self.methods and self.member(called)
        return isinstance(called, ast.Name) and called.id in self.functions


def uses(tree: ast.AST, *names: str) -> bool:
    """Does the answer reach for one of these names (attribute, import, keyword or getattr)?"""
    return not set(names).isdisjoint(names_used(tree))


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a function or method of this name."""
    found = (node for node in walk(tree) if isinstance(node, ast.Call))
    return [c for c in found if getattr(c.func, "attr", getattr(c.func, "id", None)) == name]


def subscripts(tree: ast.AST, name: str) -> bool:
    """Is the variable `name` indexed anywhere?"""
    found = (node for node in walk(tree) if isinstance(node, ast.Subscript))
    return any(isinstance(node.value, ast.Name) and node.value.id == name for node in found)


def has_operator(tree: ast.AST, operator: type[ast.operator]) -> bool:
    """Is this binary operator, e.g. ast.Pow, used?"""
    return any(
        isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, operator)
        for node in walk(tree)
    )


def ignores(tree: ast.AST, function: str, position: int) -> bool:
    """Is the parameter at this position (from 0) never read by a function of this name, or only
    after it was given another value?"""
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            if len(node.args.args) <= position:
                return False
            name = node.args.args[position].arg
            found = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name]
            found.sort(key=lambda n: (n.lineno, isinstance(n.ctx, ast.Store)))
            return not found or isinstance(found[0].ctx, ast.Store)
    return False


def untouched(tree: ast.AST) -> bool:
    """Does the stub of the released notebook, a statement `...`, still stand in the answer?"""
    return any(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and node.value.value is ...
        for node in walk(tree)
    )


def defines(tree: ast.Module, name: str) -> bool:
    """Does the cell define this name at its top level?"""
    return any(
        name in bound(node)
        for node in tree.body
        if not isinstance(node, ast.Import | ast.ImportFrom)
    )


def imports_the_reference(tree: ast.AST, name: str) -> bool:
    """Does the answer fetch the course's own solution of this exercise?"""
    return any(
        alias.name == name
        for node in walk(tree)
        if isinstance(node, ast.ImportFrom) and of_the_course(node)
        for alias in node.names
    )
