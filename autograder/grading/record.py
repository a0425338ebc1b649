"""Writes results into nbgrader's gradebook: one transaction per submission.

Tables and rules are those of nbgrader's SaveAutoGrades. A transaction may be repeated: rows are
found by what they are about (student, unit, cell), never made twice, and manual scores are left
alone.
"""

import json
import re
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import fsum
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, TypeVar

from sqlalchemy import (
    Connection,
    TextClause,
    bindparam,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
    SQLAlchemyError,
)

from autograder.any_course import AnyCourse
from autograder.course import Course
from autograder.errors import UserError
from autograder.gradebook import (
    address,
    api,
    explained,
    open_gradebook,
    parse_utc,
)
from autograder.grading import answers
from autograder.grading.backup import back_up, sqlite_file
from autograder.grading.prepare import SourceCell, Template
from autograder.grading.results import Result, full_name
from autograder.points.facts import Ledger

PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds between two tries; the last one is repeated
QUIET = 2  # so many tries after the first are not worth a word

STUDENTS, SUBMISSIONS, NOTEBOOKS = (
    api.Student.__table__,
    api.SubmittedAssignment.__table__,
    api.SubmittedNotebook.__table__,
)
GRADES, COMMENTS = api.Grade.__table__, api.Comment.__table__

HIDDEN = re.compile(r"(?ms)^[^\n]*BEGIN HIDDEN TESTS.*?END HIDDEN TESTS[^\n]*\n?")

T = TypeVar("T")


@dataclass(frozen=True)
class Book:
    """A notebook of the unit: its key in the gradebook, and those of its rows."""

    id: str
    template: Template
    grades: dict[str, str]  # key of a graded cell -> its name in results
    comments: dict[str, str]  # key of a cell with a comment -> its name in results


@dataclass(frozen=True)
class Submission:
    """What the gradebook has of a submission."""

    notebooks: dict[str, str]  # key of a notebook of the unit -> of the submitted one
    timestamp: datetime | None
    extension: timedelta | None


class Penalty(Protocol):
    """What a late submission costs."""

    def off(self, student: str, score: float, submission: Submission) -> float | None: ...


class LedgerPenalty:
    """By course.toml."""

    def __init__(self, course: Course, unit: str) -> None:
        self.ledger, self.unit = Ledger(course), unit

    def off(self, student: str, score: float, submission: Submission) -> float | None:
        return self.ledger.charge(self.unit, student).off(score) or None


class PluginPenalty:
    """By nbgrader's plugin, from the due date in the gradebook, as AssignLatePenalties does it."""

    def __init__(self, course: AnyCourse, duedate: datetime | None) -> None:
        from nbgrader.preprocessors import AssignLatePenalties

        self.duedate = duedate
        with course.inside():  # the plugin may be a module of the course
            self.step = AssignLatePenalties(config=course.config)
            self.step.init_plugin()

    def off(self, student: str, score: float, submission: Submission) -> float | None:
        if self.duedate is None or submission.timestamp is None:
            return None
        due = self.duedate + (submission.extension or timedelta(0))
        late = (submission.timestamp - due).total_seconds()
        if late <= 0:
            return None
        penalty = self.step.plugin_inst.late_submission_penalty(student, score, late)
        if penalty is None:
            return None
        return float(self.step._check_late_penalty(SimpleNamespace(score=score), penalty))


class Unrecordable(UserError):
    """The database refuses this one result, whatever is tried.

    It has nothing against the others.
    """


