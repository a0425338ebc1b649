"""What is wrong with a gradebook is said in one line that says what to do, without the password;
and it can be brought back.
"""

import os
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from autograder import files
from autograder.authoring.release import new_course
from autograder.course import GRADEBOOK, SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.gradebook import address, open_gradebook, opened, shown, state
from autograder.grading.backup import back_up
from autograder.grading.record import Recorder
from tests.conftest import need
from tests.database.conftest import ONE, TWO, record_all
from tests.database.content import content
from tests.database.server import PASSWORD, USER, Server, program
from tools.postgres import NOBODY

pytestmark = [pytest.mark.postgres, pytest.mark.sandbox]


def course_at(folder: Path, url: str) -> Course:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(f"[gradebook]\nurl = '{url}'\n")
    return Course(folder)


def refusal(course: Course) -> str:
    with pytest.raises(UserError) as raised, opened(course):
        pass
    said = str(raised.value)
    assert "\n" not in said
    assert PASSWORD not in said
    assert "%40ss" not in said
    assert raised.value.__cause__ is None
    return said


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            ("grader:", "grader:wrong"),
            'password authentication failed for user "grader"; '
            "check the password, in the address or in ~/.pgpass",
        ),
        (("grader:", "nobody:"), "password authentication failed"),
        (("127.0.0.1", "no.such.host.invalid"), "could not translate host name"),
        (("/right", "/missing"), 'database "missing" does not exist; is its name right? `createdb'),
        (
            ("/right", "/right?sslmode=verify-full&sslrootcert=/none.crt"),
            "server does not support SSL, but SSL was required",
        ),
        (("/right", "/right?nonsense=1"), 'invalid connection option "nonsense"'),
        (("p%40ss", "p@ss"), "more than one @: in a password, write %40"),
        (
            ("postgresql:", "mysql:"),
            "cannot be kept in mysql: write sqlite:///FILE or postgresql://USER@HOST/DATABASE",
        ),
        (("postgresql:", "postgresql+nodriver:"), "no driver 'postgresql+nodriver'"),
        (("postgresql://", ""), "address cannot be read: write sqlite:///FILE or"),
    ],
)
def test_wrong_addresses(
    server: Server, tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert expected in refusal(course_at(tmp_path, server.database("right").replace(*change)))


def test_a_port_where_nobody_is(server: Server, tmp_path: Path) -> None:
    assert "Connection refused; is the server running" in refusal(
        course_at(tmp_path, server.database("right").replace(f":{server.port}", ":1"))
    )
    assert "address cannot be read" in refusal(
        course_at(tmp_path, server.url("right").replace(f":{server.port}", ":x"))
    )


def test_a_missing_driver(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_at(tmp_path, server.database("right"))
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg2"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    assert (
        "psycopg2 is missing, which speaks with PostgreSQL: pip install 'attention-course[cluster]'"
        in refusal(course)
    )


def test_a_user_who_may_not_make_tables(server: Server, tmp_path: Path) -> None:
    url = server.database("right")
    server.sql('ALTER DATABASE "right" OWNER TO postgres')
    assert "permission denied for schema public; the user must own the database" in refusal(
        course_at(tmp_path, url)
    )


def test_another_encoding(server: Server, tmp_path: Path) -> None:
    server.sql(
        "DROP DATABASE IF EXISTS latin",
        f"CREATE DATABASE latin OWNER {USER} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    )
    assert "is encoded in LATIN1: make one with `createdb --encoding UTF8`" in refusal(
        course_at(tmp_path, server.url("latin"))
    )


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
def test_an_older_nbgrader(server: Server, tmp_path: Path, kind: str) -> None:
    course = course_at(
        tmp_path,
        server.database("older") if kind == "postgres" else f"sqlite:///{tmp_path}/gradebook.db",
    )
    with opened(course) as gradebook:
        gradebook.db.connection().exec_driver_sql("ALTER TABLE student DROP COLUMN lms_user_id")
        gradebook.db.commit()
    assert (
        "was made by an older nbgrader (student.lms_user_id is missing): copy it, then run "
        "`nbgrader db upgrade`" in refusal(course)
    )


def test_nbgraders_upgrade_works_with_the_password_in_a_file(
    server: Server, tmp_path: Path
) -> None:
    server.database("older")
    (tmp_path / "pgpass").write_text(
        f"127.0.0.1:{server.port}:*:{USER}:{PASSWORD.replace(':', chr(92) + ':')}\n"
    )
    (tmp_path / "pgpass").chmod(0o600)
    course = course_at(
        tmp_path, f"postgresql://{USER}@127.0.0.1:{server.port}/older?passfile={tmp_path}/pgpass"
    )
    shutil.copy(SOURCE_TREE / "nbgrader_config.py", tmp_path)
    with opened(course) as gradebook:  # as nbgrader was before its last migration
        for statement in (
            "ALTER TABLE assignment DROP COLUMN course_id",
            "DROP TABLE course",
            "UPDATE alembic_version SET version_num = '282d30a0218e'",
        ):
            gradebook.db.connection().exec_driver_sql(statement)
        gradebook.db.commit()
    assert "was made by an older nbgrader" in refusal(course)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE_TREE),
    }
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "db", "upgrade"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with opened(course) as gradebook:
        assert gradebook.students == []


