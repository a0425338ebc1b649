"""Export: what goes out comes back in, whatever is in a name; penalties are nbgrader's; feedback
finds its way home."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.collecting import platforms
from autograder.collecting.collect import collect
from autograder.course import Course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.pages import common
from autograder.points.export import POINTS_POSSIBLE, export, export_total, grades
from tests.autograder import classroom
from tests.autograder.classroom import UNIT

SETTINGS = '[due]\n"01_nadaraya_watson" = 2027-03-01T12:00:00Z\n[late]\npenalty_per_day = 0.1\n'
PEOPLE = {"4711": 'O\'Neil, "Zoë"; =1+1', "4712": "Łukasz Müller", "4713": "Anna_Lena One"}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A class of three from Moodle, graded by hand for speed: 20, 10 and 10 points, the last one a
    day and a half late."""
    from nbgrader.api import Gradebook

    root = tmp_path_factory.mktemp("export")
    course = classroom.make(root / "base", SETTINGS)
    notebook = json.dumps(classroom.notebook(course, classroom.answers())).encode()
    with zipfile.ZipFile(root / "m.zip", "w") as made:
        for ident, name in PEOPLE.items():
            when = (2027, 4, 1, 10, 0, 0)  # of the download
            folder = name.replace("_", " ")
            made.writestr(
                zipfile.ZipInfo(f"{folder}_{ident}_assignsubmission_file/{UNIT}.ipynb", when),
                notebook,
            )
    (root / "t.csv").write_text("student,time\n4713,2027-03-02 23:00 UTC\n")
    result = collect(course, UNIT, root / "m.zip", told=root / "t.csv")
    with Gradebook(course.gradebook_url) as gradebook:
        for each in result.students:
            gradebook.update_or_create_student(each.student)
            gradebook.update_or_create_submission(UNIT, each.student)
            points = 20.0 if each.student == "4711" else 10.0
            for grade in gradebook.find_submission_notebook(UNIT, UNIT, each.student).grades:
                grade.auto_score, grade.needs_manual_grade = (
                    min(points, grade.cell.max_score),
                    False,
                )
                points -= grade.auto_score
        gradebook.db.commit()
    return course


@pytest.fixture
def course(base: Course, tmp_path: Path) -> Course:
    return classroom.clone(base, tmp_path / "course")


def rows(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def roster(course: Course) -> None:
    with (course.root / "students.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", "name", "canvas", "sis", "section"])
        writer.writerows(
            [ident, name, f"9{ident}", f"S{ident}", "A, morning"] for ident, name in PEOPLE.items()
        )


def test_grades_are_what_nbgrader_says(course: Course) -> None:
    found = {grade.student: grade for grade in grades(course, UNIT)}
    assert found["4711"].score == 20
    assert found["4713"].late_penalty == pytest.approx(2.0), (
        "two days begun, a tenth of 10 points each"
    )
    assert found["4713"].score == pytest.approx(8.0)
    assert found["4713"].hours_late == pytest.approx(35)


def test_csv_comes_back_as_it_went_out(course: Course) -> None:
    roster(course)
    back = rows(export(course, UNIT, "csv").files[0])
    assert {row["student"]: row["name"] for row in back} == PEOPLE
    assert [row["score"] for row in back] == ["20", "10", "8"]


def test_canvas_from_the_roster(course: Course) -> None:
    roster(course)
    path = export(course, UNIT, "canvas", title="Unit 1, attention").files[0]
    lines = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    assert lines[0] == [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Unit 1, attention",
    ]
    assert lines[1][0] == POINTS_POSSIBLE
    assert float(lines[1][5]) == grades(course, UNIT)[0].max_score
    assert lines[2] == [PEOPLE["4711"], "94711", "S4711", "", "A, morning", "20"]


def test_canvas_fills_in_its_own_export_and_leaves_the_rest(course: Course, tmp_path: Path) -> None:
    roster(course)
    sheet = tmp_path / "canvas.csv"
    header = [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Quiz (7)",
        "Unit 1 (12)",
        "Total",
    ]
    people = [
        ["X, Y", "94712", "", "", "A", "3", "", "9"],
        ["Nobody, New", "1", "", "", "A", "4", "", ""],
        [PEOPLE["4713"], "", "S4713", "", "A", "", "", ""],
    ]
    most = f"{grades(course, UNIT)[0].max_score:g}"

    def filled_in(points: str) -> tuple[list[list[str]], list[str]]:
        with sheet.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(
                [header, [POINTS_POSSIBLE, "", "", "", "", "10", points, ""], *people]
            )
        result = export(course, UNIT, "canvas", worksheet=sheet, title="Unit 1")
        text = result.files[0].read_text(encoding="utf-8")
        return list(csv.reader(io.StringIO(text, newline=""))), result.notes

    lines, notes = filled_in("100")
    share = 100 / float(most)
    assert [float(line[6]) for line in lines[2:] if line[6]] == pytest.approx(
        [10 * share, 8 * share], abs=1e-3
    )
    assert any("Canvas's maximum is 100" in note and "scaled" in note for note in notes)
    lines, notes = filled_in(most)
    assert [line[6] for line in lines] == ["Unit 1 (12)", most, "10", "", "8"]
    assert [line[5] for line in lines] == ["Quiz (7)", "10", "3", "4", ""]
    assert any("4711 is not in" in note for note in notes)
    assert not any("scaled" in note for note in notes)
    with pytest.raises(UserError, match="--title"):
        export(course, UNIT, "canvas", worksheet=sheet, title="Unit 9")


