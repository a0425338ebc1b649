"""The drawings in a browser, where letters have their real widths: by day, by night, on a phone."""

import inspect
import io
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

import drawings
from drawings.canvas import Drawing

pytestmark = pytest.mark.browser
DRAWINGS: dict[str, Callable[[], Drawing]] = {
    name: made
    for name, made in vars(drawings).items()
    if inspect.isfunction(made) and made.__module__ == drawings.__name__ and name[0] != "_"
}
FONTS = ("Liberation Sans", "DejaVu Sans")  # as wide as Arial, and as wide as it gets
MEASURE = """() => {
  const area = e => { const b = e.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height] };
  const all = s => [...document.querySelectorAll(s)];
  return {boxes: all("rect.box").map(area), paper: area(document.querySelector("rect.paper")),
          texts: all("text").map(e => [e.textContent, ...area(e)])};
}"""


def within(text: list[Any], area: list[float]) -> bool:
    _, left, _, right, _ = text
    return area[0] <= left and right <= area[2]


def crosses(text: list[Any], area: list[float]) -> bool:
    _, left, top, right, bottom = text
    return left < area[2] and area[0] < right and top + 4 < area[3] and area[1] < bottom - 4


@pytest.mark.parametrize("font", FONTS)
def test_real_letters_fit(page: Any, font: str) -> None:
    """Every text is inside its box and on the paper, and no two texts touch."""
    for name, made in DRAWINGS.items():
        style = f"<style>text:not(.shape){{font-family:'{font}'!important}}</style>"
        page.set_content(style + made().svg)
        seen = page.evaluate(MEASURE)
        for i, text in enumerate(seen["texts"]):
            assert within(text, seen["paper"]), (name, text)
            for box in seen["boxes"]:
                assert within(text, box) or not crosses(text, box), (name, text)
            for other in seen["texts"][:i]:
                assert not crosses(text, other[1:]), (name, text, other)


@pytest.mark.parametrize(("scheme", "paper"), [("light", 255), ("dark", 17)])
def test_follows_the_scheme_of_the_page(page: Any, scheme: str, paper: int) -> None:
    """The image is light on a light page and dark on a dark one, whatever the system prefers."""
    other = {"light": "dark", "dark": "light"}[scheme]
    page.emulate_media(color_scheme=other)
    image = DRAWINGS["attention_flow"]()._repr_html_()
    page.set_content(f"<html style='color-scheme:{scheme}'><body>{image}</body></html>")
    page.wait_for_function("document.images[0].complete")
    shot = page.locator("img").screenshot()
    pixel = Image.open(io.BytesIO(shot)).convert("RGB").getpixel((470, 300))
    assert isinstance(pixel, tuple)
    red, *_ = pixel
    assert abs(red - paper) <= 2


def test_no_wider_than_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 375, "height": 700})
    images = "".join(made()._repr_html_() for made in DRAWINGS.values())
    page.set_content(images)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    sizes = page.evaluate("[...document.images].map(i => [i.naturalWidth, i.width, i.height])")
    assert len(sizes) == len(DRAWINGS)
    for (natural, width, height), made in zip(sizes, DRAWINGS.values(), strict=True):
        assert natural == 480
        assert height == pytest.approx(made().height * width / 480, abs=1)
