"""Which code decides: so that nothing is graded again unless it changed, and a cluster never mixes
two versions."""

import hashlib
from pathlib import Path

import autograder


def grader_version(unit: str | None) -> str:
    """A digest of the code that decides about a unit: its exercises, the judge, whatever they
    import, and this engine. Of an assignment that brings its own asserts, this engine alone."""
    own, found = Path(autograder.__file__).parent, set[Path]()
    if unit is not None:
        from autograder.grading import view

        known = view.sources()
        found = {known[name] for name in deciding_modules(unit)}
    found |= {*(own / "grading").glob("*.py"), *(own / "sandbox").glob("*.py")}
    found.add(own / "collecting" / "repair.py")
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def deciding_modules(unit: str) -> set[str]:
    """The modules of course_utils that decide about a unit, by their names below the package."""
    from autograder.grading import view

    known, folder = view.sources(), f"{view.HIDDEN}.{module_of(unit)}"
    queue = [name for name in known if name == folder or name.startswith(f"{folder}.")]
    queue += ["check", "judging.runner"]
    found: set[str] = set()
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += view.imports(known[name], known)
    return found


def module_of(unit: str) -> str:
    """The unit's name as a Python module, as `Unit.module` gives it."""
    return unit.split("_", 1)[1]
