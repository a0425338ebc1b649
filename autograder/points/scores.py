"""Scores out of nbgrader's gradebook, for tables and for comparing two engines."""

from typing import TYPE_CHECKING

from autograder.course import Course

if TYPE_CHECKING:
    from autograder.gradebook import Grade  # imports nbgrader: only where it is needed


def scores(course: Course, unit: str) -> "list[Grade]":
    """One row per student whose submission is in the gradebook."""
    from autograder.gradebook import grades

    return grades(course, unit)


def cell_scores(course: Course, unit: str) -> dict[str, dict[str, float | None]]:
    """student -> grade id -> automatic score: what two engines are compared by."""
    return {
        row.student: {name: cell.auto_score for name, cell in row.cells.items()}
        for row in scores(course, unit)
    }