class Recorder:
    """The gradebook, open for one unit; as a context manager it is closed with the block."""

    def __init__(
        self, course: Course, unit: str, say: Callable[[str], None] = lambda line: None
    ) -> None:
        self.course, self.unit, self.say = course, unit, say
        self.url = address(course)
        release = (
            f"nbgrader generate_assignment {unit}"
            if course.foreign
            else f"autograder release {unit[:2]}"
        )
        unknown = UserError(f"unit {unit} is not in the gradebook: run `{release}` first")
        if (file := sqlite_file(course)) is not None and not file.is_file():
            raise unknown
        self.gradebook = open_gradebook(course)
        self.insert: Any = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}[
            self.gradebook.engine.dialect.name
        ]
        try:
            self.assignment, self.duedate, self.books = self._load()
        except (SQLAlchemyError, api.MissingEntry) as error:
            self.gradebook.close()
            raise (
                unknown if isinstance(error, api.MissingEntry) else explained(error, self.url)
            ) from None
        self.merges: dict[tuple[Any, tuple[str, ...], int], TextClause] = {}
        self.penalty: Penalty = (
            PluginPenalty(course, self.duedate)
            if isinstance(course, AnyCourse)
            else LedgerPenalty(course, unit)
        )

    @property
    def templates(self) -> tuple[Template, ...]:
        """The notebooks of the unit, as they were released."""
        return tuple(book.template for book in self.books)

    @property
    def template(self) -> Template:
        """Of a unit that has only one."""
        return self.books[0].template

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.gradebook.close()

    def rest(self) -> None:
        """Close the connection until it is needed again.

        A process that is forked now inherits none.
        """
        self.gradebook.db.remove()
        self.gradebook.engine.dispose()

    def _load(self) -> tuple[str, datetime | None, tuple["Book", ...]]:
        """The key of the unit, its due date, and its notebooks as they were released."""
        assignment = self.gradebook.find_assignment(self.unit)
        found = sorted(assignment.notebooks, key=lambda each: str(each.name))
        if not found:
            raise api.MissingEntry(f"{self.unit} has no notebooks")
        loaded = (assignment.id, assignment.duedate, tuple(self._book(each) for each in found))
        self.rest()
        return loaded

    def _book(self, notebook: Any) -> "Book":
        """A notebook in the order of its release, and the keys of its rows."""
        graded = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
        tasks = {cell.name: float(cell.max_score) for cell in notebook.task_cells}
        solutions = {cell.name for cell in notebook.solution_cells}
        cells = [
            SourceCell(
                name=cell.name,
                cell_type=cell.cell_type,
                source=cell.source or "",
                locked=bool(cell.locked),
                checksum=cell.checksum or "",
                grade=cell.name in graded,
                solution=cell.name in solutions,
                task=cell.name in tasks,
                points=graded.get(cell.name, tasks.get(cell.name, 0.0)),
            )
            for cell in notebook.source_cells
        ]
        release = self._release(notebook.name, cells)
        marks = [
            (cell.get("metadata", {}).get("nbgrader") or {}).get("grade_id")
            for cell in json.loads(release)["cells"]
        ]
        order = {name: position for position, name in enumerate(marks) if name is not None}
        cells.sort(key=lambda cell: order.get(cell.name, len(order)))
        kernel = json.loads(notebook.kernelspec) if notebook.kernelspec else None
        if kernel and str(kernel.get("language") or "python").lower() != "python":
            raise UserError(
                f"{notebook.name}.ipynb is written in {kernel['language']}, and this engine runs"
                " Python: grade with `--engine stock`"
            )

        def named(*kinds: Any) -> dict[str, str]:
            return {
                cell.id: full_name(self.unit, notebook.name, cell.name)
                for kind in kinds
                for cell in kind
            }

        return Book(
            notebook.id,
            Template(notebook.name, tuple(cells), kernel, release),
            named(notebook.grade_cells, notebook.task_cells),
            named(notebook.solution_cells, notebook.task_cells),
        )

    def _release(self, notebook: str, cells: list[SourceCell]) -> bytes:
        """The released notebook; of another course, if it is gone, one made of its marked cells."""
        if not isinstance(self.course, AnyCourse):
            return self.course.released(self.unit).read_bytes()
        path = self.course.folder("release", ".", self.unit) / f"{notebook}.ipynb"
        return path.read_bytes() if path.is_file() else made_of(cells)

    def students(self) -> set[str]:
        """Whose submission of this unit has scores in the gradebook."""
        joined = SUBMISSIONS.join(NOTEBOOKS, NOTEBOOKS.c.assignment_id == SUBMISSIONS.c.id).join(
            GRADES, GRADES.c.notebook_id == NOTEBOOKS.c.id
        )
        where = (SUBMISSIONS.c.assignment_id == self.assignment, GRADES.c.auto_score.is_not(None))
        wanted = select(SUBMISSIONS.c.student_id).select_from(joined).where(*where).distinct()
        return self._patiently(lambda connection: set(connection.scalars(wanted)))

    def record(self, result: Result) -> tuple[float | None, float]:
        """Write a result, all of it or nothing.

        The score before (None if there was none) and after.
        """
        # By each try: if only the confirmation got lost, the second sees the scores of the first.
        seen: list[float | None] = []

        def write(connection: Connection) -> tuple[float | None, float]:
            before, after = self._write(connection, result)
            seen.append(before)
            return seen[0], after

        try:
            done = self._patiently(write)
            answers.remember(self.course, self.unit, result.student)
            return done
        except (DataError, UnicodeEncodeError) as error:
            reason = str(error.orig if isinstance(error, DataError) else error).splitlines()[0]
            raise Unrecordable(
                f"the gradebook refuses the result of {result.student!r}: {reason}"
            ) from None

    def back_up(self) -> Path | None:
        """Copy the gradebook before a run changes it."""

        def copy(connection: Connection) -> Path | None:
            connection.execute(select(1))  # is it there at all?
            try:
                return back_up(self.course, self.say)
            except UserError:
                connection.execute(
                    select(1)
                )  # if it went away meanwhile, there will be another try
                raise

        return self._patiently(copy)

    def _patiently(self, action: Callable[[Connection], T]) -> T:
        """Do something in a transaction.

        While the database is away, try again until the patience ends.
        """
        began, tries, patience = time.monotonic(), 0, self.course.patience
        while True:
            try:
                with self.gradebook.engine.begin() as connection:
                    done = action(connection)
            except DataError:
                raise
            except DBAPIError as error:
                reason, gone = explained(error, self.url), time.monotonic() - began
                if not passing(error) or gone >= patience:
                    lasted = f", for {gone:.0f} s now" if passing(error) else ""
                    where = f"results are in runs/results/{self.unit}"
                    kept = f"Nothing is lost: {where}, and the same command goes on from there"
                    raise UserError(f"{reason}{lasted}. {kept}") from None
            else:
                if tries > QUIET:
                    self.say(f"the gradebook is back after {time.monotonic() - began:.0f} s")
                return done
            if tries == QUIET:
                self.say(f"{reason}; waiting for it, up to {patience:g} s")
            time.sleep(min(PAUSES[min(tries, len(PAUSES) - 1)], patience - gone))
            tries += 1

    def _write(self, connection: Connection, result: Result) -> tuple[float | None, float]:
        """A result in the gradebook's own tables; manual scores and comments stay."""
        submission = self._submission(connection, result)
        scores = [self._write_book(connection, result, book, submission) for book in self.books]
        known = [before for before, _ in scores if before is not None]
        return (fsum(known) if known else None), fsum(after for _, after in scores)

    def _write_book(
        self, connection: Connection, result: Result, book: "Book", submission: "Submission"
    ) -> tuple[float | None, float]:
        notebook, names = submission.notebooks[book.id], book.grades
        rows = connection.execute(select(GRADES).where(GRADES.c.notebook_id == notebook))
        old = {row.cell_id: row for row in rows if row.cell_id in names}
        points = {cell.name: cell.points for cell in result.cells}
        new = {key: points[name] for key, name in names.items() if name in points}
        missing = [
            key for key in names if key not in old and key not in new
        ]  # a newer release may have added cells
        self._merge(
            connection,
            GRADES,
            notebook,
            [
                {
                    "cell_id": key,
                    "auto_score": new.get(key),
                    "needs_manual_grade": new.get(key) is None,
                }
                for key in (*new, *missing)
            ],
        )
        self._leave_graded(connection, notebook, names, old, result.student)
        texts = {key: _storable(result.comments.get(name)) for key, name in book.comments.items()}
        self._merge(
            connection,
            COMMENTS,
            notebook,
            [{"cell_id": key, "auto_comment": text} for key, text in texts.items()],
        )
        graded = any(row.auto_score is not None for row in old.values())
        before = fsum(_score(row, row.auto_score) for row in old.values()) if graded else None
        after = fsum(
            _score(old.get(key), new[key] if key in new else old[key].auto_score)
            for key in {*old, *new}
        )
        off = self.penalty.off(result.student, after, submission)
        connection.execute(
            update(NOTEBOOKS).where(NOTEBOOKS.c.id == notebook).values(late_submission_penalty=off)
        )
        return before, after

    def _leave_graded(
        self,
        connection: Connection,
        notebook: str,
        names: dict[str, str],
        old: dict[str, Any],
        student: str,
    ) -> None:
        """What a person has graded stays graded, unless that very answer has changed."""
        by_hand = [key for key, row in old.items() if _done(row)]
        same = answers.unchanged(self.course, self.unit, student) if by_hand else frozenset()
        if done := [key for key in by_hand if names[key] in same]:
            mine = (GRADES.c.notebook_id == notebook, GRADES.c.cell_id.in_(done))
            connection.execute(update(GRADES).where(*mine).values(needs_manual_grade=False))

    def _submission(self, connection: Connection, result: Result) -> "Submission":
        """The keys of the submitted notebooks; rows that are missing are made."""
        connection.execute(
            self.insert(STUDENTS).values(id=result.student).on_conflict_do_nothing()
        )  # in SQLite, this takes the lock
        timestamp = parse_utc(result.timestamp) if result.timestamp else None
        mine = (
            SUBMISSIONS.c.assignment_id == self.assignment,
            SUBMISSIONS.c.student_id == result.student,
        )
        both = SUBMISSIONS.outerjoin(NOTEBOOKS, NOTEBOOKS.c.assignment_id == SUBMISSIONS.c.id)
        columns = (
            SUBMISSIONS.c.id,
            SUBMISSIONS.c.timestamp,
            SUBMISSIONS.c.extension,
            NOTEBOOKS.c.notebook_id.label("book"),
            NOTEBOOKS.c.id.label("notebook"),
        )
        find = select(*columns).select_from(both).where(*mine).with_for_update(of=SUBMISSIONS)
        rows = connection.execute(find).all()
        missing = {book.id for book in self.books} - {row.book for row in rows}
        if missing:
            new = {
                "id": api.new_uuid(),
                "assignment_id": self.assignment,
                "student_id": result.student,
                "timestamp": timestamp,
            }
            connection.execute(self.insert(SUBMISSIONS).values(new).on_conflict_do_nothing())
            for key in sorted(missing):
                book = select(
                    literal(api.new_uuid()), SUBMISSIONS.c.id, literal(key), literal(False)
                ).where(*mine)
                into = self.insert(NOTEBOOKS).from_select(
                    ["id", "assignment_id", "notebook_id", "flagged"], book
                )
                connection.execute(into.on_conflict_do_nothing())
            rows = connection.execute(find).all()
        row = rows[0]
        if timestamp is not None and row.timestamp != timestamp:
            connection.execute(
                update(SUBMISSIONS).where(SUBMISSIONS.c.id == row.id).values(timestamp=timestamp)
            )
        return Submission(
            {each.book: each.notebook for each in rows}, timestamp or row.timestamp, row.extension
        )

    def _merge(
        self, connection: Connection, table: Any, notebook: str, rows: list[dict[str, Any]]
    ) -> None:
        """Grades or comments of a submitted notebook, one per cell.

        New rows, and what the grader says in those that are there.
        """
        if not rows:
            return
        cells = [{"id": api.new_uuid(), "notebook_id": notebook, **row} for row in rows]
        shape = (table, tuple(cells[0]), len(cells))
        if shape not in self.merges:
            self.merges[shape] = self._merging(*shape)
        connection.execute(
            self.merges[shape],
            {f"{name}_{n}": value for n, cell in enumerate(cells) for name, value in cell.items()},
        )

    def _merging(self, table: Any, names: tuple[str, ...], count: int) -> TextClause:
        """The statement for so many rows, as text.

        SQLAlchemy would write it anew each time, which takes longer than what it does.
        """
        given = self.insert(table).values(
            [{name: bindparam(f"{name}_{n}") for name in names} for n in range(count)]
        )
        said = {
            name: given.excluded[name]
            for name in names
            if name not in ("id", "notebook_id", "cell_id")
        }
        if "needs_manual_grade" in said:
            said["needs_manual_grade"] = or_(
                said["needs_manual_grade"], table.c.manual_score.is_not(None)
            )
        one = {"index_elements": ["cell_id", "notebook_id"]}
        merge = (
            given.on_conflict_do_update(**one, set_=said)
            if said
            else given.on_conflict_do_nothing(**one)
        )
        return text(
            str(merge.compile(dialect=type(self.gradebook.engine.dialect)(paramstyle="named")))
        )


