"""Repair: whatever happened to a notebook, the answers are found again; what was guessed says so;
nothing personal is left."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from autograder.collecting.repair import CHECK, MAX_CELLS, Unreadable, repair, uncertain
from autograder.course import SOURCE_TREE, Course
from tests.colab import damage, simulator
from tests.colab.damage import DAMAGES, UNIT, WRITTEN, Damage, cell, grade_id, plain, stub

COURSE = Course(SOURCE_TREE)
KINDS = pytest.mark.parametrize("kind", DAMAGES, ids=lambda kind: f"{kind.group}-{kind.key}")


@pytest.fixture
def release() -> bytes:
    return COURSE.released(UNIT).read_bytes()


@pytest.fixture
def answered() -> dict[str, Any]:
    return damage.answered(COURSE)


def mended(notebook: dict[str, Any] | bytes, release: bytes) -> tuple[dict[str, Any], list[str]]:
    return repair(
        notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode(), release
    )


def sources(notebook: dict[str, Any]) -> dict[str, str]:
    return {grade_id(one): "".join(one["source"]) for one in notebook["cells"] if grade_id(one)}


@KINDS
def test_the_graded_cells_are_all_there_and_the_released_ones_restored(
    kind: Damage, release: bytes
) -> None:
    if kind.refused:
        with pytest.raises(Unreadable):
            repair(damage.damaged(kind, COURSE), release)
        return
    notebook, notes = repair(damage.damaged(kind, COURSE), release)
    wanted = {grade_id(one): one for one in json.loads(release)["cells"] if grade_id(one)}
    found = [one for one in notebook["cells"] if grade_id(one)]
    assert sorted(map(grade_id, found)) == sorted(wanted)
    for one in found:
        original = wanted[grade_id(one)]
        assert (one["cell_type"], one["metadata"], one["id"]) == (
            original["cell_type"],
            original["metadata"],
            original["id"],
        )
        if original["metadata"]["nbgrader"]["locked"]:
            assert one["source"] == "".join(original["source"])
    assert len({one["id"] for one in notebook["cells"]}) == len(notebook["cells"])
    assert bool(uncertain(notes)) == kind.check


@KINDS
def test_a_repaired_notebook_is_valid_and_repaired_no_further(kind: Damage, release: bytes) -> None:
    import nbformat

    if kind.refused:
        return
    notebook, _ = repair(damage.damaged(kind, COURSE), release)
    nbformat.validate(nbformat.from_dict(notebook))
    assert repair(json.dumps(notebook).encode(), release) == (notebook, [])


@KINDS
def test_the_written_answer_is_kept(kind: Damage, release: bytes) -> None:
    if kind.written:
        assert sources(repair(damage.damaged(kind, COURSE), release)[0])[WRITTEN] == damage.TEXT


@KINDS
def test_nothing_personal_is_left(kind: Damage, release: bytes, answered: dict[str, Any]) -> None:
    made = kind.do(simulator.executed(answered, drive=True, widgets=True))
    if not kind.refused:
        text = json.dumps(mended(made, release)[0], ensure_ascii=False)
        for word in (
            *simulator.PERSON.values(),
            "executionInfo",
            "widget-state",
            "provenance",
            "outputId",
        ):
            assert word not in text


@KINDS
def test_an_empty_notebook_stays_empty(
    kind: Damage, release: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No repair may find answers where there are none."""
    if kind.refused or kind.text.startswith(
        ("a wrong answer", "an older draft", "two cells of the student's")
    ):
        return  # they bring something along that may be an answer
    untouched = json.loads(release)
    for one in untouched["cells"]:
        one["source"] = "".join(one["source"])
    monkeypatch.setattr(damage, "TEXT", "YOUR ANSWER HERE")
    answers = {
        grade_id(one)
        for one in untouched["cells"]
        if one["metadata"].get("nbgrader", {}).get("solution")
    }
    after = sources(mended(kind.do(untouched), release)[0])
    for name in answers:
        assert "YOUR CODE HERE" in after[name] or after[name] == "YOUR ANSWER HERE", name


