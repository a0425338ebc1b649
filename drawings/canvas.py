"""What the course's drawings are made of: boxes, arrows, labels and small matrices, as SVG.

Data are blue, learned weights green, attention orange and positions purple, by day and by night.
"""

import base64
import html
import itertools
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

WIDTH = 480  # of every drawing: on a phone, 345 pixels wide, its smallest letters are 9 high
TEXT, SMALL = 15.0, 13.0  # sizes of letters
FILLS = {  # of a box or a cell: kind -> (inside, edge), relatives of the figures' colours
    "light": {
        "data": ("#e4f0f9", "#0072b2"),
        "learned": ("#e1f4ee", "#008a64"),
        "attention": ("#fdebdf", "#d55e00"),
        "position": ("#f8e9f2", "#b0578a"),
        "plain": ("#f1f4f7", "#8593a0"),
    },
    "dark": {
        "data": ("#14303f", "#56b4e9"),
        "learned": ("#10332a", "#35c79b"),
        "attention": ("#3d2413", "#f08a43"),
        "position": ("#3a2133", "#dd8fb9"),
        "plain": ("#1f2933", "#8593a0"),
    },
}
INKS = {  # of everything else
    "light": {"paper": "#ffffff", "ink": "#1c2530", "faint": "#55626f", "line": "#66737f"},
    "dark": {"paper": "#11171e", "ink": "#dbe3eb", "faint": "#a3b1bf", "line": "#8f9dab"},
}
STYLE = """
text{font:15px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif}
.small{font-size:13px}.strong{font-weight:650}
.shape{font:13px ui-monospace,"SF Mono","Cascadia Mono","Roboto Mono","DejaVu Sans Mono",monospace}
.box{stroke-width:1.5}.flow{stroke-width:1.6}.frame{stroke-width:1.3;stroke-dasharray:5 4}
"""
Point = tuple[float, float]


class Port(NamedTuple):
    """A place on the edge of a box, and the direction that leads away from it."""

    x: float
    y: float
    dx: int = 0
    dy: int = 0

    def at(self, x: float) -> "Port":
        """The place on the same upper or lower edge above or below `x`."""
        return self._replace(x=x)


