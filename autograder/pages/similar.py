"""Answers that are alike: pairs of students, ranked over all questions of a unit.

Answers are compared by short pieces of their syntax tree in which a student's own names do not
count, so that renaming, reordering and other layout hide little; texts by their words. What stands
in the released notebook, the lecture or the reference does not count. How much a likeness says
depends on the class: of an answer that many others give as well, it says little.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from course_utils.judging import syntax

CODE, WORDS = 5, 3  # nodes of a tree, and words of a text, that make a piece
LEAST = 0.6  # a likeness below this says nothing
SHUFFLES = 40  # classes in which answers are dealt out at random, for comparison
LINE = 0.95  # the share of them in which no pair reaches the line
SHOWN = 10  # pairs

Matrix = np.ndarray[tuple[int, int], np.dtype[np.floating[Any]]]
Pieces = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Shared:
    """A question in which two answers are alike."""

    question: str
    likeness: float  # share of the pieces that both have
    others: int  # answers of the class that are as like to one of them
    bits: float


@dataclass(frozen=True)
class Pair:
    """Two students; `bits` is how often a coin would fall on heads by such a coincidence."""

    students: tuple[str, str]
    bits: float
    shared: tuple[Shared, ...]


@dataclass(frozen=True)
class Ranking:
    """The strongest pairs, and what chance alone reaches."""

    pairs: tuple[Pair, ...] = ()
    chance: float = 0.0

    @property
    def out(self) -> tuple[Pair, ...]:
        """Those that stand out."""
        return tuple(pair for pair in self.pairs if pair.bits > self.chance)

    @property
    def usual(self) -> tuple[Pair, ...]:
        """Those that chance explains."""
        return tuple(pair for pair in self.pairs if pair.bits <= self.chance)


# Pieces of an answer -----------------------------------------------------------------------------


@lru_cache(maxsize=1024)  # what everybody was given is the same for every question
def pieces(answer: str, kind: str) -> Pieces:
    """What an answer is compared by; `kind` is "code", "text" or "choice"."""
    if kind == "choice":
        return frozenset({(answer.strip(),)} if answer.strip() else ())
    if kind == "code" and (tree := syntax.parse(answer)) is not None:
        try:
            return _grams(list(_nodes(tree, _own_names(tree))), CODE)
        except RecursionError:
            return frozenset()
    return _grams(re.findall(r"\w+", answer.casefold()), WORDS)


def _grams(tokens: list[str], length: int) -> Pieces:
    return frozenset(tuple(tokens[i : i + length]) for i in range(max(0, len(tokens) - length + 1)))


def _own_names(tree: ast.AST) -> set[str]:
    """The names that an answer chooses itself: arguments, variables, helpers."""
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
    return found


def _nodes(node: ast.AST, own: set[str]) -> Iterable[str]:
    """The tree in the order of the text, without annotations, docstrings and positions."""
    if isinstance(node, ast.Name):
        yield "own" if node.id in own else node.id
        return
    yield _label(node)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "ctx", "type_comment"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _says_nothing(child):
                yield from _nodes(child, own)


def _label(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f".{node.attr}"
    if isinstance(node, ast.Constant):
        return repr(node.value)[:30]
    if isinstance(node, ast.keyword):
        return f"{node.arg}="
    return type(node).__name__


def _says_nothing(node: ast.AST) -> bool:
    """A docstring, an import: everybody has them, or they are words about the code."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Import | ast.ImportFrom)


def source_of(thing: Callable[..., object]) -> str:
    """The code of a reference, as far as it can be had."""
    try:
        return textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):
        return ""


Lines = list[tuple[str, bool]]  # of an answer, and whether the other one has the same


def marked(one: str, two: str) -> tuple[Lines, Lines]:
    """Two answers by lines, with those marked that they have in common up to their own names."""
    plain = [[_plain(line, names) for line in text.splitlines()] for text, names in _both(one, two)]
    return tuple(  # type: ignore[return-value]
        [
            (line, bool(said) and said in set(other))
            for line, said in zip(text.splitlines(), mine, strict=True)
        ]
        for text, mine, other in ((one, plain[0], plain[1]), (two, plain[1], plain[0]))
    )


