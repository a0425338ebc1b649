"""Of three copiers among 200 all are found, and honest pairs are not: they write in their own way,
and by chance the same."""

import ast
import random
from collections.abc import Callable

import pytest

from autograder.authoring import attempts as bank
from autograder.pages import similar
from autograder.pages.similar import Asked
from course_utils import exercises
from course_utils.judging.exercise import Choice
from tests.shares import long_where

WORDS = ["a", "out", "tmp", "res", "w", "s", "score", "diff", "value", "total", "m", "z", "my_x"]
Class = dict[str, dict[str, str]]  # question -> student -> answer


class Style(ast.NodeTransformer):
    """Writes the same answer as somebody else would: other names, other order, other steps."""

    def __init__(self, draw: random.Random, often: float) -> None:
        self.draw, self.often, self.made = draw, often, 0

    def maybe(self) -> bool:
        return self.draw.random() < self.often

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and self.maybe():
            node.left, node.right = node.right, node.left
        if isinstance(node.op, ast.Pow) and ast.unparse(node.right) == "2" and self.maybe():
            return ast.Call(ast.Attribute(node.left, "square", ast.Load()), [], [])
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        called = node.func
        if not isinstance(called, ast.Attribute) or ast.unparse(called.value) == "torch":
            return node
        if called.attr in ("exp", "sum", "mean") and self.maybe():
            torch = ast.Attribute(ast.Name("torch", ast.Load()), called.attr, ast.Load())
            return ast.Call(torch, [called.value, *node.args], node.keywords)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        body: list[ast.stmt] = []
        for step in node.body:
            if isinstance(step, ast.Return) and step.value is not None and self.maybe():
                body += [
                    self.kept(step.value),
                    ast.Return(ast.Name(f"kept{self.made}", ast.Load())),
                ]
            else:
                body.append(step)
        if self.maybe() and node.args.args:
            first = node.args.args[0].arg
            line = self.draw.choice(
                [f"assert {first}.ndim > 0", f"n = len({first})", f"shape = {first}.shape",
                 f"device = {first}.device", f"print({first}.shape)", f"dtype = {first}.dtype"]
            )  # fmt: skip
            body.insert(0, ast.parse(line).body[0])
        node.body = body
        return node

    def kept(self, value: ast.expr) -> ast.stmt:
        self.made += 1
        return ast.Assign([ast.Name(f"kept{self.made}", ast.Store())], value)


def styled(source: str, draw: random.Random, often: float = 0.5) -> str:
    tree = Style(draw, often).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree))