def test_an_encrypted_connection_that_checks_who_is_there(server: Server, tmp_path: Path) -> None:
    need(shutil.which("openssl"), "openssl")
    key, certificate = server.folder / "data" / "server.key", server.folder / "data" / "server.crt"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "1"]
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        *subject,
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run(made, check=True, capture_output=True)
    if os.geteuid() == 0:
        os.chown(key, NOBODY, NOBODY)
        os.chown(certificate, NOBODY, NOBODY)
    server.sql("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()")
    shutil.copy(certificate, tmp_path / "server.crt")
    checked = f"?sslmode=verify-full&sslrootcert={tmp_path}/server.crt"
    url = server.database("tls")
    try:
        course = course_at(tmp_path, url.replace("127.0.0.1", "localhost") + checked)
        with opened(course) as gradebook:
            assert (
                gradebook.db.connection()
                .exec_driver_sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
                .scalar()
                is True
            )
        assert back_up(course) is not None
        assert "does not match host name" in refusal(course_at(tmp_path, url + checked)), (
            "another name than that of the certificate"
        )
    finally:
        server.sql("ALTER SYSTEM RESET ssl", "SELECT pg_reload_conf()")


def test_the_doctor_looks_at_the_gradebook_and_changes_nothing(
    server: Server, tmp_path: Path
) -> None:
    course = course_at(tmp_path, server.database("doctor"))
    assert (
        state(course)
        == f"postgresql://grader@127.0.0.1:{server.port}/doctor can be used, and is empty"
    )
    assert (
        state(course)
        == f"postgresql://grader@127.0.0.1:{server.port}/doctor can be used, and is empty"
    )
    with opened(course):
        assert state(course).endswith("/doctor can be used")
    with pytest.raises(UserError, match=r'database "none" does not exist') as raised:
        state(course_at(tmp_path, server.url("none")))
    assert PASSWORD not in str(raised.value)
    assert (
        state(course_at(tmp_path, f"sqlite:///{tmp_path}/new.db"))
        == f"sqlite:///{tmp_path}/new.db, which the first release will make"
    )
    assert not (tmp_path / "new.db").exists()


def test_sqlite_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "gradebook.db").write_text(
        "this is no database, but long enough for somebody to think so" * 20
    )
    assert "file is not a database" in refusal(
        course_at(tmp_path, f"sqlite:///{tmp_path}/gradebook.db")
    )
    assert "unable to open database file" in refusal(
        course_at(tmp_path, "sqlite:////no/such/folder/gradebook.db")
    )
    assert "names no file" in refusal(course_at(tmp_path, "sqlite://"))


