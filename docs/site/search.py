"""What the site's search knows: every section of every page, in a script that works from disk."""

import html.parser
import json
from pathlib import Path

KINDS = (  # the first that fits; lectures come before everything else
    ("lectures/", "lecture"),
    ("microscope", "lecture"),
    ("assignments/", "assignment"),
    ("docs/", "guide"),
    ("api/", "API"),
)
SILENT = {"script", "style", "svg", "nav", "button", "template", "select"}
LONGEST = 6000  # letters of a section


class Reader(html.parser.HTMLParser):
    """The sections of a page: [place, heading, text], from its <article>."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sections: list[list[str]] = []
        self.inside, self.silent, self.heading = False, 0, False
        self.place = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.inside = self.inside or (tag == "article" and "bd-article" in (found["class"] or ""))
        if not self.inside:
            return
        self.silent += tag in SILENT
        if tag == "section" or "sig-object" in (found.get("class") or ""):
            self.place = found.get("id") or ""
        if tag in ("h1", "h2", "h3") or "sig-object" in (found.get("class") or ""):
            self.heading = True
            self.sections.append([self.place, "", ""])
        if tag in ("p", "li", "td", "th", "dd", "pre", "div", "br"):
            self.say(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self.inside = False
        if self.inside:
            self.silent -= tag in SILENT
            if tag in ("h1", "h2", "h3", "dt"):
                self.heading = False

    def handle_data(self, data: str) -> None:
        if self.inside and not self.silent:
            self.say(data)

    def say(self, text: str) -> None:
        if self.sections:
            self.sections[-1][1 if self.heading else 2] += text


def write_index(site: Path) -> None:
    """_static/search-data.js: a list of [address, kind, sections]."""
    pages = []
    for path in sorted(site.rglob("*.html")):
        address = path.relative_to(site).as_posix()
        kind = next((kind for start, kind in KINDS if address.startswith(start)), None)
        if kind is None or "examples/" in address:
            continue
        sections = [
            [place, " ".join(heading.split()).rstrip("#¶ "), " ".join(text.split())[:LONGEST]]
            for place, heading, text in Reader(path.read_text(encoding="utf-8")).sections
        ]
        pages.append([address, kind, sections])
    data = json.dumps(pages, ensure_ascii=False, separators=(",", ":"))
    (site / "_static" / "search-data.js").write_text(f"const SEARCH = {data};\n", encoding="utf-8")
