"""What students get, as a repository of its own: lectures, assignments, course_utils; built aside,
checked, and only then put in place."""

import json
import re
import shutil
import sys
import tempfile
import zipfile
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import course_utils
import drawings
from autograder.authoring import notebooks
from autograder.authoring.release import opened
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.nbgrader_bridge import CODE_STUB, TEXT_STUB
from autograder.points.facts import Ledger
from course_utils import exercises
from course_utils.judging import sealed
from course_utils.judging.exercise import Choice

FOLDER = "student_repository"
ALLOWED = (
    "README.md", "LICENSE", "pyproject.toml", ".gitignore", "lectures/*.ipynb",
    "assignments/*/*.ipynb", "solutions/*.ipynb",
    "course_utils/*.py", "course_utils/data/*", "drawings/*.py",
    "course_utils/judging/*.py",
    "course_utils/exercises/*.py", "course_utils/exercises/*/*.py",
)  # fmt: skip
NEVER = ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", ".secret_seed", "gradebook.db")
PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "attention-course-student"
version = "{version}"
description = "Lectures and assignments on attention and Transformers"
readme = "README.md"
license = "MIT"
license-files = ["LICENSE"]
requires-python = ">=3.11,<3.14"
dependencies = [
{dependencies}
]

[project.optional-dependencies]
lab = ["jupyterlab>=4", "ipykernel>=6"]

[tool.setuptools.packages.find]
include = ["course_utils*", "drawings*"]

