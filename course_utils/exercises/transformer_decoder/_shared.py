"""What several exercises of this unit have in common."""

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_utils import transformer_decoder as ref
from course_utils.judging.compare import describe
from course_utils.judging.exercise import Case, Draw, Outcome, Property
from course_utils.judging.runner import play


def state(draw: Draw, module: nn.Module) -> dict[str, Tensor]:
    """Random weights for a module: no zeros, no ones, no two alike."""
    return {
        name: draw.normal(*tensor.shape, scale=0.4) + ("norm" in name and "weight" in name)
        for name, tensor in module.state_dict().items()
    }


def returns_tuple(tree: ast.AST, method: str) -> bool:
    """Does this method return several things?"""
    methods = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == method]
    return any(
        isinstance(n, ast.Return) and isinstance(n.value, ast.Tuple)
        for m in methods
        for n in ast.walk(m)
    )


def list_of_ints(of: Callable[[Outcome], Any]) -> Property:
    """The sentence is a list of Python's own whole numbers."""

    def broken(case: Case, got: Outcome) -> str | None:
        tokens = of(got)
        if not isinstance(tokens, list):
            return f"it is {describe(tokens)}, not a list"
        other = next((t for t in tokens if type(t) is not int), None)
        return None if other is None else f"an entry of the list is {describe(other)}, not an int"

    return Property("the sentence is a list of ints", broken)


def greedy(
    context: Callable[[list[int]], list[int]] = list,
    stop: bool = True,
    pick: Callable[[Tensor], int] = lambda logits: int(logits.argmax(-1)),
) -> Callable[..., list[int]]:
    """Greedy decoding with another context, stop rule or choice, as a variant."""

    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
        tokens = [bos]
        while len(tokens) <= max_len and not (stop and eos in tokens[1:]):
            tokens.append(pick(next_logits(torch.tensor([context(tokens)]))))
        return tokens[1:]

    return variant


def numbers(value: Any) -> list[int]:
    """The tokens of an answer, whatever they are packed in."""
    if isinstance(value, list | tuple):
        return [number for item in value for number in numbers(item)]
    return value.flatten().tolist() if isinstance(value, Tensor) else [value]


def right_but(packed: Callable[[Any], bool]) -> Callable[[Case, Outcome], bool]:
    """A symptom: the tokens of greedy decoding, but in the wrong form."""
    return lambda case, got: (
        packed(got.value) and numbers(got.value) == play(case, ref.greedy_decode).value
    )
