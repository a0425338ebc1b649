"""The command line: formats, exit codes, and one clear line for every wrong use."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course, Limits
from autograder.errors import UserError

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["try", "softmacks", "x.py"], "Did you mean softmax"),
        (["try", "softmax", "no_such_file.py"], "no file"),
        (["audit", "--unit", "99"], "There is no unit '99'"),
        (["--course", "nowhere", "release", "01"], "no course.toml"),
        (["release", "99"], "no unit '99'"),
        (["simulate", "99"], "There is no unit"),
        (["simulate", "01", "--students", "0"], "at least one student"),
        (["grade", "99"], "There is no unit"),
        (["grade", "01", "--engine", "magic"], "magic"),
        (["grade", "01", "--workers", "0"], "0"),
        (["grade", "01", "--min-level", "7"], "7"),
        (["no-such-command"], "No such command"),
        (["grade"], "Missing argument"),
    ],
)
def test_wrong_use_is_one_clear_line_and_exit_code_2(
    autograder: Run,
    arguments: list[str],
    words: str,
    course: Course,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(course.root)
    before = sorted(course.root.rglob("*"))
    code, out, err = autograder(*arguments)
    assert code == 2
    assert words in out + err
    assert "Traceback" not in out + err
    assert sorted(course.root.rglob("*")) == before


def test_commands_that_come_too_early_say_what_to_do_first(autograder: Run, course: Course) -> None:
    code, _, err = autograder("--course", course.root, "simulate", "01")
    assert code == 2
    assert "autograder release 01" in err


def test_grading_an_empty_class_says_so(autograder: Run, course: Course) -> None:
    autograder("--course", course.root, "release", "01")
    for engine in ("nbgrader", "sandbox"):
        code, _, err = autograder("--course", course.root, "grade", "01", "--engine", engine)
        assert code == 2
        assert "nobody has handed in" in err


def test_a_class_is_not_simulated_over_another(autograder: Run, course: Course) -> None:
    autograder("--course", course.root, "release", "01")
    assert autograder("--course", course.root, "simulate", "01", "--students", "2")[0] == 0
    before = {path: path.read_bytes() for path in course.submitted.rglob("*") if path.is_file()}
    code, _, err = autograder("--course", course.root, "simulate", "01", "--students", "3")
    assert code == 2
    assert "already" in err
    assert {
        path: path.read_bytes() for path in course.submitted.rglob("*") if path.is_file()
    } == before


def test_nobody_is_simulated_among_real_students(autograder: Run, course: Course) -> None:
    (course.root / "students.csv").write_text("student\nanna\n")
    code, _, err = autograder("--course", course.root, "simulate", "01")
    assert code == 2
    assert "real students" in err
    assert not course.submitted.exists()


def test_only_open_units_are_released(autograder: Run, course: Course) -> None:
    toml = course.root / "course.toml"
    closed = "".join(
        f'"{unit}" = 2127-01-01T00:00:00Z\n' for unit in course.unit_names if unit[:2] != "01"
    )
    toml.write_text(toml.read_text().replace("[open]", f"[open]\n{closed}#"))
    code, out, _ = autograder("--course", course.root, "release")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("released")] == [
        "released assignments/01_nadaraya_watson/01_nadaraya_watson.ipynb"
    ]
    assert "02_dot_product_attention opens 2127-01-01" in out


def test_list_has_the_fixed_format(autograder: Run) -> None:
    code, out, _ = autograder("list", "--json")
    assert code == 0
    unit = json.loads(out)["units"][0]
    assert unit["unit"] == "01_nadaraya_watson"
    assert unit["points"] == sum(e["points"] for e in unit["exercises"])
    assert set(unit["exercises"][0]) == {"name", "kind", "points", "wrong", "right"}
    assert "softmax" in autograder("list")[1]


def test_list_tells_what_is_graded_without_an_exercise(autograder: Run, repository: Course) -> None:
    units = {unit["unit"]: unit for unit in json.loads(autograder("list", "--json")[1])["units"]}
    for name, unit in units.items():
        cells = json.loads(repository.released(name).read_text(encoding="utf-8"))["cells"]
        assert unit["points"] + unit["by_asserts"] + unit["by_hand"] == sum(
            c["metadata"].get("nbgrader", {}).get("points", 0) for c in cells
        )
    assert units["01_nadaraya_watson"]["by_asserts"] == 0
    assert units["01_nadaraya_watson"]["by_hand"] > 0
    assert (units["11_project"]["points"], units["11_project"]["by_hand"]) == (0, 40)
    assert "11_project, 40 points" in autograder("list")[1]


@pytest.mark.parametrize(("layout", "option"), [("repos", "--map"), ("repositories", "--mapping")])
def test_repositories_are_collected_by_either_name(
    autograder: Run, course: Course, tmp_path: Path, layout: str, option: str
) -> None:
    autograder("release", "01", "--course", course.root)
    unit = "01_nadaraya_watson"
    notebook = tmp_path / "all" / "course-kim" / "assignments" / unit / f"{unit}.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.write_bytes(course.released(unit).read_bytes())
    (tmp_path / "ids.csv").write_text("id,student\ncourse-kim,kim\n")
    code, out, _ = autograder(
        "collect",
        "01",
        tmp_path / "all",
        "--from",
        layout,
        option,
        tmp_path / "ids.csv",
        "--json",
        "--course",
        course.root,
    )
    data = json.loads(out)
    assert (code, data["layout"], [each["student"] for each in data["students"]]) == (
        0,
        "repos",
        ["kim"],
    )


def test_the_course_may_stand_before_or_after_a_command(
    autograder: Run, course: Course, tmp_path: Path
) -> None:
    assert autograder("--course", course.root, "release", "01") == autograder(
        "release", "01", "--course", course.root
    )
    assert (
        autograder("--course", tmp_path / "nowhere", "release", "01", "--course", course.root)[0]
        == 0
    )
    assert autograder("release", "01", "--course", tmp_path / "nowhere")[0] == 2


def test_try_has_the_fixed_format_and_nothing_else_on_standard_output(
    autograder: Run, tmp_path: Path
) -> None:
    attempt = tmp_path / "attempt.py"
    attempt.write_text(
        "print('noise')\ndef softmax(scores, dim=-1):\n    print('noise')\n    return"
        " scores.sigmoid()\n"
    )
    code, out, _ = autograder("try", "softmax", attempt, "--json")
    data = json.loads(out)
    assert code == 0
    assert set(data) == {
        "exercise",
        "points",
        "max_points",
        "passed",
        "misconception",
        "message",
        "cases",
    }
    assert (data["passed"], data["points"], data["misconception"]) == (False, 0.0, "sigmoid")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def softmax(:", "SyntaxError"),
        ("x = 1", "does not define softmax"),
        ("import sys\nsys.exit()", "SystemExit"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_try_survives_any_file(autograder: Run, tmp_path: Path, source: str, words: str) -> None:
    attempt = tmp_path / "attempt.py"
    attempt.write_text(source)
    code, out, _ = autograder("try", "softmax", attempt)
    assert code == 0
    assert words in out


def test_try_refuses_what_is_not_text(autograder: Run, tmp_path: Path) -> None:
    attempt = tmp_path / "attempt.py"
    attempt.write_bytes(b"\xff\xfe\x00")
    code, _, err = autograder("try", "softmax", attempt)
    assert code == 2
    assert "cannot read" in err


def test_audit_finds_false_verdicts(tmp_path: Path) -> None:
    from autograder.authoring import attempts as bank
    from course_utils import exercises
    from course_utils.judging.exercise import Choice

    folder = tmp_path / "01_nadaraya_watson"
    folder.mkdir()
    good = (
        "def softmax(scores, dim=-1):\n"
        "    e = (scores - scores.amax(dim, keepdim=True)).exp()\n"
        "    return e / e.sum(dim, keepdim=True)\n"
    )
    cells = {
        "wrong: passes (sigmoid)": good,
        "wrong: misnamed (base-two)": "def softmax(scores, dim=-1):\n    return scores.sigmoid()\n",
        "right: fails": "def softmax(scores, dim=-1):\n    return scores\n",
    }
    text = "\n".join(f"# %% {heading}\n{source}" for heading, source in cells.items())
    (folder / "softmax.py").write_text(text)
    result = bank.audit([exercises.unit("01")], bank=tmp_path)
    data = result.as_json()
    assert not result.good
    assert data["false_passes"] == ["01_nadaraya_watson/softmax: passes"]
    assert data["false_fails"] == ["01_nadaraya_watson/softmax: fails"]
    softmax = next(row for row in data["table"] if row[1] == "softmax")
    assert softmax[2:] == ("2", "1", "1", "1", "0 of 2")
    untried = next(row for row in data["table"] if row[1] == "gaussian_weights")
    assert untried[2:] == ("0", "0", "0", "0", "0 of 0"), "what nobody tried is in the table too"
    assert "01_nadaraya_watson/gaussian_weights" in data["untried"]
    assert "01_nadaraya_watson/softmax" not in data["untried"]
    choices = [e for e in exercises.unit("01").exercises if isinstance(e, Choice)]
    options = sum(len(choice.options) for choice in choices)  # of each, one is right
    assert data["right"] == 1 + len(choices)
    assert data["wrong"] == 2 + options - len(choices)
    assert data["named_right"] == data["named"] - 2 == options - len(choices)
    (folder / "no_such_exercise.py").write_text("# %% wrong: x (no name)\n")
    with pytest.raises(UserError, match="no exercise"):
        bank.audit([exercises.unit("01")], bank=tmp_path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = ", "not valid TOML"),
        ("colour = 1", "unknown entry 'colour'"),
        ("[limits]\nspeed = 3", "unknown limit"),
        ("[limits]\nmemory_mb = -1", "positive"),
    ],
)
def test_a_broken_course_toml_is_explained(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(UserError, match=words):
        _ = Course.find(tmp_path).settings


def test_limits_come_from_course_toml(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("[limits]\ncell_seconds = 5\n")
    assert Course.find(tmp_path).settings.limits == Limits(cell_seconds=5)


def test_the_seed_is_made_once_and_kept_private(course: Course) -> None:
    seed = course.seed()
    assert course.seed() == seed
    assert len(seed) == 32
    assert (course.root / ".secret_seed").stat().st_mode & 0o077 == 0
