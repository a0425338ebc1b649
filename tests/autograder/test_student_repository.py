"""The student repository: complete, installable, and free of what students must not get."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.authoring import student_repository
from autograder.authoring.student_repository import build, problems, publish_solution
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging.exercise import Choice
from course_utils.judging.judge import LocalAttempt, judge

UNIT = "01_nadaraya_watson"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("student") / "student_repository"
    build(Course(SOURCE_TREE), target)
    return target


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_it_holds_what_students_need_and_nothing_else(made: Path) -> None:
    found = files(made)
    assert {
        "README.md",
        "LICENSE",
        "pyproject.toml",
        "course_utils/__init__.py",
        "course_utils/data/digits.npz",
        "drawings/__init__.py",
    } <= found
    assert f"lectures/{UNIT}.ipynb" in found
    assert f"assignments/{UNIT}/{UNIT}.ipynb" in found
    assert {name.split("/")[0] for name in found} == {
        "README.md",
        "LICENSE",
        "pyproject.toml",
        ".gitignore",
        "lectures",
        "assignments",
        "course_utils",
        "drawings",
    }
    assert problems(Course(SOURCE_TREE), made) == []


def test_the_zip_holds_the_same_files(made: Path) -> None:
    with zipfile.ZipFile(made.with_suffix(".zip")) as archive:
        assert {name.removeprefix("student_repository/") for name in archive.namelist()} == files(
            made
        )


def test_units_that_are_not_given_out_are_not_in_it(tmp_path: Path) -> None:
    build(Course(SOURCE_TREE), tmp_path / "student_repository", units=[UNIT])
    folder = tmp_path / "student_repository"
    assert [path.stem for path in folder.glob("lectures/*")] == [UNIT]
    assert [path.stem for path in folder.glob("assignments/*/*")] == [UNIT]
    (what, course_utils) = student_repository.contents(folder)
    assert what == "lectures 01; assignments 01, with empty answers; solutions none"
    assert "choices mean is sealed" in course_utils


@pytest.mark.slow
def test_choices_are_sealed_and_can_be_checked(made: Path) -> None:
    """Judged by the student repository's own code, in a process that sees nothing else."""
    asked = [e for u in exercises.units() for e in u.exercises if isinstance(e, Choice)]
    assert len(asked) >= 30
    text = "\n".join(path.read_text(encoding="utf-8") for path in made.rglob("choice_*.py"))
    for choice in asked:
        assert not [o for o in choice.options.values() if o.why in text or o.text in text]
    code = (
        "import json, sys\n"
        "from course_utils import exercises\n"
        "from course_utils.judging.judge import LocalAttempt, judge\n"
        "found = {}\n"
        "for unit in exercises.units():\n"
        "    for e in unit.exercises:\n"
        "        if e.kind == 'choice':\n"
        "            for letter in [*e.options, 'x', 3, None]:\n"
        "                v = judge(e, LocalAttempt(letter, ''))\n"
        "                found[f'{e.name} {letter}'] = [v.points, v.title, v.message, v.status]\n"
        "json.dump(found, sys.stdout)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(made)!r})\n{code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(ran.stdout)
    for choice in asked:
        for letter in [*choice.options, "x", 3, None]:
            verdict = judge(choice, LocalAttempt(letter, ""))
            mine = [verdict.points, verdict.title, verdict.message, verdict.status]
            assert found[f"{choice.name} {letter}"] == mine
        assert found[f"{choice.name} {choice.right}"][0] == choice.points


def test_sealed_options_do_not_differ_in_length(made: Path) -> None:
    for path, choice in student_repository.choices().items():
        text = (made / path).read_text(encoding="utf-8")
        parts = text.split("options={")[1].split("),")
        assert len({len(part.strip()) for part in parts[: len(choice.options)]}) == 1


def test_the_readme_names_the_repository(made: Path) -> None:
    text = (made / "README.md").read_text(encoding="utf-8")
    repository = Course(SOURCE_TREE).settings.student_repository
    assert f"github.com/{repository['owner']}/{repository['name']}" in text
    assert "OWNER" not in text


def solve(folder: Path) -> None:
    path = folder / "assignments" / UNIT / f"{UNIT}.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    answers = student_repository.solutions(Course(SOURCE_TREE))[UNIT]
    next(c for c in notebook["cells"] if c["id"] == "softmax")["source"] = answers["softmax"]
    path.write_text(json.dumps(notebook), encoding="utf-8")


def spoil_with(name: str, text: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    return spoil


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (solve, "softmax is not empty"),
        (spoil_with("solutions/01/01.ipynb", "{}"), "does not belong"),
        (spoil_with("autograder/cli.py", ""), "does not belong"),
        (spoil_with("tests/variants/x.py", ""), "does not belong"),
        (spoil_with("course_utils/extra.py", "from autograder import bank"), "imports the grader"),
        (spoil_with("course_utils/extra.py", "### BEGIN SOLUTION"), "BEGIN SOLUTION"),
        (
            spoil_with("course_utils/exercises/masking/choice_zero_score.py", 'right="c"'),
            "choice_zero_score.py may show which option is right",
        ),
        (spoil_with("lectures/leak.ipynb", '{"cells": "0123456789abcdef"}'), "0123456789abcdef"),
        (
            lambda folder: (folder / "course_utils" / "link.py").symlink_to(__file__),
            "does not belong",
        ),
    ],
)
def test_a_leak_is_found(
    spoil: Callable[[Path], None], words: str, made: Path, tmp_path: Path
) -> None:
    import shutil

    copy, root = tmp_path / "copy", tmp_path / "course"
    shutil.copytree(made, copy)
    root.mkdir()
    (root / "course.toml").write_text("")
    (root / ".secret_seed").write_text("0123456789abcdef")
    (root / "solutions").symlink_to(SOURCE_TREE / "solutions")
    spoil(copy)
    assert any(words in problem for problem in problems(Course(root), copy))


