"""Opens and reads nbgrader's gradebook, in SQLite or PostgreSQL.

Errors say what to do, and nobody ever sees the password.
"""

import importlib
import re
import sys
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

from autograder.course import Course
from autograder.errors import UserError
from autograder.grading.results import full_name

EXTENSIONS = ("assignment_list", "course_list", "validate_assignment", "formgrader")


def _extension(name: str) -> ModuleType:
    """Stands for an extension of Jupyter's server until somebody loads it."""

    def load(app: Any) -> None:
        importlib.import_module(name).load_jupyter_server_extension(app)

    made = ModuleType(name)
    made.load_jupyter_server_extension = load  # type: ignore[attr-defined]
    return made


@contextmanager
def _without_server() -> Iterator[None]:
    """`import nbgrader` imports its extensions, and with them Jupyter's server, for half a second.

    Nothing here needs them; whoever does imports them as ever.
    """
    names = [f"nbgrader.server_extensions.{each}" for each in EXTENSIONS]
    stubs = {} if "nbgrader" in sys.modules else {name: _extension(name) for name in names}
    sys.modules.update(stubs)
    try:
        yield
    finally:
        for name in stubs:
            del sys.modules[name]


with _without_server():
    from nbgrader import api as api
    from nbgrader.utils import parse_utc as parse_utc
    from sqlalchemy import URL, Connection, create_engine, func, inspect, make_url, select, text
    from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
    from sqlalchemy.orm import joinedload, selectinload, undefer

LOCK = 0x617474656E  # any number that other programs do not use for a lock of theirs
HOW = (
    "write sqlite:///FILE or postgresql://USER@HOST/DATABASE "
    "into [gradebook] url of course.toml or into COURSE_GRADEBOOK"
)
# libpq's settings, unless the address has others: a vanished host is noticed within a minute
CONNECTION = {
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}
HINTS = {  # what PostgreSQL says -> what to do
    "password authentication failed": "check the password, in the address or in ~/.pgpass",
    "no password supplied": "put the password into ~/.pgpass or into the address",
    'database ".*" does not exist': "is its name right? "
    "`createdb --owner USER --encoding UTF8 NAME` makes one",
    'role ".*" does not exist': "is the user's name right? `createuser --pwprompt NAME` makes one",
    "could not translate host name": "is the host's name right?",
    "Connection refused|No such file": "is the server running, and is this its host and port?",
    "permission denied": "the user must own the database: `ALTER DATABASE NAME OWNER TO USER`",
}


def address(course: Course) -> URL:
    """The gradebook's address, checked.

    A UserError without any part of it that could be a password.
    """
    try:
        url = make_url(course.gradebook_url)
    except (ArgumentError, ValueError):
        raise UserError(f"the gradebook's address cannot be read: {HOW}") from None
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise UserError(f"the gradebook cannot be kept in {url.get_backend_name()}: {HOW}")
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise UserError(f"the gradebook's address names no file: {HOW}")
    if "@" in (url.host or ""):
        raise UserError(
            "the gradebook's address has more than one @: in a password, write %40 for @, %2F "
            "for / and %25 for %"
        )
    wanted = {"timeout": "60"} if url.get_backend_name() == "sqlite" else CONNECTION
    return url.update_query_dict(
        {key: value for key, value in wanted.items() if key not in url.query}
    )


def shown(url: URL) -> str:
    """An address for people: without password and settings."""
    return URL.create(
        url.get_backend_name(), url.username, None, url.host, url.port, url.database
    ).render_as_string()


def without_password(text: str, url: URL) -> str:
    """What a driver or program said, with the password blacked out in case it repeats it."""
    for secret in filter(None, (url.password, url.query.get("password"))):
        for form in (str(secret), quote(str(secret), safe="")):
            text = text.replace(form, "***")
    return text


def explained(error: Exception, url: URL) -> UserError:
    """The same as one line that says what to do."""
    if isinstance(error, ModuleNotFoundError):
        return UserError(
            f"the Python package {error.name} is missing, which speaks with PostgreSQL: pip "
            "install 'attention-course[cluster]'"
        )
    if isinstance(error, NoSuchModuleError):
        return UserError(f"there is no driver {url.drivername!r} for the gradebook: {HOW}")
    said = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    if said.startswith("connection to "):
        said = said.rpartition("failed: ")[
            2
        ]  # of several addresses of a host, the last one that was tried
    line = without_password(said.splitlines()[0].removeprefix("FATAL:").strip(), url)
    hint = next((f"; {what}" for part, what in HINTS.items() if re.search(part, line)), "")
    return UserError(
        f"the gradebook {shown(url)} cannot be used: "
        f"{line}{hint if url.get_backend_name() == 'postgresql' else ''}"
    )


def open_gradebook(course: Course) -> Any:
    """nbgrader's Gradebook of a course, new tables made if there are none.

    UserError if that is not possible.
    """
    url = address(course)
    try:
        engine = create_engine(url)
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        raise explained(error, url) from None
    try:
        with engine.begin() as connection:
            if "student" not in _check(connection, url):
                _make(connection)
        with engine.begin() as connection:
            _lock(connection)
            return api.Gradebook(url.render_as_string(hide_password=False), course.course_id)
    except (SQLAlchemyError, api.InvalidEntry) as error:
        raise explained(error, url) from None
    finally:
        engine.dispose()


