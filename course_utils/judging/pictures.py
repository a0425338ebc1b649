"""Small pictures for cards and feedback, as SVG: they cost nothing, scale, and hold no script."""

import math
from html import escape
from typing import Any

import torch
from torch import Tensor

from course_utils.judging.exercise import Picture
from course_utils.judging.runner import Case, Outcome

CELL = 18


def _matrix(value: Any) -> Tensor | None:
    """The first matrix in a result: leading axes are dropped, a vector becomes a row."""
    if not isinstance(value, Tensor) or value.dim() == 0 or value.numel() == 0:
        return None
    matrix = value.detach().double()
    while matrix.dim() > 2:
        matrix = matrix[0]
    return matrix.reshape(1, -1) if matrix.dim() == 1 else matrix


def _square(value: float, x: int, y: int, top: float) -> str:
    """One entry, shaded; what is NaN or infinite is crossed out instead."""
    finite = math.isfinite(value)
    shade = min(abs(value) / top, 1.0) if finite and top > 0 else 0.0
    colour = f"rgba({'0,114,178' if value >= 0 else '213,94,0'},{shade:.3f})"
    end = CELL - 1
    cross = f'<path d="M{x} {y}l{end} {end}m0 -{end}l-{end} {end}" stroke="#D55E00"/>'
    square = (
        f'<rect x="{x}" y="{y}" width="{end}" height="{end}" fill="{colour}" stroke="#bbb" '
        f'stroke-width=".5"><title>{value:.4g}</title></rect>'
    )
    return square if finite else square + cross


def svg_heatmap(
    matrix: Tensor, title: str, top: float, down: str = "queries", across: str = "keys"
) -> str:
    """A matrix as shaded squares, queries down, keys across."""
    rows, columns = min(matrix.shape[0], 16), min(matrix.shape[1], 24)
    parts = []
    for i in range(rows):
        for j in range(columns):
            parts.append(_square(float(matrix[i, j]), 24 + j * CELL, 34 + i * CELL, top))
    side = f'<text x="14" y="40" transform="rotate(90 10 40)">{escape(down)} →</text>'
    axes = (
        f'<text x="24" y="28">{escape(across)} →</text>{side if rows > 2 else ""}'
        if rows > 1
        else ""
    )
    width, height = max(30 + columns * CELL, 130), 44 + rows * CELL
    shown = matrix[:rows, :columns]
    strange = ", crossed out where it is no number" if not bool(shown.isfinite().all()) else ""
    label = f"{escape(title)}: {rows} by {columns} matrix, darker is larger{strange}"
    return (
        f'<svg role="img" aria-label="{label}" width="{width}" height="{height}" '
        'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" '
        'fill="currentColor">'
        f'<text x="24" y="12" font-weight="bold">{escape(title)}</text>{axes}{"".join(parts)}</svg>'
    )


def _largest(matrix: Tensor) -> float:
    return float(matrix.nan_to_num(nan=0.0, posinf=0.0, neginf=0.0).abs().max())


def weights_picture(result: int = 1, down: str = "queries", across: str = "keys") -> Picture:
    """The student's matrix beside the expected one; `result` counts from 0 in what is returned."""

    def draw(case: Case, expected: Outcome, got: Outcome) -> str:
        want, have = _matrix(expected.result(result)), _matrix(got.result(result))
        if want is None or have is None or torch.equal(want, have):
            return ""  # what differs is elsewhere
        most, mine = _largest(want), _largest(have)
        top = max(most, min(mine, 2 * most), 1e-9)
        return (
            f"{svg_heatmap(have, 'yours', top, down, across)} "
            f"{svg_heatmap(want, 'expected', top, down, across)}"
        )

    return draw


def curve_picture(result: int = 0, x: int = 0) -> Picture:
    """The student's values beside the expected ones, over the x-th argument of the case."""

    def draw(case: Case, expected: Outcome, got: Outcome) -> str:
        want, have = expected.result(result), got.result(result)
        places = case.args[x]
        if not all(isinstance(v, Tensor) and v.dim() == 1 for v in (want, have, places)):
            return ""
        if len(have) != len(want):
            return ""
        order = torch.argsort(places)
        every = torch.cat([want, have]).double().nan_to_num()
        low, span = float(every.min()), max(float(every.max() - every.min()), 1e-9)
        left, width = float(places.min()), max(float(places.max() - places.min()), 1e-9)

        def line(values: Tensor, colour: str, dash: str) -> str:
            xs = 20 + 240 * (places[order].double() - left) / width
            ys = 115 - 90 * (values[order].double() - low) / span
            pairs = zip(xs.tolist(), ys.tolist(), strict=True)
            points = " ".join(f"{across:.1f},{down:.1f}" for across, down in pairs)
            return (
                f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" '
                f'stroke-dasharray="{dash}"/>'
            )

        return (
            '<svg role="img" aria-label="your curve and the expected curve" width="280" '
            'height="130" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" '
            'font-size="11" fill="currentColor">'
            '<text x="20" y="12" style="fill:#D55E00">yours</text><text x="70" y="12" '
            'style="fill:#0072B2">expected (dashed)</text>'
            f"{line(have.nan_to_num(), '#D55E00', '')}{line(want, '#0072B2', '5 4')}</svg>"
        )

    return draw
