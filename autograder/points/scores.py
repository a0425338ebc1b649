"""Reads scores out of nbgrader's gradebook."""

from dataclasses import dataclass

from autograder.course import Course


@dataclass(frozen=True)
class Score:
    student: str
    score: float
    max_score: float
    needs_manual_grade: bool
    late_seconds: float


def scores(course: Course, unit: str) -> list[Score]:
    """One row per student whose submission is in the gradebook."""
    from autograder.gradebook import api, opened

    with opened(course) as gradebook:
        try:
            gradebook.find_assignment(unit)
        except api.MissingEntry:
            return []
        rows = gradebook.submission_dicts(unit)
        late = {s.student_id: s.total_seconds_late for s in gradebook.assignment_submissions(unit)}
    found = [Score(r["student"], r["score"], r["max_score"], bool(r["needs_manual_grade"]), late.get(r["student"], 0.0)) for r in rows]
    return sorted(found, key=lambda score: score.student)


def cell_scores(course: Course, unit: str) -> dict[str, dict[str, float | None]]:
    """student -> grade id -> automatic score: what two engines are compared by."""
    from autograder.gradebook import opened

    with opened(course) as gradebook:
        return {
            submission.student_id: {grade.name: grade.auto_score for notebook in submission.notebooks for grade in notebook.grades}
            for submission in gradebook.assignment_submissions(unit)
        }
