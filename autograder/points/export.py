"""Final points as Canvas and Moodle import them, and feedback pages packed as they take them."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import outside
from autograder.collecting import platforms, taken
from autograder.collecting.platforms import Roster, read_csv
from autograder.collecting.times import PARTICIPANT, worksheet_shape
from autograder.collecting.times import number as parsed_number
from autograder.course import Course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.pages import common
from autograder.points.finals import Final, finals, totals
from autograder.points.policy import Total

CANVAS_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "    Points Possible"
TOTAL = "total"  # where the course's total is exported
NO = [
    "no",
    "0",
    "nein",
    "non",
    "não",
    "nej",
    "nei",
    "ei",
    "nie",
    "ne",
    "nee",
    "nem",
    "нет",
    "いいえ",
]  # in Moodle's languages


@dataclass(frozen=True)
class Grade:
    """One row of an export; `score` is what counts, after the late penalty."""

    student: str
    score: float
    max_score: float
    late_penalty: float = 0.0
    hours_late: float = 0.0
    waiting: bool = False  # for a person
    reason: str = ""  # why something was taken off
    handed_in: str = ""
    more: tuple[str, ...] = ()  # columns of its own: the units of a total

    @classmethod
    def of(cls, final: Final) -> "Grade":
        return cls(
            final.student, final.score, final.points.most, final.points.off,
            final.late.seconds / 3600, final.points.waiting, final.reason, final.came.words,
        )  # fmt: skip


@dataclass
class Exported:
    """The files that were written, and what a person should know."""

    files: list[Path] = field(default_factory=list)
    grades: int = 0
    notes: list[str] = field(default_factory=list)


def grades(course: Course, unit: str) -> list[Grade]:
    """All graded submissions of a unit, of which there must be some."""
    found = [Grade.of(final) for final in finals(course, unit).values() if final.graded]
    if found:
        return found
    raise UserError(
        f"nobody is graded in {unit}: run `autograder grade {course.typed(unit)}` first"
    )


def export(
    course: Course,
    unit: str,
    to: str,
    worksheet: Path | None = None,
    roster: Path | None = None,
    title: str | None = None,
    changed: bool = False,
) -> Exported:
    """Write export/UNIT/…: the grades for one platform, and its zip of feedback pages if there
    are any. With `changed`, only those that differ from the last export."""
    job = Job(course, unit, to, worksheet, roster, title or unit)
    rows = grades(course, unit)
    if waiting := [row.student for row in rows if row.waiting]:
        some = ", ".join(waiting[:5]) + (" …" if len(waiting) > 5 else "")
        job.result.notes.append(
            f"{len(waiting)} of {len(rows)} still wait for a person to grade them: {some}"
        )
    job.result.notes += ungraded(course, unit, {row.student for row in rows})
    return job.write(rows, changed)


def ungraded(course: Course, unit: str, graded: set[str]) -> list[str]:
    """Who handed something in that has no points, in one line."""
    names = [each["student"] for each in taken.ungraded(course, unit, graded)]
    if not names:
        return []
    some = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    return [f"handed in and not graded in {unit}, so without points: {some}"]


def export_total(
    course: Course,
    to: str,
    worksheet: Path | None = None,
    roster: Path | None = None,
    title: str | None = None,
    changed: bool = False,
) -> Exported:
    """Write export/total/…: everybody's final grade."""
    found = totals(course)
    job = Job(course, TOTAL, to, worksheet, roster, title or course.settings.title)
    rows, blank = [], []
    for student, each in found.students.items():
        if each.score is None:
            blank.append(student)
            continue
        units = [found.points[student][unit] for unit in found.units]
        points = [number(mine.final) if mine is not None else "" for mine in units]
        more = (each.letter, *points)
        rows.append(Grade(student, each.score, each.out_of, waiting=each.waiting, more=more))
    for unit in found.units:
        graded = {s for s, mine in found.points.items() if mine[unit] is not None}
        job.result.notes += ungraded(course, unit, graded)
    job.columns = ("letter", *found.units)
    job.result.notes += _said_of_total(course, found.units, list(found.students.values()), blank)
    if not rows:
        raise UserError("nobody has a total yet: nothing that counts is graded")
    return job.write(rows, changed)


