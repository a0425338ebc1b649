"""One mistake, one punishment: an answer that builds on a wrong one is judged with the reference in
its place."""

import dataclasses
import linecache
from typing import Any

import pytest

from autograder.authoring.attempts import namespace, read_attempts
from autograder.course import SOURCE_TREE
from course_utils import exercises
from course_utils.judging import card
from course_utils.judging.exercise import Exercise
from course_utils.judging.judge import (
    Earlier,
    LocalAttempt,
    Verdict,
    judge,
)
from course_utils.judging.runner import Case, Outcome, play_all
from course_utils.judging.stand_in import Replay, standing_in

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
class ReplayedAttempt(LocalAttempt):
    """Plays as behind the walls: a case ends at an open question, and is played again with the
    answer."""

    rounds: int = 0

    def play(self, cases: list[Case], limit: float) -> list[Outcome]:
        if self.oracle is None:
            return super().play(cases, limit)
        served: list[list[Any]] = [[] for _ in cases]
        while True:
            self.rounds += 1
            replay = Replay(served)
            with standing_in(self.names, self.oracle.wanted, replay):
                outcomes = play_all(cases, self.answer, limit, before=replay.next_case)
            if all(outcome.asks is None for outcome in outcomes):
                return outcomes
            for known, outcome in zip(served, outcomes, strict=True):
                known += [self.oracle(outcome.asks)] if outcome.asks is not None else []


@pytest.mark.parametrize(("earlier", "later"), PAIRS)
def test_a_right_answer_is_not_blamed_for_a_wrong_one(earlier: str, later: str) -> None:
    exercise, source, spoiled = exercise_of(later), solution(later), 0
    for wrong in wrong_answers(earlier)[:TRIED]:
        names = notebook(later, wrong, source)
        before = names[earlier]
        attempt = LocalAttempt(names[later], source, names)
        first = judge(exercise, attempt, "s")
        second = judge(exercise, attempt, "s", [failed(earlier)])
        replayed = judge(
            exercise, ReplayedAttempt(names[later], source, names), "s", [failed(earlier)]
        )
        assert second.passed, (wrong, card.as_text(second))
        assert (replayed.points, replayed.comes_from) == (second.points, second.comes_from)
        assert names[earlier] is before, "the student's namespace is as it was"
        if not first.passed:
            spoiled += 1
            assert second.comes_from == (earlier,)
            assert f"comes from your {earlier}" in card.as_text(second).replace("`", "")
    assert spoiled > 0, "none of the bank's wrong answers spoils the later one"
