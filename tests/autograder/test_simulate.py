"""The simulated class: nobody hands in after now, and nobody is late before a due date."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from autograder.authoring.simulate import LATE, _hand_in


@pytest.mark.parametrize("days", [None, -10, -1, 0, 1, 10])
def test_nobody_hands_in_after_now(days: int | None) -> None:
    began = datetime.now(UTC)
    due = began + timedelta(days=days) if days is not None else None
    times = [
        _hand_in(due, late, random.Random(seed)) for late in (False, True) for seed in range(20)
    ]
    now = datetime.now(UTC)
    assert all(time <= now for time in times)
    early, late = times[:20], times[20:]
    if due is not None:
        assert all(time < due for time in early)
        assert all((time == due + LATE) == (due + LATE <= began) for time in late)