def test_an_untouched_notebook_needs_no_repair(release: bytes) -> None:
    notebook, notes = repair(release, release)
    assert notes == []
    assert sources(notebook) == sources(json.loads(release))


def test_the_answer_in_another_cell_is_taken_once(release: bytes, answered: dict[str, Any]) -> None:
    both = (
        cell(answered, "softmax")["source"]
        + "\n\n\n"
        + cell(answered, "gaussian_weights")["source"]
    )
    damage.without(answered, "softmax", "gaussian_weights")
    answered["cells"].append(plain(both))
    found = sources(mended(answered, release)[0])
    assert found["softmax"].startswith("def softmax")
    assert found["gaussian_weights"].startswith("def gaussian_weights")
    assert "gaussian_weights" not in found["softmax"]


def test_a_later_experiment_does_not_replace_the_answer(
    release: bytes, answered: dict[str, Any]
) -> None:
    answered["cells"].append(plain("def softmax(scores, dim=-1):\n    return scores.softmax(dim)"))
    notebook, notes = mended(answered, release)
    assert notes == []
    assert sources(notebook)["softmax"] == cell(answered, "softmax")["source"]


def test_what_stands_in_someone_elses_cell_is_not_lost(
    release: bytes, answered: dict[str, Any]
) -> None:
    cell(answered, "softmax")["source"] = stub("softmax")
    answered["cells"].append(plain("def my_softmax(x):\n    return x"))
    notebook, _ = mended(answered, release)
    assert any("my_softmax" in "".join(one["source"]) for one in notebook["cells"])


def test_two_different_answers_are_for_a_person(release: bytes, answered: dict[str, Any]) -> None:
    _, notes = mended(damage.older_copy(answered), release)
    assert [note for note in notes if note.startswith(CHECK) and "different answers" in note]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda n: n["cells"].extend([plain(str(i), ident=f"i{i}") for i in range(MAX_CELLS)]),
        lambda n: n["cells"].append("text"),
        lambda n: n["cells"].append({"cell_type": "plot", "source": "", "metadata": {}}),
        lambda n: n["cells"].append({"cell_type": "code", "source": [1], "metadata": {}}),
        lambda n: n.pop("cells"),
    ],
)
def test_what_is_no_notebook_is_refused_in_words(
    spoil: Callable[[Any], None], release: bytes, answered: dict[str, Any]
) -> None:
    spoil(answered)
    with pytest.raises(Unreadable, match=r"cells|notebook"):
        mended(answered, release)


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        {"nbgrader": 3},
        {"nbgrader": {"grade_id": ["softmax"]}},
        {"id": 7, "nbgrader": None},
    ],
)
def test_strange_metadata_is_no_reason_to_fail(
    metadata: Any, release: bytes, answered: dict[str, Any]
) -> None:
    cell(answered, "softmax")["metadata"] = metadata
    assert "softmax" in sources(mended(answered, release)[0])


def test_the_table_in_the_docs_is_up_to_date() -> None:
    assert len(DAMAGES) >= 30
    assert damage.PAGE.read_text(encoding="utf-8") == damage.page(), (
        "run `python -m tests.colab.damage`"
    )


@pytest.mark.sandbox
@pytest.mark.slow
def test_every_kind_of_damage_gets_its_score(
    course: Course, record_property: Callable[[str, object], None]
) -> None:
    from autograder.authoring.release import release as release_unit
    from autograder.grading import results, run
    from autograder.points.scores import cell_scores

    release_unit(course, UNIT)
    students = damage.hand_in(course, DAMAGES)
    summary = run.grade(course, UNIT, seed="test")
    scores = cell_scores(course, UNIT)
    asked = {problem["student"] for problem in summary.problems}
    for student, kind in students.items():
        if kind.refused:
            assert student not in scores
        else:
            lost = tuple(
                test
                for test in damage.ALL
                if (scores[student].get(test) or 0.0) < damage.value(test)
            )
            assert lost == kind.lost, f"{kind.group}: {kind.text}"
            result = results.read(course.root, UNIT, student)
            assert result is not None
            assert bool(uncertain(result.repairs)) == kind.check
        assert (student in asked) == (kind.check or kind.refused), kind.text
    for name, count in damage.counts().items():
        record_property(name, count)
