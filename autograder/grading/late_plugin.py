"""The same penalty as a plugin, for `nbgrader autograde`."""

from nbgrader.plugins import LateSubmissionPlugin
from traitlets import Float

from autograder.grading.late import penalty


class PerDay(LateSubmissionPlugin):  # type: ignore[misc]
    """c.AssignLatePenalties.plugin_class = PerDay; c.PerDay.penalty_per_day = 0.1"""

    penalty_per_day = Float(0.0, help="share of the score taken off per day begun").tag(config=True)

    def late_submission_penalty(self, student_id: str, score: float, total_seconds_late: float) -> float | None:
        return penalty(score, total_seconds_late, self.penalty_per_day)
