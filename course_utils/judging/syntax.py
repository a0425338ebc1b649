"""Looks at the syntax tree of an answer: what it uses, and whether it was begun at all."""

import ast
from collections.abc import Iterator


def parse(source: str) -> ast.Module | None:
    """The tree of an answer cell, without the lines that only a notebook understands; None if it is not Python."""
    lines = ["pass" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def own(tree: ast.Module, name: str) -> ast.Module:
    """What belongs to the answer `name`: its definition, what that refers to in the same source, and statements that run in any case.

    A helper that stands beside the answer and is not used by it may do as it likes.
    """
    if not defines(tree, name):
        return tree
    wanted, kept = {name}, {node for node in tree.body if not bound(node)}
    while True:
        more = {node for node in tree.body if node not in kept and not wanted.isdisjoint(bound(node))}
        kept |= more
        wanted |= {part.id for node in kept for part in ast.walk(node) if isinstance(part, ast.Name)}
        if not more:
            return ast.Module([node for node in tree.body if node in kept], type_ignores=[])


def bound(node: ast.stmt) -> set[str]:
    """The names that a definition, an import or an assignment binds; none for any other statement."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name.split(".")[0] for alias in node.names} - {"*"}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {
            part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        }
    return set()


def names_used(tree: ast.AST) -> Iterator[str]:
    """Names by which something of a library could be reached: attributes, imports, keyword arguments, strings in getattr."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                yield from alias.name.split(".")
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
            for argument in node.args[1:]:
                if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                    yield argument.value


def uses(tree: ast.AST, *names: str) -> bool:
    """Does the answer reach for one of these names (attribute, import, keyword or getattr)?"""
    return not set(names).isdisjoint(names_used(tree))


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a function or method of this name."""
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [c for c in found if getattr(c.func, "attr", getattr(c.func, "id", None)) == name]


def subscripts(tree: ast.AST, name: str) -> bool:
    """Is the variable `name` indexed anywhere?"""
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Subscript))
    return any(isinstance(node.value, ast.Name) and node.value.id == name for node in found)


def has_operator(tree: ast.AST, operator: type[ast.operator]) -> bool:
    """Is this binary operator, e.g. ast.Pow, used?"""
    return any(isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, operator) for node in ast.walk(tree))


def untouched(tree: ast.AST) -> bool:
    """Does the stub of the released notebook, a statement `...`, still stand in the answer?"""
    return any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is ... for node in ast.walk(tree))


def defines(tree: ast.Module, name: str) -> bool:
    """Does the cell define this name at its top level?"""
    return any(name in bound(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom))
