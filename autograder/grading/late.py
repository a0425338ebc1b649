"""The penalty for handing in late: a share of the score per day begun, through nbgrader's own mechanism."""

import math

DAY = 24 * 3600.0


def penalty(score: float, seconds_late: float, per_day: float) -> float | None:
    """What is taken off a score; None where there is no penalty at all."""
    if seconds_late <= 0 or per_day <= 0:
        return None
    return min(score, max(0.0, score * per_day * math.ceil(seconds_late / DAY)))
