"""The drawings: read back from their SVG, nothing overlaps, and all of them can be read."""

import base64
import inspect
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator

import pytest

import drawings
from drawings import canvas
from drawings.canvas import Box, Drawing

SVG = "{http://www.w3.org/2000/svg}"
DRAWINGS: dict[str, Callable[[], Drawing]] = {
    name: made
    for name, made in vars(drawings).items()
    if inspect.isfunction(made) and made.__module__ == drawings.__name__ and name[0] != "_"
}
Area = tuple[float, float, float, float]  # left, top, right, bottom


@pytest.fixture(params=DRAWINGS, name="drawn")
def _drawn(request: pytest.FixtureRequest) -> Drawing:
    return DRAWINGS[request.param]()


def rects(d: Drawing, style: str) -> list[Area]:
    """The rectangles of one style."""
    found = []
    for rect in ET.fromstring(d.svg).iter(f"{SVG}rect"):
        if style in rect.get("class", "").split():
            x, y, width, height = (float(rect.get(k, "0")) for k in ("x", "y", "width", "height"))
            found.append((x, y, x + width, y + height))
    return found


def width_of(text: ET.Element) -> float:
    """An estimate for a font that is rather wide."""
    mono = "shape" in text.get("class", "")
    size = 13 if mono or "small" in text.get("class", "") else 15
    scale = 1.12 if "strong" in text.get("class", "") else 1.0

    def part(letters: str | None, size: float) -> float:
        letters = letters or ""
        narrow = sum(letter in "iljtf.,:()| " for letter in letters)
        return size * (0.61 * len(letters) if mono else 0.62 * len(letters) - 0.24 * narrow)

    spans = sum(part(s.text, float(s.get("font-size", size))) for s in text.iter(f"{SVG}tspan"))
    return scale * (part(text.text, size) + spans)


def texts(d: Drawing) -> list[tuple[str, Area]]:
    """What is written, and about where."""
    found = []
    for text in ET.fromstring(d.svg).iter(f"{SVG}text"):
        x, base, width = float(text.get("x", "0")), float(text.get("y", "0")), width_of(text)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor", "start")]
        found.append(("".join(text.itertext()), (left, base - 10, left + width, base + 2)))
    return found


def flows(d: Drawing) -> Iterator[list[tuple[float, float]]]:
    """Every arrow as many points, the corners taken as they are drawn."""
    for path in ET.fromstring(d.svg).iter(f"{SVG}path"):
        if "flow" not in path.get("class", ""):
            continue
        points: list[tuple[float, float]] = []
        for command, numbers in re.findall(r"([MLQ])([^MLQ]*)", path.get("d", "")):
            given = [float(number) for number in numbers.split()]
            ends = list(zip(given[::2], given[1::2], strict=True))
            if command == "M":
                points = ends
                continue
            start, bend, end = points[-1], ends[0], ends[-1]
            for step in range(1, 41):
                t = step / 40
                a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
                if command == "L":
                    a, b, c = 1 - t, 0, t
                points.append(
                    (
                        a * start[0] + b * bend[0] + c * end[0],
                        a * start[1] + b * bend[1] + c * end[1],
                    )
                )
        yield points


def overlap(a: Area, b: Area, margin: float = 0.0) -> bool:
    return (
        a[0] + margin < b[2]
        and b[0] + margin < a[2]
        and a[1] + margin < b[3]
        and b[1] + margin < a[3]
    )


def inside(a: Area, b: Area, margin: float = 0.0) -> bool:
    return (
        b[0] + margin <= a[0]
        and b[1] + margin <= a[1]
        and a[2] <= b[2] - margin
        and a[3] <= b[3] - margin
    )


def faults(d: Drawing) -> list[str]:
    """Everything that a reader would stumble over."""
    found = []
    paper: Area = (0, 0, canvas.WIDTH, d.height)
    boxes, written, cells = rects(d, "box"), texts(d), rects(d, "cell")
    for area in [*boxes, *cells, *rects(d, "frame"), *rects(d, "key")]:
        if not inside(area, paper, 4):
            found.append(f"off the paper: {area}")
    for i, box in enumerate(boxes):
        found += [f"boxes overlap: {box}, {other}" for other in boxes[:i] if overlap(box, other)]
    for i, (text, area) in enumerate(written):
        if not inside(area, paper, 4):
            found.append(f"off the paper: {text}")
        for box in boxes:
            if overlap(area, box) and not inside(area, box, 1):
                found.append(f"does not fit its box: {text}")
        found += [f"texts overlap: {text}, {t}" for t, b in written[:i] if overlap(area, b, 1)]
    return sorted({*found, *crossings(d)})


def crossings(d: Drawing) -> list[str]:
    """Boxes and texts that an arrow runs through."""
    found = []
    boxes, written = rects(d, "box"), texts(d)
    for points in flows(d):
        for x, y in points:
            if abs(x - points[0][0]) + abs(y - points[0][1]) < 3:
                continue  # still at the edge where it begins
            dot = (x, y, x, y)
            found += [f"an arrow runs through {box}" for box in boxes if inside(dot, box, 1)]
            found += [f"an arrow runs through {t}" for t, area in written if inside(dot, area, 1)]
    return found


