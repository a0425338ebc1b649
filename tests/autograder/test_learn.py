"""A wrong answer without a name becomes a misconception: equal behaviour is one group, what is
written loads and names the answer, and nothing of a student's runs by itself."""

import ast
import copy
import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

from autograder.authoring import attempts as bank
from autograder.authoring import learn as learning
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.grading.results import CaseResult, CellResult, Result, path_of
from autograder.pages import report, unnamed
from course_utils import exercises
from course_utils.judging.exercise import Choice, Exercise
from tests.autograder.checkout import Checkout

UNIT = "03_masking"
EVEN = """
def causal_mask(length):
    "Mine."
    even = torch.arange(length) % 2 == 0  # a comment with a name in it
    return padding_mask(torch.arange(1, length + 1), length) & even
print(causal_mask(3))
"""
LOOP = """
def allowed(i, j):
    return j <= i and j % 2 == 0

def causal_mask(length):
    rows = [[allowed(i, j) for j in range(length)] for i in range(length)]
    return torch.tensor(rows, dtype=torch.bool).reshape(length, length)
"""
ODD = "def causal_mask(length):\n    return torch.ones(length, length).tril() * 3 > 5"
REACHING = "import os\n\ndef causal_mask(length):\n    return torch.ones(length).bool(), os.sep"


def judged(name: str, source: str) -> CellResult:
    """A real verdict, as the grader stores it."""
    exercise = exercises.find(name)
    verdict = bank.judge_source(exercise, source, "<test>", "seed")
    return CellResult(
        f"test_{name}", name, "judged", verdict.points, verdict.max_points, kind=exercise.kind,
        section=exercise.section, status=verdict.status, misconception=verdict.misconception,
        message=verdict.message, cases=tuple(CaseResult(**asdict(case)) for case in verdict.cases),
    )  # fmt: skip