def _make(connection: Connection) -> None:
    """The tables of a new gradebook as nbgrader makes them, which runs a program to learn the
    number of their version."""
    from alembic.script import ScriptDirectory

    head = ScriptDirectory(str(resources.files("nbgrader") / "alembic")).get_current_head()
    api.Base.metadata.create_all(connection)
    connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
    connection.execute(
        text("INSERT INTO alembic_version (version_num) VALUES (:head)"), {"head": head}
    )


def _lock(connection: Connection) -> None:
    """Keep others from making the same tables and rows meanwhile; SQLite does so by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))


def state(course: Course) -> str:
    """Where the gradebook is and whether it can be used; nothing is made."""
    url = address(course)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        return f"{shown(url)}, which the first release will make"
    try:
        engine = create_engine(url)
        with engine.begin() as connection:
            known = "student" in _check(connection, url)
        engine.dispose()
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        raise explained(error, url) from None
    return f"{shown(url)} can be used{'' if known else ', and is empty'}"


def _check(connection: Connection, url: URL) -> Container[str]:
    """The tables that are there.

    What an older nbgrader made is refused, and an encoding that cannot hold the comments.
    """
    if connection.dialect.name == "postgresql":
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
        if encoding != "UTF8":
            raise UserError(
                f"the gradebook {shown(url)} is encoded in {encoding}: make one with `createdb "
                "--encoding UTF8`"
            )
    _lock(connection)
    there = {
        name: {column["name"] for column in found}
        for (_, name), found in inspect(connection).get_multi_columns().items()
    }
    for name, table in api.Base.metadata.tables.items():
        if "student" in there and (
            missing := sorted(set(table.columns.keys()) - there.get(name, set()))
        ):
            raise UserError(
                f"the gradebook {shown(url)} was made by an older nbgrader ({name}.{missing[0]} "
                "is missing): copy it, then run `nbgrader db upgrade`"
            )
    return there


@contextmanager
def opened(course: Course) -> Iterator[Any]:
    """nbgrader's Gradebook for the length of a block.

    What the database cannot do in it is a UserError.
    """
    gradebook = open_gradebook(course)
    try:
        yield gradebook
    except SQLAlchemyError as error:
        raise explained(error, address(course)) from None
    finally:
        gradebook.close()


@dataclass(frozen=True)
class CellGrade:
    """One graded cell: what counts, what the grader said, and whether a person has to look."""

    score: float | None
    auto_score: float | None
    needs_manual_grade: bool
    max_score: float


@dataclass(frozen=True)
class Grade:
    """What the gradebook says about one submission; `final` is what counts in the end."""

    student: str
    score: float
    max_score: float
    late_penalty: float
    late_seconds: float
    needs_manual_grade: bool
    cells: dict[str, CellGrade] = field(default_factory=dict)  # by full name
    comments: dict[str, str] = field(default_factory=dict)  # by full name, what a person wrote
    time: datetime | None = None  # when it was handed in, in UTC without saying so

    @property
    def final(self) -> float:
        return max(0.0, self.score - self.late_penalty)

    @property
    def graded(self) -> bool:
        """Has anybody, the grader or a person, given points yet?"""
        return any(cell.score is not None for cell in self.cells.values())


def grades(course: Course, unit: str) -> list[Grade]:
    """All submissions of a unit in the gradebook, by student; read in a handful of queries."""
    made = api.SubmittedAssignment
    notebooks = selectinload(made.notebooks)
    grades = notebooks.selectinload(api.SubmittedNotebook.grades)
    with opened(course) as gradebook:
        found = (
            gradebook.db.query(made)
            .join(api.Assignment, api.Assignment.id == made.assignment_id)
            .filter(api.Assignment.name == unit)
            .options(
                joinedload(made.assignment),
                notebooks.joinedload(api.SubmittedNotebook.notebook),
                *map(undefer, (made.score, made.max_score, made.needs_manual_grade)),
                undefer(made.late_submission_penalty),
                grades.joinedload(api.Grade.cell),
                grades.undefer(api.Grade.max_score),
                notebooks.selectinload(api.SubmittedNotebook.comments).joinedload(api.Comment.cell),
            )
        )
        read = [_grade(submission) for submission in found]
    return sorted(read, key=lambda grade: grade.student)


def _grade(submission: Any) -> Grade:
    unit, books = submission.assignment.name, submission.notebooks
    rows = [(full_name(unit, b.notebook.name, row.name), row) for b in books for row in b.grades]
    said = [(full_name(unit, b.notebook.name, c.name), c) for b in books for c in b.comments]
    return Grade(
        submission.student_id,
        submission.score,
        submission.max_score,
        submission.late_submission_penalty or 0.0,
        submission.total_seconds_late or 0.0,
        bool(submission.needs_manual_grade),
        {
            name: CellGrade(
                None if row.auto_score is None and row.manual_score is None else row.score,
                row.auto_score,
                bool(row.needs_manual_grade),
                row.max_score or 0.0,
            )
            for name, row in rows
        },
        {name: comment.manual_comment for name, comment in said if comment.manual_comment},
        submission.timestamp,
    )
