"""Levels say in one line what they leave open."""

import pytest

from autograder.sandbox.levels import LEVELS, REMEDIES, not_held


@pytest.mark.parametrize("level", LEVELS)
def test_only_low_levels_have_something_to_confess(level: int) -> None:
    text = not_held(level)
    assert bool(text) == (level < 2)
    assert "\n" not in text
    assert not text or f"level {level}" in text
    assert level in REMEDIES
