"""Figures of the course: curves, heat maps (keys →, queries ↓), tables, and sliders that also work without a kernel."""

import base64
import html
import io
import itertools
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import torch
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]  # Okabe and Ito: told apart by all

plt.rcParams.update(
    {
        "figure.figsize": (6.4, 3.4),
        "figure.dpi": 90,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=COLOURS),
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
    }
)


def numbers(values: Any) -> Any:
    """A tensor, on whatever device and with whatever history, as a NumPy array; anything else as it is."""
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


def curves(
    x: Any, ys: Mapping[str, Any], xlabel: str = "", ylabel: str = "", title: str = "", ax: Axes | None = None, style: str = "-"
) -> Axes:
    """Draw one curve per entry of `ys` over `x` (None: over 0, 1, 2, …)."""
    ax = ax or plt.subplots()[1]
    for label, y in ys.items():
        y = numbers(y)
        ax.plot(range(len(y)) if x is None else numbers(x), y, style, label=label)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if len(ys) > 1:
        ax.legend()
    return ax


def bars(heights: Mapping[str, float], ylabel: str = "", title: str = "", ax: Axes | None = None) -> Axes:
    """Draw one labelled bar per entry, with its value above it."""
    ax = ax or plt.subplots()[1]
    drawn = ax.bar(list(heights), [float(h) for h in heights.values()], color=COLOURS[0])
    ax.bar_label(drawn, fmt="%.2f", padding=2)
    ax.set(ylabel=ylabel, title=title)
    ax.grid(axis="x", visible=False)
    return ax


def heatmap(
    weights: Any,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
    values: bool | None = None,
    vmax: float | None = None,
) -> Axes:
    """Draw a (T, S) matrix of attention weights: one row per query, one column per key; numbers in the cells of a small one."""
    matrix = numbers(weights)
    rows, columns = matrix.shape
    if ax is None:
        ax = plt.subplots(figsize=(min(1.6 + 0.55 * columns, 8), min(1.2 + 0.45 * rows, 7)))[1]
    low = min(float(matrix.min()), 0.0)
    top = vmax if vmax is not None else max(float(matrix.max()), 1e-9)
    ax.imshow(matrix, cmap="Blues" if low == 0 else "RdBu_r", vmin=low if low == 0 else -max(-low, top), vmax=top, aspect="auto")
    ax.grid(False)
    ax.set(xlabel="keys →", ylabel="queries ↓", title=title)
    ax.locator_params(integer=True)
    if keys is not None:
        ax.set_xticks(range(columns), list(keys), rotation=45 if max(map(len, keys)) > 3 else 0)
    if queries is not None:
        ax.set_yticks(range(rows), list(queries))
    if values if values is not None else rows * columns <= 64:
        for i, j in itertools.product(range(rows), range(columns)):
            shade = abs(matrix[i, j]) / max(top, -low)
            ax.text(j, i, f"{matrix[i, j]:.2f}", ha="center", va="center", fontsize=8, color="white" if shade > 0.6 else "black")
    return ax


def heatmaps(
    panels: Mapping[str, Any], queries: Sequence[str] | None = None, keys: Sequence[str] | None = None, values: bool | None = None
) -> Figure:
    """Draw several matrices side by side, titled by their names, on one colour scale."""
    rows, columns = next(iter(panels.values())).shape[-2:]
    size = (min(len(panels) * min(1.3 + 0.42 * columns, 4.6), 11), min(1.3 + 0.42 * rows, 5))  # no wider than a page
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False)
    top = max(float(numbers(panel).max()) for panel in panels.values())
    for ax, (title, panel) in zip(axes[0], panels.items(), strict=True):
        heatmap(panel, queries, keys, title, ax, values, vmax=top)
    return figure


