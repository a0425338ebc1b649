"""With stock nbgrader too, a broken submission is one line and never the end of the run."""

import json
from pathlib import Path

import pytest

from autograder.grading import with_nbgrader
from tests.autograder import classroom
from tests.autograder.classroom import UNIT


def test_strange_notebooks_do_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = classroom.make(tmp_path / "course")
    honest = classroom.notebook(course, classroom.answers())
    cells = [{"cell_type": "code", "metadata": {"nbgrader": [1]}, "source": ""}]
    classroom.hand_in(course, "ann", b"[" * 100_000)
    classroom.hand_in(course, "bob", json.dumps({"cells": cells}).encode())
    classroom.hand_in(course, "cy", b'{"cells": [{"metadata": {}, "source": 1}, 7]}')
    classroom.hand_in(course, "dora", honest)
    called: list[str] = []
    monkeypatch.setattr(with_nbgrader, "call", lambda course, unit, who: called.append(who))
    summary = with_nbgrader.grade(course, UNIT)
    assert called == ["dora"]
    assert summary.graded == 1
    assert {each["student"] for each in summary.problems} == {"ann", "bob", "cy"}
    assert all("notebook" in each["reason"] for each in summary.problems)
