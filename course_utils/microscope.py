"""`microscope(q, k, v, mask)` as the last line of a cell: your own attention, number by number.

Once it is shown it needs no kernel and no network: the script comes along (live/ in the repository,
joined by tools/bundle.py).
"""

import html
import json
import uuid
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

DATA = Path(__file__).parent / "data"
MOST = 12  # queries and keys that fit on the stage


class Microscope:
    """HTML in a notebook, a line of text elsewhere."""

    def __init__(self, numbers: dict[str, object], note: str) -> None:
        self.numbers, self.note = numbers, note

    def __repr__(self) -> str:
        return f"Microscope({self.note})"

    def _repr_html_(self) -> str:
        name = f"microscope-{uuid.uuid4().hex[:8]}"
        style = (DATA / "microscope.css").read_text(encoding="utf-8")
        script = (DATA / "microscope.js").read_text(encoding="utf-8")
        numbers = html.escape(json.dumps(self.numbers))
        return (
            f"<style>{style}</style>"
            f'<figure class="live" id="{name}" data-numbers="{numbers}">'
            '<p class="live-still">The microscope needs JavaScript: run the cell, or trust the '
            f"notebook.</p><figcaption>{html.escape(self.note)}</figcaption></figure>"
            f'<script>{script}live.notebook.open("{name}");</script>'
        )


def microscope(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None = None,
    words: Sequence[str] | None = None,
) -> Microscope:
    """(..., T, D), (..., S, D), (..., S, E), bool for (..., T, S), S words.

    Of leading axes, such as batch and heads, the first entry is shown.
    """
    check_shapes(q, k, v)
    q2, k2, v2 = (first(x) for x in (q, k, v))  # (T, D), (S, D), (S, E)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise ValueError("the mask should be boolean, True where a query may look")
        mask = first(mask.expand(torch.broadcast_shapes(mask.shape, (len(q2), len(k2)))))
    shapes = ", ".join(f"{n} {tuple(x.shape)}" for n, x in (("q", q), ("k", k), ("v", v)))
    cut = max(len(q2), len(k2)) > MOST
    numbers: dict[str, object] = {
        name: [[round(value, 4) for value in line] for line in x[:MOST].tolist()]
        for name, x in (("q", q2), ("k", k2), ("v", v2))
    }
    if mask is not None:
        numbers["mask"] = mask[:MOST, :MOST].tolist()
    if words is not None:
        numbers["keys"] = [str(word) for word in words][:MOST]
        if len(q2) == len(k2):
            numbers["queries"] = numbers["keys"]
    note = shapes + (f"; only the first {MOST} steps, and softmax over these" if cut else "")
    return Microscope(numbers, note)


def check_shapes(q: Tensor, k: Tensor, v: Tensor) -> None:
    """ValueError unless these can be looked at together."""
    for name, tensor in (("q", q), ("k", k), ("v", v)):
        if not isinstance(tensor, Tensor) or tensor.dim() < 2:
            raise ValueError(f"{name} should be a tensor (..., steps, features)")
        if tensor.numel() == 0:
            raise ValueError(f"{name} is empty")
        if not bool(torch.isfinite(tensor).all()):
            raise ValueError(f"{name} holds NaN or infinity: there is nothing to look at")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q has {q.shape[-1]} features and k has {k.shape[-1]}: they must agree")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"there are {k.shape[-2]} keys and {v.shape[-2]} values: they must agree")


def first(x: Tensor) -> Tensor:
    """The first matrix of a stack, away from graph and device."""
    while x.dim() > 2:
        x = x[0]
    return x.detach().cpu() if x.dtype == torch.bool else x.detach().cpu().double()
