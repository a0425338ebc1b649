"""What the pages say: manual scores and comments, late penalties, answers that are alike."""

from autograder.course import Course
from autograder.grading.results import CellResult, Result, path_of
from autograder.pages import common, feedback, similar
from autograder.release import release
from course_utils import exercises

UNIT = "01_nadaraya_watson"


def hand_in(course: Course, student: str, cells: tuple[CellResult, ...]) -> None:
    path = path_of(course.root, UNIT, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(Result(student, UNIT, "f", 3, cells, graded_at="now").to_json())


def test_what_a_person_wrote_is_on_the_page(course: Course) -> None:
    from nbgrader.api import Gradebook

    release(course, UNIT)
    with Gradebook(course.gradebook_url) as gradebook:
        gradebook.add_student("anna")
        gradebook.add_submission(UNIT, "anna")
        written = gradebook.find_grade("town_of_200000", UNIT, UNIT, "anna")
        written.manual_score, written.needs_manual_grade = 2.5, False
        gradebook.find_comment("town_of_200000", UNIT, UNIT, "anna").manual_comment = "Good <b>units</b>, but why?"
        gradebook.db.commit()
    hand_in(course, "anna", (CellResult("town_of_200000", None, "by hand", None, 3.0),))
    page = feedback.build(course, UNIT)[0].read_text()
    assert "Good &lt;b&gt;units&lt;/b&gt;, but why?" in page
    assert "<strong>2.5</strong> of 3 points" in page
    assert "waits for a person" not in page


def test_a_limit_and_a_stub_are_told(course: Course) -> None:
    from autograder.grading.results import LimitNote

    exercise = exercises.find("softmax")
    stub = CellResult("test_softmax", "softmax", "judged", 0.0, 3.0, section=exercise.section, status="not started", message="Not started.")
    path = path_of(course.root, UNIT, "berta")
    path.parent.mkdir(parents=True)
    note = LimitNote("cell_seconds", "softmax", "no end within 30 s")
    path.write_text(Result("berta", UNIT, "f", 2, (stub,), (note,), repairs=("test_softmax was put back",), graded_at="now").to_json())
    page = feedback.build(course, UNIT)[0].read_text()
    for words in ("not started", "no end within 30 s", "test_softmax was put back", "sandbox level 2"):
        assert words in page


def test_names_cannot_leave_the_folder(course: Course) -> None:
    assert common.feedback_path(course, UNIT, "../../evil").parent == course.root / "pages" / UNIT
    assert common.feedback_path(course, UNIT, "..").name not in ("..", ".html")


LONG = """
def softmax(scores, dim=-1):
    '''A comment.'''
    largest = scores.amax(dim, keepdim=True)
    shifted = scores - largest
    powers = torch.exp(shifted)
    return powers / powers.sum(dim, keepdim=True)
"""
RENAMED = LONG.replace("largest", "m").replace("shifted", "s").replace("powers", "e").replace("'''A comment.'''", "# mine")
OTHER = "def softmax(scores, dim=-1):\n    total = 0\n    for part in scores.exp().unbind(dim):\n        total = total + part\n    return scores.exp() / total.unsqueeze(dim)"


def test_renaming_does_not_hide_a_copy() -> None:
    groups = similar.groups(exercises.find("softmax"), {"anna": LONG, "berta": RENAMED, "clara": OTHER, "dora": "def softmax(x):\n    ..."})
    assert [(group.students, group.exact) for group in groups] == [(("anna", "berta"), True)]


def test_a_copy_of_the_reference_is_recognised() -> None:
    import inspect

    from course_utils.nadaraya_watson import softmax

    groups = similar.groups(exercises.find("softmax"), {"anna": inspect.getsource(softmax).replace("shifted", "x"), "berta": OTHER})
    assert [(group.students, group.reference) for group in groups] == [(("anna",), True)]


def test_broken_code_is_compared_with_nothing() -> None:
    assert similar.fingerprint("def softmax(:") is None
    assert similar.fingerprint("") is None
