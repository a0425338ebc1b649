"""Caption steps that go wrong in one way, for the misconceptions about them."""

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging import syntax


def stepping(forward: Callable[..., Any]) -> type[ref.CaptionStep]:
    """CaptionStep with another forward."""
    return type("Variant", (ref.CaptionStep,), {"forward": forward})


def seen(self: Any, regions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    return ref.soft_attention(regions, state, self.w_r, self.w_s, self.v)


def with_parts(
    query: Callable[[Tensor, Tensor], Tensor] = lambda h, c: h,
    inputs: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda word, context, regions: torch.cat(
        [word, context], -1
    ),
    before: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] = lambda h, c: (h, c),
    result: Callable[..., Any] = lambda self, h, c, weights, old: (self.out(h), (h, c), weights),
) -> type[ref.CaptionStep]:
    """CaptionStep with one of its parts exchanged."""

    def forward(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
        h, c = state
        context, weights = seen(self, regions, query(h, c))
        new_h, new_c = self.cell(inputs(self.embed(token), context, regions), before(h, c))
        return result(self, new_h, new_c, weights, state)

    return stepping(forward)


def asks_with_the_pair(tree: ast.AST) -> bool:
    """Is the whole state handed to soft_attention, both h and c?"""
    asked = [call.args[1] for call in syntax.calls(tree, "soft_attention") if len(call.args) > 1]
    asked += [
        word.value
        for call in syntax.calls(tree, "soft_attention")
        for word in call.keywords
        if word.arg == "state"
    ]
    return any(isinstance(node, ast.Name) and node.id == "state" for node in asked) and not rebinds(
        tree, "state"
    )


def rebinds(tree: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(tree)
    )
