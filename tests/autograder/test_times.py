"""Times out of platforms' tables: every language is read rightly or not at all."""

import csv
import io
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from babel.dates import format_datetime

from autograder.collecting import times
from autograder.collecting.platforms import fold
from autograder.errors import UserError

GERMAN = """\
ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,\
Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar
Teilnehmer/in4711,Anna Öne,anna@example.org,Zur Bewertung abgegeben,,"100,00",Ja,\
"Montag, 1. März 2027, 18:00",-,
Teilnehmer/in4712,Zoë Two,zoe@example.org,Keine Abgabe,,"100,00",Ja,-,-,
"""
FRENCH = """\
Identifiant;Nom complet;Adresse de courriel;Statut;Note;Note maximale;La note peut être modifiée;\
Dernière modification (travail remis);Dernière modification (note);Feedback par commentaires
Participant4711;Anna Öne;anna@example.org;Remis pour évaluation;;24,00;Oui;\
lundi 1 mars 2027, 18:00;mardi 2 mars 2027, 09:00;
"""
LOG = """\
Time,User full name,Affected user,Event context,Component,Event name,Description
"1/03/27, 18:00",Anna Öne,-,Assignment,Assignment,A submission has been submitted.,\
"The user with id '3' has submitted the submission with id '8'."
"13/03/27, 09:00",Anna Öne,-,Assignment,Assignment,The status of the submission has been viewed.,\
"The user with id '3' has viewed the submission status page."
"""


WORKFLOW = """\
Identifier,Full name,ID number,Email address,Status,Group,Marker,Grade,Maximum grade,\
Marking workflow state,Grade can be changed,Last modified (submission),Online text,\
Last modified (grade),Feedback comments
Participant 4711,Anna Öne,s1,anna@example.org,Submitted for grading - 3 mins 31 secs late - \
Released -  - ,Group A,Zoë Two,,24.00,Released,Yes,"Monday, 1 March 2027, 6:00 PM",,\
"Tuesday, 2 March 2027, 9:00 AM",
Participant 4712,Zoë Two,s2,zoe@example.org,No submission - Released -  - ,Group B,,,24.00,\
Not marked,Yes,-,,-,
"""
GERMAN_WORKFLOW = """\
ID,Vollständiger Name,Matrikelnummer,Status,Gruppe,Bewertung,Bestwertung,Bewertungsstatus,\
Bewertung kann geändert werden,Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),\
Feedback als Kommentar
Teilnehmer/in4711,Anna Öne,1001,Zur Bewertung abgegeben,A,"21,50","24,00",Freigegeben,Ja,\
"Montag, 1. März 2027, 18:00","Dienstag, 2. März 2027, 09:00",
Teilnehmer/in4712,Zoë Two,1002,Keine Abgabe,B,,"24,00",Nicht bewertet,Ja,-,-,
"""
GERMAN_LOG = """\
Zeit,Vollständiger Name,Betroffene/r Nutzer/in,Ereigniskontext,Komponente,Ereignisname,\
Beschreibung,Herkunft,IP-Adresse
"1. März 2027, 18:00:00",Anna Öne,-,Aufgabe: Einheit 1,Aufgabe,Die Lösung wurde abgegeben.,\
"The user with id '982' has submitted the submission with id '1961' for the assignment with course \
module id '660'.",web,172.18.0.1
"3. März 2027, 09:00:00",Anna Öne,Anna Öne,Aufgabe: Einheit 1,Aufgabe,Status geändert,\
"The user with id '2' has updated the status of the submission with id '1961' for the assignment \
with course module id '660' to the status 'draft'.",web,172.18.0.1
"4. März 2027, 09:00:00",Zoë Two,-,Aufgabe: Einheit 1,Aufgabe,Status angezeigt,\
"The user with id '983' has viewed the submission status page for the assignment with course \
module id '660'.",web,172.18.0.1
"""
CANVAS: list[dict[str, Any]] = [
    {
        "id": 1, "assignment_id": 23, "user_id": 4711, "submitted_at": "2027-03-01T18:00:00Z",
        "graded_at": "2027-03-02T03:05:34Z", "workflow_state": "graded", "late": False,
        "seconds_late": 0, "attempt": 1, "user": {"id": 4711, "name": "Anna Öne"},
    },
    {
        "id": 2, "assignment_id": 23, "user_id": 4712, "submitted_at": None,
        "workflow_state": "unsubmitted", "late": False, "missing": True,
    },
]  # fmt: skip


@pytest.mark.parametrize("language", times.LANGUAGES)
def test_dates_of_every_language_are_read_rightly_or_refused(language: str) -> None:
    draw, right = random.Random(language), 0
    for _ in range(30):
        when = datetime(2026, 9, 1) + timedelta(minutes=draw.randrange(365 * 24 * 60))
        text = format_datetime(when, "EEEE, d MMMM yyyy, HH:mm", locale=language)
        assert times.moment(text, UTC) == when.replace(tzinfo=UTC), text
        short = format_datetime(when, "d MMMM yyyy HH:mm", locale=language)
        try:
            assert times.moment(short, UTC) == when.replace(tzinfo=UTC), short
            right += 1
        except UserError:
            pass  # a month that means another one elsewhere needs its weekday
    assert right > 20


