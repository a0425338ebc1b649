"""Writes results into nbgrader's gradebook: the same tables and rules as its SaveAutoGrades, one transaction per submission."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.errors import UserError
from autograder.grading.late import penalty
from autograder.grading.prepare import SourceCell, Template
from autograder.grading.results import Result

BACKUPS = 10  # how many are kept


@contextmanager
def _without_slow_grammar() -> Iterator[None]:
    """jsonschema builds a grammar of IRIs at import, for two seconds, if it finds one; nothing here needs it."""
    name = "rfc3987_syntax"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]


with _without_slow_grammar():
    from nbgrader import api
    from nbgrader.utils import parse_utc
    from sqlalchemy import Connection, bindparam, insert, select, update
    from sqlalchemy.exc import SQLAlchemyError

STUDENTS, SUBMISSIONS, NOTEBOOKS = api.Student.__table__, api.SubmittedAssignment.__table__, api.SubmittedNotebook.__table__
GRADES, COMMENTS = api.Grade.__table__, api.Comment.__table__


class Recorder:
    """The gradebook, open for one unit; as a context manager it is closed with the block."""

    def __init__(self, course: Course, unit: str) -> None:
        self.course, self.unit = course, unit
        unknown = UserError(f"unit {unit} is not in the gradebook: run `autograder release {unit[:2]}` first")
        if (file := sqlite_file(course)) is not None and not file.is_file():
            raise unknown
        try:
            self.gradebook = api.Gradebook(course.gradebook_url, "attention")
            self.template, self.cells, self.duedate, self.assignment, self.notebook = self._load()
        except SQLAlchemyError as error:
            raise UserError(f"the gradebook cannot be opened: {str(error).splitlines()[0]}") from None
        except api.MissingEntry:
            self.gradebook.close()
            raise unknown from None
        self.per_day = float(course.settings.late.get("penalty_per_day", 0.0))

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.gradebook.close()

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
        self.gradebook.db.remove()
        self.gradebook.engine.dispose()  # workers are forked after this: they shall not inherit a connection
        return loaded

    def students(self) -> set[str]:
        """Whose submission of this unit has scores in the gradebook."""
        joined = SUBMISSIONS.join(NOTEBOOKS, NOTEBOOKS.c.assignment_id == SUBMISSIONS.c.id).join(
            GRADES, GRADES.c.notebook_id == NOTEBOOKS.c.id
        )
        where = (SUBMISSIONS.c.assignment_id == self.assignment, GRADES.c.auto_score.is_not(None))
        with self.gradebook.engine.connect() as connection:
            return set(connection.scalars(select(SUBMISSIONS.c.student_id).select_from(joined).where(*where).distinct()))

    def record(self, result: Result) -> tuple[float | None, float]:
        """Write a result, all of it or nothing; the score before (None if there was none) and after."""
        with self.gradebook.engine.begin() as connection:
            late, notebook = self._submission(connection, result)
            grades = self._rows(connection, GRADES, "grades", notebook)
            comments = self._rows(connection, COMMENTS, "comments", notebook)
            before = sum(map(_score, grades.values())) if any(row["auto_score"] is not None for row in grades.values()) else None
            points = {cell.name: cell.points for cell in result.cells if cell.name in grades}
            for name, value in points.items():
                grades[name]["auto_score"] = value
            changes = [
                {"key": grades[name]["id"], "score": value, "manual": grades[name]["manual_score"] is not None or value is None}
                for name, value in points.items()
            ]
            texts = [{"key": comments[name]["id"], "text": text} for name, text in result.comments.items() if name in comments]
            if changes:
                values: dict[str, Any] = {"auto_score": bindparam("score"), "needs_manual_grade": bindparam("manual")}
                connection.execute(update(GRADES).where(GRADES.c.id == bindparam("key")).values(values), changes)
            if texts:
                connection.execute(update(COMMENTS).where(COMMENTS.c.id == bindparam("key")).values(auto_comment=bindparam("text")), texts)
            after = sum(map(_score, grades.values()))
            off = penalty(after, late, self.per_day)
            connection.execute(update(NOTEBOOKS).where(NOTEBOOKS.c.id == notebook).values(late_submission_penalty=off))
        return before, after

    def _submission(self, connection: Connection, result: Result) -> tuple[float, str]:
        """Seconds late and the key of the submitted notebook; rows that are missing are made."""
        if connection.scalar(select(STUDENTS.c.id).where(STUDENTS.c.id == result.student)) is None:
            connection.execute(insert(STUDENTS).values(id=result.student))
        timestamp = parse_utc(result.timestamp) if result.timestamp else None
        mine = (SUBMISSIONS.c.assignment_id == self.assignment, SUBMISSIONS.c.student_id == result.student)
        row = connection.execute(select(SUBMISSIONS.c.id, SUBMISSIONS.c.extension, SUBMISSIONS.c.timestamp).where(*mine)).one_or_none()
        key = row.id if row is not None else api.new_uuid()
        if row is None:
            new = {"id": key, "assignment_id": self.assignment, "student_id": result.student, "timestamp": timestamp}
            connection.execute(insert(SUBMISSIONS).values(new))
        elif timestamp is not None and row.timestamp != timestamp:
            connection.execute(update(SUBMISSIONS).where(SUBMISSIONS.c.id == key).values(timestamp=timestamp))
        elif timestamp is None:
            timestamp = row.timestamp
        ours = (NOTEBOOKS.c.assignment_id == key, NOTEBOOKS.c.notebook_id == self.notebook)
        notebook = connection.scalar(select(NOTEBOOKS.c.id).where(*ours))
        if notebook is None:
            notebook = api.new_uuid()
            connection.execute(insert(NOTEBOOKS).values(id=notebook, assignment_id=key, notebook_id=self.notebook, flagged=False))
        due = self.duedate + row.extension if self.duedate is not None and row is not None and row.extension is not None else self.duedate
        late = max(0.0, (timestamp - due).total_seconds()) if timestamp is not None and due is not None else 0.0
        return late, notebook

    def _rows(self, connection: Connection, table: Any, kind: str, notebook: str) -> dict[str, dict[str, Any]]:
        """Grades or comments of a submitted notebook by name of their cell; those of cells that a newer release added are made."""
        cells = self.cells[kind]
        found = [dict(row._mapping) for row in connection.execute(select(table).where(table.c.notebook_id == notebook))]
        have = {row["cell_id"] for row in found}
        extra = {"needs_manual_grade": True} if kind == "grades" else {}
        new = [{"id": api.new_uuid(), "cell_id": cell, "notebook_id": notebook, **extra} for cell in cells if cell not in have]
        if new:
            connection.execute(insert(table), new)
        blank = dict.fromkeys(column.name for column in table.c)
        return {cells[row["cell_id"]]: blank | row for row in (*found, *new) if row["cell_id"] in cells}


def _score(row: dict[str, Any]) -> float:
    """A grade's score, as nbgrader computes it in the database."""
    base = row["manual_score"] if row["manual_score"] is not None else row["auto_score"]
    return float(base) + float(row["extra_credit"] or 0.0) if base is not None else 0.0


