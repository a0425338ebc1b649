"""A look-up by matrix product: `one_hot_lookup(ids, table)`, (T,) int, (V, D) -> (T, D)."""

import ast
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import (
    Case,
    Draw,
    Exercise,
    Forbidden,
    Outcome,
    Property,
    Variant,
)
from course_utils.nadaraya_watson import softmax


def cases(draw: Draw) -> list[Case]:
    t, v, d = draw.sizes(3, low=3, high=8)
    low = draw.integers(0, v - 2, t)  # the last row of the table is never asked for
    # No permutation: its transpose is another matrix
    square = torch.cat([torch.tensor([1, 1]), draw.integers(0, v - 1, v - 2)])
    return [
        Case(
            "the example of the text",
            args=(torch.tensor([2, 0]), torch.tensor([[10.0, 11.0], [20.0, 21.0], [30.0, 31.0]])),
        ),
        Case(f"{t} words, {v} rows of {d} numbers", args=(low, draw.normal(v, d))),
        Case("as many words as rows", args=(square, draw.normal(v, d))),
        Case("every row once, backwards", args=(torch.arange(d).flip(0), draw.normal(d, t))),
        Case(
            "gradients of the table",
            args=(draw.integers(0, v - 1, t), draw.normal(v, t)),
            gradients=True,
        ),
        Case(
            "one word, the last of the table",
            args=(torch.tensor([v - 1]), draw.normal(v, d)),
            group="edge",
        ),
        Case(
            "the same word again and again",
            args=(torch.full((t,), 1), draw.normal(v, d)),
            group="edge",
        ),
        Case(
            "a table of dtype float64",
            args=(draw.integers(0, v - 1, t), draw.normal(v, d).double()),
            gradients=True,
            group="edge",
        ),
        Case(
            "vectors of one number",
            args=(draw.integers(0, v - 1, t), draw.normal(v, 1)),
            group="edge",
        ),
    ]


def same_dtype() -> Property:
    def broken(case: Case, got: Outcome) -> str | None:
        wanted, found = case.args[1].dtype, getattr(got.value, "dtype", None)
        return None if found == wanted else f"the table has dtype {wanted}, the result {found}"

    return Property("the result has the dtype of the table", broken)


COPIES = {"unbind", "tolist", "split", "chunk", "clone", "contiguous", "detach", "numpy"}


def of_the_table(node: ast.AST) -> bool:
    """Is this the table, or its rows: `list(table)`, `table.unbind(0)`, `torch.unbind(table)`?"""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Name) and node.id == "table"
    if isinstance(node.func, ast.Attribute) and node.func.attr in COPIES:
        return any(map(of_the_table, (node.func.value, *node.args[:1])))
    listed = isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple")
    return listed and any(map(of_the_table, node.args[:1]))


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def reads_the_table(tree: ast.AST) -> bool:
    """Is the table indexed, or are its rows by numbers that come from the ids?"""
    nodes = list(ast.walk(tree))
    rows = {
        name
        for node in nodes
        if isinstance(node, ast.Assign) and of_the_table(node.value)
        for target in node.targets
        for name in names_in(target)
    }
    numbers = {
        name
        for node in nodes
        if isinstance(node, ast.For | ast.comprehension) and "ids" in names_in(node.iter)
        for name in names_in(node.target)
    }
    picked = (
        node
        for node in nodes
        if isinstance(node, ast.Subscript) and (names_in(node.slice) & {"ids", *numbers})
    )
    return syntax.subscripts(tree, "table") or any(
        of_the_table(node.value) or not rows.isdisjoint(names_in(node.value)) for node in picked
    )


LOOK_UPS = (
    "Embedding embedding EmbeddingBag embedding_bag index_select gather take take_along_dim "
    "from_pretrained"
)

EXERCISE = Exercise(
    name="one_hot_lookup",
    points=2,
    section="A look-up is a matrix product",
    reference=ref.one_hot_lookup,
    returns=("the rows (T, D)",),
    cases=cases,
    properties=(same_dtype(),),
    forbidden=(
        Forbidden(
            "The point is to look up by a matrix product: indexing the table, nn.Embedding, "
            "F.embedding and their relatives (index_select, gather, take) are not allowed. Build "
            "one row per word, with a single 1 in it, and multiply.",
            names=tuple(LOOK_UPS.split()),
            test=reads_the_table,
        ),
    ),
)