def test_settings_are_checked(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("[gradebook]\npatience_seconds = 'long'\n")
    with pytest.raises(
        UserError, match=r"patience_seconds in .gradebook. must be a number of seconds, not 'long'"
    ):
        _ = Course(tmp_path).patience
    (tmp_path / "course.toml").write_text("[gradebook]\naddress = 'x'\n")
    with pytest.raises(UserError, match=r"unknown entry 'address' in .gradebook."):
        _ = Course(tmp_path).gradebook_url


@pytest.mark.parametrize(
    "command",
    [
        ["release", "01"],
        ["grade", "01"],
        ["feedback", "01"],
        ["report"],
        ["export", "01", "--to", "csv"],
    ],
)
def test_every_command_says_it(
    graded: Course,
    tmp_path: Path,
    autograder: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
) -> None:
    shutil.copytree(graded.root, tmp_path / "course")
    monkeypatch.setenv(GRADEBOOK, "postgresql://grader:hush%21@127.0.0.1:1/gone")
    code, out, err = autograder("--course", tmp_path / "course", *command)
    assert code == 2
    assert (
        "the gradebook postgresql://grader@127.0.0.1:1/gone cannot be used: Connection refused; "
        "is the server running" in err
    )
    assert "hush" not in out + err
    assert "Traceback" not in out + err


def test_stock_nbgrader_says_it_too(
    graded: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autograder.grading import with_nbgrader as stock

    shutil.copytree(graded.root, tmp_path / "course")
    monkeypatch.setenv(GRADEBOOK, "postgresql://grader:hush%21@127.0.0.1:1/gone")
    with pytest.raises(UserError, match="cannot be used: Connection refused"):
        stock.grade(Course(tmp_path / "course"), ONE, force=True)


def test_no_simulated_student_gets_into_the_real_gradebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "source" / "course.toml"
    settings.parent.mkdir()
    settings.write_text(
        '[gradebook]\nurl = "postgresql://grader@real/gradebook"\npatience_seconds = 7\n'
    )
    shutil.copy(SOURCE_TREE / "nbgrader_config.py", settings.parent)
    monkeypatch.setattr("autograder.authoring.release.SOURCE_TREE", settings.parent)
    monkeypatch.setenv(GRADEBOOK, "postgresql://grader@real/gradebook")
    course = new_course(tmp_path / "demo")
    assert course.gradebook_url.startswith(f"sqlite:///{course.root}/gradebook.db")
    assert course.patience == 7


def test_the_password_is_in_no_message_and_in_no_command_line(
    server: Server, in_postgres: Course
) -> None:
    course = in_postgres
    assert shown(address(course)) == f"postgresql://grader@127.0.0.1:{server.port}/copy"
    seen: list[str] = []
    over = threading.Event()

    def watch() -> None:
        while not over.is_set():
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    seen.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
                except OSError:
                    continue

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        for _ in range(3):
            assert back_up(course) is not None
    finally:
        over.set()
        thread.join()
    dumps = [line for line in seen if "pg_dump" in line and "/copy" in line]
    assert dumps, "pg_dump was seen at work"
    assert not [line for line in dumps if PASSWORD in line or "%40ss" in line]
    server.sql("ALTER TABLE grade OWNER TO postgres", database="copy")
    with pytest.raises(
        UserError, match=r"could not be backed up: .*permission denied for table grade"
    ) as raised:
        back_up(course)
    assert PASSWORD not in str(raised.value)
    assert not [
        path for path in (course.root / "backups").iterdir() if path.name.startswith(".")
    ], "no half of a copy stays"


def test_a_backup_brings_everything_back(
    server: Server, graded: Course, in_postgres: Course, tmp_path: Path
) -> None:
    course = in_postgres
    record_all(course, graded, ONE, TWO)
    with Recorder(course, ONE) as recorder:
        copy = recorder.back_up()
    assert copy is not None
    restored = course_at(tmp_path / "restored", server.database("after"))
    plain = shown(address(restored))
    command = [
        str(program("psql")),
        "--quiet",
        "--set",
        "ON_ERROR_STOP=1",
        "--dbname",
        plain,
        "--file",
        str(copy),
    ]
    subprocess.run(
        command, env=os.environ | {"PGPASSWORD": PASSWORD}, check=True, capture_output=True
    )
    assert content(restored) == content(course) == content(graded)


def program_that_says(folder: Path, name: str, line: str) -> None:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_no_backup_is_not_silent(
    in_postgres: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = in_postgres
    said: list[str] = []
    monkeypatch.setattr(files, "find_program", lambda name: None)
    assert back_up(course, said.append) is None
    assert said == [
        "the gradebook is not backed up: there is no pg_dump (package postgresql-client)"
    ]
    lines = (
        "pg_dump: detail: server version: 99.1; pg_dump version: 15.18",
        "pg_dump: error: aborting because of server version mismatch",
    )
    program_that_says(
        tmp_path / "bin", "pg_dump", f"echo '{lines[0]}' >&2; echo '{lines[1]}' >&2; exit 1"
    )
    monkeypatch.setattr(files, "find_program", lambda name: str(tmp_path / "bin" / name))
    assert back_up(course, said.append) is None
    assert said[1].startswith("the gradebook is not backed up: pg_dump is older than the server")
    assert "server version: 99.1" in said[1]
    assert list((course.root / "backups").iterdir()) == []


def test_opened_by_many_at_once_while_it_is_empty(server: Server, tmp_path: Path) -> None:
    course = course_at(tmp_path, server.database("empty"))
    with ThreadPoolExecutor(4) as threads:
        for gradebook in threads.map(lambda _: open_gradebook(course), range(4)):
            assert gradebook.students == []
            gradebook.close()
