"""Grades out of nbgrader's gradebook into what Canvas and Moodle import, and feedback pages packed the way they take them back."""

import csv
import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.collecting import collect, platforms
from autograder.collecting.platforms import Roster
from autograder.course import Course
from autograder.errors import UserError
from autograder.pages import common

CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
MOODLE_COLUMNS = ("Identifier", "Grade", "Last modified (grade)")
POINTS_POSSIBLE = "    Points Possible"


@dataclass(frozen=True)
class Grade:
    """One submission in the gradebook; `score` is what counts, after the late penalty."""

    student: str
    score: float
    max_score: float
    late_penalty: float
    hours_late: float
    waiting: bool  # for a person


@dataclass
class Exported:
    """The files that were written, and what a person should know."""

    files: list[Path] = field(default_factory=list)
    grades: int = 0
    notes: list[str] = field(default_factory=list)


def graded_units(course: Course) -> list[str]:
    """The units in which somebody is graded."""
    from autograder.gradebook import opened

    with opened(course) as gradebook:
        names = sorted(assignment.name for assignment in gradebook.assignments)
    if found := [name for name in names if _grades(course, name)]:
        return found
    raise UserError("nobody is graded yet: run `autograder grade UNIT` first")


def grades(course: Course, unit: str) -> list[Grade]:
    """All graded submissions of a unit, of which there must be some."""
    if found := _grades(course, unit):
        return found
    raise UserError(f"nobody is graded in {unit}: run `autograder grade {unit[:2]}` first")


def _grades(course: Course, unit: str) -> list[Grade]:
    from autograder.gradebook import api, opened

    with opened(course) as gradebook:
        try:
            submissions = gradebook.assignment_submissions(unit)
        except api.MissingEntry:
            submissions = []
        found = [
            Grade(
                s.student_id,
                max(0.0, s.score - (s.late_submission_penalty or 0.0)),
                s.max_score,
                s.late_submission_penalty or 0.0,
                (s.total_seconds_late or 0.0) / 3600,
                bool(s.needs_manual_grade),
            )
            for s in submissions
            if any(grade.auto_score is not None or grade.manual_score is not None for n in s.notebooks for grade in n.grades)
        ]
    return sorted(found, key=lambda grade: grade.student)


def export(
    course: Course, unit: str, to: str, worksheet: Path | None = None, roster: Path | None = None, title: str | None = None
) -> Exported:
    """Write export/UNIT/…: the grades for one platform, and its zip of feedback pages if there are any."""
    if roster is None and (course.root / "students.csv").is_file():
        roster = course.root / "students.csv"
    people = platforms.read_roster(roster, None)
    rows = grades(course, unit)
    result = Exported(grades=len(rows))
    if waiting := [row.student for row in rows if row.waiting]:
        result.notes.append(f"{len(waiting)} of {len(rows)} still wait for a person to grade them: {', '.join(waiting[:5])} …")
    folder = course.root / "export" / unit
    folder.mkdir(parents=True, exist_ok=True)
    formats: dict[str, Callable[..., str]] = {"csv": plain, "canvas": canvas, "moodle": moodle}
    text = formats[to](rows, people=people, known=Known(course, unit), worksheet=worksheet, title=title or unit, notes=result.notes)
    result.files.append(folder / f"{to}.csv")
    with result.files[0].open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    if to != "csv" and (pages := {r.student: p for r in rows if (p := common.feedback_path(course, unit, r.student)).is_file()}):
        result.files.append(pack(pages, to, Known(course, unit), people, folder / f"{to}-feedback.zip", result.notes))
    return result


@dataclass(frozen=True)
class Known:
    """How a platform calls a student: as it did when the submission was collected."""

    course: Course
    unit: str

    def as_(self, student: str, layout: str) -> collect.Taken | None:
        one = collect.taken(self.course, self.unit, student)
        return one if one is not None and one.layout == layout and one.known_as else None


# Tables ----------------------------------------------------------------------------------------------------------------


def write(rows: list[list[Any]], delimiter: str = ",", end: str = "\n") -> str:
    """CSV with whatever quoting its fields need."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue()


def number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def plain(rows: list[Grade], people: Roster, title: str, **_: Any) -> str:
    """One row per submission with everything that the gradebook says about it."""
    header = ["student", "name", "assignment", "score", "max_score", "late_penalty", "hours_late", "waits_for_a_person"]
    table: list[list[Any]] = [header]
    for row in rows:
        name = people.students.get(row.student, {}).get("name", "")
        figures = [number(value) for value in (row.score, row.max_score, row.late_penalty, row.hours_late)]
        table.append([row.student, name, title, *figures, "yes" if row.waiting else "no"])
    return write(table)


def read_sheet(path: Path, needed: tuple[str, ...]) -> tuple[list[list[str]], str, str]:
    """A platform's own table: its rows, delimiter and byte order mark."""
    try:
        raw = path.read_bytes().decode("utf-8")
    except OSError:
        raise UserError(f"there is no file {path}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text") from None
    mark = "\ufeff" if raw.startswith("\ufeff") else ""
    first = raw.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    rows = list(csv.reader(io.StringIO(raw.removeprefix(mark), newline=""), delimiter=delimiter))
    for column in needed:
        if not rows or column not in rows[0]:
            raise UserError(f"{path} is not what the platform exports: it has no column {column!r}")
    return rows, delimiter, mark


