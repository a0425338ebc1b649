"""One mistake, one punishment: an answer that builds on a wrong one is judged with the reference in
its place."""

import dataclasses
import linecache
from typing import Any

import pytest

from autograder.authoring.attempts import namespace, read_attempts
from autograder.course import SOURCE_TREE
from autograder.grading.remote import question_of
from autograder.sandbox import wire
from course_utils import check, exercises
from course_utils.check import _seen
from course_utils.judging import card
from course_utils.judging.exercise import Exercise
from course_utils.judging.judge import (
    Earlier,
    LocalAttempt,
    Verdict,
    judge,
)
from course_utils.judging.runner import Case, Outcome, plain, play_all
from course_utils.judging.stand_in import standing_in
from tests.shares import long_where

# A wrong earlier answer, and a right one that builds on it; names of attempts in the bank, or code.
PAIRS = [
    ("softmax", "gaussian_weights"),
    ("gaussian_weights", "nadaraya_watson"),
    ("softmax", "leave_one_out_error"),
    ("scaled_dot_product_attention", "self_attention"),
    ("masked_softmax", "masked_attention"),
    ("split_heads", "MultiHeadAttention"),
    ("merge_heads", "MultiHeadAttention"),
    ("MultiHeadAttention", "from_torch"),
    ("FeedForward", "EncoderBlock"),
    ("EncoderBlock", "Encoder"),
    ("patchify", "PatchEmbedding"),
    ("PatchEmbedding", "VisionTransformer"),
    ("soft_attention", "CaptionStep"),
]


TRIED = 4  # wrong answers of the bank for each pair


def exercise_of(name: str) -> Exercise:
    found = exercises.find(name)
    assert isinstance(found, Exercise)
    return found


def solution(name: str) -> str:
    """The answer of the solution, which calls earlier answers by name."""
    unit = exercises.unit_of(name).name
    text = (SOURCE_TREE / "solutions" / f"{unit}.py").read_text(encoding="utf-8")
    cell = text.split(f'"grade_id": "{name}"')[1].split("\n", 1)[1].split("\n# %%")[0]
    return "\n".join(line for line in cell.splitlines() if "### " not in line)


def wrong_answers(name: str) -> list[str]:
    unit = exercises.unit_of(name).name
    bank = read_attempts(SOURCE_TREE / "tests" / "variants" / unit / f"{name}.py")
    return [attempt.source for attempt in bank if not attempt.right]


def notebook(name: str, *cells: str) -> dict[str, Any]:
    """The namespace after these cells of a notebook."""
    names = namespace(exercises.unit_of(name))
    for number, cell in enumerate(cells):
        filename = f"<cell {number}>"
        linecache.cache[filename] = (len(cell), None, cell.splitlines(keepends=True), filename)
        exec(compile(cell, filename, "exec"), names)
    return names


def failed(name: str, comes_from: tuple[str, ...] = ()) -> Earlier:
    exercise = exercise_of(name)
    verdict = Verdict(name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
    return Earlier(exercise, dataclasses.replace(verdict, comes_from=comes_from))


@dataclasses.dataclass
class DistantAttempt(LocalAttempt):
    """Asks as from behind the walls: questions and answers are data, and travel as bytes."""

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        if self.oracle is None:
            return super().play(cases, limit, seeds)
        with standing_in(self.names, self.oracle.wanted, self.ask):
            return play_all(cases, self.answer, limit)

    def ask(self, question: Any) -> Any:
        assert self.oracle is not None
        there: list[bytes] = []
        node = wire.encode(plain(dict(question)), there)
        answer, back = self.oracle(question_of(node, b"".join(there))), list[bytes]()
        node = wire.encode(answer, back)
        return wire.Decoder(b"".join(back)).decode(node)


LARGE = ("MultiHeadAttention", "EncoderBlock", "Encoder", "VisionTransformer", "CaptionStep")


@pytest.mark.slow
@pytest.mark.parametrize(("earlier", "later"), long_where(PAIRS, lambda pair: pair[1] in LARGE))
def test_a_right_answer_is_not_blamed_for_a_wrong_one(earlier: str, later: str) -> None:
    exercise, source, spoiled = exercise_of(later), solution(later), 0
    for wrong in wrong_answers(earlier)[:TRIED]:
        names = notebook(later, wrong, source)
        before = names[earlier]
        attempt = LocalAttempt(names[later], source, names)
        first = judge(exercise, attempt, "s")
        second = judge(exercise, attempt, "s", [failed(earlier)])
        distant = judge(
            exercise, DistantAttempt(names[later], source, names), "s", [failed(earlier)]
        )
        assert second.passed, (wrong, card.as_text(second))
        assert (distant.points, distant.comes_from) == (second.points, second.comes_from)
        assert names[earlier] is before, "the student's namespace is as it was"
        if not first.passed:
            spoiled += 1
            assert second.comes_from == (earlier,)
            assert f"comes from your {earlier}" in card.as_text(second).replace("`", "")
    assert spoiled > 0, "none of the bank's wrong answers spoils the later one"


SIGN_LOST = """
def gaussian_weights(queries, keys, bandwidth):
    return softmax((queries[:, None] - keys[None, :]) ** 2 / (2 * bandwidth**2), -1)
"""
UNSTABLE = """
def softmax(scores, dim=-1):
    return scores.exp() / scores.exp().sum(dim, keepdim=True)
"""


@pytest.mark.parametrize("right", [True, False])
def test_an_answer_that_was_not_checked_yet_is_looked_at(right: bool) -> None:
    names = notebook("gaussian_weights", solution("softmax") if right else UNSTABLE, SIGN_LOST)
    _seen.clear()
    result = check(names["gaussian_weights"], "gaussian_weights")
    assert list(_seen) == ["gaussian_weights"], "the look is not shown"
    assert not result.verdict.passed  # type: ignore[union-attr]
    assert ("in the place of yours" in str(result)) is not right
    assert result.verdict.comes_from == (() if right else ("softmax",))  # type: ignore[union-attr]


def test_helpers_that_change_nothing_are_not_spoken_of() -> None:
    source = """
def gaussian_weights(queries, keys, bandwidth):
    return softmax(torch.zeros(len(queries), len(keys)), -1)
"""
    names = notebook("gaussian_weights", UNSTABLE, source)
    attempt = LocalAttempt(names["gaussian_weights"], source, names)
    verdict = judge(exercise_of("gaussian_weights"), attempt, None, [failed("softmax")])
    assert verdict.comes_from == ()


def test_an_empty_row_is_named_before_a_fill_that_is_too_high() -> None:
    """Also in a notebook, where the visible cases cannot tell -1e9 from -1000."""
    bank = read_attempts(SOURCE_TREE / "tests/variants/03_masking/masked_attention.py")
    (source,) = (each.source for each in bank if each.name == "uniform_rows")
    answer = notebook("masked_attention", source)["masked_attention"]
    verdict = judge(exercise_of("masked_attention"), LocalAttempt(answer, source))
    assert verdict.misconception == "empty-row-uniform"
