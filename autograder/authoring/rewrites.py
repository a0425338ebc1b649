"""Right answers in other styles: rewritten by a machine so that they compute the same. A judge that
refuses one of them judges style."""

import ast
import textwrap
from collections.abc import Callable, Iterator

Rewrite = Callable[[str, str], str | None]  # source, name of the answer -> another source, or None


# Wrapped: something else bears the answer's name ------------------------------------------------


def wrapped(code: str) -> Rewrite:
    """Code that makes NAME anew of the old one, `first`."""

    def rewrite(source: str, name: str) -> str:
        return f"import functools\n{source}\nfirst = {name}\n{code.replace('NAME', name)}\n"

    return rewrite


PARTIAL = "NAME = functools.partial(first)"
LAMBDA = "NAME = lambda *given, **named: first(*given, **named)"
DECORATED = """
def noted(function):
    @functools.wraps(function)
    def inner(*given, **named):
        return function(*given, **named)

    return inner


NAME = noted(first)
"""
CALLABLE = """
class Answer:
    def __init__(self, function):
        self.function = function

    def __call__(self, *given, **named):
        return self.function(*given, **named)


NAME = Answer(first)
"""
HELPER = """
class Work:
    def __init__(self, *given, **named):
        self.given, self.named = given, named

    def done(self):
        return first(*self.given, **self.named)


def NAME(*given, **named):
    return Work(*given, **named).done()
"""
STATIC = """
class Answers:
    answer = staticmethod(first)


NAME = Answers.answer
"""


DOUBLE = """
def cast(value, old, new):
    if isinstance(value, torch.Tensor) and value.dtype == old:
        return value.to(new)
    if type(value) in (tuple, list):
        return type(value)(cast(item, old, new) for item in value)
    return value


def NAME(*given, **named):
    values = (*given, *named.values())
    if any(isinstance(v, torch.Tensor) and v.dtype == torch.float64 for v in values):
        return first(*given, **named)
    named = {key: cast(value, torch.float32, torch.float64) for key, value in named.items()}
    found = first(*cast(given, torch.float32, torch.float64), **named)
    return cast(found, torch.float64, torch.float32)
"""


def in_double(source: str, name: str) -> str | None:
    """Everything in float64 inside, and back."""
    return wrapped(DOUBLE)(source, name) if _function(source, name) is not None else None


def by_keyword(source: str, name: str) -> str | None:
    """Arguments are handed on by keyword, where it is plain what they are called (a decorator may
    have changed that)."""
    function = _function(source, name)
    if function is None or function.decorator_list:
        return None
    if function.args.vararg or function.args.posonlyargs:
        return None
    names = [argument.arg for argument in function.args.args + function.args.kwonlyargs]
    handed = ", ".join(f"{each}={each}" for each in names)
    signature = ast.unparse(function.args)
    return wrapped(f"def NAME({signature}):\n    return first({handed})")(source, name)


def from_a_factory(source: str, name: str) -> str | None:
    """Everything is local to a function that returns the answer; what the notebook gives beside the
    answer would not be beside it any more."""
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    if any(node.name != name for node in classes):
        return None
    inside = textwrap.indent(source, "    ")
    return f"def make():\n{inside}\n    return {name}\n\n\n{name} = make()\n"


# Rewritten: the same operations in other words --------------------------------------------------


def _function(source: str, name: str) -> ast.FunctionDef | None:
    found = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == name)
    return next(found, None)


def transformed(change: Callable[[], ast.NodeTransformer], help_: str = "") -> Rewrite:
    """The tree after a change, if it changes anything."""

    def rewrite(source: str, name: str) -> str | None:
        tree = ast.parse(source)
        before = ast.unparse(tree)
        after = ast.unparse(ast.fix_missing_locations(change().visit(tree)))
        return f"{help_}\n{after}\n" if after != before else None

    return rewrite


class Products(ast.NodeTransformer):
    """`a @ b` becomes `two_multiplied(a, b)`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.MatMult):
            return node
        return ast.Call(ast.Name("two_multiplied", ast.Load()), [node.left, node.right], [])


EINSUM = """
def two_multiplied(a, b):
    if a.dim() < 2 or b.dim() < 2:
        return torch.matmul(a, b)
    return torch.einsum("...ij,...jk->...ik", a, b)
"""
EINOPS = """
from einops import einsum


def two_multiplied(a, b):
    if a.dim() < 2 or b.dim() < 2:
        return torch.matmul(a, b)
    return einsum(a, b, "... i j, ... j k -> ... i k")
"""
LOOPS = """
def two_multiplied(a, b):
    if a.dim() < 2 or b.dim() < 2:
        return torch.matmul(a, b)
    columns = []
    for j in range(b.shape[-1]):
        columns.append((a * b[..., :, j].unsqueeze(-2)).sum(-1))
    return torch.stack(columns, -1)
"""


class Filling(ast.NodeTransformer):
    """`x.masked_fill(mask, value)` becomes `fill(x, mask, value)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "masked_fill":
            return node
        called = ast.Name("fill", ast.Load())
        return ast.Call(called, [node.func.value, *node.args], node.keywords)


FILL = """
def fill(x, mask, value):
    return torch.where(mask, torch.full_like(x, value), x)
"""


class Renaming(ast.NodeTransformer):
    """Every local variable of every function gets another name; parameters keep theirs."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        local = set(_locals(node))
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in local:
                part.id = f"my_{part.id}"
        return self.generic_visit(node)


def _locals(function: ast.FunctionDef) -> Iterator[str]:
    """Names that are bound in a function as plain variables, and as nothing else."""
    nodes = list(ast.walk(function))
    taken = {n.arg for n in nodes if isinstance(n, ast.arg)}
    taken |= {n.name for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    taken |= {name for n in nodes if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    stored = [n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    yield from (name for name in stored if name not in taken and not name.startswith("my_"))


REWRITES: dict[str, Rewrite] = {
    "partial": wrapped(PARTIAL),
    "lambda": wrapped(LAMBDA),
    "decorator": wrapped(DECORATED),
    "callable class": wrapped(CALLABLE),
    "helper class": wrapped(HELPER),
    "static method": wrapped(STATIC),
    "float64 inside": in_double,
    "by keyword": by_keyword,
    "factory": from_a_factory,
    "einsum": transformed(Products, EINSUM),
    "einops": transformed(Products, EINOPS),
    "loops": transformed(Products, LOOPS),
    "where": transformed(Filling, FILL),
    "renamed": transformed(Renaming),
}
