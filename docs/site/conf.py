"""How Sphinx makes the site of what build.py has gathered."""

import sys
from pathlib import Path

from autograder.course import SOURCE_TREE, Course

sys.path.insert(0, str(Path(__file__).parent))  # for course_site, the extension beside this file

course = Course.find(SOURCE_TREE)
project = html_title = course.settings.title
author = copyright = "the authors of the course"
language = "en"

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "sphinx_copybutton", "course_site"]
exclude_patterns = ["static", "templates"]
templates_path = ["templates"]

# Notebooks: shown as they were committed, never run; nothing is loaded for widgets, since their frames are plain HTML.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_merge_streams = True
suppress_warnings = ["mystnb.unknown_mime_type"]
myst_enable_extensions = ["dollarmath", "attrs_block"]
myst_heading_anchors = 3

# The API: docstrings are plain sentences with `code` in them.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "show-inheritance": False}
python_maximum_signature_line_length = 90
add_module_names = False

html_theme = "sphinx_book_theme"
html_static_path = ["static"]
html_css_files = ["katex/katex.min.css", "site.css"]
html_js_files = [("katex/katex.min.js", {"defer": "defer"}), ("site.js", {"defer": "defer"})]
html_math_renderer = "katex"
html_favicon = "static/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {"text": project, "image_light": "static/logo.svg", "image_dark": "static/logo.svg", "alt_text": ""},
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "toc_title": "On this page",
    "extra_footer": "",
}