def _said_of_total(
    course: Course, units: tuple[str, ...], each: list[Total], blank: list[str]
) -> list[str]:
    """What a reader of the totals must know."""
    settings, notes = course.settings, []
    wanted = [unit for unit, weight in settings.weights.items() if weight] or [*course.unit_names]
    if ungraded := [unit for unit in wanted if unit not in units]:
        notes.append(f"not graded yet and not in the total: {', '.join(ungraded)}")
    if settings.total.best is not None:
        notes.append(f"the best {settings.total.best} of {len(units)} units count")
    rule = {"zero": "0", "blank": "left out"}[settings.total.missing]
    notes.append(f"a unit that was not handed in counts as: {rule}")
    if waiting := sum(one.waiting for one in each):
        notes.append(f"{waiting} of {len(each)} totals will change: answers wait for a person")
    if blank:
        some = ", ".join(blank[:5]) + (" …" if len(blank) > 5 else "")
        notes.append(f"no total for {some}: nothing was handed in")
    return notes


class Job:
    """One export: who is who, where it goes, and what was exported last."""

    def __init__(
        self,
        course: Course,
        unit: str,
        to: str,
        worksheet: Path | None,
        roster: Path | None,
        title: str,
    ) -> None:
        self.course, self.unit, self.to, self.title = course, unit, to, title
        self.worksheet, self.known = worksheet, Known(course, unit)
        self.people = platforms.read_roster(roster or course.roster, None)
        self.result = Exported()
        self.columns: tuple[str, ...] = ()
        self.rows: list[Grade] = []
        self._numbers: dict[str, dict[str, str]] = {}
        self.folder = course.root / "export" / unit

    def write(self, rows: list[Grade], changed: bool) -> Exported:
        before = self.last()
        if changed:
            rows = self.changes(rows, before)
        self.rows, self.result.grades = rows, len(rows)
        formats: dict[str, Callable[[Job, list[Grade]], str]]
        formats = {"csv": plain, "canvas": canvas, "moodle": moodle}
        path = self.folder / f"{self.to}.csv"
        write_whole(path, formats[self.to](self, rows))
        self.result.files.insert(0, path)
        self.pack(rows)
        now = {row.student: {"score": row.score, "of": row.max_score} for row in rows}
        kept = json.dumps(before | now, ensure_ascii=False, indent=1)
        write_whole(self.folder / f"last-{self.to}.json", kept)
        return self.result

    def numbers(self, layout: str) -> dict[str, str]:
        """Number on a platform -> student, by the roster and by what was collected from there."""
        if layout not in self._numbers:
            known = {}
            for student in {row.student for row in self.rows}:
                came = self.known.as_(student, layout)
                if came is not None:
                    known[came.known_as[0]] = student
            self._numbers[layout] = known | self.people.by_number(layout)
        return self._numbers[layout]

    def last(self) -> dict[str, Any]:
        """Student -> what was exported to this platform the last time."""
        try:
            return dict(json.loads((self.folder / f"last-{self.to}.json").read_bytes()))
        except (OSError, ValueError):
            return {}

    def changes(self, rows: list[Grade], before: dict[str, Any]) -> list[Grade]:
        """Those whose points differ from the last export, and a table of old and new."""
        kept: list[Grade] = []
        table: list[list[Any]] = [["student", "name", "before", "after", "of", "late"]]
        for row in rows:
            old = before.get(row.student, {})
            was, most = old.get("score"), old.get("of")
            same = was is not None and abs(was - row.score) < 1e-6
            if same and abs(most - row.max_score) < 1e-6:
                continue
            kept.append(row)
            who = [outside.cell(row.student), outside.cell(self.people.name(row.student))]
            points = [number(was) if was is not None else "", number(row.score)]
            table.append([*who, *points, number(row.max_score), outside.cell(row.reason)])
        if not kept:
            raise UserError(f"nothing has changed in {self.unit} since the last export")
        path = self.folder / "changes.csv"
        write_whole(path, write(table))
        self.result.files.append(path)
        return kept

    def pack(self, rows: list[Grade]) -> None:
        """The feedback pages, if this is a unit and the platform takes them."""
        if self.to == "csv" or self.unit == TOTAL:
            return
        paths = {r.student: common.feedback_path(self.course, self.unit, r.student) for r in rows}
        if pages := {student: path for student, path in paths.items() if path.is_file()}:
            target, notes = self.folder / f"{self.to}-feedback.zip", self.result.notes
            self.result.files.append(pack(pages, self.to, self.known, self.people, target, notes))


