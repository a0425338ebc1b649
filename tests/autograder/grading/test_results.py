"""The result file says everything, and comes back as it was."""

from pathlib import Path

from autograder.grading.results import CaseResult, CellResult, LimitNote, Result


def test_round_trip() -> None:
    cell = CellResult(
        "test_a",
        "a",
        "judged",
        1.5,
        2.0,
        status="failed",
        misconception="m",
        cases=(CaseResult("l", "basic", False, True, "why"),),
    )
    result = Result(
        "s",
        "01",
        "f",
        3,
        (cell,),
        (LimitNote("cell_seconds", "a", "no end"),),
        ("mended",),
        ("note",),
        {"a": None, "b": "text"},
    )
    assert Result.from_json(result.to_json()) == result
    assert (result.score, result.max_score) == (1.5, 2.0)


def test_a_run_log_holds_one_line_per_submission(tmp_path: Path) -> None:
    from autograder.grading.journal import Log

    log = Log(tmp_path, "01_unit")
    log.line("anna", "graded 3 of 4")
    log.line("evil\nberta: graded 99", "not graded:\nno notebook")
    log.close(1, 0, 1)
    lines = next(tmp_path.glob("01_unit-*.log")).read_text().splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("anna: graded 3 of 4")
    assert lines[1].endswith("evil berta: graded 99: not graded: no notebook")
    assert lines[2] == "1 graded, 0 unchanged, 1 need a person"