def test_a_repository_that_leaks_does_not_replace_the_good_one(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "student_repository"
    build(Course(SOURCE_TREE), target)
    before = files(target)
    monkeypatch.setattr(student_repository, "problems", lambda course, folder: ["a leak"])
    with pytest.raises(UserError, match="a leak"):
        build(Course(SOURCE_TREE), target)
    assert files(target) == before
    assert not list(tmp_path.glob(".student-*"))


@pytest.mark.slow
def test_a_student_with_only_this_can_import_and_check(made: Path, tmp_path: Path) -> None:
    code = (
        "import sys, torch, course_utils\n"
        f"assert course_utils.__file__.startswith({str(made)!r})\n"
        "from course_utils import check\n"
        "def softmax(scores, dim=-1):\n    e = (scores - scores.amax(dim, keepdim=True)).exp()\n"
        "    return e / e.sum(dim, keepdim=True)\n"
        "print(repr(check(softmax)))\n"
        "assert 'autograder' not in sys.modules\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={"PYTHONPATH": str(made), "PATH": "/usr/bin", "OMP_NUM_THREADS": "1"}
        | {"PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "softmax" in done.stdout


# Solutions ---------------------------------------------------------------------------------------


@pytest.fixture
def due_course(course: Course, made: Path) -> Callable[[str], Course]:
    import shutil

    def with_due(text: str) -> Course:
        shutil.copytree(made, course.root / "student_repository")
        toml = course.root / "course.toml"
        toml.write_text(toml.read_text().replace("[due]", f"[due]\n{text}\n#"))
        return Course(course.root)

    return with_due


def iso(hours: int) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_solutions_stay_closed_until_everybody_is_due(due_course: Callable[[str], Course]) -> None:
    extension = f'[extensions."{UNIT}"]\nanna = {iso(5)}\n'
    course = due_course(f'"{UNIT}" = {iso(-5)}\n{extension}')
    with pytest.raises(UserError, match="extensions included"):
        publish_solution(course, UNIT)
    assert not (course.root / "student_repository" / "solutions").exists()


def test_solutions_are_published_after_the_due_date(due_course: Callable[[str], Course]) -> None:
    course = due_course(f'"{UNIT}" = {iso(-5)}')
    path = publish_solution(course, UNIT)
    text = path.read_text(encoding="utf-8")
    for word in ("BEGIN SOLUTION", "HIDDEN TESTS", "nbgrader"):
        assert word not in text
    assert "e = " in text or "exp(" in text
    assert problems(course, course.root / "student_repository") == []
    with zipfile.ZipFile(course.root / "student_repository.zip") as archive:
        assert f"student_repository/solutions/{UNIT}.ipynb" in archive.namelist()


def test_without_a_due_date_solutions_need_force(
    due_course: Callable[[str], Course], autograder: Callable[..., tuple[int, str, str]]
) -> None:
    course = due_course("")
    code, _, err = autograder("--course", course.root, "release", "--solutions", "01")
    assert code == 2
    assert "--force" in err
    code, out, _ = autograder("--course", course.root, "release", "--solutions", "01", "--force")
    assert code == 0
    assert "published student_repository/solutions" in out
    assert autograder("--course", course.root, "release", "--solutions")[0] == 2