def made_of(cells: list[SourceCell]) -> bytes:
    """A notebook of nothing but these cells, without their hidden tests."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": cell.cell_type,
            "id": f"cell-{number}",
            "metadata": cell.metadata(),
            "source": HIDDEN.sub("", cell.source),
        }
        | ({"execution_count": None, "outputs": []} if cell.cell_type == "code" else {})
        for number, cell in enumerate(cells)
    ]
    book = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book).encode()


def _score(row: Any, auto_score: float | None) -> float:
    """A grade's score, as nbgrader computes it in the database.

    `row` is what was there before, if anything.
    """
    manual, extra = (row.manual_score, row.extra_credit) if row is not None else (None, None)
    base = manual if manual is not None else auto_score
    return float(base) + float(extra or 0.0) if base is not None else 0.0


def _done(row: Any) -> bool:
    """Has a person graded this, and nothing happened since?"""
    return row.manual_score is not None and not row.needs_manual_grade


def _storable(text: str | None) -> str | None:
    """Without what PostgreSQL has no place for; a student's error message may hold anything."""
    return (
        text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
        if text is not None
        else None
    )


def passing(error: DBAPIError) -> bool:
    """Whether it may work if one waits: the database is away, restarting, full or busy.

    Not if it has understood and refuses.
    """
    if isinstance(error, DataError | IntegrityError | NotSupportedError | ProgrammingError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorname", "").startswith(
            ("SQLITE_BUSY", "SQLITE_LOCKED")
        )
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    return state is None or state.startswith(("08", "25", "40", "53", "55P03", "57", "58"))
