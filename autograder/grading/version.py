"""Which code decides: so that nothing is graded again unless it changed, and a cluster never mixes two versions."""

import hashlib
from pathlib import Path

import autograder
import course_utils
from autograder.grading import view
from course_utils.exercise import Unit


def grader_version(unit: Unit) -> str:
    """A digest of the code that decides about a unit: its exercises, the judge, whatever they import, and this engine."""
    own, course = Path(autograder.__file__).parent, Path(course_utils.__file__).parent
    found: set[Path] = set()
    queue = [course / "exercises" / f"{unit.module}.py", course / "check.py", course / "play.py"]
    while queue:
        path = queue.pop()
        if path not in found and path.is_file():
            found.add(path)
            queue += [course / f"{name}.py" for name in view.imports(path)]
    found |= {*(own / "grading").glob("*.py"), *(own / "sandbox").glob("*.py"), own / "repair.py"}
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]
