"""Level 2 has no namespaces: what it promises about files, network and outcomes holds all the same."""

from pathlib import Path

import pytest

from autograder.sandbox import prove
from tests.autograder import classroom
from tests.hostile import suite

pytestmark = pytest.mark.sandbox
FAMILIES = ("leaks", "outcome")


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "LEVELS", (2,))
    base = classroom.make(tmp_path / "base")
    hostile = suite.hold(base, tmp_path / "course", only=f"{family}-", min_level=2)
    assert hostile.summary.level == 2
    assert hostile.summary.problems == []
    assert hostile.calls == []
    for program in suite.programs():
        if program.path.parent.name != family:
            continue
        assert hostile.points(program.name)["test_softmax"] == 0.0, program.name
        if program.path.stem not in ("leave_message", "script_output"):
            assert hostile.mark not in hostile.notebook(program.name), program.name
            assert hostile.mark not in str(hostile.result(program.name)), program.name
    for student, expected in hostile.honest.items():
        assert {name: hostile.points(student)[name] for name in expected} == expected
    assert suite.survivors() == []
