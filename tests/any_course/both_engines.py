"""Grades an nbgrader course with stock nbgrader and with this engine, and lists every difference in
the gradebook and in the graded notebooks.

`python -m tests.any_course.both_engines COURSE ASSIGNMENT` does so with two copies of a course.
"""

import json
import logging
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import api
from nbgrader.converters import Autograde, GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

from autograder.any_course import AnyCourse
from autograder.course import Course
from autograder.grading import run
from autograder.grading.results import RunSummary

ADDRESS = re.compile(r"0x[0-9a-f]{6,}|/[\w./-]*/(?=[\w.-]+)|<ipython-input-[\w-]+>|/tmp/\S+")


def release(course: AnyCourse, assignment: str) -> None:
    """nbgrader's generate_assignment, with what the course's configuration says."""
    course.config.CourseDirectory.assignment_id = assignment
    _convert(GenerateAssignment, course, assignment)


def grade_stock(course: AnyCourse, assignment: str, **traits: Any) -> None:
    """nbgrader's autograde."""
    _convert(Autograde, course, assignment, **traits)


def _convert(kind: Any, course: AnyCourse, assignment: str, **traits: Any) -> None:
    folders = CourseDirectory(config=course.config, root=str(course.root))
    folders.assignment_id = assignment
    with course.inside():
        converter = kind(coursedir=folders, config=course.config, **traits)
        converter.log = logging.getLogger("tests.stock")
        converter.log.setLevel(logging.CRITICAL)
        converter.start()


def grade(course: Course, assignment: str) -> RunSummary:
    return run.grade(course, assignment, workers=2, min_level=0)


def twin(course: AnyCourse, root: Path) -> AnyCourse:
    """The same course once more, gradebook included."""
    shutil.copytree(course.root, root)
    return AnyCourse(root)


# What both came to -------------------------------------------------------------------------------


def recorded(course: AnyCourse, assignment: str) -> dict[str, Any]:
    """Everything that the gradebook says about an assignment."""
    found: dict[str, Any] = {}
    with api.Gradebook(course.gradebook_url, course.course_id) as gradebook:
        for submission in gradebook.assignment_submissions(assignment):
            who = submission.student_id
            found[f"{who}: time"] = str(submission.timestamp)
            found[f"{who}: score"] = (submission.score, submission.max_score)
            found[f"{who}: needs a person"] = submission.needs_manual_grade
            for notebook in submission.notebooks:
                where = f"{who}/{notebook.name}"
                found[f"{where}: penalty"] = notebook.late_submission_penalty
                for row in notebook.grades:
                    found[f"{where}/{row.name}"] = (
                        row.auto_score,
                        row.manual_score,
                        row.max_score,
                        row.needs_manual_grade,
                        row.failed_tests,
                    )
                for said in notebook.comments:
                    found[f"{where}/{said.name}: comment"] = said.auto_comment
    return found


def written(course: AnyCourse, assignment: str) -> dict[str, Any]:
    """Every file and every cell of the graded submissions."""
    found: dict[str, Any] = {}
    for student in course.students(assignment):
        folder = course.graded(student, assignment)
        for path in sorted(folder.rglob("*")):
            name = f"{student}/{path.relative_to(folder)}"
            if path.suffix == ".ipynb":
                notebook = nbformat.read(path, as_version=4)
                nbformat.validate(notebook)
                found[f"{name}: kernel"] = json.dumps(notebook.metadata.get("kernelspec", {}))
                for number, cell in enumerate(notebook.cells):
                    found |= _cell(f"{name}, cell {number + 1}", cell)
            elif path.name == "timestamp.txt":
                found[name] = parse_utc(path.read_text().strip())
            elif path.is_file():
                found[name] = path.read_bytes()
    return found


def _cell(where: str, cell: Any) -> dict[str, Any]:
    metadata = {key: value for key, value in cell.metadata.items() if key != "execution"}
    found = {
        f"{where}: type": cell.cell_type,
        f"{where}: source": cell.source,
        f"{where}: metadata": json.dumps(metadata, sort_keys=True),
    }
    if cell.cell_type == "code":
        found[f"{where}: count"] = cell.execution_count
        found[f"{where}: outputs"] = [_output(each) for each in _merged(cell.outputs)]
    return found


def _merged(outputs: list[Any]) -> list[Any]:
    """Pieces of one stream are one: how a text is cut depends on the moment."""
    found: list[Any] = []
    for output in outputs:
        last = found[-1] if found else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            found.append(dict(output))
    return found


def _output(output: dict[str, Any]) -> tuple[str, ...]:
    """What somebody sees of an output; a traceback by its error."""
    kind = output["output_type"]
    if kind == "stream":
        return kind, output["name"], ADDRESS.sub("…", output["text"])
    if kind == "error":
        return kind, output["ename"], ADDRESS.sub("…", output["evalue"])
    return kind, *sorted(output["data"]), ADDRESS.sub("…", output["data"].get("text/plain", ""))


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [
        f"{name}: stock {one.get(name, 'nothing')!r}, here {other.get(name, 'nothing')!r}"
        for name in sorted({*one, *other})
        if one.get(name, "nothing") != other.get(name, "nothing")
    ]


def compare(stock: AnyCourse, here: AnyCourse, assignment: str) -> list[str]:
    """Every difference between two graded copies of a course."""
    return differences(recorded(stock, assignment), recorded(here, assignment)) + differences(
        written(stock, assignment), written(here, assignment)
    )


def main(root: Path, assignment: str) -> None:
    course = AnyCourse(root.resolve())
    with tempfile.TemporaryDirectory(prefix="both-") as folder:
        stock, here = (twin(course, Path(folder) / name) for name in ("stock", "here"))
        for copy in (stock, here):
            shutil.rmtree(copy.autograded, ignore_errors=True)
        grade_stock(stock, assignment)
        for problem in grade(here, assignment).problems:
            print(f"{problem['student']}: {problem['reason']}")
        found = compare(stock, here, assignment)
        print("\n".join(line[:300] for line in found))
        entries = len(recorded(here, assignment)) + len(written(here, assignment))
        print(f"{len(found)} differences in {entries} entries")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