def canvas(rows: list[Grade], people: Roster, known: Known, worksheet: Path | None, title: str, notes: list[str]) -> str:
    """Canvas's grade import: its own export filled in, or a new table from the roster and the ids of the submissions."""
    if worksheet is None:
        table: list[list[Any]] = [[*CANVAS_COLUMNS, title], [POINTS_POSSIBLE, "", "", "", "", number(rows[0].max_score)]]
        for row in rows:
            listed, came = people.students.get(row.student, {}), known.as_(row.student, "canvas")
            ident = listed.get("canvas") or (came.known_as[0] if came is not None else "")
            sis, login = listed.get("sis", ""), listed.get("login", "")
            if not (ident or sis or login):
                ident = row.student if row.student.isdigit() else ""
            if not (ident or sis or login):
                notes.append(f"{row.student} has no id that Canvas knows: add a column canvas, sis or login to the roster")
            table.append([listed.get("name", row.student), ident, sis, login, listed.get("section", ""), number(row.score)])
        return write(table)
    sheet, delimiter, mark = read_sheet(worksheet, ("Student", "ID"))
    header = sheet[0]
    column = next((i for i, name in enumerate(header) if name == title or name.startswith(f"{title} (")), None)
    if column is None:
        raise UserError(f"{worksheet} has no column for {title!r}: give its name with --title; there are {', '.join(header[5:])}")
    identify = [i for i, name in enumerate(header) if name in ("ID", "SIS User ID", "SIS Login ID", "Student")]
    scores = {row.student: row for row in rows}
    for line in sheet[1:]:
        line += [""] * (len(header) - len(line))
        if line[0].strip() in ("Points Possible", "Student, Test"):
            continue
        if (found := _whose(line, identify, people, known, scores, "canvas")) is not None:
            line[column] = number(scores.pop(found).score)
    notes += [f"{student} is not in {worksheet.name}" for student in scores]
    return mark + write(sheet, delimiter)


def moodle(rows: list[Grade], people: Roster, known: Known, worksheet: Path | None, title: str, notes: list[str]) -> str:
    """Moodle's grading worksheet, filled in; whatever else stands in it stays."""
    if worksheet is None:
        raise UserError(
            "Moodle takes back its own worksheet: download it (Submissions > Download grading worksheet) and give it with --worksheet"
        )
    sheet, delimiter, mark = read_sheet(worksheet, MOODLE_COLUMNS)
    header = sheet[0]
    at = {name: i for i, name in enumerate(header)}
    identify = [at[name] for name in ("Identifier", "ID number", "Email address", "Full name") if name in at]
    scores = {row.student: row for row in rows}
    for line in sheet[1:]:
        line += [""] * (len(header) - len(line))
        found = _whose(line, identify, people, known, scores, "moodle")
        if found is None:
            continue
        row = scores.pop(found)
        if "Grade can be changed" in at and line[at["Grade can be changed"]].strip().lower() in ("no", "0"):
            notes.append(f"Moodle has locked the grade of {found}: it was left as it is")
            continue
        most = float(line[at["Maximum Grade"]].replace(",", ".") or row.max_score) if "Maximum Grade" in at else row.max_score
        if abs(most - row.max_score) > 1e-6:
            scaled = f"Moodle's maximum is {most:g}, not {row.max_score:g}: all grades were scaled"
            notes += [scaled] if scaled not in notes else []
        line[at["Grade"]] = f"{row.score / row.max_score * most if row.max_score else 0.0:.2f}"
        comment = at.get("Feedback comments")
        if comment is not None and not line[comment].strip():
            late = f", {number(row.late_penalty)} taken off for {row.hours_late:.0f} hours late" if row.late_penalty else ""
            line[comment] = f"{number(row.score)} of {number(row.max_score)} points{late}"
    notes += [f"{student} is not in {worksheet.name}" for student in scores]
    return mark + write(sheet, delimiter, "\r\n")


def _whose(line: list[str], columns: list[int], people: Roster, known: Known, scores: dict[str, Grade], layout: str) -> str | None:
    """The graded student of a row of the platform's table."""
    names = [line[i].strip() for i in columns if line[i].strip()]
    names = [name.removeprefix("Participant ").strip() for name in names]
    for name in names:
        if name in scores:
            return name
    if (found := people.find(names)) in scores:
        return found
    for student in scores:
        came = known.as_(student, layout)
        if came is not None and came.known_as[0] in names:
            return student
    return None


# Feedback --------------------------------------------------------------------------------------------------------------


def pack(pages: dict[str, Path], to: str, known: Known, people: Roster, target: Path, notes: list[str]) -> Path:
    """The feedback pages in one zip, each named so that the platform finds its student."""
    names = {student: moodle_name(student, known, people) if to == "moodle" else canvas_name(student, known) for student in pages}
    strangers = [student for student, name in names.items() if name is None]
    if strangers:
        which = ", ".join(strangers[:5]) + (" …" if len(strangers) > 5 else "")
        notes.append(f"the feedback of {len(strangers)} was left out, because they were not collected from {to.capitalize()}: {which}")
    new = target.with_suffix(".new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, name in names.items():
            if name is not None:
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), pages[student].read_bytes(), zipfile.ZIP_DEFLATED)
    return new.replace(target)


def moodle_name(student: str, known: Known, people: Roster) -> str | None:
    """FULLNAME_PARTICIPANT_assignsubmission_file/…, where the name must have no underscore."""
    came = known.as_(student, "moodle")
    ident = came.known_as[0] if came is not None else people.students.get(student, {}).get("moodle", "")
    name = came.known_as[-1] if came is not None else people.students.get(student, {}).get("name", student)
    return f"{name.replace('_', ' ').replace('/', ' ')}_{ident}_assignsubmission_file/feedback.html" if ident else None


def canvas_name(student: str, known: Known) -> str | None:
    """NAME_USER_ATTACHMENT_…: Canvas reads the first two numbers."""
    came = known.as_(student, "canvas")
    return f"{came.known_as[-1]}_{came.known_as[0]}_{came.upload}_feedback.html" if came is not None and came.upload else None
