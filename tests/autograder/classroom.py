"""A small course for tests: unit 01 as a hand-made notebook, released by nbgrader, and submissions
written into it.
"""

import copy
import json
import shutil
import textwrap
from pathlib import Path
from typing import Any

import nbformat

from autograder.authoring.release import release
from autograder.course import Course
from course_utils import exercises
from course_utils.judging.exercise import Choice

UNIT = "01_nadaraya_watson"
ANSWERS = {  # none needs another, so that one wrong answer costs nothing elsewhere
    "softmax": """
        def softmax(scores, dim=-1):
            e = (scores - scores.amax(dim, keepdim=True)).exp()
            return e / e.sum(dim, keepdim=True)
        """,
    "gaussian_weights": """
        def gaussian_weights(queries, keys, bandwidth):
            scores = -((queries[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
            return torch.softmax(scores, -1)
        """,
    "nadaraya_watson": """
        def nadaraya_watson(queries, keys, values, bandwidth):
            scores = -((queries[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
            weights = torch.softmax(scores, -1)
            return weights @ values, weights
        """,
    "leave_one_out_error": """
        def leave_one_out_error(keys, values, bandwidth):
            scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
            scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), float("-inf"))
            return ((torch.softmax(scores, -1) @ values - values) ** 2).mean()
        """,
    "rescaled": """
        def rescaled(x):
            return (x - x.mean()) / x.std()
        """,
}
ASSERTS = """
    assert abs(float(rescaled(torch.arange(5.0)).mean())) < 1e-6
    ### BEGIN HIDDEN TESTS
    assert abs(float(rescaled(torch.tensor([1.0, 5.0, 9.0])).std()) - 1) < 1e-6
    ### END HIDDEN TESTS
    """
SOLUTION = "### BEGIN SOLUTION\n{}\n### END SOLUTION"


def text(code: str) -> str:
    return textwrap.dedent(code).strip()


def _solution(code: str) -> str:
    head, _, body = text(code).partition("\n")
    return f"{head}\n" + textwrap.indent(SOLUTION.format(textwrap.dedent(body)), "    ")


def _mark(name: str, **fields: Any) -> dict[str, Any]:
    blank = {
        "schema_version": 3,
        "grade": False,
        "solution": False,
        "task": False,
        "locked": False,
        "grade_id": name,
    }
    return {"nbgrader": blank | fields}


def source_notebook() -> nbformat.NotebookNode:
    """What stands in solutions/."""
    new = nbformat.v4
    cells = [
        new.new_markdown_cell("# Assignment 01"),
        new.new_code_cell(
            "import math\nimport torch\nfrom course_utils import check, summary",
            metadata=_mark("imports", locked=True),
        ),
    ]
    for exercise in exercises.unit(UNIT).exercises:
        if not isinstance(exercise, Choice) and exercise.name not in ANSWERS:
            continue  # the classroom's own assignment asks for less than the course's
        if isinstance(exercise, Choice):
            solved = (
                f"{exercise.name} = None\n### BEGIN SOLUTION\n{exercise.name} = "
                f'"{exercise.right}"\n### END SOLUTION'
            )
            test = f'check({exercise.name}, "{exercise.name}")'
        else:
            solved, test = _solution(ANSWERS[exercise.name]), f"check({exercise.name})"
        cells.append(new.new_code_cell(solved, metadata=_mark(exercise.name, solution=True)))
        cells.append(
            new.new_code_cell(
                test,
                metadata=_mark(
                    f"test_{exercise.name}", grade=True, locked=True, points=exercise.points
                ),
            )
        )
    cells += [
        new.new_code_cell(
            _solution(ANSWERS["rescaled"]), metadata=_mark("rescaled", solution=True)
        ),
        new.new_code_cell(
            text(ASSERTS), metadata=_mark("test_rescaled", grade=True, locked=True, points=2)
        ),
        new.new_markdown_cell(
            SOLUTION.format("**Rubric.** Two points."),
            metadata=_mark("why", grade=True, solution=True, points=2),
        ),
        new.new_code_cell(f'summary("{UNIT}")', metadata=_mark("total", locked=True)),
    ]
    for cell in cells:
        cell["id"] = cell["metadata"].get("nbgrader", {}).get("grade_id", cell["id"])
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new.new_notebook(cells=cells, metadata=kernel)


def make(root: Path, settings: str = "") -> Course:
    """A released course in an empty folder."""
    (root / "solutions" / UNIT).mkdir(parents=True)
    (root / "course.toml").write_text('title = "Test"\n' + settings)
    nbformat.write(source_notebook(), root / "solutions" / UNIT / f"{UNIT}.ipynb")
    course = Course(root)
    release(course, UNIT)
    return course


def clone(course: Course, root: Path) -> Course:
    """The same course in another folder: releasing again would take seconds."""
    shutil.copytree(course.root, root)
    return Course(root)


def released(course: Course) -> dict[str, Any]:
    return dict(json.loads(course.released(UNIT).read_text()))


def named(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    """The cell of this grade id."""
    return next(
        cell
        for cell in notebook["cells"]
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == name
    )


def answers() -> dict[str, str]:
    """A right answer to everything."""
    choices = {
        e.name: f'{e.name} = "{e.right}"'
        for e in exercises.unit(UNIT).exercises
        if isinstance(e, Choice)
    }
    return {name: text(code) for name, code in ANSWERS.items()} | choices | {"why": "Because."}


def notebook(course: Course, given: dict[str, str]) -> dict[str, Any]:
    """The released notebook with these answers in it."""
    made = copy.deepcopy(released(course))
    for name, code in given.items():
        named(made, name)["source"] = code
    return made


def hand_in(
    course: Course,
    student: str,
    content: dict[str, Any] | bytes,
    timestamp: str | None = None,
    name: str = f"{UNIT}.ipynb",
) -> Path:
    folder = course.submitted / student / UNIT
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(
        content if isinstance(content, bytes) else json.dumps(content).encode()
    )
    if timestamp:
        (folder / "timestamp.txt").write_text(timestamp)
    return folder