[tool.setuptools.package-data]
course_utils = ["data/*"]
"""


def build(course: Course, target: Path | None = None, units: list[str] | None = None) -> Path:
    """Write the folder and, beside it, the zip; what is there stays if anything is wrong with the
    new one. `units` are those that students get (default: those that are open)."""
    target = target or course.root / FOLDER
    chosen = opened(course, notebooks.names(course)) if units is None else units
    published = [path.stem for path in target.glob("solutions/*.ipynb")]
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".student-") as folder:
        new = Path(folder) / target.name
        _fill(course, new, chosen)
        for unit in published:
            write_solution(course, unit, new)
        if wrong := problems(course, new):
            raise UserError(
                "the student repository would not be fit for students:\n  "
                + "\n  ".join(wrong[:20])
            )
        _keep_history(target, new)
        notebooks.swap(new, target)
    return pack(target)


def _fill(course: Course, new: Path, units: list[str]) -> None:
    for name in units:
        for path in (
            notebooks.lecture_path(course, name),
            course.assignments / name / f"{name}.ipynb",
        ):
            if path.is_file():
                _copy(path, new / path.relative_to(course.root))
    for module in (course_utils, drawings):
        package = Path(str(module.__file__)).parent
        for path in package.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                _copy(path, new / package.name / path.relative_to(package))
    for name, choice in choices().items():
        (new / name).write_text(sealed.source(choice), encoding="utf-8")
    readme = (SOURCE_TREE / "docs" / "student.md").read_text(encoding="utf-8")
    head = f"# {course.settings.title}: lectures and assignments"
    readme = re.sub(r"\A# .*", lambda _: head, readme)
    if course.settings.student_repository:
        repository = course.settings.repository
        readme = readme.replace("OWNER", repository.owner).replace("REPOSITORY", repository.name)
    (new / "README.md").write_text(readme, encoding="utf-8")
    _copy(SOURCE_TREE / "LICENSE", new / "LICENSE")
    (new / ".gitignore").write_text(
        ".venv/\n__pycache__/\n.ipynb_checkpoints/\n*.egg-info/\nbuild/\n", encoding="utf-8"
    )
    listed = ",\n".join(f'    "{each}"' for each in _dependencies())
    (new / "pyproject.toml").write_text(
        PYPROJECT.format(version=course_utils.__version__, dependencies=listed), encoding="utf-8"
    )


def choices() -> dict[str, Choice]:
    """Where the student repository has a choice -> the choice, which it has sealed."""
    return {
        f"course_utils/exercises/{unit.module}/{each.name}.py": each
        for unit in exercises.units()
        for each in unit.exercises
        if isinstance(each, Choice)
    }


def _dependencies() -> list[str]:
    import tomllib

    return list(
        tomllib.loads((SOURCE_TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "dependencies"
        ]
    )


def _copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def _keep_history(old: Path, new: Path) -> None:
    """A repository that was made of the folder goes on."""
    if (old / ".git").is_dir():
        shutil.copytree(old / ".git", new / ".git", symlinks=True)


def pack(folder: Path) -> Path:
    """FOLDER.zip, the same bytes for the same files."""
    new = folder.with_suffix(".zip.new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files(folder):
            info = zipfile.ZipInfo(
                f"{folder.name}/{path.relative_to(folder).as_posix()}", (1980, 1, 1, 0, 0, 0)
            )
            info.external_attr = 0o644 << 16
            archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return new.replace(folder.with_suffix(".zip"))


def _files(folder: Path) -> list[Path]:
    aside = {
        ".git",
        "__pycache__",
        ".ipynb_checkpoints",
        ".venv",
    }  # what using the folder leaves behind; .gitignore names it too
    return sorted(
        path
        for path in folder.rglob("*")
        if not path.is_dir() and aside.isdisjoint(path.relative_to(folder).parts)
    )


# What must not get out ---------------------------------------------------------------------------


def problems(course: Course, folder: Path) -> list[str]:
    """Everything in a student repository that students must not get, or that would not work; empty
    if it is fit."""
    found: list[str] = []
    secrets = [*NEVER, str(course.root), *_seed(course)]
    answers, asked = solutions(course), choices()
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not any(
            fnmatch(name, pattern) and name.count("/") == pattern.count("/") for pattern in ALLOWED
        ):
            found.append(f"{name} does not belong there")
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{name} holds {word!r}" for word in secrets if word in text]
        if name in asked and text != sealed.source(asked[name]):
            found.append(f"{name} may show which option is right: it is not sealed")
        if path.suffix == ".py" and re.search(r"^\s*(from|import) autograder\b", text, flags=re.M):
            found.append(f"{name} imports the grader")
        if path.suffix == ".ipynb" and name.startswith("assignments/"):
            found += [
                f"{name}: {reason}"
                for reason in _assignment(json.loads(text), answers.get(path.stem, {}))
            ]
        if path.suffix == ".ipynb" and name.startswith("lectures/") and path.stem in answers:
            found += [
                f"{name} holds {what}"
                for what in _solved(text, answers[path.stem], written_only=True)
            ]
    if not list(folder.glob("lectures/*.ipynb")) or not list(folder.glob("assignments/*/*.ipynb")):
        found.append("there are no lectures or no assignments: run `make notebooks`")
    return found


def _seed(course: Course) -> list[str]:
    path = course.root / ".secret_seed"
    return [path.read_text(encoding="ascii").strip()] if path.is_file() else []


def solutions(course: Course) -> dict[str, dict[str, str]]:
    """Unit -> grade id -> what stands between BEGIN SOLUTION and END SOLUTION."""
    found: dict[str, dict[str, str]] = {}
    for path in course.solutions.glob("*/*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            if cell["metadata"].get("nbgrader", {}).get("solution"):
                blocks = re.findall(
                    r"### BEGIN SOLUTION\n(.*?)\n\s*### END SOLUTION",
                    "".join(cell["source"]),
                    flags=re.S,
                )
                found.setdefault(path.stem, {})[cell["metadata"]["nbgrader"]["grade_id"]] = (
                    "\n".join(blocks).strip()
                )
    return found


def _assignment(notebook: dict[str, Any], answers: dict[str, str]) -> list[str]:
    found = []
    for cell in notebook["cells"]:
        mark, source = cell["metadata"].get("nbgrader", {}), "".join(cell["source"])
        if (
            mark.get("solution")
            and (CODE_STUB if cell["cell_type"] == "code" else TEXT_STUB) not in source
        ):
            found.append(f"the answer cell {mark['grade_id']} is not empty")
        if cell.get("outputs"):
            found.append(f"the cell {cell.get('id')} has outputs")
    return found + [f"it holds {what}" for what in _solved(json.dumps(notebook), answers)]


def _solved(text: str, answers: dict[str, str], written_only: bool = False) -> list[str]:
    """Which solutions of some length stand in a notebook word by word."""
    found = []
    for name, answer in answers.items():
        quoted = json.dumps(answer)[1:-1]
        plain = json.dumps(answer, ensure_ascii=False)[1:-1]
        if (
            len(answer) >= 40
            and (not written_only or "Rubric" in answer)
            and (quoted in text or plain in text)
        ):
            found.append(f"the solution of {name}")
    return found


# Solutions, when their time has come -------------------------------------------------------------


def publish_solution(course: Course, unit: str, force: bool = False) -> Path:
    """The solved notebook of a unit into the student repository; not before everybody's time is
    up, extensions and grace period included."""
    last = Ledger(course).closes(unit)
    if not force and last is None:
        raise UserError(
            f"course.toml gives no due date for {unit}: publish its solution with --force"
        )
    if not force and last is not None and datetime.now(UTC) < last:
        raise UserError(
            f"{unit} is due at {last:%Y-%m-%d %H:%M %Z}, extensions included:"
            " its solution stays closed (or --force)"
        )
    folder = course.root / FOLDER
    if not folder.is_dir():
        raise UserError("there is no student repository yet: run `make release` first")
    path = write_solution(course, unit, folder)
    pack(folder)
    return path


def write_solution(course: Course, unit: str, folder: Path) -> Path:
    """The source notebook without the markers of nbgrader, without hidden tests."""
    source = course.solutions / unit / f"{unit}.ipynb"
    if not source.is_file():
        raise UserError(
            f"solutions/{unit}/{unit}.ipynb is not built: run `make notebooks UNIT={unit[:2]}`"
            " first"
        )
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        text = re.sub(
            r"^\s*### BEGIN HIDDEN TESTS\n.*?### END HIDDEN TESTS\n?", "", text, flags=re.M | re.S
        )
        cell["source"] = re.sub(
            r"^[ \t]*### (BEGIN|END) SOLUTION[ \t]*\n?", "", text, flags=re.M
        ).rstrip()
        cell["metadata"] = {key: value for key, value in cell["metadata"].items() if key == "tags"}
    target = folder / "solutions" / f"{unit}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return target


def contents(folder: Path) -> list[str]:
    """What is in a student repository, in words that leave nothing out."""
    lectures = sorted(path.stem[:2] for path in folder.glob("lectures/*.ipynb"))
    assignments = sorted(path.stem[:2] for path in folder.glob("assignments/*/*.ipynb"))
    solved = sorted(path.stem[:2] for path in folder.glob("solutions/*.ipynb"))
    return [
        f"lectures {' '.join(lectures)}; assignments {' '.join(assignments)}, with empty answers;"
        f" solutions {' '.join(solved) or 'none'}",
        "course_utils with all of the course's code: a student who reads it finds the functions"
        " asked for and worked examples of mistakes; what the options of choices mean is sealed:"
        " `check` opens the one that is chosen, so whoever asks for each of them knows the answer",
    ]


def main(arguments: list[str]) -> int:
    """`make release`: of the units named, or of all that are open by [open] of course.toml."""
    course = Course.find()
    everything = notebooks.names(course)
    units = [course.unit_name(name) for name in arguments] or opened(course, everything)
    if old := notebooks.stale(course, units):
        more = f", and {len(old) - 1} more" if len(old) > 1 else ""
        raise UserError(f"{old[0]} is out of date{more}: run `make notebooks` first")
    archive = build(course, units=units)
    folder = course.root / FOLDER
    print(f"{FOLDER}/: {len(_files(folder))} files, no seed, nothing of the grader")
    for line in contents(folder):
        print(f"  {line}")
    if later := [unit for unit in everything if unit not in units]:
        print(f"  left out: {', '.join(later)}")
    print(f"{archive.name}: {archive.stat().st_size / 2**20:.1f} MB")
    repository = course.settings.repository
    place = f"https://github.com/{repository.owner}/{repository.name}"
    print(f"publish it as {place}, branch {repository.branch}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"make release: {error}")
