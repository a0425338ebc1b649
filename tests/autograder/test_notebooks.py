"""Building notebooks from text."""

import json
from pathlib import Path

import nbformat
import pytest

from autograder.authoring import notebooks
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError

SOLUTION = """\
# %% [markdown]
# # A small assignment

# %%
from course_utils import check

# %% [markdown]
# ## Softmax, {{points softmax}}

# %% nbgrader={"grade_id": "softmax"}
def softmax(scores, dim=-1):
    ### BEGIN SOLUTION
    return scores
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_softmax"}
check(softmax)

# %% [markdown]
# {{options choice_units}}

# %% [markdown] nbgrader={"grade_id": "why", "points": 3}
# ### BEGIN SOLUTION
# **Rubric.** One point each.
# ### END SOLUTION
"""
LECTURE = '# %% [markdown]\n# # A small lecture\n\n# %% alt="One line"\n1 + 1\n'


@pytest.fixture
def small(tmp_path: Path) -> Course:
    """A course with one tiny unit."""
    for folder in ("lectures", "solutions"):
        (tmp_path / folder).mkdir()
    (tmp_path / "course.toml").write_text(
        '[student_repository]\nowner = "us"\nname = "theirs"\nbranch = "main"\n'
    )
    (tmp_path / "lectures" / "01_small.py").write_text(LECTURE)
    (tmp_path / "solutions" / "01_small.py").write_text(SOLUTION)
    return Course(tmp_path)


def test_an_assignment_is_built_and_released(small: Course) -> None:
    notebooks.build_assignment(small, "01_small")
    cells = {c["id"]: c for c in json.loads(small.released("01_small").read_text())["cells"]}
    assert "".join(cells["softmax"]["source"]).endswith("    ...  # YOUR CODE HERE")
    assert cells["test_softmax"]["metadata"]["nbgrader"]["points"] == 3
    assert cells["test_softmax"]["metadata"]["editable"] is False
    assert "".join(cells["why"]["source"]) == "YOUR ANSWER HERE"
    prose = "".join("".join(c["source"]) for c in cells.values())
    assert "3 points" in prose
    assert "- **a** " in prose
    assert not (small.root / "gradebook.db").exists()
    assert [p.name for p in small.root.iterdir() if p.name.startswith(".build")] == []


def test_ids_are_stable_and_survive_an_insertion(small: Course) -> None:
    before = [c.id for c in notebooks.solution(small, "01_small").cells]
    assert before == [c.id for c in notebooks.solution(small, "01_small").cells]
    path = notebooks.solution_source(small, "01_small")
    path.write_text(
        SOLUTION.replace(
            "# %% [markdown]\n# ## Softmax",
            "# %% [markdown]\n# New.\n\n# %% [markdown]\n# ## Softmax",
        )
    )
    after = [c.id for c in notebooks.solution(small, "01_small").cells]
    assert [i for i in after if i in before] == before
    assert len(after) == len(before) + 1


def test_a_lecture_is_stale_when_its_text_changes(small: Course) -> None:
    (small.root / "solutions" / "01_small.py").unlink()
    assert notebooks.stale(small) == ["lectures/01_small.ipynb"]
    notebooks.build_lecture(small, "01_small")
    built = nbformat.read(notebooks.lecture_path(small, "01_small"), as_version=4)
    assert built.cells[-1].outputs[0]["data"]["text/plain"] == "2"
    assert built.cells[-1].metadata["mystnb"]["image"]["alt"] == "One line"
    assert notebooks.stale(small) == []
    notebooks.lecture_source(small, "01_small").write_text(LECTURE + "\n# %%\n2 + 2\n")
    assert notebooks.stale(small) == ["lectures/01_small.ipynb"]


def test_another_student_repository_renews_the_badge_and_keeps_the_outputs(small: Course) -> None:
    (small.root / "solutions" / "01_small.py").unlink()
    notebooks.build_lecture(small, "01_small")
    (small.root / "course.toml").write_text(
        '[student_repository]\nowner = "them"\nname = "other"\nbranch = "b"\n'
    )
    moved = Course(small.root)
    assert notebooks.stale(moved) == ["lectures/01_small.ipynb"]
    notebooks.refresh_lecture(moved, "01_small", force=False)
    built = nbformat.read(notebooks.lecture_path(moved, "01_small"), as_version=4)
    assert "them/other/blob/b/lectures" in built.cells[1].source
    assert built.cells[-1].outputs[0]["data"]["text/plain"] == "2"
    assert notebooks.stale(moved) == []


def test_new_prose_keeps_the_outputs_and_new_code_does_not(
    small: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebooks.build_lecture(small, "01_small")
    runs: list[str] = []
    monkeypatch.setattr(notebooks, "build_lecture", lambda course, name: runs.append(name))
    notebooks.lecture_source(small, "01_small").write_text(
        LECTURE.replace("A small lecture", "Another title")
    )
    notebooks.refresh_lecture(small, "01_small", force=False)
    built = nbformat.read(notebooks.lecture_path(small, "01_small"), as_version=4)
    assert built.cells[0].source == "# Another title"
    assert built.cells[-1].outputs[0]["data"]["text/plain"] == "2"
    assert notebooks.same_source(
        notebooks.lecture_path(small, "01_small"), notebooks.lecture(small, "01_small")
    )
    assert runs == []
    notebooks.lecture_source(small, "01_small").write_text(LECTURE.replace("1 + 1", "1 + 2"))
    notebooks.refresh_lecture(small, "01_small", force=False)
    assert runs == ["01_small"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{{points softmax}}", "{{points softmacks}}", "Did you mean softmax"),
        ("{{options choice_units}}", "{{options softmax}}", "not a choice"),
        ("{{options choice_units}}", "{{options: choice_units}}", "not filled in"),
        ('"grade_id": "softmax"', '"grade_id": "soft max"', "grade_id"),
        ('"test_softmax"', '"test_softmacks"', "no exercise"),
        (', "points": 3', "", "needs points"),
    ],
)
def test_mistakes_of_authors_are_explained(small: Course, old: str, new: str, words: str) -> None:
    notebooks.solution_source(small, "01_small").write_text(SOLUTION.replace(old, new))
    with pytest.raises(UserError, match=words):
        notebooks.solution(small, "01_small")


def test_a_failing_lecture_names_its_cell_and_leaves_the_old_one(small: Course) -> None:
    notebooks.build_lecture(small, "01_small")
    before = notebooks.lecture_path(small, "01_small").read_bytes()
    notebooks.lecture_source(small, "01_small").write_text(LECTURE + "\n# %%\nundefined\n")
    with pytest.raises(UserError, match="NameError"):
        notebooks.build_lecture(small, "01_small")
    assert notebooks.lecture_path(small, "01_small").read_bytes() == before


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(UserError, match="no unit '99'"):
        Course(SOURCE_TREE).unit_name("99")
