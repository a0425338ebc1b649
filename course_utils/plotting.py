"""Figures of the course, each kind with its one look: curves, bars, weights (blue, keys →,
queries ↓), masks (green), pictures with attention (orange), tables, and sliders that also work
without a kernel."""

import base64
import html
import io
import itertools
import sys
import textwrap
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.rcsetup import cycler
from PIL import Image
from torch import Tensor

# Okabe and Ito: told apart by all
COLOURS = [
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
]

DPI = 90  # pixels per inch on a page; pictures have twice as many, for sharp screens
MAY, MAY_NOT = COLOURS[2], "#e3e3e3"  # other colours than those of weights
WRITTEN = 64  # cells of a matrix that is shown with its numbers

plt.rcParams.update(
    {
        "figure.figsize": (6.4, 3.4),
        "figure.dpi": DPI,
        "axes.grid": True,
        "grid.alpha": 0.3,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": cycler(color=COLOURS),
        "legend.frameon": False,
        "figure.constrained_layout.use": True,
    }
)


def sharpen() -> None:
    """In a notebook, figures with twice the pixels at the same size."""
    if "ipykernel" in sys.modules:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("retina")


sharpen()


def numbers(values: Any) -> Any:
    """A tensor, on whatever device and with whatever history, as a NumPy array; anything else as it
    is."""
    return values.detach().cpu().numpy() if isinstance(values, torch.Tensor) else values


