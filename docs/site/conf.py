"""How Sphinx makes the site of what build.py has gathered."""

import sys
from pathlib import Path

from autograder.course import SOURCE_TREE, Course

sys.path.insert(0, str(Path(__file__).parent))  # for course_site, the extension beside this file

course = Course.find(SOURCE_TREE)
project = html_title = course.settings.title
author = "The authors of the course"
language = "en"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "course_site",
]
exclude_patterns = ["static", "templates"]
templates_path = ["templates"]

# Notebooks: shown as they were committed, never run; nothing is loaded for widgets, since their
# frames are plain HTML.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_merge_streams = True
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
suppress_warnings = ["mystnb.unknown_mime_type"]
myst_enable_extensions = ["dollarmath", "attrs_block"]
myst_heading_anchors = 3
myst_html_meta = {
    "description": "A course on attention and Transformers in ten notebooks, with exercises that "
    "say what was misunderstood"
}

highlight_language = (
    "none"  # of a block in a guide that names none: shell commands and their output
)

# The API: docstrings are plain sentences with `code` in them.
default_role = "code"
autodoc_preserve_defaults = True  # `CACHE`, not what it happens to be on this machine
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {
    "members": True,
    "ignore-module-all": True,
}  # what a module defines, not what it passes on
add_module_names = False
toc_object_entries_show_parents = "hide"

# The theme is that under sphinx-book-theme: with its bar at the top lectures, guides and the
# API are each a book.
html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "logo": {
        "text": project,
        "image_light": "static/logo.svg",
        "image_dark": "static/logo.svg",
        "alt_text": "",
    },
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "navbar_persistent": ["search-button.html"],
    "navbar_end": ["theme-switcher.html"],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "show_nav_level": 1,
    "footer_start": ["licence.html"],
    "footer_end": [],
    "pygments_light_style": "github-light",
    "pygments_dark_style": "github-dark",
    "search_bar_text": "Search the course",
}
SECTIONS = (
    "lectures",
    "lectures/*",
    "assignments",
    "assignments/*/*",
    "guides",
    "results",
    "docs/*",
    "api/*",
)
html_sidebars = {page: [] for page in ("index", "microscope", "search", "_modules/**")} | {
    page: ["pages-of-section.html"] for page in SECTIONS
}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_math_renderer = "katex"
html_favicon = "static/favicon.svg"
html_copy_source = html_use_index = html_domain_indices = False
html_context = {"default_mode": "light"}  # without JavaScript; otherwise layout.html decides
