"""Writes results into nbgrader's gradebook: the same tables and rules as its SaveAutoGrades, one transaction per submission.

A transaction may be repeated: rows are found by what they are about (student, unit, cell), never made twice, and manual scores are left alone.
"""

import json
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from math import fsum
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, TextClause, and_, bindparam, literal, or_, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NotSupportedError, ProgrammingError, SQLAlchemyError

from autograder.course import GRADEBOOK, Course
from autograder.doctor import find_program
from autograder.errors import UserError
from autograder.gradebook import address, api, explained, open_gradebook, parse_utc, without_password
from autograder.grading.late import penalty
from autograder.grading.prepare import SourceCell, Template
from autograder.grading.results import Result

BACKUPS = 10  # how many are kept
PAUSES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds between two tries; the last one is repeated
QUIET = 2  # so many tries after the first are not worth a word

STUDENTS, SUBMISSIONS, NOTEBOOKS = api.Student.__table__, api.SubmittedAssignment.__table__, api.SubmittedNotebook.__table__
GRADES, COMMENTS = api.Grade.__table__, api.Comment.__table__

T = TypeVar("T")


class Unrecordable(UserError):
    """The database refuses this one result, whatever is tried; it has nothing against the others."""


class Recorder:
    """The gradebook, open for one unit; as a context manager it is closed with the block."""

    def __init__(self, course: Course, unit: str, say: Callable[[str], None] = lambda line: None) -> None:
        self.course, self.unit, self.say = course, unit, say
        self.url = address(course)
        unknown = UserError(f"unit {unit} is not in the gradebook: run `autograder release {unit[:2]}` first")
        if (file := sqlite_file(course)) is not None and not file.is_file():
            raise unknown
        self.gradebook = open_gradebook(course)
        self.insert: Any = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}[self.gradebook.engine.dialect.name]
        try:
            self.template, self.cells, self.duedate, self.assignment, self.notebook = self._load()
        except (SQLAlchemyError, api.MissingEntry) as error:
            self.gradebook.close()
            raise unknown if isinstance(error, api.MissingEntry) else explained(error, self.url) from None
        self.merges: dict[tuple[Any, tuple[str, ...], int], TextClause] = {}
        self.per_day = float(course.settings.late.get("penalty_per_day", 0.0))

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.gradebook.close()

    def rest(self) -> None:
        """Close the connection until it is needed again: a process that is forked now inherits none."""
        self.gradebook.db.remove()
        self.gradebook.engine.dispose()

    def _load(self) -> tuple[Template, dict[str, dict[str, str]], datetime | None, str, str]:
        """The unit as it was released, in the order of the released notebook, and the keys of its rows."""
        assignment = self.gradebook.find_assignment(self.unit)
        notebook = self.gradebook.find_notebook(self.unit, self.unit)
        release = self.course.released(self.unit).read_bytes()
        graded = {cell.name: float(cell.max_score) for cell in notebook.grade_cells}
        tasks = {cell.name: float(cell.max_score) for cell in notebook.task_cells}
        solutions = {cell.name for cell in notebook.solution_cells}
        marks = [cell.get("metadata", {}).get("nbgrader", {}).get("grade_id") for cell in json.loads(release)["cells"]]
        order = {name: position for position, name in enumerate(marks) if name is not None}
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
        cells.sort(key=lambda cell: order.get(cell.name, len(order)))
        kernel = json.loads(notebook.kernelspec) if notebook.kernelspec else None
        keys = {
            "grades": {cell.id: cell.name for cell in (*notebook.grade_cells, *notebook.task_cells)},
            "comments": {cell.id: cell.name for cell in (*notebook.solution_cells, *notebook.task_cells)},
        }
        loaded = Template(self.unit, tuple(cells), kernel, release), keys, assignment.duedate, assignment.id, notebook.id
        self.rest()
        return loaded

    def students(self) -> set[str]:
        """Whose submission of this unit has scores in the gradebook."""
        joined = SUBMISSIONS.join(NOTEBOOKS, NOTEBOOKS.c.assignment_id == SUBMISSIONS.c.id).join(
            GRADES, GRADES.c.notebook_id == NOTEBOOKS.c.id
        )
        where = (SUBMISSIONS.c.assignment_id == self.assignment, GRADES.c.auto_score.is_not(None))
        wanted = select(SUBMISSIONS.c.student_id).select_from(joined).where(*where).distinct()
        return self._patiently(lambda connection: set(connection.scalars(wanted)))

    def record(self, result: Result) -> tuple[float | None, float]:
        """Write a result, all of it or nothing; the score before (None if there was none) and after."""
        seen: list[float | None] = []  # by each try: if only the confirmation got lost, the second one sees the scores of the first

        def write(connection: Connection) -> tuple[float | None, float]:
            before, after = self._write(connection, result)
            seen.append(before)
            return seen[0], after

        try:
            return self._patiently(write)
        except (DataError, UnicodeEncodeError) as error:
            reason = str(error.orig if isinstance(error, DataError) else error).splitlines()[0]
            raise Unrecordable(f"the gradebook refuses the result of {result.student!r}: {reason}") from None

    def back_up(self) -> Path | None:
        """Copy the gradebook before a run changes it."""

        def copy(connection: Connection) -> Path | None:
            connection.execute(select(1))  # is it there at all?
            try:
                return back_up(self.course, self.say)
            except UserError:
                connection.execute(select(1))  # if it went away meanwhile, there will be another try
                raise

        return self._patiently(copy)

    def _patiently(self, action: Callable[[Connection], T]) -> T:
        """Do something in a transaction; while the database is away, try again until the patience ends."""
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
                    kept = f"Nothing is lost: results are in runs/results/{self.unit}, and the same command goes on from there"
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
        late, notebook = self._submission(connection, result)
        names = self.cells["grades"]
        rows = connection.execute(select(GRADES).where(GRADES.c.notebook_id == notebook))
        old = {row.cell_id: row for row in rows if row.cell_id in names}
        points = {cell.name: cell.points for cell in result.cells}
        new = {key: points[name] for key, name in names.items() if name in points}
        missing = [key for key in names if key not in old and key not in new]  # a newer release may have added cells
        self._merge(
            connection,
            GRADES,
            notebook,
            [{"cell_id": key, "auto_score": new.get(key), "needs_manual_grade": new.get(key) is None} for key in (*new, *missing)],
        )
        texts = {key: _storable(result.comments.get(name)) for key, name in self.cells["comments"].items()}
        self._merge(connection, COMMENTS, notebook, [{"cell_id": key, "auto_comment": text} for key, text in texts.items()])
        graded = any(row.auto_score is not None for row in old.values())
        before = fsum(_score(row, row.auto_score) for row in old.values()) if graded else None
        after = fsum(_score(old.get(key), new[key] if key in new else old[key].auto_score) for key in {*old, *new})
        off = penalty(after, late, self.per_day)
        connection.execute(update(NOTEBOOKS).where(NOTEBOOKS.c.id == notebook).values(late_submission_penalty=off))
        return before, after

    def _submission(self, connection: Connection, result: Result) -> tuple[float, str]:
        """Seconds late and the key of the submitted notebook; rows that are missing are made."""
        connection.execute(self.insert(STUDENTS).values(id=result.student).on_conflict_do_nothing())  # in SQLite, this takes the lock
        timestamp = parse_utc(result.timestamp) if result.timestamp else None
        mine = (SUBMISSIONS.c.assignment_id == self.assignment, SUBMISSIONS.c.student_id == result.student)
        both = SUBMISSIONS.outerjoin(
            NOTEBOOKS, and_(NOTEBOOKS.c.assignment_id == SUBMISSIONS.c.id, NOTEBOOKS.c.notebook_id == self.notebook)
        )
        columns = (SUBMISSIONS.c.id, SUBMISSIONS.c.extension, SUBMISSIONS.c.timestamp, NOTEBOOKS.c.id.label("notebook"))
        find = select(*columns).select_from(both).where(*mine).with_for_update(of=SUBMISSIONS)
        row = connection.execute(find).one_or_none()
        if row is None or row.notebook is None:
            new = {"id": api.new_uuid(), "assignment_id": self.assignment, "student_id": result.student, "timestamp": timestamp}
            connection.execute(self.insert(SUBMISSIONS).values(new).on_conflict_do_nothing())
            book = select(literal(api.new_uuid()), SUBMISSIONS.c.id, literal(self.notebook), literal(False)).where(*mine)
            into = self.insert(NOTEBOOKS).from_select(["id", "assignment_id", "notebook_id", "flagged"], book)
            connection.execute(into.on_conflict_do_nothing())
            row = connection.execute(find).one()
        if timestamp is None:
            timestamp = row.timestamp
        elif row.timestamp != timestamp:
            connection.execute(update(SUBMISSIONS).where(SUBMISSIONS.c.id == row.id).values(timestamp=timestamp))
        due = self.duedate + row.extension if self.duedate is not None and row.extension is not None else self.duedate
        late = max(0.0, (timestamp - due).total_seconds()) if timestamp is not None and due is not None else 0.0
        return late, row.notebook

    def _merge(self, connection: Connection, table: Any, notebook: str, rows: list[dict[str, Any]]) -> None:
        """Grades or comments of a submitted notebook, one per cell: new rows, and what the grader says in those that are there."""
        if not rows:
            return
        cells = [{"id": api.new_uuid(), "notebook_id": notebook, **row} for row in rows]
        shape = (table, tuple(cells[0]), len(cells))
        if shape not in self.merges:
            self.merges[shape] = self._merging(*shape)
        connection.execute(self.merges[shape], {f"{name}_{n}": value for n, cell in enumerate(cells) for name, value in cell.items()})

    def _merging(self, table: Any, names: tuple[str, ...], count: int) -> TextClause:
        """The statement for so many rows, as text: SQLAlchemy would write it anew each time, which takes longer than what it does."""
        given = self.insert(table).values([{name: bindparam(f"{name}_{n}") for name in names} for n in range(count)])
        said = {name: given.excluded[name] for name in names if name not in ("id", "notebook_id", "cell_id")}
        if "needs_manual_grade" in said:
            said["needs_manual_grade"] = or_(said["needs_manual_grade"], table.c.manual_score.is_not(None))
        one = {"index_elements": ["cell_id", "notebook_id"]}
        merge = given.on_conflict_do_update(**one, set_=said) if said else given.on_conflict_do_nothing(**one)
        return text(str(merge.compile(dialect=type(self.gradebook.engine.dialect)(paramstyle="named"))))