def curves(
    x: Any,
    ys: Mapping[str, Any],
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    ax: Axes | None = None,
    style: str = "-",
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


def bars(
    heights: Mapping[str, float], ylabel: str = "", title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw one labelled bar per entry, with its value above it."""
    ax = ax or plt.subplots()[1]
    drawn = ax.bar(_wrapped(heights), [float(h) for h in heights.values()], color=COLOURS[0])
    ax.bar_label(drawn, fmt="%.2f", padding=2)
    ax.margins(y=0.12)  # for the numbers
    ax.set(ylabel=ylabel, title=title)
    ax.grid(axis="x", visible=False)
    return ax


def _wrapped(names: Collection[str]) -> list[str]:
    """Names that fit below the bars; one with lines of its own keeps them."""
    room = max(48 // max(len(names), 1), 6)  # letters
    return [
        name if "\n" in name else textwrap.fill(name, room, break_long_words=False)
        for name in map(str, names)
    ]


def heatmap(
    weights: Any,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
    values: bool | None = None,
    vmax: float | None = None,
) -> Axes:
    """Draw a (T, S) matrix of attention weights: one row per query, one column per key; numbers in
    the cells of a small one."""
    matrix = numbers(weights)
    rows, columns = matrix.shape
    if ax is None:
        ax = plt.subplots(figsize=(min(1.6 + 0.55 * columns, 8), min(1.2 + 0.45 * rows, 7)))[1]
    written = values if values is not None else rows * columns <= WRITTEN
    low = min(float(matrix.min()), 0.0)
    top = vmax if vmax is not None else _top([matrix], written)
    ax.imshow(
        matrix,
        cmap="Blues" if low == 0 else "RdBu_r",
        vmin=low if low == 0 else -max(-low, top),
        vmax=top,
        aspect="auto",
    )
    ax.grid(False)
    ax.set(xlabel="keys →", ylabel="queries ↓", title=title)
    ax.locator_params(integer=True)
    if keys is not None:
        ax.set_xticks(range(columns), list(keys), rotation=45 if max(map(len, keys)) > 3 else 0)
    if queries is not None:
        ax.set_yticks(range(rows), list(queries))
    if written:
        for i, j in itertools.product(range(rows), range(columns)):
            shade = abs(matrix[i, j]) / max(top, -low)
            colour = "white" if shade > 0.6 else "black"
            text = _in_a_cell(float(matrix[i, j]))
            ax.text(j, i, text, ha="center", va="center", fontsize=8, color=colour)
    return ax


def _top(matrices: Sequence[Any], written: bool) -> float:
    """What has the deepest colour: 1 where weights are shown with their numbers, so that 0.2 never
    looks like all; the largest number elsewhere."""
    highest = max(float(matrix.max()) for matrix in matrices)
    shares = all(matrix.min() >= 0 and abs(matrix.sum(-1) - 1).max() < 1e-3 for matrix in matrices)
    return 1.0 if written and shares else max(highest, 1e-9)


def _in_a_cell(value: float) -> str:
    """Nothing at all is not the same as a little."""
    if value == 0:
        return "0"
    if abs(value) < 0.005:
        return "<.01" if value > 0 else ">-.01"
    return f"{value:.2f}"


def heatmaps(
    panels: Mapping[str, Any],
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    values: bool | None = None,
    title: str = "",
) -> Figure:
    """Draw several matrices side by side, each titled by its name, on one colour scale; `title`
    stands above all of them."""
    rows, columns = next(iter(panels.values())).shape[-2:]
    # No wider than a page
    size = (
        min(len(panels) * min(1.3 + 0.42 * columns, 4.6), 11),
        min(1.3 + 0.42 * rows, 5),
    )
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False)
    written = values if values is not None else rows * columns <= WRITTEN
    top = _top([numbers(panel) for panel in panels.values()], written)
    for ax, (name, panel) in zip(axes[0], panels.items(), strict=True):
        heatmap(panel, queries, keys, name, ax, values, vmax=top)
    if title:
        figure.suptitle(title)
    return figure


def mask_map(
    mask: Any,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    title: str = "",
    ax: Axes | None = None,
) -> Axes:
    """Draw a boolean (T, S) mask: green may attend, grey may not."""
    ax = heatmap(mask.float(), queries, keys, title, ax, values=False)
    ax.images[0].set(cmap=ListedColormap([MAY_NOT, MAY]), clim=(0, 1))
    return ax


def mask_legend(figure: Figure) -> None:
    """What the colours of masks mean, once below all panels of a figure."""
    kinds = [Patch(color=MAY, label="may attend"), Patch(color=MAY_NOT, label="may not")]
    figure.legend(handles=kinds, loc="outside lower center", ncol=2, fontsize=9)


def mask_maps(
    panels: Mapping[str, Any],
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
) -> Figure:
    """Draw several masks side by side, titled by their names, with one legend."""
    rows, columns = next(iter(panels.values())).shape[-2:]
    size = (len(panels) * min(1.2 + 0.4 * columns, 3.4), min(1.5 + 0.4 * rows, 3.6))
    figure, axes = plt.subplots(1, len(panels), figsize=size, squeeze=False)
    for ax, (title, mask) in zip(axes[0], panels.items(), strict=True):
        mask_map(mask, queries, keys, title, ax)
    mask_legend(figure)
    return figure


def look(
    image: Tensor,
    weights: Tensor,
    title: str = "",
    ax: Axes | None = None,
    top: float | None = None,
) -> Axes:
    """Draw an image (C, H, W) with weights (rows, columns) over it in orange; coloured things keep
    their colour."""
    ax = ax or plt.subplots(figsize=(2, 2.2))[1]
    height, width = image.shape[1:]
    grey = len(image) == 1
    shown = 1 - 0.7 * image.expand(3, -1, -1) if grey else image
    ax.imshow(shown.permute(1, 2, 0).numpy(), interpolation="nearest")
    top = top if top is not None else float(weights.max())
    alpha = (weights / max(top, 1e-9)).clamp(0, 1)  # (rows, columns)
    alpha = F.interpolate(alpha[None, None], (height, width))[0, 0]  # (H, W)
    ground = 0.8 if grey else 0.1 + 0.7 * image.amin(0)  # (H, W): coloured things keep their colour
    ink = torch.tensor(to_rgb(COLOURS[1])).expand(height, width, 3)
    ax.imshow(torch.cat([ink, (alpha * ground)[..., None]], -1).numpy(), interpolation="nearest")
    ax.set_title(title, fontsize=9)
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    for side in ax.spines.values():
        side.set(visible=True, color="0.7")
    return ax


def looks(
    image: Tensor,
    panels: Sequence[tuple[str, Tensor]],
    columns: int = 6,
    top: float | None = None,
    title: str = "",
) -> Figure:
    """Draw one image several times, each time with other weights (rows, columns) over it, under a
    title."""
    rows = -(-len(panels) // columns)
    size = (1.5 * columns, 1.75 * rows + (0.3 if title else 0))
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
    for ax in axes.flat:
        ax.axis("off")
    for ax, (name, weights) in zip(axes.flat, panels, strict=False):
        ax.axis("on")
        look(image, weights, name, ax, top)
    figure.suptitle(title)
    return figure


class Table:
    """A small table: HTML in a notebook, aligned columns elsewhere."""

    def __init__(
        self, rows: Sequence[Sequence[Any]], columns: Sequence[str], caption: str = ""
    ) -> None:
        self.columns = [str(c) for c in columns]
        self.rows = [
            [
                f"{float(numbers(v)):.3g}" if isinstance(v, float) or torch.is_tensor(v) else str(v)
                for v in row
            ]
            for row in rows
        ]
        self.caption = caption

    def _repr_html_(self) -> str:
        def cell(text: str, tag: str) -> str:
            tag = tag if text else "td"  # an empty corner heads nothing
            return f"<{tag} style='text-align:left'>{html.escape(text)}</{tag}>"

        def line(cells: Sequence[str], tag: str) -> str:
            return f"<tr>{''.join(cell(text, tag) for text in cells)}</tr>"

        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        body = "".join(line(row, "td") for row in self.rows)
        return (
            f"<table>{caption}<thead>{line(self.columns, 'th')}</thead><tbody>{body}</tbody>"
            "</table>"
        )

    def __repr__(self) -> str:
        lines = [self.columns, *self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        body = "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )
        return f"{self.caption}\n{body}" if self.caption else body


class Slider:
    """A figure over one parameter: live with ipywidgets where a front end runs them, a slider over
    ready-made frames elsewhere.

    `draw(value)` draws with matplotlib; `values` are the positions of the slider; `start` is
    the one shown first.
    """

    def __init__(
        self,
        draw: Callable[[Any], Any],
        name: str,
        values: Sequence[Any],
        start: Any = None,
        alt: str = "",
    ) -> None:
        self.draw, self.name, self.values, self.alt = draw, name, list(values), alt
        self.start = self.values.index(start) if start is not None else len(self.values) // 2
        # Loads the backend: if ioff() below did that first, no later figure of the notebook would
        # be shown
        plt.close(plt.figure())
        self.frames = [self._frame(value) for value in self.values]

    def _frame(self, value: Any) -> str:
        with plt.ioff():
            self.draw(value)
            picture = io.BytesIO()
            self.width = round(DPI * plt.gcf().get_figwidth())
            plt.gcf().savefig(picture, format="png", dpi=2 * DPI)
            plt.close("all")
        return base64.b64encode(_lighter(picture)).decode()

    def _label(self, index: int) -> str:
        value = self.values[index]
        return f"{self.name} = {value:g}" if isinstance(value, float) else f"{self.name} = {value}"

    def _repr_html_(self) -> str:
        ident = "slider" + uuid.uuid4().hex[:8]
        labels = [self._label(i) for i in range(len(self.values))]
        images = "".join(
            f"<img alt='{html.escape(self.alt or self.name, quote=True)}, "
            f"{html.escape(labels[i], quote=True)}' "
            f"width='{self.width}' "
            f"style='display:{'block' if i == self.start else 'none'};max-width:100%;height:auto' "
            f"src='data:image/png;base64,{frame}'>"
            for i, frame in enumerate(self.frames)
        )
        swap = (
            "const "
            "b=this.closest('.course-slider');b.querySelectorAll('img').forEach((m,i)=>"
            "m.style.display=i==this.value?'block':'none');"
            "b.querySelector('output').textContent=this.dataset.labels.split('|')[this.value]"
        )
        return (
            f"<div class='course-slider' id='{ident}'><label>{html.escape(self.name)} <input "
            "type='range' min='0' "
            f"max='{len(self.frames) - 1}' value='{self.start}' "
            f"data-labels='{html.escape('|'.join(labels), quote=True)}' "
            f'oninput="{swap}"></label> <output>{html.escape(labels[self.start])}</output>'
            f"{images}</div>"
        )

    def _widget(self) -> Any:
        import ipywidgets

        first = base64.b64decode(self.frames[self.start])
        picture = ipywidgets.Image(format="png", value=first, width=self.width)
        slider = ipywidgets.SelectionSlider(
            options=[(self._label(i), i) for i in range(len(self.values))],
            value=self.start,
            description="",
            continuous_update=True,
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
            bundle["application/vnd.jupyter.widget-view+json"] = {
                "version_major": 2,
                "version_minor": 0,
                "model_id": widget.model_id,
            }
        except Exception:  # no ipywidgets, or no kernel behind it: the frames are enough
            pass
        return bundle


def _lighter(picture: io.BytesIO) -> bytes:
    """The same picture in 256 colours: a third of the bytes, and a slider has many frames."""
    frame = Image.open(picture).convert("RGB").quantize(dither=Image.Dither.NONE)
    small = io.BytesIO()
    frame.save(small, "PNG", optimize=True, dpi=(2 * DPI, 2 * DPI))
    return small.getvalue()


def interactive(
    draw: Callable[[Any], Any], name: str, values: Sequence[Any], start: Any = None, alt: str = ""
) -> Slider:
    """Put as the last line of a cell: a figure that the reader can play with, e.g.
    `interactive(draw, "bandwidth", [0.1, 0.5, 2.0])`."""
    return Slider(draw, name, values, start, alt)
