"""The result file says everything, and comes back as it was."""

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
