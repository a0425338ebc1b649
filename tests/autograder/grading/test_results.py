"""The result file says everything, and comes back as it was."""

from pathlib import Path

from autograder.grading.late import penalty
from autograder.grading.results import CaseNote, CellResult, LimitNote, Result


def test_round_trip() -> None:
    cell = CellResult(
        "test_a", "a", "judged", 1.5, 2.0, status="failed", misconception="m", cases=(CaseNote("l", "basic", False, True, "why"),)
    )
    result = Result(
        "s", "01", "f", 3, (cell,), (LimitNote("cell_seconds", "a", "no end"),), ("mended",), ("note",), {"a": None, "b": "text"}
    )
    assert Result.from_json(result.to_json()) == result
    assert (result.score, result.max_score) == (1.5, 2.0)


def test_penalty_is_per_day_begun_and_never_more_than_the_score() -> None:
    assert penalty(10, 0, 0.1) is None
    assert penalty(10, 5, 0.0) is None
    assert penalty(10, 5, 0.1) == 1.0
    assert penalty(10, 86401, 0.1) == 2.0
    assert penalty(10, 86400 * 50, 0.1) == 10


def test_a_run_log_holds_one_line_per_submission(tmp_path: Path) -> None:
    from autograder.grading.run import Log, Summary

    log = Log(tmp_path, "01_unit")
    log.line("anna", "graded 3 of 4")
    log.line("evil\nberta: graded 99", "not graded:\nno notebook")
    log.close(Summary("01_unit", graded=1, problems=[{"student": "x", "reason": "y"}]))
    lines = next(tmp_path.glob("01_unit-*.log")).read_text().splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("anna: graded 3 of 4")
    assert lines[1].endswith("evil berta: graded 99: not graded: no notebook")
    assert lines[2] == "1 graded, 0 unchanged, 1 need a person"