def renamed(source: str, draw: random.Random) -> str:
    """Every name that the answer chooses itself, by another one."""
    tree = ast.parse(source)
    kept = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    own = sorted(similar._own_names(tree) - kept)
    names = {name: f"{draw.choice(WORDS)}{i}" for i, name in enumerate(own)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = names[node.id]
        elif isinstance(node, ast.arg) and node.arg in names:
            node.arg = names[node.arg]
    return ast.unparse(tree)


def honest_class(unit_name: str, size: int, draw: random.Random) -> Class:
    """Answers of the bank, each in the words of whoever gives it."""
    unit = exercises.unit(unit_name)
    found: Class = {}
    attempts = bank.attempts(unit)
    skills = {f"s{n:03d}": draw.betavariate(5, 2) for n in range(size)}
    for exercise in unit.exercises:
        mine = [a for a in attempts if a.exercise == exercise.name]
        right, wrong = [a for a in mine if a.right], [a for a in mine if not a.right]
        found[exercise.name] = {}
        for student, skill in skills.items():
            chosen = draw.choice(right if draw.random() < skill or not wrong else wrong)
            source = chosen.source
            if not isinstance(exercise, Choice):
                source = styled(source, draw)
            found[exercise.name][student] = source
    return found


def plant(answers: Class, copier: str, sources: list[str], change: Callable[[str], str]) -> None:
    """`copier` takes the questions in turns from the sources."""
    for n, mine in enumerate(answers.values()):
        taken = mine[sources[n % len(sources)]]
        mine[copier] = change(taken) if "def " in taken or "class " in taken else taken


def questions(unit_name: str, answers: Class) -> list[Asked]:
    found = []
    for exercise in exercises.unit(unit_name).exercises:
        choice = isinstance(exercise, Choice)
        given = () if isinstance(exercise, Choice) else (similar.source_of(exercise.reference),)
        found.append(
            Asked(exercise.name, "choice" if choice else "code", given, answers[exercise.name])
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("unit", long_where(["01", "02", "03", "05"], "01".__ne__))
def test_three_copiers_among_200_are_in_the_first_ten(unit: str) -> None:
    """In each of three classes; whether a copy that was also edited stands above the line depends
    on how rare the answer is that was copied, so that it may stay below it in one of them."""
    assert sum(edited_copy_stands_out(unit, seed) for seed in range(3)) >= 2


def edited_copy_stands_out(unit: str, seed: int) -> bool:
    draw = random.Random(f"{unit}/{seed}")
    answers = honest_class(unit, 200, draw)
    names = sorted(next(iter(answers.values())))
    one, two, three, mixed_a, mixed_b, *_ = draw.sample(names, 40)
    rest = [name for name in names if name not in (one, two, three, mixed_a, mixed_b)]
    sources = draw.sample(rest, 2)
    plant(answers, one, [sources[0]], lambda code: renamed(code, draw))
    plant(answers, two, [sources[1]], lambda code: styled(renamed(code, draw), draw, 0.15))
    plant(answers, three, [mixed_a, mixed_b], lambda code: renamed(code, draw))
    found = similar.rank(questions(unit, answers))
    ranked = [set(pair.students) for pair in found.pairs]
    above = [set(pair.students) for pair in found.out]
    assert len(ranked) == 10
    assert {one, sources[0]} in ranked[:3]
    assert {two, sources[1]} in ranked[:3]
    assert {three, mixed_a} in ranked or {three, mixed_b} in ranked
    assert {one, sources[0]} in above
    honest = [pair for pair in above if pair.isdisjoint({one, two, three})]
    assert len(honest) <= 1, "what nobody copied is not above what chance reaches"
    for pair in found.pairs:
        assert pair.bits == pytest.approx(sum(each.bits for each in pair.shared), rel=1e-5)
    return {two, sources[1]} in above


@pytest.mark.parametrize("seed", range(4))
def test_in_an_honest_class_hardly_anybody_stands_out(seed: int) -> None:
    draw = random.Random(seed)
    found = similar.rank(questions("01", honest_class("01", 120, draw)))
    assert len(found.pairs) == 10
    assert len(found.out) <= 1


def test_what_everybody_was_given_does_not_count() -> None:
    from course_utils.nadaraya_watson import softmax

    reference = similar.source_of(softmax)
    mine = {"a": reference, "b": reference.replace("scores", "x"), "c": "def f(x):\n    return x"}
    assert similar.rank([Asked("softmax", "code", (reference,), mine)]).pairs == ()
    (pair,) = similar.rank([Asked("softmax", "code", (), mine)]).pairs
    assert set(pair.students) == {"a", "b"}
    assert pair.shared[0].likeness == pytest.approx(1.0)


def test_renaming_comments_and_layout_do_not_hide_a_copy() -> None:
    one = "def f(scores, dim=-1):\n    top = scores.amax(dim)\n    return (scores - top).exp()\n"
    two = (
        "def f(q: int,\n      d=-1) -> int:\n  'Mine.'\n  m = q.amax( d ) # x\n  return (q-m).exp()"
    )
    assert similar.pieces(one, "code") == similar.pieces(two, "code")
    assert similar.pieces("def f(:", "code") == similar.pieces("def f(:", "text")
    assert similar.pieces("", "code") == similar.pieces("", "choice") == frozenset()