@dataclass(frozen=True)
class Known:
    """How a platform calls a student: as it did when a submission was collected."""

    course: Course
    unit: str

    def as_(self, student: str, layout: str) -> taken.Taken | None:
        for unit in self.course.unit_names if self.unit == TOTAL else (self.unit,):
            one = taken.read(self.course, unit, student)
            if one is not None and one.layout == layout and one.known_as:
                return one
        return None


# Tables ------------------------------------------------------------------------------------------


def write(rows: list[list[Any]], delimiter: str = ",", end: str = "\n") -> str:
    """CSV with whatever quoting its fields need."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue()


def number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def plain(job: Job, rows: list[Grade]) -> str:
    """One row per student with everything that led to the points."""
    extra = job.columns or ("late_penalty", "hours_late", "handed_in", "why")
    head = ["student", "name", "assignment", "score", "max_score", *extra, "waits_for_a_person"]
    table: list[list[Any]] = [head]
    for row in rows:
        late = (number(row.late_penalty), number(row.hours_late), row.handed_in, row.reason)
        more = [outside.cell(each) for each in (row.more if job.columns else late)]
        who = [outside.cell(row.student), outside.cell(job.people.name(row.student))]
        points = [number(row.score), number(row.max_score)]
        table.append([*who, job.title, *points, *more, "yes" if row.waiting else "no"])
    return write(table)


def canvas(job: Job, rows: list[Grade]) -> str:
    """Canvas's grade import: its own export filled in, or a new table from the roster and the
    ids of the submissions."""
    if job.worksheet is not None:
        return _canvas_sheet(job, job.worksheet, rows)
    table: list[list[Any]] = [
        [*CANVAS_COLUMNS, job.title],
        [POINTS_POSSIBLE, "", "", "", "", number(rows[0].max_score)],
    ]
    for row in rows:
        listed, came = (
            job.people.students.get(row.student, {}),
            job.known.as_(row.student, "canvas"),
        )
        ident = listed.get("canvas") or (came.known_as[0] if came is not None else "")
        sis, login = listed.get("sis", ""), listed.get("login", "")
        if not (ident or sis or login):
            ident = row.student if row.student.isdigit() else ""
        if not (ident or sis or login):
            job.result.notes.append(
                f"{row.student} has no id that Canvas knows:"
                " add a column canvas, sis or login to the roster"
            )
        name = outside.cell(listed.get("name", row.student))
        cells = [outside.cell(each) for each in (ident, sis, login, listed.get("section", ""))]
        table.append([name, *cells, number(row.score)])
    return write(table)


def _canvas_sheet(job: Job, path: Path, rows: list[Grade]) -> str:
    """Canvas's own table: the first columns say who, then come the assignments."""
    sheet, delimiter, mark = read_sheet(path)
    head, title = sheet[0], job.title
    column = next(
        (i for i, name in enumerate(head) if name == title or name.startswith(f"{title} (")), None
    )
    if column is None:
        listed = ", ".join(head[5:])
        raise UserError(
            f"{path} has no column for {title!r}: give its name with --title; there are {listed}"
        )
    points = next((line for line in sheet[1:4] if line[0].strip() and not any(line[1:4])), None)
    most = parsed_number(points[column]) if points is not None else None
    scores = {row.student: row for row in rows}
    for line in sheet[1:]:
        if line is points or line[0].strip() == "Student, Test":
            continue
        found = _whose(line, list(range(min(4, len(head)))), job, scores, "canvas")
        if found is not None:
            line[column] = number(_scaled(scores.pop(found), most, "Canvas", job.result.notes))
    job.result.notes += [f"{student} is not in {path.name}" for student in scores]
    return mark + write(sheet, delimiter)


def _scaled(row: Grade, most: float | None, platform: str, notes: list[str]) -> float:
    """A score out of what the platform takes for the maximum; another one is said aloud."""
    if most is None or most <= 0 or abs(most - row.max_score) < 1e-6:
        return row.score
    said = f"{platform}'s maximum is {most:g}, not {row.max_score:g}: all grades were scaled"
    if said not in notes:
        notes.append(said)
    return row.score / row.max_score * most if row.max_score else 0.0


