"""First-order mutants of right answers: one small mistake each, made by a machine, not by an
author.

A mutant with full points is a *survivor*: either it computes the same (equivalent), or the judge
has a hole. `survivors.py` judges them and tells the two apart; `autograder mutate` runs it.
"""

import ast
import copy
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

Change = Callable[[ast.AST], None]

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
IN_PLACE = {
    "masked_fill", "add", "sub", "mul", "div", "exp", "sqrt", "tanh", "relu", "clamp", "softmax",
    "squeeze", "unsqueeze", "transpose", "t", "neg", "pow", "tril", "triu", "fill", "nan_to_num",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One right answer with one thing changed."""

    operator: str
    line: int
    before: str  # the changed expression or statement
    after: str
    source: str

    @property
    def change(self) -> str:
        return f"{self.before} -> {self.after}"


class Meaning(ast.NodeTransformer):
    """Takes off a tree what changes no result: docstrings, annotations, `pass`, the words of an
    error, `+ 0`, `* 1`."""

    def visit(self, node: ast.AST) -> Any:
        super().visit(node)
        for name in ("returns", "annotation"):
            if hasattr(node, name):
                setattr(node, name, None)
        if isinstance(getattr(node, "body", None), list):
            node.body = [each for each in node.body if not _idle(each)] or [ast.Pass()]  # type: ignore[attr-defined]
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return ast.Assign([node.target], node.value)
        return node.left if _neutral(node) else node


def _neutral(node: ast.AST) -> TypeGuard[ast.BinOp]:
    if not isinstance(node, ast.BinOp) or not isinstance(node.right, ast.Constant):
        return False
    return (type(node.op), node.right.value) in NEUTRAL


NEUTRAL = {(ast.Add, 0), (ast.Sub, 0), (ast.Mult, 1), (ast.Div, 1), (ast.Pow, 1)}


def _idle(node: ast.stmt) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Pass)


def meaning(source: str) -> str:
    """A program without what changes no result: two with the same meaning are the same answer."""
    return ast.unparse(ast.fix_missing_locations(Meaning().visit(ast.parse(source))))


def mutants(source: str) -> Iterator[Mutant]:
    """Every first-order mutant of a piece of code, each with another meaning than all before."""
    tree = ast.parse(source)
    seen = {meaning(source)}
    for node in ast.walk(tree):
        for operator, change in list(changes(node, tree)):
            before, kind, parts = _said(node), node.__class__, dict(node.__dict__)
            change(node)  # in this tree, and taken back: a copy of it takes most of the time
            try:
                after, text = _said(node), ast.unparse(tree)
                says = meaning(text)
                with warnings.catch_warnings():  # of what no person would write
                    warnings.simplefilter("ignore")
                    compile(says, "<mutant>", "exec")
            except (SyntaxError, ValueError, TypeError, AttributeError):
                continue
            finally:
                node.__class__ = kind
                node.__dict__.clear()
                node.__dict__.update(parts)
            if says not in seen:
                seen.add(says)
                yield Mutant(operator, getattr(node, "lineno", 0), before, after, text)


def _said(node: ast.AST) -> str:
    try:
        return ast.unparse(node).split("\n")[0][:100]
    except (AttributeError, ValueError):
        return type(node).__name__


def changes(node: ast.AST, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    """What can be changed at a node: the name of the operator, and what it does to a copy."""
    for kind, find in FINDERS:
        if isinstance(node, kind):
            yield from find(node, tree)


def _set(name: str, value: object) -> Change:
    return lambda node: setattr(node, name, copy.deepcopy(value))


def _become(other: ast.AST) -> Change:
    """Turn a node into another one, in place."""

    def change(node: ast.AST) -> None:
        node.__class__ = other.__class__
        node.__dict__.clear()
        node.__dict__.update(copy.deepcopy(other.__dict__))

    return change


def _arithmetic(node: ast.BinOp, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    for other in ARITHMETIC.get(type(node.op), ()):
        yield "operator", _set("op", other())
    yield "operand dropped", _become(node.left)
    yield "operand dropped", _become(node.right)


def _augmented(node: ast.AugAssign, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    for other in ARITHMETIC.get(type(node.op), ()):
        yield "operator", _set("op", other())


def _comparison(node: ast.Compare, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    for other in COMPARISONS.get(type(node.ops[0]), ()):
        yield "comparison", _set("ops", [other(), *node.ops[1:]])


def _boolean(node: ast.BoolOp, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    yield "and, or", _set("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _unary(node: ast.UnaryOp, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    yield "sign or negation dropped", _become(node.operand)


def _constant(node: ast.Constant, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", _set("value", not value)
    elif isinstance(value, int):
        yield from (("constant", _set("value", other)) for other in (value + 1, value - 1))
    elif isinstance(value, float):
        small, usual = (0.0, 100 * value), (2 * value, -value, 0.0) if value else (1.0,)
        others = small if 0 < abs(value) < 1e-2 else usual
        yield from (("constant", _set("value", other)) for other in others)


def _attribute(node: ast.Attribute, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    if node.attr == "inf":
        yield from (("finite", _become(ast.Constant(value))) for value in (100.0, 400.0))


def _conditional(node: ast.IfExp, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    yield "branch", _become(node.body)
    yield "branch", _become(node.orelse)


def _branch(node: ast.If, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    for value in (True, False):
        yield "branch", _set("test", ast.Constant(value))


def _call(node: ast.Call, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    for index in range(len(node.args) - 1):
        swapped = list(node.args)
        swapped[index], swapped[index + 1] = swapped[index + 1], swapped[index]
        yield "arguments swapped", _set("args", swapped)
    for index, keyword in enumerate(node.keywords):
        rest = node.keywords[:index] + node.keywords[index + 1 :]
        yield f"keyword {keyword.arg or '**'} dropped", _set("keywords", rest)
    if isinstance(node.func, ast.Attribute):
        yield "call dropped", _become(node.func.value)
        if node.func.attr in IN_PLACE:
            in_place = ast.Attribute(node.func.value, f"{node.func.attr}_", ast.Load())
            yield "in place", _set("func", in_place)
    if node.args:
        yield "call dropped", _become(node.args[0])


def _subscript(node: ast.Subscript, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    if isinstance(node.ctx, ast.Load):
        yield "index dropped", _become(node.value)


def _name(node: ast.Name, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    """Another parameter of the function in its place."""
    if isinstance(node.ctx, ast.Load):
        function = next((f for f in _functions(tree) if node in ast.walk(f)), None)
        names = [a.arg for a in function.args.args] if function is not None else []
        if node.id in names:
            for other in names:
                if other not in (node.id, "self"):
                    yield "another argument", _set("id", other)


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """The innermost first."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)][::-1]


def _returned(node: ast.Return, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    if node.value is None or isinstance(node.value, ast.Constant):
        return
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    for index, part in enumerate(parts):
        for method in ("detach", "double"):
            called = ast.Call(ast.Attribute(part, method, ast.Load()), [], [])
            if isinstance(node.value, ast.Tuple):
                elements = [*parts[:index], called, *parts[index + 1 :]]
                yield method, _set("value", ast.Tuple(elements, ast.Load()))
            else:
                yield method, _set("value", called)


def _assigned(node: ast.Assign, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    if isinstance(node.value, ast.BinOp | ast.Call | ast.Subscript):
        called = ast.Call(ast.Attribute(node.value, "detach", ast.Load()), [], [])
        yield "detach", _set("value", called)
    yield "statement dropped", _become(ast.Pass())


def _statement(node: ast.stmt, tree: ast.Module) -> Iterator[tuple[str, Change]]:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not text:  # a docstring
        yield "statement dropped", _become(ast.Pass())


FINDERS: tuple[tuple[type | tuple[type, ...], Callable[..., Iterator[tuple[str, Change]]]], ...] = (
    (ast.BinOp, _arithmetic),
    (ast.AugAssign, _augmented),
    (ast.Compare, _comparison),
    (ast.BoolOp, _boolean),
    (ast.UnaryOp, _unary),
    (ast.Constant, _constant),
    (ast.Attribute, _attribute),
    (ast.IfExp, _conditional),
    (ast.If, _branch),
    (ast.Call, _call),
    (ast.Subscript, _subscript),
    (ast.Name, _name),
    (ast.Return, _returned),
    (ast.Assign, _assigned),
    ((ast.Expr, ast.AugAssign, ast.If, ast.For, ast.Raise), _statement),
)
