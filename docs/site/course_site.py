"""What the site needs and Sphinx does not have: formulas by KaTeX from the site's own files, and
docstrings as they are written here.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def formula(self: Any, node: nodes.Element) -> None:
    """The TeX source in an element that site.js lets KaTeX render; without a script the source is
    shown.
    """
    display = isinstance(node, nodes.math_block)
    tag = "div" if display else "span"
    self.body.append(
        self.starttag(node, tag, "", CLASS="formula display" if display else "formula")
    )
    self.body.append(f"{self.encode(node.astext())}</{tag}>")
    raise nodes.SkipNode


def docstring(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """An indented block behind a colon is Python, as it would be in Markdown."""
    for i in reversed(range(len(lines) - 2)):
        if lines[i].endswith(":") and not lines[i + 1] and lines[i + 2].startswith("    "):
            lines[i + 1 : i + 2] = ["", ".. code-block:: python", ""]


def signature(
    app: Sphinx,
    what: str,
    name: str,
    thing: Any,
    options: Any,
    arguments: str | None,
    result: str | None,
) -> tuple[str | None, str | None]:
    """The default of a dataclass's field that a factory makes, in a form that Sphinx can read."""
    return arguments and arguments.replace("<factory>", "..."), result


def only_where_needed(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Scripts and styles for what a page has: formulas, live parts."""
    body = context.get("body", "")
    if 'class="formula' in body:
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.min.js", loading_method="defer")
    for part in sorted(set(re.findall(r'data-live="(\w+)"', body))):
        app.add_css_file("live/live.css")
        app.add_js_file(f"live/{part}.js", loading_method="defer")
    app.add_js_file("site.js", loading_method="defer")  # after KaTeX, which it calls


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("katex", (formula, None), (formula, None))
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-process-signature", signature)
    app.connect("html-page-context", only_where_needed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