@pytest.mark.parametrize("text", ["1/3/2027 18:00", "soon", "", "31 February 2027, 10:00", "25:99"])
def test_what_can_mean_several_things_or_nothing_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="not a time"):
        times.moment(text, UTC)


def test_a_weekday_must_agree() -> None:
    assert times.moment("Monday, 1 March 2027, 6:00 PM", UTC).hour == 18
    with pytest.raises(UserError):
        times.moment("Tuesday, 1 March 2027, 6:00 PM", UTC)


@pytest.mark.parametrize(
    "sheet",
    [GERMAN, FRENCH, LOG, WORKFLOW, GERMAN_WORKFLOW, GERMAN_LOG, json.dumps(CANVAS)],
    ids=["German", "French", "log", "workflow", "German workflow", "German log", "Canvas"],
)
def test_platforms_tables_are_read_as_they_are(sheet: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(sheet, encoding="utf-8")
    found = times.read(path, UTC)
    expected = datetime(2027, 3, 1, 18, tzinfo=UTC)
    assert found.of(["Anna Öne"], fold) == expected
    assert found.of(["Zoë Two", "4712"], fold) is None
    if sheet not in (LOG, GERMAN_LOG):
        assert found.of(["4711"], fold) == expected
    assert not found.told


def test_the_columns_of_a_worksheet_are_found_in_any_language() -> None:
    rows = [line.split(",") for line in GERMAN.replace('"100,00"', "100").splitlines()]
    rows = [[*row[:7], "-", "-", ""] for row in rows]
    shape = times.worksheet_shape(rows[0], rows[1:])
    assert shape is not None
    assert (shape.identifier, shape.grade, shape.most, shape.submitted) == (0, 4, 5, 7)
    assert times.worksheet_shape(["a", "b"], [["1", "2"]]) is None


def without(sheet: str, column: str) -> str:
    rows = list(csv.reader(io.StringIO(sheet)))
    at = rows[0].index(column)
    out = io.StringIO()
    csv.writer(out).writerows([*row[:at], *row[at + 1 :]] for row in rows)
    return out.getvalue()


@pytest.mark.parametrize(
    "sheet",
    [
        without(WORKFLOW, "Last modified (submission)"),
        without(GERMAN_WORKFLOW, "Zuletzt geändert (Abgabe)"),
    ],
    ids=["English", "German"],
)
def test_the_time_of_a_grade_is_not_one_of_handing_in(sheet: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(sheet, encoding="utf-8")
    with pytest.raises(UserError, match="no times of submissions"):
        times.read(path, UTC)


@pytest.mark.parametrize("sheet", [WORKFLOW, GERMAN_WORKFLOW], ids=["English", "German"])
def test_where_grades_and_comments_go_with_marking_workflow(sheet: str) -> None:
    rows = list(csv.reader(io.StringIO(sheet)))
    shape = times.worksheet_shape(rows[0], rows[1:])
    assert shape is not None
    assert rows[0][shape.grade] in ("Grade", "Bewertung")
    assert rows[0][shape.most or 0] in ("Maximum grade", "Bestwertung")
    assert "can be changed" in rows[0][shape.changeable or 0] or "kann" in rows[0][8]
    assert rows[0][shape.comment or 0] in ("Feedback comments", "Feedback als Kommentar")


def test_a_log_or_answer_about_several_assignments_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    second = GERMAN_LOG.splitlines()[1].replace("'660'", "'661'").replace("Einheit 1", "Einheit 2")
    path.write_text(GERMAN_LOG + second + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"2 assignments \(Aufgabe: Einheit 1, Aufgabe: Einheit 2"):
        times.read(path, UTC)
    path.write_text(json.dumps([CANVAS[0], CANVAS[0] | {"assignment_id": 24}]), encoding="utf-8")
    with pytest.raises(UserError, match="2 assignments of Canvas"):
        times.read(path, UTC)
    path.write_text("[1, 2]", encoding="utf-8")
    with pytest.raises(UserError, match="no submissions of Canvas"):
        times.read(path, UTC)


def test_a_table_with_two_columns_of_times_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("name,opened,seen\nanna,2027-03-01 10:00 UTC,2027-03-02 10:00 UTC\n")
    with pytest.raises(UserError, match="which column"):
        times.read(path, UTC)


def test_a_grade_is_not_taken_for_a_number_of_a_student(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(
        GERMAN.replace('abgegeben,,"100,00"', 'abgegeben,"47,12","100,00"').replace(
            "Keine Abgabe,,", "Keine Abgabe,,"
        ),
        encoding="utf-8",
    )
    found = times.read(path, UTC)
    assert found.of(["4712"], fold) is None, "47,12 is Anna's grade"
    assert found.of(["10000"], fold) is None
    assert found.of(["4711"], fold) == datetime(2027, 3, 1, 18, tzinfo=UTC)