def sqlite_file(course: Course) -> Path | None:
    """The gradebook's file, if it is one."""
    url = course.gradebook_url
    return Path(url.removeprefix("sqlite:///").partition("?")[0]) if url.startswith("sqlite:///") else None


def back_up(course: Course) -> Path | None:
    """Copy the gradebook to backups/ before a run changes it; None if there is nothing to copy, or no program that can."""
    url = course.gradebook_url
    folder = course.root / "backups"
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    if (source := sqlite_file(course)) is not None:
        if not source.is_file():
            return None
        folder.mkdir(exist_ok=True)
        target = folder / f"gradebook-{stamp}.db"
        with sqlite3.connect(source) as old, sqlite3.connect(target) as new:
            old.backup(new)
        old.close()
        new.close()
    elif url.startswith("postgresql") and shutil.which("pg_dump"):
        folder.mkdir(exist_ok=True)
        target = folder / f"gradebook-{stamp}.sql"
        plain = "postgresql" + url[url.index("://") :]
        done = subprocess.run(["pg_dump", "--file", str(target), plain], capture_output=True, check=False)
        if done.returncode != 0:
            raise UserError(f"the gradebook could not be backed up: {done.stderr.decode(errors='replace').strip()}")
    else:
        return None
    for old_copy in sorted(folder.glob("gradebook-*"))[:-BACKUPS]:
        old_copy.unlink()
    return target