def _score(row: Any, auto_score: float | None) -> float:
    """A grade's score, as nbgrader computes it in the database; `row` is what was there before, if anything."""
    manual, extra = (row.manual_score, row.extra_credit) if row is not None else (None, None)
    base = manual if manual is not None else auto_score
    return float(base) + float(extra or 0.0) if base is not None else 0.0


def _storable(text: str | None) -> str | None:
    """Without what PostgreSQL has no place for; a student's error message may hold anything."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd") if text is not None else None


def passing(error: DBAPIError) -> bool:
    """Whether it may work if one waits: the database is away, restarting, full or busy; not if it has understood and refuses."""
    if isinstance(error, DataError | IntegrityError | NotSupportedError | ProgrammingError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    return state is None or state.startswith(("08", "25", "40", "53", "55P03", "57", "58"))


def sqlite_file(course: Course) -> Path | None:
    """The gradebook's file, if it is one."""
    url = address(course)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def back_up(course: Course, say: Callable[[str], None] = lambda line: None) -> Path | None:
    """Copy the gradebook to backups/; None if there is nothing to copy, or no program that can, which is said."""
    folder = course.root / "backups"
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    source = sqlite_file(course)
    if source is not None and not source.is_file():
        return None
    folder.mkdir(exist_ok=True)
    target = folder / f"gradebook-{stamp}.{'sql' if source is None else 'db'}"
    half = target.with_name(f".{target.name}.new")
    try:
        if source is not None:
            with closing(sqlite3.connect(source, timeout=60)) as old, closing(sqlite3.connect(half)) as new:
                old.backup(new)
        elif (reason := _dump(address(course), half)) is not None:
            say(f"the gradebook is not backed up: {reason}")
            return None
        half.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise UserError(
            f"the gradebook could not be backed up: {error}. Nothing was recorded: mend that, then give the same command again"
        ) from None
    finally:
        half.unlink(missing_ok=True)
    for old_copy in sorted(folder.glob("gradebook-*"))[:-BACKUPS]:
        old_copy.unlink(missing_ok=True)
    return target


def _dump(url: URL, target: Path) -> str | None:
    """Write a PostgreSQL database as SQL; why it cannot be done here, or None. The password goes by the environment, where `ps` shows nothing."""
    program = find_program("pg_dump")
    if program is None:
        return "there is no pg_dump (package postgresql-client)"
    password = url.password or url.query.get("password")
    query = {key: value for key, value in url.query.items() if key != "password"}
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, query).render_as_string()
    environment = {key: value for key, value in os.environ.items() if key != GRADEBOOK} | {"LC_ALL": "C"}
    environment |= {"PGPASSWORD": str(password)} if password else {}
    command = [program, "--no-owner", "--no-privileges", "--file", str(target), "--dbname", plain]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    if "server version mismatch" in done.stderr:
        versions = " ".join(line.strip() for line in done.stderr.splitlines() if "server version:" in line)
        return f"pg_dump is older than the server, install its postgresql-client ({versions.removeprefix('pg_dump: detail: ')})"
    if done.returncode != 0:
        raise UserError(
            f"the gradebook could not be backed up: {without_password(done.stderr.strip(), url)}. Nothing was recorded: mend that, then give the same command again"
        )
    return None
