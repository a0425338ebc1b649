"""Level 2 has no namespaces: what it promises about files, network, outcomes and limits holds."""

from collections.abc import Iterator

import pytest

from autograder.course import Course
from autograder.grading import run
from autograder.sandbox import proof
from tests.hostile import suite
from tests.hostile.suite import Class

pytestmark = [pytest.mark.sandbox, pytest.mark.long]
FAMILIES = ("leaks", "outcome", "denial")


@pytest.fixture(scope="module")
def hostile(base: Course, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "LEVELS", (2,))
        patch.setattr(run, "SECOND_TRIES", 100)  # a busy machine is no reason to give up
        folder = tmp_path_factory.mktemp("level2") / "course"
        only = tuple(f"{family}-" for family in FAMILIES)
        yield suite.hold(base, folder, only, min_level=2)


@pytest.mark.parametrize("family", FAMILIES)
def test_family(hostile: Class, family: str) -> None:
    attacks = [each for each in suite.programs() if each.path.parent.name == family]
    assert len(attacks) > 5
    for program in attacks:
        expected = float(program.head.get("expect", "0"))
        assert hostile.points(program.name)["test_softmax"] == expected, program.name
        if program.path.stem not in ("leave_message", "script_output"):
            assert hostile.mark not in hostile.notebook(program.name), program.name
            assert hostile.mark not in str(hostile.result(program.name)), program.name


def test_nobody_got_out_and_nobody_else_suffers(hostile: Class) -> None:
    assert hostile.summary.level == 2
    assert hostile.summary.problems == []
    assert hostile.calls == []
    assert len(hostile.honest) == 6
    for student, right in hostile.honest.items():
        assert {name: hostile.points(student)[name] for name in right} == right
    assert suite.survivors() == []
