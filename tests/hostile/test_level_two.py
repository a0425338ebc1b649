"""Level 2 has no namespaces: what it promises about files, network, outcomes and limits holds."""

from pathlib import Path

import pytest

from autograder.course import Course
from autograder.sandbox import proof
from tests.hostile import suite

pytestmark = pytest.mark.sandbox
FAMILIES = ("leaks", "outcome", "denial")


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, base: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "LEVELS", (2,))
    hostile = suite.hold(base, tmp_path / "course", only=f"{family}-", min_level=2)
    assert hostile.summary.level == 2
    assert hostile.summary.problems == []
    assert hostile.calls == []
    for program in suite.programs():
        if program.path.parent.name != family:
            continue
        expected = float(program.head.get("expect", "0"))
        assert hostile.points(program.name)["test_softmax"] == expected, program.name
        if program.path.stem not in ("leave_message", "script_output"):
            assert hostile.mark not in hostile.notebook(program.name), program.name
            assert hostile.mark not in str(hostile.result(program.name)), program.name
    for student, right in hostile.honest.items():
        assert {name: hostile.points(student)[name] for name in right} == right
    assert suite.survivors() == []