class Table:
    """A small table: HTML in a notebook, aligned columns elsewhere."""

    def __init__(self, rows: Sequence[Sequence[Any]], columns: Sequence[str], caption: str = "") -> None:
        self.columns = [str(c) for c in columns]
        self.rows = [[f"{float(numbers(v)):.3g}" if isinstance(v, float) or torch.is_tensor(v) else str(v) for v in row] for row in rows]
        self.caption = caption

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag} style='text-align:left'>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        body = "".join(line(row, "td") for row in self.rows)
        return f"<table>{caption}<thead>{line(self.columns, 'th')}</thead><tbody>{body}</tbody></table>"

    def __repr__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        body = "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
        return f"{self.caption}\n{body}" if self.caption else body


class Slider:
    """A figure over one parameter: live with ipywidgets where a front end runs them, a slider over ready-made frames elsewhere.

    `draw(value)` draws with matplotlib; `values` are the positions of the slider; `start` is the one shown first.
    """

    def __init__(self, draw: Callable[[Any], Any], name: str, values: Sequence[Any], start: Any = None, alt: str = "") -> None:
        self.draw, self.name, self.values, self.alt = draw, name, list(values), alt
        self.start = self.values.index(start) if start is not None else len(self.values) // 2
        plt.close(plt.figure())  # loads the backend: if ioff() below did that first, no later figure of the notebook would be shown
        self.frames = [self._frame(value) for value in self.values]

    def _frame(self, value: Any) -> str:
        with plt.ioff():
            self.draw(value)
            picture = io.BytesIO()
            plt.gcf().savefig(picture, format="png", dpi=80)
            plt.close("all")
        return base64.b64encode(picture.getvalue()).decode()

    def _label(self, index: int) -> str:
        value = self.values[index]
        return f"{self.name} = {value:g}" if isinstance(value, float) else f"{self.name} = {value}"

    def _repr_html_(self) -> str:
        ident = "slider" + uuid.uuid4().hex[:8]
        labels = [self._label(i) for i in range(len(self.values))]
        images = "".join(
            f"<img alt='{html.escape(self.alt or self.name, quote=True)}, {html.escape(labels[i], quote=True)}' "
            f"style='display:{'block' if i == self.start else 'none'};max-width:100%' src='data:image/png;base64,{frame}'>"
            for i, frame in enumerate(self.frames)
        )
        swap = (
            "const b=this.closest('.course-slider');b.querySelectorAll('img').forEach((m,i)=>"
            "m.style.display=i==this.value?'block':'none');b.querySelector('output').textContent=this.dataset.labels.split('|')[this.value]"
        )
        return (
            f"<div class='course-slider' id='{ident}'><label>{html.escape(self.name)} <input type='range' min='0' "
            f"max='{len(self.frames) - 1}' value='{self.start}' data-labels='{html.escape('|'.join(labels), quote=True)}' "
            f'oninput="{swap}"></label> <output>{html.escape(labels[self.start])}</output>{images}</div>'
        )

    def _widget(self) -> Any:
        import ipywidgets

        picture = ipywidgets.Image(format="png", value=base64.b64decode(self.frames[self.start]))
        slider = ipywidgets.SelectionSlider(
            options=[(self._label(i), i) for i in range(len(self.values))], value=self.start, description="", continuous_update=True
        )

        def show(change: Any) -> None:
            picture.value = base64.b64decode(self.frames[change["new"]])

        slider.observe(show, names="value")
        return ipywidgets.VBox([slider, picture])

    def __repr__(self) -> str:
        return f"Slider({self._label(self.start)}; {len(self.values)} positions)"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        try:
            widget = self._widget()
            bundle["application/vnd.jupyter.widget-view+json"] = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
        except Exception:  # no ipywidgets, or no kernel behind it: the frames are enough
            pass
        return bundle


def interactive(draw: Callable[[Any], Any], name: str, values: Sequence[Any], start: Any = None, alt: str = "") -> Slider:
    """Put as the last line of a cell: a figure that the reader can play with, e.g. `interactive(draw, "bandwidth", [0.1, 0.5, 2.0])`."""
    return Slider(draw, name, values, start, alt)