EXERCISE.misconception(
    "vocabulary-guessed",
    "The size of the vocabulary is guessed",
    "You build as many columns as the largest id in this sentence needs. A sentence rarely "
    "contains the last word of the vocabulary: the number of columns must come from the table, "
    "whatever the sentence says.",
    lambda ids, table: F.one_hot(ids).to(table.dtype) @ table,
)


FLOATS = "float to type double type_as dtype float32 float64 zeros where"


def never_a_float(tree: ast.AST) -> bool:
    """A one-hot matrix of whole numbers or truth values is made, and nothing in the answer makes
    numbers with a point of it."""
    return syntax.uses(tree, "one_hot", "arange") and not syntax.uses(tree, *FLOATS.split())


EXERCISE.misconception(
    "not-floating",
    "Whole numbers times decimal numbers",
    "Your one-hot matrix holds whole numbers (or truth values), the table decimal ones, and torch "
    "multiplies only like with like. Convert the first to the type of the second.",
    lambda ids, table: F.one_hot(ids, len(table)) @ table,
    syntax=never_a_float,
)


def one_hot(ids: Tensor, table: Tensor) -> Tensor:
    return F.one_hot(ids, len(table)).to(table.dtype)


EXERCISE.misconception(
    "transposed-one-hot",
    "One row per vocabulary entry",
    "Your one-hot matrix is (V, T): a row per entry of the table, a column per word. Write the "
    "shapes under the product: the result must have one row per word.",
    lambda ids, table: one_hot(ids, table).T @ table,
)

EXERCISE.misconception(
    "counts-from-one",
    "Ids counted from one",
    "You get the row before the one that was asked for. Ids count from 0: the first row of the "
    "table has the id 0.",
    lambda ids, table: (ids[:, None] == torch.arange(1, len(table) + 1)).to(table.dtype) @ table,
)

EXERCISE.misconception(
    "bag-of-words",
    "One vector for all words",
    "You add the one-hot rows up before you multiply, so that one vector for the whole sentence "
    "comes out (a bag of words). Every word keeps its own row.",
    lambda ids, table: one_hot(ids, table).sum(0) @ table,
)

EXERCISE.misconception(
    "no-product",
    "Only the one-hot rows",
    "You return the one-hot matrix itself. It says *which* row; the product with the table brings "
    "the row.",
    lambda ids, table: one_hot(ids, table),
)

EXERCISE.misconception(
    "softened",
    "A soft look-up",
    "You take a softmax of the one-hot rows: every word gets a bit of every row of the table. "
    "That is where this unit is going, but here the look-up is exact.",
    lambda ids, table: softmax(one_hot(ids, table)) @ table,
)

EXERCISE.misconception(
    "ids-scaled",
    "The id used as a number",
    "You put the id itself into the one-hot row, so that word 5 comes out five times as large. An "
    "id is a name, not a quantity: the entry is 1 whoever is meant.",
    lambda ids, table: (one_hot(ids, table) * ids[:, None]) @ table,
)

EXERCISE.misconception(
    "fixed-dtype",
    "One dtype for every table",
    "Your result, or your one-hot matrix, always has the same dtype. The text asks for that of the "
    "table, and a product of two dtypes is an error: make the one-hot matrix like the table, for "
    "example by `.to(table.dtype)`.",
    lambda ids, table: ref.one_hot_lookup(ids, table.float()),
    lambda ids, table: ref.one_hot_lookup(ids, table.double()),
)


def only_float32(variant: Variant) -> Variant:
    """The same with a one-hot matrix of torch's default dtype: any other table is an error."""

    def narrow(ids: Tensor, table: Tensor) -> Any:
        torch.zeros(1, len(table)) @ table  # raises, if the dtypes differ
        return variant(ids, table)

    return narrow


EXERCISE.misconceptions[-1](only_float32(ref.one_hot_lookup))
for known in EXERCISE.misconceptions[:-1]:
    known.variants.extend([only_float32(variant) for variant in known.variants])
