"""What works on this machine, and what to install for the rest."""

import importlib.metadata
import platform
from dataclasses import dataclass
from typing import Any

from autograder.files import find_program
from autograder.sandbox.levels import not_held

PACKAGES = ("torch", "torchvision", "nbgrader", "jupytext", "ipywidgets")
PROGRAMS = {  # program -> what it is for, and the Debian package
    "chromium": "looking at pages in the browser tests (package chromium)",
    "pg_ctl": "PostgreSQL as the gradebook, in the tests (package postgresql)",
    "git": "installing the course in Colab, and the tests (package git)",
}


@dataclass(frozen=True)
class Findings:
    level: int
    held: list[str]
    missing: list[str]
    versions: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        return {"level": self.level, "held": self.held, "missing": self.missing}

    def lines(self) -> list[str]:
        found = [f"{name} {version}" for name, version in self.versions.items()]
        lines = [", ".join(found), f"sandbox level {self.level}; attacked from inside, these held:"]
        lines += [f"  ✓ {text}" for text in self.held] or ["  none"]
        lines += [f"  ! {text}" for text in [not_held(self.level)] if text]
        if self.missing:
            lines += ["not here:", *(f"  ○ {text}" for text in self.missing)]
        return lines


def examine() -> Findings:
    """Try everything out; nothing is believed because a file says so."""
    from autograder.sandbox import doctor

    sandbox = doctor()
    versions = {"Python": platform.python_version()}
    missing = list(sandbox["missing"])
    for name in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(f"the package {name}: pip install 'attention-course[instructor]'")
    missing += [
        f"{name}: {purpose}" for name, purpose in PROGRAMS.items() if not find_program(name)
    ]
    return Findings(sandbox["level"], sandbox["held"], missing, versions)