def worksheet(
    path: Path, delimiter: str = ",", mark: str = "", most: str = "100.00", locked: str = "Yes"
) -> Path:
    header = [
        "Identifier",
        "Full name",
        "Email address",
        "Status",
        "Grade",
        "Maximum Grade",
        "Grade can be changed",
        "Last modified (submission)",
        "Online text",
        "Last modified (grade)",
        "Feedback comments",
    ]
    text = '<p>"quoted", and\nof two lines</p>'
    people = [
        ["Participant " + ident, name, "", "Submitted", "", most, locked, "-", text, "-", ""]
        for ident, name in PEOPLE.items()
    ]
    people.append(
        ["Participant 99", "Not There", "", "No submission", "", most, "Yes", "-", "", "-", "kept"]
    )
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([header, *people])
    path.write_bytes((mark + out.getvalue()).encode())
    return path


@pytest.mark.parametrize(("delimiter", "mark"), [(",", ""), (";", "\ufeff"), ("\t", "")])
def test_moodles_worksheet_is_filled_in_and_nothing_else_changes(
    course: Course, tmp_path: Path, delimiter: str, mark: str
) -> None:
    most = f"{grades(course, UNIT)[0].max_score:.2f}"
    sheet = worksheet(tmp_path / "w.csv", delimiter, mark, most)
    result = export(course, UNIT, "moodle", worksheet=sheet)
    assert result.files[0].read_bytes().startswith(mark.encode())
    before, after = rows(sheet, delimiter), rows(result.files[0], delimiter)
    assert [row["Grade"] for row in after] == ["20.00", "10.00", "8.00", ""]
    for old, new in zip(before, after, strict=True):
        assert {k: v for k, v in old.items() if k not in ("Grade", "Feedback comments")} == {
            k: v for k, v in new.items() if k not in ("Grade", "Feedback comments")
        }
    assert "2 taken off for 35 hours late" in after[2]["Feedback comments"]
    assert after[3]["Feedback comments"] == "kept"
    assert result.notes == []


def test_moodles_maximum_is_respected_and_said(course: Course, tmp_path: Path) -> None:
    result = export(course, UNIT, "moodle", worksheet=worksheet(tmp_path / "w.csv"))
    most = grades(course, UNIT)[0].max_score
    assert rows(result.files[0])[0]["Grade"] == f"{20 / most * 100:.2f}"
    assert sum("scaled" in note for note in result.notes) == 1


def test_locked_grades_stay(course: Course, tmp_path: Path) -> None:
    result = export(course, UNIT, "moodle", worksheet=worksheet(tmp_path / "w.csv", locked="No"))
    assert [row["Grade"] for row in rows(result.files[0])] == ["", "", "", ""]
    assert sum("locked" in note for note in result.notes) == 3


def test_feedback_for_moodle_is_packed_as_moodle_reads_it(course: Course, tmp_path: Path) -> None:
    for ident in PEOPLE:
        write_whole(common.feedback_path(course, UNIT, ident), f"<p>{ident}</p>")
    result = export(course, UNIT, "moodle", worksheet=worksheet(tmp_path / "w.csv"))
    with zipfile.ZipFile(result.files[1]) as archive:
        for name in archive.namelist():
            parts = name.split("/")[0].split("_", 4)  # as Moodle's importziplib.php takes it apart
            assert parts[2:4] == ["assignsubmission", "file"]
            assert archive.read(name).decode() == f"<p>{parts[1]}</p>"
        assert len(archive.namelist()) == 3


def test_feedback_for_canvas_is_packed_as_canvas_reads_it(course: Course, tmp_path: Path) -> None:
    notebook = json.dumps(classroom.notebook(course, classroom.answers())).encode()
    with zipfile.ZipFile(tmp_path / "c.zip", "w") as made:
        made.writestr(
            zipfile.ZipInfo(f"oneilzoe_LATE_4711_9001_{UNIT}.ipynb", (2027, 3, 5, 0, 0, 0)),
            notebook.replace(b"Because.", b"Well."),
        )
    collect(course, UNIT, tmp_path / "c.zip")
    for ident in ("4711", "4712"):
        write_whole(common.feedback_path(course, UNIT, ident), f"<p>{ident}</p>")
    result = export(course, UNIT, "canvas")
    with zipfile.ZipFile(result.files[1]) as archive:
        (name,) = archive.namelist()
    assert [part for part in name.split("_") if re.fullmatch(r"\d+", part)][:2] == ["4711", "9001"]
    assert any("4712" in note and "not collected from Canvas" in note for note in result.notes)


