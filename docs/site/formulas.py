"""Sets the formulas of built pages, so that no browser has to: KaTeX runs once here, where node is
at hand.

Without node the pages keep their TeX, and KaTeX sets it in the browser as before (static/site.js).
"""

import html
import json
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

from autograder.errors import UserError

KATEX = Path(__file__).resolve().parent / "static" / "katex" / "katex.min.js"
PLACE = re.compile(r'(<(span|div) class="(formula[^"]*)"[^>]*>)([^<]*)(?=</\2>)')
SCRIPT = re.compile(r'<script[^>]*src="[^"]*katex\.min\.js[^"]*"[^>]*></script>\n?')
PROGRAM = """
const katex = require(process.argv[1]);
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const set = ([tex, displayMode]) => katex.renderToString(tex, { displayMode });
process.stdout.write(JSON.stringify(formulas.map(set)));
"""
Formula = tuple[str, bool]  # TeX, and whether it stands on a line of its own


def set_formulas(site: Path) -> None:
    """All formulas of all pages; a page then needs no script for them."""
    node = shutil.which("node")
    if node is None:
        return
    pages = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    found = {formula(place) for text in pages.values() for place in PLACE.finditer(text)}
    ready = dict(zip(sorted(found), run(node, sorted(found)), strict=True))
    for page, text in pages.items():
        if PLACE.search(text):
            new = PLACE.sub(partial(replaced, ready), SCRIPT.sub("", text))
            page.write_text(new, encoding="utf-8")


def formula(place: re.Match[str]) -> Formula:
    return html.unescape(place[4]), "display" in place[3]


def replaced(ready: dict[Formula, str], place: re.Match[str]) -> str:
    return place[1] + ready[formula(place)]


def run(node: str, formulas: list[Formula]) -> list[str]:
    done = subprocess.run(
        [node, "-e", PROGRAM, str(KATEX)],
        input=json.dumps(formulas),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UserError(f"KaTeX cannot set a formula: {done.stderr.strip()[:500]}")
    return [str(each) for each in json.loads(done.stdout)]