def moodle(job: Job, rows: list[Grade]) -> str:
    """Moodle's grading worksheet in any language, filled in; whatever else stands in it stays."""
    path, notes = job.worksheet, job.result.notes
    if path is None:
        raise UserError(
            "Moodle takes back its own worksheet: download it (Submissions > Download grading"
            " worksheet) and give it with --worksheet"
        )
    sheet, delimiter, mark = read_sheet(path)
    shape = worksheet_shape(sheet[0], sheet[1:])
    if shape is None:
        raise UserError(
            f"{path} is not Moodle's grading worksheet: it needs the columns Identifier, Grade and"
            " Maximum Grade (or the same in Moodle's language)"
        )
    scores = {row.student: row for row in rows}
    for line in sheet[1:]:
        found = _whose(line, [shape.identifier, *shape.names], job, scores, "moodle")
        if found is None:
            continue
        row = scores.pop(found)
        if shape.changeable is not None and line[shape.changeable].strip().casefold() in NO:
            notes.append(f"Moodle has locked the grade of {found}: it was left as it is")
            continue
        most = parsed_number(line[shape.most]) if shape.most is not None else None
        line[shape.grade] = f"{_scaled(row, most, 'Moodle', notes):.2f}"
        if shape.comment is not None and not line[shape.comment].strip():
            line[shape.comment] = _comment(row)
    notes += [f"{student} is not in {path.name}" for student in scores]
    return mark + write(sheet, delimiter, "\r\n")


def _comment(row: Grade) -> str:
    off = ""
    if row.late_penalty:
        hours = f" for {row.hours_late:.0f} hours late" if row.hours_late else ""
        off = f", {number(row.late_penalty)} taken off{hours} ({row.reason})"
    return f"{number(row.score)} of {number(row.max_score)} points{off}"


def read_sheet(path: Path) -> tuple[list[list[str]], str, str]:
    """A platform's own table, every row as long as the first; its delimiter and its mark."""
    rows, delimiter, mark = read_csv(path)
    rows = [row for row in rows if row]
    if not rows:
        raise UserError(f"{path} is not what the platform exports: it is empty")
    return [row + [""] * (len(rows[0]) - len(row)) for row in rows], delimiter, mark


def _whose(
    line: list[str], columns: list[int], job: Job, scores: dict[str, Grade], layout: str
) -> str | None:
    """The graded student of a row of the platform's table: by the platform's own number first, as
    the roster or a collected submission has it, since it may be another one's number elsewhere."""
    names = [line[i].strip() for i in columns if line[i].strip()]
    if layout == "moodle" and (match := PARTICIPANT.fullmatch(line[columns[0]].strip())):
        names.insert(0, match[1])
    numbers = job.numbers(layout)
    candidates = [numbers.get(name) for name in names]
    if not any(candidates):
        candidates = [*(name for name in names if name in scores), job.people.find(names)]
    return next((found for found in candidates if found in scores), None)


# Feedback ----------------------------------------------------------------------------------------

OVER = re.compile(rb'<p class="over">.*?</p>')  # a link to a page that is not in the zip


def pack(
    pages: dict[str, Path], to: str, known: Known, people: Roster, target: Path, notes: list[str]
) -> Path:
    """The feedback pages in one zip, each named so that the platform finds its student."""
    names = {
        student: moodle_name(student, known, people)
        if to == "moodle"
        else canvas_name(student, known)
        for student in pages
    }
    strangers = [student for student, name in names.items() if name is None]
    if strangers:
        which = ", ".join(strangers[:5]) + (" …" if len(strangers) > 5 else "")
        notes.append(
            f"the feedback of {len(strangers)} was left out, because they were not collected from"
            f" {to.capitalize()}: {which}"
        )
    new = target.with_suffix(".new")
    with zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, name in names.items():
            if name is not None:
                archive.writestr(
                    zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)),
                    OVER.sub(b"", pages[student].read_bytes()),
                    zipfile.ZIP_DEFLATED,
                )
    return new.replace(target)


def moodle_name(student: str, known: Known, people: Roster) -> str | None:
    """FULLNAME_PARTICIPANT_assignsubmission_file/…, where the name must have no underscore."""
    came = known.as_(student, "moodle")
    ident = (
        came.known_as[0] if came is not None else people.students.get(student, {}).get("moodle", "")
    )
    name = (
        came.known_as[-1]
        if came is not None
        else people.students.get(student, {}).get("name", student)
    )
    return (
        f"{name.replace('_', ' ').replace('/', ' ')}_{ident}_assignsubmission_file/feedback.html"
        if ident
        else None
    )


def canvas_name(student: str, known: Known) -> str | None:
    """NAME_USER_ATTACHMENT_…: Canvas reads the first two numbers."""
    came = known.as_(student, "canvas")
    return (
        f"{came.known_as[-1]}_{came.known_as[0]}_{came.upload}_feedback.html"
        if came is not None and came.upload
        else None
    )
