"""Copies of the gradebook, made before a run changes it; the newest ones are kept."""

import os
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL

from autograder import files
from autograder.course import GRADEBOOK, Course
from autograder.errors import UserError
from autograder.gradebook import address, without_password

BACKUPS = 10  # how many are kept
AGAIN = "Nothing was recorded: mend that, then give the same command again"


def sqlite_file(course: Course) -> Path | None:
    """The gradebook's file, if it is one."""
    url = address(course)
    return Path(url.database or "") if url.get_backend_name() == "sqlite" else None


def back_up(course: Course, say: Callable[[str], None] = lambda line: None) -> Path | None:
    """Copy the gradebook to backups/; None if there is nothing to copy, or nothing that can."""
    folder = course.root / "backups"
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    source = sqlite_file(course)
    if source is not None and not source.is_file():
        return None
    folder.mkdir(exist_ok=True)
    target = folder / f"gradebook-{stamp}.{'sql' if source is None else 'db'}"
    half = files.aside(target)
    try:
        if source is not None:
            with (
                closing(sqlite3.connect(source, timeout=60)) as old,
                closing(sqlite3.connect(half)) as new,
            ):
                old.backup(new)
        elif (reason := _dump(address(course), half)) is not None:
            say(f"the gradebook is not backed up: {reason}")
            return None
        half.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"the gradebook could not be backed up: {error}. {AGAIN}") from None
    finally:
        half.unlink(missing_ok=True)
    for old_copy in sorted(folder.glob("gradebook-*"))[:-BACKUPS]:
        old_copy.unlink(missing_ok=True)
    return target


def _dump(url: URL, target: Path) -> str | None:
    """Write a PostgreSQL database as SQL; why it cannot be done here, or None.

    The password goes by the environment, where `ps` shows nothing.
    """
    program = files.find_program("pg_dump")
    if program is None:
        return "there is no pg_dump (package postgresql-client)"
    password = url.password or url.query.get("password")
    query = {key: value for key, value in url.query.items() if key != "password"}
    plain = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, query
    ).render_as_string()
    environment = {key: value for key, value in os.environ.items() if key != GRADEBOOK} | {
        "LC_ALL": "C"
    }
    environment |= {"PGPASSWORD": str(password)} if password else {}
    command = [program, "--no-owner", "--no-privileges", "--file", str(target), "--dbname", plain]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if "server version mismatch" in done.stderr:
        versions = " ".join(
            line.strip() for line in done.stderr.splitlines() if "server version:" in line
        )
        found = versions.removeprefix("pg_dump: detail: ")
        return f"pg_dump is older than the server, install its postgresql-client ({found})"
    if done.returncode != 0:
        said = without_password(done.stderr.strip(), url)
        raise UserError(f"the gradebook could not be backed up: {said}. {AGAIN}")
    return None
