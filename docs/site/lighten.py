"""Takes off the built pages what they do not use, so that they show soon on a slow line: pictures
come when they are to be seen, code has marks only where it has a colour, and one small style sheet
stands for all of the theme's.
"""

import base64
import hashlib
import io
import re
from functools import partial
from pathlib import Path

import styles
from PIL import Image

LEFTOVERS = (
    "**/*.map",
    "scripts/*",
    "vendor/**/*",
    "searchtools.js",
    "language_data.js",
    "*-stemmer.js",
    "sphinx_highlight.js",
    "doctools.js",
    "documentation_options.js",
    "*.png",
    "webpack-macros.html",
)
PICTURE = re.compile(
    r"""<img (?P<rest>[^>]*?)src=(?P<q>["'])"""
    r"""(?:data:image/(?P<kind>png|svg\+xml);base64,(?P<data>[\w+/=]+)"""
    r"""|[./]*_images/(?P<name>\w+\.png))(?P=q)(?P<end>[^>]*>)"""
)
LARGE = re.compile(r'(?<=href=")[./]*_images/(\w+\.png)(?=")')  # a figure's own page
DPI = 90  # at which a figure has its size on a page, as in course_utils/plotting.py
WIDE = 700  # pixels: a figure that a phone would shrink until nobody can read it


def inline_code(code: re.Match[str]) -> str:
    """Without the marks around every word of it."""
    return "<code>" + re.sub(r'<span class="pre">([^<]*)</span>', r"\1", code[1]) + "</code>"


SAYS_NOTHING = (  # and what is left of it
    (r'<span class="(?:n|p|o|w|si)">([^<]*)</span>', r"\1"),  # code that has no colour
    (r'(?<=<pre>)<span></span>|<annotation encoding="application/x-tex">[^<]*</annotation>', ""),
    (r'<code class="docutils literal notranslate">(.*?)</code>', inline_code),
    (r'(?<=<math) xmlns="http://www.w3.org/1998/Math/MathML"', ""),
    (r"(?<=<t[hd]) style='text-align:left'", ""),  # site.css says so for all
    (r'<th(?: class="head")?>(?:<p></p>)?</th>', "<td></td>"),  # a corner is no heading
)


def lighten(site: Path) -> None:
    """All pages of a built site, and its style sheets."""
    pages = [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]
    (site / "_images").mkdir(exist_ok=True)
    for page in pages:
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = PICTURE.sub(partial(on_demand, site, up), page.read_text(encoding="utf-8"))
        text = LARGE.sub(partial(packed_link, site, up), text)
        for pattern, rest in SAYS_NOTHING:
            text = re.sub(pattern, rest, text)
        page.write_text(text, encoding="utf-8")
    for pattern in LEFTOVERS:
        for path in (site / "_static").glob(pattern):
            if path.is_file():
                path.unlink()
    (site / "searchindex.js").unlink(missing_ok=True)
    for path in (site / "_images").glob("*.png"):
        path.unlink()  # what pages show is beside it, smaller
    styles.join_styles(site, pages)


def on_demand(site: Path, up: str, picture: re.Match[str]) -> str:
    """A picture as a file that a browser fetches when it is to be seen, its place kept until
    then.
    """
    if picture["name"]:
        data = (site / "_images" / picture["name"]).read_bytes()
    else:
        data = base64.b64decode(picture["data"])
    rest = picture["rest"] + picture["end"].rstrip("/>").lstrip()
    if picture["kind"] == "svg+xml":
        name = drawn(site, data)
    else:
        name, width, height = packed(site, data)
        rest = re.sub(r"\b(width|height)=(['\"])\d+\2 ?", "", rest)
        rest += f'width="{width}" height="{height}" '
        if width > WIDE:
            rest = f"data-wide {rest}"
    return f'<img {rest}loading="lazy" src="{up}_images/{name}">'


def packed_link(site: Path, up: str, link: re.Match[str]) -> str:
    """The address of a figure that a page links to."""
    return f"{up}_images/{packed(site, (site / '_images' / link[1]).read_bytes())[0]}"


def drawn(site: Path, svg: bytes) -> str:
    """The name of a drawing's file; its tag says its size."""
    name = f"{hashlib.sha256(svg).hexdigest()[:20]}.svg"
    (site / "_images" / name).write_bytes(svg)
    return name


def packed(site: Path, data: bytes) -> tuple[str, int, int]:
    """The name of the same picture as WebP, pixel for pixel in half as many bytes, and its size on
    a page.
    """
    name = f"{hashlib.sha256(data).hexdigest()[:20]}.webp"
    path = site / "_images" / name
    with Image.open(io.BytesIO(data)) as picture:
        if not path.is_file():
            picture.save(path, lossless=True, quality=60)
        shrink = DPI / picture.info.get("dpi", (DPI, DPI))[0]
        return name, round(picture.width * shrink), round(picture.height * shrink)
