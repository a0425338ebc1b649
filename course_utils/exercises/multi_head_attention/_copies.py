"""Copies of torch's attention with a mistake, and how their code looks, for `from_torch`."""

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import MultiheadAttention

from course_utils import multi_head_attention as ref
from course_utils.judging import syntax

Torch = MultiheadAttention
Pick = Callable[[Tensor, Torch], Any]  # three parts of what is packed, weights or biases


def copying(
    pick: Pick = lambda packed, mha: packed.chunk(3),
    heads: Callable[[Torch], int] = lambda mha: mha.num_heads,
    out: Callable[[Tensor], Tensor] = lambda weight: weight,
) -> Callable[[Torch], ref.MultiHeadAttention]:
    """from_torch with another choice of rows (`pick` is asked for weights and for biases), of the
    number of heads, or of the output weights."""

    def copy(mha: Torch) -> ref.MultiHeadAttention:
        made = ref.MultiHeadAttention(mha.embed_dim, heads(mha))
        parts = (pick(mha.in_proj_weight, mha), pick(mha.in_proj_bias, mha))
        with torch.no_grad():
            for layer, weight, bias in zip((made.query, made.key, made.value), *parts, strict=True):
                layer.weight.copy_(weight)
                layer.bias.copy_(bias)
            made.out.weight.copy_(out(mha.out_proj.weight))
            made.out.bias.copy_(mha.out_proj.bias)
        return made

    return copy


def ordered(*order: int) -> Pick:
    """The three thirds in another order."""
    return lambda packed, mha: [packed.chunk(3)[i] for i in order]


def turned(packed: Tensor, mha: Torch) -> list[Tensor]:
    return [third.t() for third in packed.chunk(3)]  # of a bias, t() is the bias itself


def shared(copy: Callable[[Torch], Any]) -> Callable[[Torch], Any]:
    """The same, but a part of torch's module is not copied: it belongs to both."""

    def variant(mha: Torch) -> Any:
        made = copy(mha)
        if isinstance(made, ref.MultiHeadAttention):
            made.out.bias = mha.out_proj.bias
        return made

    return variant


def returns(tree: ast.AST, name: str = "") -> bool:
    """Is anything returned, or the variable of this name?"""
    found = [n.value for n in ast.walk(tree) if isinstance(n, ast.Return) and n.value is not None]
    return any(not name or (isinstance(v, ast.Name) and v.id == name) for v in found)


def mentions(tree: ast.AST, *names: str) -> bool:
    """Does the answer reach for one of these, as a name or inside a string
    (`state["out_proj.weight"]`)?"""
    texts = [str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return syntax.uses(tree, *names) or any(name in text for name in names for text in texts)


def assigns_a_tensor(tree: ast.AST) -> bool:
    """Is there `layer.weight = …` with something that was not made a Parameter?"""
    return not mentions(tree, "Parameter") and any(
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.attr in ("weight", "bias")
        for node in ast.walk(tree)
    )
