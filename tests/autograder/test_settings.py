"""course.toml: whatever is not understood is refused with its line and the nearest name."""

from datetime import datetime
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.errors import UserError
from autograder.overview import lines

TIME = "2027-03-01T23:59:00Z"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\n[late]\npenalty_per_dy = 0.1", 3, "did you mean 'penalty_per_day'"),
        ("[late]\npenalty_per_day = 10", 2, "a share between 0 and 1"),
        ('[late]\npenalty_per_day = "10%"', 2, "a share between 0 and 1"),
        ("[late]\npenalty_per_day = nan", 2, "a share between 0 and 1"),
        ("[late]\nlate_days = true", 2, "whole number"),
        (f'[due]\n"03_maskin" = {TIME}', 2, "Did you mean '03_masking'"),
        ("[due]\n3 = 2027-03-01T23:59:00", 2, "with a time zone"),
        ("[due]\n3 = 2027-03-01", 2, "with a time zone"),
        (f'[due]\n3 = {TIME}\n"03" = {TIME}', 3, "there twice"),
        ('[extensions."01"]\nanna = 3', 2, "with a time zone"),
        ("[weights]\n01 = -1", 2, "0 or a positive number"),
        ("[weights]\n01 = 0", 1, "weight above 0"),
        ("[total]\nbest = 0", 2, "positive whole number"),
        ('[total]\nmissing = "null"', 2, "blank, zero"),
        ("[letters]\nA = 90", 1, "must begin at 0"),
        ("[letters]\nA = 0\nB = 0", 1, "same score"),
        ('[questions."01"]\ndrp = ["x"]', 2, "did you mean 'drop'"),
        ('timezone = "Mars/Olympus"', 1, "no time zone"),
        ('[student_repository]\nownr = "x"', 2, "did you mean 'owner'"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    text: str, line: int, words: str, tmp_path: Path
) -> None:
    (tmp_path / "course.toml").write_text(text)
    with pytest.raises(UserError) as caught:
        _ = Course(tmp_path).settings
    assert f"line {line}:" in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["3", "03", "03_masking", "masking", "Masking"])
def test_a_unit_may_be_called_by_number_name_or_title(name: str, tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(f'[due]\n"{name}" = {TIME}\n')
    assert list(Course(tmp_path).settings.due) == ["03_masking"]


def test_times_without_a_zone_take_that_of_the_course(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        'timezone = "Europe/Berlin"\n[due]\n3 = 2027-07-01T12:00:00\n'
    )
    due = Course(tmp_path).settings.due["03_masking"]
    assert due == datetime.fromisoformat("2027-07-01T12:00:00+02:00")


def test_an_extension_for_nobody_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(f'[due]\n3 = {TIME}\n[extensions."3"]\nana01 = {TIME}\n')
    (tmp_path / "students.csv").write_text("student\nanna01\n")
    with pytest.raises(
        UserError, match=r"'ana01', who is not in the roster, did you mean 'anna01'"
    ):
        lines(Course(tmp_path))


def test_the_calendar_shows_everything_with_a_date_in_order(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text(
        'timezone = "Europe/Berlin"\n'
        "[open]\n3 = 2027-02-01T08:00:00\n[due]\n3 = 2027-03-01T12:00:00\n"
        '[extensions."3"]\nanna = 2027-03-08T12:00:00\n'
        "[late]\npenalty_per_day = 0.1\nlate_days = 3\n"
    )
    now = datetime.fromisoformat("2027-02-15T00:00:00+00:00")
    found = lines(Course(tmp_path), now)
    assert any("10 % per day" in line and "3 free late days" in line for line in found)
    calendar = found[found.index("calendar:") + 1 :]
    assert [line[24:] for line in calendar] == [
        "03_masking opens",
        "--- now ---",
        "03_masking is due",
        "03_masking closes for everybody",
        "03_masking is due for anna (extension, course.toml)",
    ]