class Box(NamedTuple):
    """A rectangle, by its centre and size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> Port:
        """The middle of the upper edge."""
        return Port(self.x, self.y - self.height / 2, 0, -1)

    @property
    def bottom(self) -> Port:
        """The middle of the lower edge."""
        return Port(self.x, self.y + self.height / 2, 0, 1)

    @property
    def left(self) -> Port:
        """The middle of the left edge."""
        return Port(self.x - self.width / 2, self.y, -1, 0)

    @property
    def right(self) -> Port:
        """The middle of the right edge."""
        return Port(self.x + self.width / 2, self.y, 1, 0)


class Drawing:
    """Boxes, arrows and labels on paper, with a text for those who cannot see them."""

    def __init__(self, name: str, alt: str, height: float) -> None:
        self.name, self.alt, self.height = name, " ".join(alt.split()), height
        self.lines: list[str] = []  # below the parts, so that an arrow ends at an edge
        self.parts: list[str] = []

    # The vocabulary: all places are centres -----------------------------------------------------

    def box(
        self,
        text: str,
        x: float,
        y: float,
        width: float,
        kind: str,
        shape: str = "",
        height: float = 0,
    ) -> Box:
        """A text, and perhaps a shape below it; what is data has rounder corners."""
        box = Box(x, y, width, height or (50 if shape else 36))
        self.rect(box, f"box {kind}", min(box.height / 2, 16 if kind == "data" else 6))
        if text:
            self.label(text, x, y - 10 if shape else y)
        if shape:
            self.label(shape, x, y + 11, "shape")
        return box

    def node(self, text: str, x: float, y: float) -> Box:
        """A round operation, such as a sum."""
        box = Box(x, y, 24, 24)
        self.rect(box, "box plain", 12)
        self.label(text, x, y)
        return box

    def cells(
        self,
        rows: Sequence[Sequence[float | None]],
        x: float,
        y: float,
        kind: str = "data",
        side: float = 14,
        width: float = 0,
        texts: Sequence[Sequence[str]] = (),
    ) -> Box:
        """A matrix: the larger a number from 0 to 1, the stronger its cell; None is empty."""
        width = width or side
        box = Box(x, y, width * len(rows[0]), side * len(rows))
        for i, j in itertools.product(range(len(rows)), range(len(rows[0]))):
            place = box.left.x + (j + 0.5) * width, box.top.y + (i + 0.5) * side
            self.rect(Box(*place, width, side), f"cell {kind}", 1.5, rows[i][j] or 0.0)
            if texts and texts[i][j]:
                self.label(texts[i][j], *place, "shape ink")
        return box

    def label(
        self, text: str, x: float, y: float, style: str = "ink", anchor: str = "middle"
    ) -> Box:
        """A text around ("middle"), from ("start") or up to ("end") a point.

        `_` and `^` put the next letter, or the next ones in braces, below or above the line.
        """
        size = SMALL if style.startswith(("small", "shape")) else TEXT
        place = f'x="{x:g}" y="{y + 0.35 * size:g}" text-anchor="{anchor}"'
        self.parts.append(f'<text class="{style}" {place}>{_rich(text, size)}</text>')
        return Box(x, y, 0, 24)

    def named(self, box: Box, name: str, shape: str) -> None:
        """A name and a shape to the left of a matrix."""
        self.label(name, box.left.x - 8, box.y - 9, anchor="end")
        self.label(shape, box.left.x - 8, box.y + 10, "shape", "end")

    def arrow(self, *points: Port | Point, kind: str = "line") -> None:
        """Through the points given; between two ports straight or by right angles."""
        way = [(point[0], point[1]) for point in points]
        if len(points) == 2:
            way = _route(Port(*points[0]), Port(*points[1]))
        self.lines.append(f'<path class="tip {kind}" d="{_tip(way)}"/>')
        way[-1] = _towards(way[-1], way[-2], 7)
        self.lines.append(f'<path class="flow {kind}" d="{_rounded(way)}"/>')

    def down(self, *boxes: Box) -> None:
        """Arrows from each box to the next below, straight where one stands above the other."""
        for above, below in itertools.pairwise(boxes):
            narrow, wide = sorted((above, below), key=lambda box: box.width)
            over = wide.left.x <= narrow.x <= wide.right.x
            start, end = above.bottom, below.top
            self.arrow(*((start.at(narrow.x), end.at(narrow.x)) if over else (start, end)))

    def along(self, *boxes: Box) -> None:
        """Arrows from each box to the next on its right."""
        for before, after in itertools.pairwise(boxes):
            self.arrow(before.right, after.left)

    def frame(self, left: float, top: float, right: float, bottom: float) -> None:
        """A dashed line around what belongs together."""
        box = Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
        self.rect(box, "frame line", 12)

    def legend(self, *kinds: str) -> None:
        """What the colours mean, along the lower edge."""
        names = [{"position": "positions"}.get(kind, kind) for kind in kinds]
        widths = [48 + 7 * len(name) for name in names]
        x, y = (WIDTH - sum(widths)) / 2 + 14, self.height - 18
        for kind, name, width in zip(kinds, names, widths, strict=True):
            self.rect(Box(x + 7, y, 14, 14), f"key {kind}", 7 if kind == "data" else 3)
            self.label(name, x + 21, y, "small", "start")
            x += width

    def rect(self, box: Box, style: str, radius: float, strength: float | None = None) -> None:
        """A rectangle; one of full colour may be more or less strong."""
        corner = f'x="{box.left.x:g}" y="{box.top.y:g}"'
        size = f'width="{box.width:g}" height="{box.height:g}" rx="{radius:g}"'
        shade = "" if strength is None else f' fill-opacity="{strength:.2f}"'
        self.parts.append(f'<rect class="{style}" {corner} {size}{shade}/>')

    # What a notebook shows ----------------------------------------------------------------------

    @property
    def svg(self) -> str:
        """The drawing by itself: light or dark, as the page around it is."""
        alt = html.escape(self.alt, quote=True)
        style = f"{STYLE}{_colours('light')}@media(prefers-color-scheme:dark){{{_colours('dark')}}}"
        size = f'width="{WIDTH}" height="{self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:g}" {size} '
            f'role="img" aria-label="{alt}"><title>{html.escape(self.name)}</title>'
            f'<desc>{alt}</desc><style>{style}</style><rect class="paper" {size} rx="10"/>'
            f"{''.join(self.lines)}{''.join(self.parts)}</svg>"
        )

    def _repr_html_(self) -> str:
        """An image in itself: unlike inline SVG, it is shown before a notebook is trusted."""
        source = base64.b64encode(self.svg.encode()).decode()
        return (
            f'<img class="drawing" alt="{html.escape(self.alt, quote=True)}" width="{WIDTH}" '
            f'style="max-width:100%;height:auto" src="data:image/svg+xml;base64,{source}">'
        )

    def __repr__(self) -> str:
        return f"{self.name}: {self.alt}"


def _colours(scheme: str) -> str:
    """The rules of a scheme."""
    ink = INKS[scheme]
    rules = [
        f".box.{kind},.key.{kind}{{fill:{inside};stroke:{edge}}}"
        f".cell.{kind}{{fill:{edge};stroke:{edge}}}"
        f".flow.{kind}{{stroke:{edge}}}.tip.{kind}{{fill:{edge}}}"
        for kind, (inside, edge) in FILLS[scheme].items()
    ]
    rules += [f".{name}{{fill:{ink[name]}}}" for name in ("paper", "ink")]
    rules.append(f".strong{{fill:{ink['ink']}}}.small,.shape:not(.ink){{fill:{ink['faint']}}}")
    rules.append(f".line{{stroke:{ink['line']}}}.tip.line{{fill:{ink['line']};stroke:none}}")
    return "".join(rules) + ".flow,.frame{fill:none}.cell.pixel{stroke:none}"


def _rich(text: str, size: float) -> str:
    """`s_{t−1}` and `K^T` with small letters below and above the line."""
    parts = re.split(r"([_^])(\{[^}]*\}|.)", html.escape(text))
    out = [parts[0]]
    for mark, letters, rest in zip(parts[1::3], parts[2::3], parts[3::3], strict=True):
        by = size * (0.22 if mark == "_" else -0.35)
        small = f'<tspan dy="{by:.1f}" font-size="{0.72 * size:.1f}">{letters.strip("{}")}</tspan>'
        out.append(small + (f'<tspan dy="{-by:.1f}">{rest}</tspan>' if rest else ""))
    return "".join(out)


def _route(start: Port, end: Port) -> list[Point]:
    """Straight where possible, else round corners of 90 degrees."""
    (x1, y1, *_), (x2, y2, *_) = start, end
    if x1 == x2 or y1 == y2:
        corners: list[Point] = []
    elif start.dx and end.dx:
        corners = [((x1 + x2) / 2, y1), ((x1 + x2) / 2, y2)]
    elif start.dy and end.dy:
        corners = [(x1, (y1 + y2) / 2), (x2, (y1 + y2) / 2)]
    else:
        corners = [(x2, y1) if start.dx else (x1, y2)]
    return [(x1, y1), *corners, (x2, y2)]


def _towards(a: Point, b: Point, by: float) -> Point:
    """The point `by` units from a on the way to b."""
    share = by / (math.dist(a, b) or 1.0)
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _rounded(points: Sequence[Point], radius: float = 12) -> str:
    """A path through the points that rounds its corners, as far as they have room."""
    path = "M{:g} {:g}".format(*points[0])
    for a, b, c in zip(points, points[1:], points[2:], strict=False):
        room = min(radius, math.dist(a, b) / 2, math.dist(b, c) / 2)
        path += "L{:g} {:g}".format(*_towards(b, a, room))
        path += "Q{:g} {:g} {:g} {:g}".format(*b, *_towards(b, c, room))
    return path + "L{:g} {:g}".format(*points[-1])


def _tip(points: Sequence[Point]) -> str:
    """The head of an arrow at the last of the points."""
    end = points[-1]
    x, y = _towards(end, points[-2], 9)
    across, along = 0.5 * (end[1] - y), 0.5 * (end[0] - x)
    corners = (*end, x + across, y - along, x - across, y + along)
    return "M{:g} {:g}L{:g} {:g}L{:g} {:g}Z".format(*corners)