def test_there_is_one_for_every_unit() -> None:
    units = " ".join(inspect.getdoc(made) or "" for made in DRAWINGS.values())
    assert {f"{unit:02}" for unit in range(1, 11)} == set(re.findall(r"Unit (\d\d)", units))


def test_nothing_overlaps_and_all_texts_fit(drawn: Drawing) -> None:
    assert faults(drawn) == []


def test_arrows_end_at_an_edge(drawn: Drawing) -> None:
    """Every tip touches a box or a matrix, or is about to."""
    edges = [*rects(drawn, "box"), *rects(drawn, "cell")]
    for path in ET.fromstring(drawn.svg).iter(f"{SVG}path"):
        if "tip" not in path.get("class", ""):
            continue
        x, y = (float(n) for n in re.findall(r"-?[\d.]+", path.get("d", ""))[:2])
        touched = [
            a for a in edges if inside((x, y, x, y), a, -6) and not inside((x, y, x, y), a, 1)
        ]
        assert touched, (x, y)


def test_valid_without_scripts_and_with_unique_ids(drawn: Drawing) -> None:
    root = ET.fromstring(drawn.svg)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "text", "tspan", "path"}
    names = [name for element in root.iter() for name in element.attrib]
    assert not [name for name in names if name.startswith("on") or "href" in name]
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert "url(" not in drawn.svg


def test_alternative_text_is_everywhere(drawn: Drawing) -> None:
    root = ET.fromstring(drawn.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == drawn.alt == root.findtext(f"{SVG}desc")
    assert root.findtext(f"{SVG}title") == drawn.name
    assert 150 < len(drawn.alt) < 900
    assert drawn.alt[-1] == "."
    assert repr(drawn) == f"{drawn.name}: {drawn.alt}"
    image = ET.fromstring(drawn._repr_html_().removesuffix(">") + "/>")
    assert image.get("alt") == drawn.alt
    source = image.get("src", "").removeprefix("data:image/svg+xml;base64,")
    assert base64.b64decode(source).decode() == drawn.svg


def test_readable_on_a_phone(drawn: Drawing) -> None:
    smallest = min(map(int, re.findall(r"(\d+)px", drawn.svg)))
    assert smallest * 345 / canvas.WIDTH >= 9
    assert drawn.height <= 2 * canvas.WIDTH
    assert len(drawn.svg) < 40_000


def test_same_in_every_process() -> None:
    code = "import drawings\nprint(drawings.{name}().svg)"
    name = "transformer"
    run = [sys.executable, "-c", code.format(name=name)]
    again = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert again.strip() == DRAWINGS[name]().svg
    assert all(made().svg == made().svg for made in DRAWINGS.values())


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(scheme: str) -> None:
    """WCAG: 4.5 for letters, 3 for lines and edges."""
    ink, fills = canvas.INKS[scheme], canvas.FILLS[scheme]
    for ground in [ink["paper"], *(inside for inside, _ in fills.values())]:
        assert contrast(ink["ink"], ground) >= 4.5
        assert contrast(ink["faint"], ground) >= 4.5
    for edge in [ink["line"], *(edge for _, edge in fills.values())]:
        assert contrast(edge, ink["paper"]) >= 3


# The checks above can fail --------------------------------------------------------------------


def sound() -> Drawing:
    d = Drawing("Two boxes", "Two boxes.", 200)
    d.down(d.box("above", 240, 40, 100, "data"), d.box("below", 240, 140, 100, "plain"))
    return d


def test_a_sound_drawing_has_no_faults() -> None:
    assert faults(sound()) == []


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda d: d.box("", 260, 50, 100, "plain"), "boxes overlap"),
        (lambda d: d.box("", 470, 90, 60, "plain"), "off the paper"),
        (lambda d: d.cells([[0.5] * 4], 20, 190), "off the paper"),
        (lambda d: d.box("far too many letters", 80, 90, 60, "plain"), "does not fit"),
        (lambda d: d.label("a label", 240, 145), "texts overlap"),
        (lambda d: d.label("a label", 470, 100), "off the paper"),
        (lambda d: d.label("a label", 240, 90), "an arrow runs through a label"),
        (lambda d: d.arrow((100, 140), (400, 140)), "an arrow runs through ("),
    ],
)
def test_a_fault_is_found(spoil: Callable[[Drawing], object], fault: str) -> None:
    d = sound()
    spoil(d)
    assert any(found.startswith(fault) for found in faults(d)), faults(d)


# The vocabulary ---------------------------------------------------------------------------------


def test_small_letters_return_to_the_line() -> None:
    d = Drawing("Letters", "Letters.", 60)
    d.label("s_{t−1} K^T & <bos>", 240, 30)
    (text,) = ET.fromstring(d.svg).iter(f"{SVG}text")
    assert "".join(text.itertext()) == "st−1 KT & <bos>"
    assert sum(float(span.get("dy", "0")) for span in text.iter(f"{SVG}tspan")) == pytest.approx(0)


def test_down_goes_straight_where_it_can() -> None:
    d = Drawing("Arrows", "Arrows.", 400)
    d.down(Box(100, 20, 20, 20), Box(150, 100, 200, 20))
    d.down(Box(20, 200, 20, 20), Box(300, 300, 20, 20))
    straight, bent = flows(d)
    assert {x for x, _ in straight} == {100}
    assert bent[0] == (20, 210)
    assert bent[-1] == (300, 283)
    assert len({x for x, _ in bent}) > 2
