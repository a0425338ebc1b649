"""Nobody gets a point for a wrong answer, nothing leaks, nobody else suffers, nothing survives,
and the run ends by itself.
"""

import json
from pathlib import Path

import pytest

from autograder.course import Course
from tests.autograder.classroom import UNIT
from tests.hostile import suite
from tests.hostile.suite import Class, Program
from tests.hostile.tampering import TAMPERINGS, Tampering

pytestmark = pytest.mark.sandbox
JUDGED = (
    "test_gaussian_weights",
    "test_nadaraya_watson",
    "test_leave_one_out_error",
    "test_choice_units",
    "test_choice_distance",
    "test_choice_code",
)
FULL = {"test_gaussian_weights": 3.0, "test_nadaraya_watson": 3.0, "test_leave_one_out_error": 4.0}


@pytest.fixture(scope="module")
def hostile(base: Course, tmp_path_factory: pytest.TempPathFactory) -> Class:
    return suite.hold(base, tmp_path_factory.mktemp("hostile") / "course")


def test_there_are_enough_attacks_of_every_family() -> None:
    families = {program.path.parent.name for program in suite.programs()}
    assert families == {"interpreter", "data", "leaks", "outcome", "denial"}
    assert len(suite.programs()) + len(TAMPERINGS) >= 70


@pytest.mark.parametrize("program", suite.programs(), ids=lambda program: program.name)
def test_program(hostile: Class, program: Program) -> None:
    points = hostile.points(program.name)
    expected = program.head.get("expect", "0")
    if expected.startswith("below"):
        assert points["test_softmax"] is not None
        assert points["test_softmax"] < float(expected.split()[1])
    else:
        assert points["test_softmax"] == float(expected)
    if (
        program.head.get("spoils") != "all"
    ):  # who breaks the own process may lose the own points, but gains none
        assert {name: points[name] for name in FULL} == FULL
    result = hostile.result(program.name)
    limits = {note.limit for note in result.limits}
    if "limit" not in program.head:
        assert not limits, limits
    elif program.head["limit"] != "maybe":
        assert program.head["limit"] in limits
        note = next(each for each in result.limits if each.limit == program.head["limit"])
        assert note.message, "whoever hits a limit is told which"
    if "status" in program.head:
        assert (
            next(cell for cell in result.cells if cell.name == "test_softmax").status
            == program.head["status"]
        )


@pytest.mark.parametrize("each", TAMPERINGS, ids=suite.student_of)
def test_tampering(hostile: Class, each: Tampering) -> None:
    student = suite.student_of(each)
    if each.points is None:
        assert each.reason in hostile.problem(student)
        assert not (hostile.course.autograded / student).exists()
        return
    points = hostile.points(student)
    assert points["test_softmax"] == each.points
    assert {name: points[name] for name in FULL} == FULL
    assert set(points) == {
        *FULL,
        "test_softmax",
        "test_choice_units",
        "test_choice_distance",
        "test_choice_code",
        "test_rescaled",
        "why",
    }


def test_honest_neighbours_keep_their_grades(hostile: Class) -> None:
    from autograder.points.scores import cell_scores

    recorded = cell_scores(hostile.course, UNIT)
    for student, expected in hostile.honest.items():
        assert {name: hostile.points(student)[name] for name in expected} == expected
        assert {name: recorded[student][name] for name in expected} == expected


def test_gradebook_says_what_the_judge_said(hostile: Class) -> None:
    from autograder.points.scores import cell_scores

    recorded = cell_scores(hostile.course, UNIT)
    for program in suite.programs():
        assert recorded[program.name] == hostile.points(program.name)


def test_nothing_leaks(hostile: Class) -> None:
    allowed = {*hostile.honest}  # whose own answer holds the canary
    for folder in hostile.course.autograded.iterdir():
        if folder.name in allowed or folder.name in (
            "leaks-leave-message",
            "outcome-script-output",
        ):
            continue
        text = hostile.notebook(folder.name)
        assert hostile.mark not in text, folder.name
    for program in suite.programs():
        text = str(hostile.result(program.name))
        assert hostile.mark not in text or program.path.stem in (
            "leave_message",
            "script_output",
        ), program.name


def test_nobody_got_out(hostile: Class) -> None:
    assert hostile.calls == []
    root = hostile.course.root
    assert not (root / "PICKLED").exists()
    assert not (root / "PWNED").exists()
    for name in (
        "tcp",
        "udp",
        "abstract-socket",
        "vsock",
        "other-memory",
        "import-grader",
        "import-later-reference",
    ):
        printed = hostile.printed(f"leaks-{name}")
        for word in ("CONNECTED", "OPENED", "FOUND <", "FOUND [<"):
            assert word not in printed, (name, word)
    for name in ("outcome-modify-library", "outcome-autograded-folder", "outcome-sql"):
        assert "WROTE" not in hostile.printed(name), name
    assert "LIFTED" not in hostile.printed("denial-raise-limits")
    assert "MADE" not in hostile.printed("denial-namespaces")


def test_scripts_do_not_reach_the_instructor(hostile: Class) -> None:
    for student in (
        "outcome-script-output",
        "files-script-in-output",
        "data-giant-error",
        "data-evil-metaclass",
    ):
        for cell in json.loads(hostile.notebook(student))["cells"]:
            for output in cell.get("outputs", []):
                for mime, content in output.get("data", {}).items():
                    assert mime in ("text/plain", "text/html", "image/png")
                    assert mime != "text/html" or "<script" not in content
                    assert mime != "text/html" or "onerror" not in content
                    assert mime != "text/html" or "<iframe" not in content


def test_nothing_tells_somebody_that_it_is_read(hostile: Class) -> None:
    for student in ("files-beacons", "outcome-nested-html"):
        for cell in json.loads(hostile.notebook(student))["cells"]:
            shown = [
                output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])
            ]
            assert all("beacon.example" not in html for html in shown), student
            if cell["cell_type"] == "markdown" and "beacon" in cell["source"]:
                assert "<img" not in cell["source"]
                assert "![" not in cell["source"]


def test_results_notebooks_and_pages_have_a_bound(hostile: Class) -> None:
    from autograder.pages import feedback, report

    stored = list((hostile.course.root / "runs" / "results" / UNIT).glob("*.json"))
    pages = feedback.build(hostile.course, UNIT)
    assert len(pages) == len(stored)
    for path in (*stored, *pages):
        assert path.stat().st_size < 2 << 20, path.name
    assert report.build(hostile.course).stat().st_size < 4 << 20


def test_notes_are_the_graders_own_words(hostile: Class) -> None:
    for program in suite.programs():
        for note in hostile.result(program.name).limits:
            assert "LEAKED" not in note.message, program.name
            assert hostile.mark not in note.message, program.name


def test_autograded_notebooks_are_valid(hostile: Class) -> None:
    import nbformat

    folders = list(hostile.course.autograded.iterdir())
    assert len(folders) > 70
    for folder in folders:
        nbformat.validate(nbformat.reads(hostile.notebook(folder.name), as_version=4))


def test_no_process_survives(hostile: Class) -> None:
    assert suite.survivors() == []


def test_every_grade_carries_the_level(hostile: Class) -> None:
    assert hostile.summary.level == 3
    assert {hostile.result(program.name).level for program in suite.programs()} == {3}


def test_the_run_ends_by_itself(hostile: Class, tmp_path: Path) -> None:
    submissions = len(suite.programs()) + len(TAMPERINGS) + len(hostile.honest)
    assert (
        hostile.summary.graded + len({each["student"] for each in hostile.summary.problems})
        >= submissions
    )
