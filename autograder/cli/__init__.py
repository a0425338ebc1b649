"""The command line: thin, every command is a function elsewhere."""

from autograder.cli import author, collecting, exporting, grading, machine, releasing
from autograder.cli.grading import show_pages, show_scores, show_summary
from autograder.cli.shared import bar, main, program

__all__ = [
    "author",
    "bar",
    "collecting",
    "exporting",
    "grading",
    "machine",
    "main",
    "program",
    "releasing",
    "show_pages",
    "show_scores",
    "show_summary",
]
