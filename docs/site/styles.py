"""Joins the style sheets of a built site into one, without what no page uses: the theme alone
brings half a megabyte along.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tinycss2

JOINED = "_static/style.css"
SHEETS = (  # in the order in which they count
    "_static/basic.css",
    "_static/styles/pydata-sphinx-theme.css",
    "_static/pygments.css",
    "_static/mystnb.*.css",
    "_static/site.css",
)
LINK = re.compile(r'<link[^>]*rel="stylesheet"[^>]*>\n?')
ALONE = ("katex.min.css", "live.css")  # for the pages that need them
NAME = re.compile(r"(?<![\w-])-?[A-Za-z_][\w-]*")
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)")


def join_styles(site: Path, pages: Iterable[Path]) -> None:
    """One sheet for all pages; those for formulas and live parts stay alone."""
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    scripts = [path.read_text(encoding="utf-8") for path in scripts_of(site)]
    known = names(texts.values(), scripts)
    sheets = [path for pattern in SHEETS for path in sorted(site.glob(pattern))]
    alone = [path for path in (site / "_static").rglob("*.css") if path.name in ALONE]
    for path in alone:
        if path.name != "katex.min.css" or not any("katex.min.js" in t for t in texts.values()):
            css = path.read_text(encoding="utf-8")
            path.write_text(purged(css, known, variables([css])), encoding="utf-8")
    others = [path.read_text(encoding="utf-8") for path in alone]
    elsewhere = variables([*others, *scripts, *texts.values()])
    joined = "".join(path.read_text(encoding="utf-8") for path in sheets)
    (site / JOINED).write_text(settled(joined, known, elsewhere), encoding="utf-8")
    for path in (site / "_static").rglob("*.css"):
        if path not in (*alone, site / JOINED):
            path.unlink()
    for page, text in texts.items():
        page.write_text(linked(text, page.relative_to(site)), encoding="utf-8")


def scripts_of(site: Path) -> list[Path]:
    """Those that make elements: not the models, nor the text that is searched."""
    left_out = {"search-data.js", "katex.min.js"}
    found = [*(site / "_static").glob("*.js"), *(site / "_static" / "live").glob("*.js")]
    return [path for path in sorted(found) if path.name not in left_out]


def linked(text: str, page: Path) -> str:
    """A page that loads the joined sheet in place of the first of many."""
    up = "../" * (len(page.parts) - 1)
    kept = [tag.strip() for tag in LINK.findall(text) if any(name in tag for name in ALONE)]
    first = LINK.search(text)
    if first is None:  # a page that brings its own styles
        return text
    new = "".join(f"{tag}\n" for tag in (f'<link rel="stylesheet" href="{up}{JOINED}">', *kept))
    return text[: first.start()] + new + LINK.sub("", text[first.end() :])


def names(pages: Iterable[str], scripts: Iterable[str]) -> set[str]:
    """All classes, identifiers and names of attributes of pages, and every word in a string of a
    script.
    """
    found: set[str] = set()
    for text in pages:
        for tag in set(re.findall(r"<\w[^<>]*>", text)):
            found |= set(re.findall(r"\s([a-z][\w-]*)(?==|[\s/>])", tag))
            for value in re.findall(r"""(?:class|id)=(?:"([^"]*)"|'([^']*)')""", tag):
                found |= set("".join(value).split())
    for text in scripts:
        for string in re.findall(r'"[^"\n]*"|`[^`]*`', text):
            found |= set(NAME.findall(string))
    return found


def settled(css: str, known: set[str], elsewhere: set[str]) -> str:
    """Without variables that nothing asks for: one may have been asked for by another only."""
    new = purged(css, known, variables([css]) | elsewhere)
    return new if len(new) == len(css) else settled(new, known, elsewhere)


def purged(css: str, known: set[str], used: set[str]) -> str:
    """A style sheet without rules that can match nothing, unused variables and comments."""
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(kept(rule, known, used) for rule in rules)


def kept(rule: Any, known: set[str], used: set[str]) -> str:
    if rule.type == "at-rule":
        return kept_at_rule(rule, known, used)
    matching = [selector for selector in selectors(rule.prelude) if matches(selector, known)]
    body = declarations(rule.content, used)
    return f"{','.join(matching)}{{{body}}}\n" if matching and body else ""


def kept_at_rule(rule: Any, known: set[str], used: set[str]) -> str:
    text = str(rule.serialize())
    if rule.lower_at_keyword == "media":
        inside = purged(tinycss2.serialize(rule.content), known, used)
        return f"@media{tinycss2.serialize(rule.prelude)}{{{inside}}}" if inside else ""
    if rule.lower_at_keyword == "charset":  # all are UTF-8, and only a file's first line may say so
        return ""
    of_the_theme = r"@font-face[^}]*Font Awesome|@keyframes (fa-|progress)"
    return "" if re.match(of_the_theme, text) else text


def declarations(content: list[Any], used: set[str]) -> str:
    """What stands between braces, on one line."""
    parts = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
    asked_for = (part for part in parts if not part.name.startswith("--") or part.name in used)
    return ";".join(re.sub(r"\s+", " ", p.serialize()).replace(": ", ":", 1) for p in asked_for)


def selectors(prelude: list[Any]) -> list[str]:
    """The parts between the commas that stand in no parentheses."""
    found = [""]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            found.append("")
        else:
            found[-1] += token.serialize()
    return [selector.strip() for selector in found]


def matches(selector: str, known: set[str]) -> bool:
    """May the selector match anything? What stands in parentheses is not looked at."""
    plain = re.sub(r"\([^()]*(?:\([^()]*\)[^()]*)*\)", "", selector)
    attributes = re.findall(r"\[\s*([\w-]+)", plain)
    words = re.findall(r"[.#](-?[A-Za-z_][\w-]*)", re.sub(r"\[[^\]]*\]", "", plain))
    return all(name in known for name in (*attributes, *words))


def variables(texts: Iterable[str]) -> set[str]:
    return {name for text in texts for name in VARIABLE.findall(text)}