def hand_in(course: Course, student: str, name: str, source: str) -> None:
    import json

    result = Result(student, UNIT, "f", 3, (judged(name, source),), graded_at="now")
    path = path_of(course.root, UNIT, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(result.to_json())
    mark = {"nbgrader": {"grade_id": name, "solution": True}}
    cell = {"cell_type": "code", "metadata": mark, "source": source, "outputs": []}
    graded = course.autograded / student / UNIT / f"{UNIT}.ipynb"
    graded.parent.mkdir(parents=True)
    graded.write_text(json.dumps({"cells": [cell]}))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that `learn` writes, in a folder that may change."""
    for folder in ("course_utils/exercises/masking", f"tests/variants/{UNIT}"):
        shutil.copytree(SOURCE_TREE / folder, tmp_path / "tree" / folder)
    monkeypatch.setattr(learning, "SOURCE_TREE", tmp_path / "tree")
    monkeypatch.setattr(bank, "BANK", tmp_path / "tree" / "tests" / "variants")
    for module in ("masking", "dot_product_attention", "nadaraya_watson"):
        shutil.copy(SOURCE_TREE / f"course_utils/{module}.py", tmp_path / "tree" / "course_utils")
    return tmp_path / "tree"


@pytest.fixture
def taught(course: Course) -> Course:
    """Two students with the same mistake, one with another, one with a name, one who is right."""
    hand_in(course, "ann", "causal_mask", EVEN)
    hand_in(course, "bob", "causal_mask", LOOP)
    hand_in(course, "cem", "causal_mask", REACHING)
    hand_in(course, "dan", "causal_mask", "def causal_mask(n):\n    return torch.eye(n) > 0")
    hand_in(
        course, "eve", "causal_mask", "def causal_mask(n):\n    return torch.ones(n,n).tril()>0"
    )
    return course


def test_equal_behaviour_is_one_group(taught: Course) -> None:
    first, second = unnamed.groups(taught, UNIT, unnamed.graded(taught, UNIT))
    assert (first.number, first.exercise, first.students) == (1, "causal_mask", ("ann", "bob"))
    assert first.code == EVEN.strip(), "the shortest one stands for all"
    assert (second.number, second.students, second.code) == (2, ("cem",), REACHING)
    assert second.said
    page = report.build(taught).read_text()
    assert "Wrong answers without a name" in page
    assert "autograder learn 03 --group 2" in page


def test_the_last_digits_do_not_tell_answers_apart() -> None:
    def cell(message: str) -> CellResult:
        cases = (CaseResult("a", "basic", False, True, message),)
        return CellResult("test_x", "x", "judged", 0.0, 1.0, status="failed", cases=cases)

    same = [
        "the result at [3, 0] is 0.455841, expected 1",
        "the result at [3, 0] is 0.45584, expected 1",
    ]
    other = "the result at [3, 1] is 0.45584, expected 1"
    assert unnamed.behaviour(cell(same[0])) == unnamed.behaviour(cell(same[1]))
    assert unnamed.behaviour(cell(same[0])) != unnamed.behaviour(cell(other))
    lines = [f"it raised ValueError in your line {n}" for n in (3, 7)]
    assert unnamed.behaviour(cell(lines[0])) == unnamed.behaviour(cell(lines[1]))


def test_the_skeletons_load_and_nobody_is_named_in_them(taught: Course, tree: Path) -> None:
    learned = learning.learn(taught, UNIT)
    assert (learned.group.students, learned.slug) == (("ann", "bob"), "learned-1")
    code = learned.exercise_file.read_text()
    assert learned.exercise_file == tree / "course_utils/exercises/masking/causal_mask.py"
    assert code.startswith((SOURCE_TREE / learned.exercise_file.relative_to(tree)).read_text())
    assert code.count(learning.TO_WRITE) == 2
    assert "from course_utils.masking import padding_mask" in code
    text = learned.bank_file.read_text()
    assert "# %% wrong: learned_1 (learned-1)\ndef causal_mask" in text
    for written in (code, text):
        assert "print(" not in written
        assert "a comment with a name" not in written
        assert "Mine" not in written
    attempt = next(a for a in bank.read_attempts(learned.bank_file) if a.name == "learned_1")
    assert not attempt.right
    assert named_by(code, attempt.source) == "learned-1"
    said = "\n".join(learning.report(learned, UNIT))
    for words in ("2 students", "learned-1", "TO WRITE", "read the code first", "audit --unit 03"):
        assert words in said


def named_by(code: str, source: str) -> str | None:
    """What the exercise of this code says of an answer."""
    module: dict[str, Exercise] = {}
    exec(compile(code, "<exercise>", "exec"), module)
    return bank.judge_source(module["EXERCISE"], source, "<test>", "seed").misconception


def test_what_is_learned_is_not_learned_again(taught: Course, tree: Path) -> None:
    learning.learn(taught, UNIT, number=1, slug="even-only")
    with pytest.raises(UserError, match="group 1 is learned already: it is learned_1"):
        learning.learn(taught, UNIT, number=1)
    second = learning.learn(taught, UNIT)
    assert (second.group.number, second.slug) == (2, "learned-2")
    with pytest.raises(UserError, match="all 2 groups"):
        learning.learn(taught, UNIT)


def test_code_that_reaches_out_stays_a_comment(taught: Course, tree: Path) -> None:
    learned = learning.learn(taught, UNIT, number=2)
    assert learned.reason == "it imports os"
    for path in (learned.exercise_file, learned.bank_file):
        tree_ = ast.parse(path.read_text())
        assert "import os" in path.read_text()
        assert not any(
            alias.name == "os"
            for node in ast.walk(tree_)
            if isinstance(node, ast.Import)
            for alias in node.names
        )
    assert "as a comment, because it imports os" in "\n".join(learning.report(learned, UNIT))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def f(x):\n    return torch.load(x)", "it uses load"),
        ("def f(x):\n    return ().__class__.__base__", "it uses __base__"),
        ("def f(x):\n    return __import__('os')", "it uses __import__"),
        ("from torch import hub\nf = hub", "it uses hub"),
        ("import numpy as np\nf = np.load", "it uses load"),
        ("f = open", "it uses open"),
        ("def f(x):\n    return torch._C._x(x)", "it uses _x"),
        ("def f(model, classes):\n    return model.eval(), classes", ""),
        ("class f(nn.Module):\n    def __init__(self):\n        super().__init__()", ""),
        ("import torch.nn.functional as F\ndef f(_x):\n    return F.softmax(_x, -1)", ""),
    ],
)
def test_what_reaches_out(code: str, reason: str) -> None:
    assert learning.reaching(ast.parse(code)) == reason


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["99"], "There is no unit"),
        (["01"], "nobody is graded in 01_nadaraya_watson: run `autograder grade 01` first"),
        (["03", "--exercise", "causal_msk"], "did you mean 'causal_mask'?"),
        (["03", "--exercise", "padding_mask"], "there is nothing to learn"),
        (["03", "--group", "7"], "03_masking has no group 7: there are 1, 2"),
        (["03", "--name", "Even only"], "a name is words and hyphens"),
        (["03", "--name", "strict-mask"], "has a misconception strict-mask already"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    taught: Course, tree: Path, autograder: object, arguments: list[str], words: str
) -> None:
    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in tree.rglob("*.py")}

    before = state()
    code, out, err = autograder("--course", taught.root, "learn", *arguments)  # type: ignore[operator]
    assert code == 2
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""
    assert state() == before


def test_an_answer_that_is_not_python_cannot_be_learned(course: Course, tree: Path) -> None:
    hand_in(course, "ann", "causal_mask", ODD.replace("def", "deff"))
    with pytest.raises(UserError, match="not Python"):
        learning.learn(course, UNIT, number=1)


def test_groups_are_listed(taught: Course, autograder: object) -> None:
    code, out, _ = autograder("--course", taught.root, "learn", "3", "--list")  # type: ignore[operator]
    assert code == 0
    assert [row.split("│")[1].strip() for row in out.splitlines() if "causal" in row] == ["1", "2"]


NAMELESS = [
    attempt
    for unit in exercises.units()
    for attempt in bank.attempts(unit)
    if not attempt.right and attempt.slug is None
]


def comparable(attempt: bank.Attempt) -> bool:
    """Does it do the same every time, and return what can be compared?"""
    known = exercises.find(attempt.exercise)
    random = "dropout" in attempt.name or known.kind == "training"
    return not random and attempt.name not in ("list_of_rows", "batch_axis")


@pytest.mark.long
@pytest.mark.parametrize("unit", sorted({attempt.unit for attempt in NAMELESS}))
def test_every_nameless_answer_of_the_bank_can_be_learned(unit: str) -> None:
    """What is written for an answer behaves like it, so that the answer has a name."""
    for attempt in [each for each in NAMELESS if each.unit == unit]:
        known = exercises.find(attempt.exercise)
        assert not isinstance(known, Choice)
        answer = learning.Answer(attempt.source, known.name)
        assert answer.missing(unit) == (), attempt.label
        text = learning._misconception(known, "learned_1", "learned-1", answer, unit)
        exercise = copy.copy(known)
        object.__setattr__(exercise, "misconceptions", list(known.misconceptions))
        exec(compile(text, "<skeleton>", "exec"), {"EXERCISE": exercise})
        assert [each.slug for each in exercise.misconceptions][-1] == "learned-1"
        if comparable(attempt):
            verdict = bank.judge_source(exercise, attempt.source, attempt.label)
            assert verdict.misconception == "learned-1", attempt.label


def test_what_was_left_to_write_is_written() -> None:
    for path in (SOURCE_TREE / "course_utils" / "exercises").rglob("*.py"):
        assert learning.TO_WRITE not in path.read_text(encoding="utf-8"), path


@pytest.mark.long
@pytest.mark.sandbox
def test_from_a_class_to_a_named_mistake(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "course")
    checkout.run("release", "03")
    for student, source in (("ann", EVEN), ("bob", LOOP)):
        checkout.hand_in(UNIT, student, {"causal_mask": source})
    checkout.run("grade", "03")
    assert "2 students gave such an answer" in checkout.run("learn", "03", "--name", "even-only")
    path = checkout.exercise(UNIT, "causal_mask")
    told = path.read_text().replace(f"{learning.TO_WRITE}: what went wrong, in a few words", "Half")
    path.write_text(told)
    audit = checkout.run("audit", "--unit", "03")
    assert "misnamed" not in audit
    assert "false pass" not in audit.replace("false passes", "")
    assert "2 students have begun it" in checkout.run("grade", "03", "--changed")
    for student in ("ann", "bob"):
        assert "Half" in (checkout.root / "pages" / UNIT / f"{student}.html").read_text()
    assert "Wrong answers without a name" not in (checkout.root / "pages/report.html").read_text()
    assert "nothing to learn" in checkout.run("learn", "03", fine=(2,))