def test_points_that_have_changed_since_stop_collect_and_export(
    autograder: Run, course: Course, tmp_path: Path
) -> None:
    assert autograder("--course", course.root, "export", "01")[0] == 0
    path = course.solutions / UNIT / f"{UNIT}.ipynb"
    notebook = json.loads(path.read_text())
    cell = next(
        c for c in notebook["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "why"
    )
    cell["metadata"]["nbgrader"]["points"] += 1
    path.write_text(json.dumps(notebook))
    (tmp_path / "empty").mkdir()
    for command in (["collect", "01", tmp_path / "empty"], ["export", "01"], ["export"]):
        code, out, err = autograder("--course", course.root, *command)
        assert code == 2, out
        assert "older than its source" in err
        assert "run `autograder release 01`" in err


def test_nobody_graded_and_no_worksheet_are_clear_errors(
    autograder: Run, course: Course, tmp_path: Path
) -> None:
    cases: list[tuple[list[str | Path], str]] = [
        (["export", "01", "--to", "moodle"], "--worksheet"),
        (["export", "01", "--to", "moodle", "--worksheet", tmp_path / "no.csv"], "no.csv"),
        (["export", "02", "--to", "csv"], "nobody is graded"),
    ]
    for arguments, words in cases:
        code, out, err = autograder("--course", course.root, *arguments)
        assert code == 2, arguments
        assert words in out + err
    strange = tmp_path / "x.csv"
    strange.write_text("a,b\n1,2\n")
    assert (
        "Identifier"
        in autograder(
            "--course", course.root, "export", "01", "--to", "moodle", "--worksheet", strange
        )[2]
    )


def test_the_command_says_what_it_wrote(autograder: Run, course: Course) -> None:
    code, out, _ = autograder("--course", course.root, "export", "01", "--to", "csv")
    assert code == 0
    assert f"export/{UNIT}/csv.csv" in out
    assert "3 grades" in out


def test_without_a_unit_every_graded_one_is_written(
    autograder: Run, course: Course, tmp_path: Path
) -> None:
    code, out, _ = autograder("--course", course.root, "export")
    assert code == 0
    assert out.splitlines() == [
        f"3 grades of {UNIT}",
        f"wrote export/{UNIT}/csv.csv",
        "3 totals",
        "wrote export/total/csv.csv",
    ]


def test_a_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("name\nAnna\n")
    with pytest.raises(UserError, match="student"):
        platforms.read_roster(path, None)


def test_a_worksheet_in_another_language_is_filled_in(course: Course, tmp_path: Path) -> None:
    head = ["ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung"]
    head += ["Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)"]
    head += ["Zuletzt geändert (Bewertung)", "Feedback als Kommentar"]
    most = f"{grades(course, UNIT)[0].max_score:.2f}".replace(".", ",")
    people = [
        [f"Teilnehmer/in{ident}", name, "", "Zur Bewertung abgegeben", "", most, "Ja", "-", "-", ""]
        for ident, name in PEOPLE.items()
    ]
    people[1][6] = "Nein"
    sheet = tmp_path / "w.csv"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";").writerows([head, *people])
    result = export(course, UNIT, "moodle", worksheet=sheet)
    after = rows(result.files[0], ";")
    assert [row["Bewertung"] for row in after] == ["20.00", "", "8.00"]
    assert "taken off" in after[2]["Feedback als Kommentar"]
    assert any("locked the grade of 4712" in note for note in result.notes)


def test_nothing_is_a_formula_in_a_spreadsheet(course: Course) -> None:
    (course.root / "students.csv").write_text(
        "student,name,section\n4711,=1+1,@SUM(A1)\n4712,+2,-3\n4713,Anna,A\n", encoding="utf-8"
    )
    for to in ("csv", "canvas"):
        text = export(course, UNIT, to).files[0].read_text(encoding="utf-8")
        cells = [cell for line in csv.reader(io.StringIO(text, newline="")) for cell in line]
        assert not any(
            re.match(r"[=@+]", cell) and not re.fullmatch(r"[+-]?[\d.]+", cell) for cell in cells
        )
        assert "'=1+1" in cells


def test_the_total_goes_into_the_platforms_own_table(course: Course, tmp_path: Path) -> None:
    roster(course)
    most = grades(course, UNIT)[0].max_score
    result = export_total(course, "moodle", worksheet=worksheet(tmp_path / "w.csv", most="50.00"))
    expected = [f"{points / most * 100 / 2:.2f}" for points in (20, 10, 8)]
    found = [row["Grade"] for row in rows(result.files[0])]
    assert [float(each) for each in found[:3]] == pytest.approx(
        [float(e) for e in expected], abs=0.01
    )
    assert any("maximum is 50, not 100" in note for note in result.notes)