def _both(*answers: str) -> list[tuple[str, set[str]]]:
    trees = [syntax.parse(answer) for answer in answers]
    return [
        (answer, _own_names(tree) if tree is not None else set())
        for answer, tree in zip(answers, trees, strict=True)
    ]


def _plain(line: str, own: set[str]) -> str:
    said = re.sub(r"#.*|\s+", "", re.sub(r"\w+", lambda w: "own" if w[0] in own else w[0], line))
    return said if re.search(r"\w{2}", said) else ""


# The class ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A question: how it is answered, what everybody was given, and the answers."""

    name: str
    kind: str
    given: tuple[str, ...]  # sources that do not count: stub, lecture, reference
    answers: Mapping[str, str]  # student -> answer


def rank(questions: Iterable[Asked]) -> Ranking:
    """The ten pairs of a class that are most alike."""
    asked = list(questions)
    students = sorted({student for each in asked for student in each.answers})
    if len(students) < 3:
        return Ranking()
    likeness = {each.name: _likeness(each, students) for each in asked}
    bits = {name: _bits(found) for name, found in likeness.items()}
    total = np.sum(list(bits.values()), axis=0)
    chance = _chance(list(bits.values()))
    upper = np.triu(total, 1)
    found = []
    for place in np.argsort(-upper, axis=None)[:SHOWN]:
        one, two = map(int, np.unravel_index(place, upper.shape))
        if upper[one, two] > 0:
            shared = _shared(likeness, bits, one, two)
            found.append(Pair((students[one], students[two]), float(upper[one, two]), shared))
    return Ranking(tuple(found), chance)


def _likeness(asked: Asked, students: list[str]) -> Matrix:
    """For each two students, the share of pieces that both answers have."""
    given = frozenset[tuple[str, ...]]().union(*(pieces(each, asked.kind) for each in asked.given))
    if asked.kind == "choice":
        given = frozenset()
    mine = [pieces(asked.answers.get(student, ""), asked.kind) - given for student in students]
    index = {piece: i for i, piece in enumerate(sorted({p for each in mine for p in each}))}
    has = np.zeros((len(students), max(1, len(index))), dtype=np.float32)
    for row, each in enumerate(mine):
        has[row, [index[piece] for piece in each]] = 1.0
    sizes = has.sum(axis=1)
    both = has @ has.T
    found = 2 * both / np.maximum(sizes[:, None] + sizes[None, :], 1.0)
    np.fill_diagonal(found, 0.0)
    return found


def _bits(likeness: Matrix) -> Matrix:
    """What each likeness says: the fewer answers are as like, the more; half a likeness says much
    less than half."""
    count = len(likeness)
    ordered = np.sort(likeness, axis=1)
    as_like = np.stack(
        [count - np.searchsorted(ordered[i], likeness[i] - 1e-6, side="left") for i in range(count)]
    )
    share = np.maximum(as_like, as_like.T) / (count - 1)
    said = -np.log2(np.clip(share, 1.0 / (count - 1), 1.0)) * likeness**3
    return np.where(likeness >= LEAST, said, 0.0)


def _chance(bits: list[Matrix]) -> float:
    """The line above which a pair stands out: what the strongest pair stays below in 19 of 20
    classes that give the same answers, dealt out at random."""
    draw, best = np.random.default_rng(0), []
    for _ in range(SHUFFLES):
        total = np.zeros_like(bits[0])
        for each in bits:
            order = draw.permutation(len(each))
            total += each[np.ix_(order, order)]
        best.append(float(np.triu(total, 1).max()))
    return float(np.quantile(best, LINE))


def _shared(
    likeness: Mapping[str, Matrix], bits: Mapping[str, Matrix], one: int, two: int
) -> tuple[Shared, ...]:
    found = []
    for name, each in likeness.items():
        if bits[name][one, two] > 0:
            like = each[one, two] - 1e-6
            others = int(max((each[one] >= like).sum(), (each[two] >= like).sum())) - 1
            found.append(Shared(name, float(each[one, two]), others, float(bits[name][one, two])))
    return tuple(sorted(found, key=lambda shared: -shared.bits))
