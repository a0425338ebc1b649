"""Looks at the code of a draw: which chance it uses, and with which weights."""

import ast

from course_utils.judging import syntax
from course_utils.judging.exercise import Forbidden

CHANCE = (
    "rand",
    "multinomial",
    "sample",
    "gumbel",
    "exponential",
    "choice",
    "uniform",
    "bernoulli",
    "categorical",
)


def draws_elsewhere(tree: ast.AST) -> bool:
    """Is the generator left alone by an answer that draws? (One that draws nothing is another
    misconception.)"""
    chance = any(word in name.lower() for name in syntax.names_used(tree) for word in CHANCE)
    return syntax.ignores(tree, "hard_attention", 2) and (
        chance or not syntax.uses(tree, "argmax", "max", "topk", "sort", "argsort")
    )


def uniform(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("randint", "randperm")
        for node in ast.walk(tree)
    )


def softmax_again(tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Attribute | ast.Name)
        and getattr(node, "attr", getattr(node, "id", "")) == "softmax"
        for node in ast.walk(tree)
    )


def weights_as_logits(tree: ast.AST) -> bool:
    """Are the weights handed over as `logits`, without a logarithm?"""
    return any(
        isinstance(node, ast.keyword)
        and node.arg == "logits"
        and "log" not in ast.unparse(node.value)
        for node in ast.walk(tree)
    )


def draws_from_the_first_row(tree: ast.AST) -> bool:
    """Are the probabilities of row 0 taken, `weights[0]`?"""
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("weights", "probs", "p")
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == 0
        for node in ast.walk(tree)
    )


RULES = (
    Forbidden(
        "The generator is never used, so nobody could repeat what you have drawn. Draw from "
        "the generator that you are given, not from torch's global one.",
        test=draws_elsewhere,
    ),
    Forbidden(
        "You take the seed out of the generator. It is still where it was afterwards, so "
        "every call would draw the same again. Hand the generator itself to what draws.",
        names=("initial_seed", "manual_seed"),
    ),
)
