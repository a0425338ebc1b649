"""Recording, whatever the database does meanwhile.

Every result is in the gradebook exactly once, as if nothing had happened.
"""

import contextlib
import dataclasses
import random
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg2
import pytest
from sqlalchemy import event

from autograder.course import Course
from autograder.errors import UserError
from autograder.grading.record import Recorder, Unrecordable
from tests.database.conftest import ONE, TWO, record_all, stored
from tests.database.content import content, of
from tests.database.server import Server

pytestmark = [pytest.mark.postgres, pytest.mark.sandbox]


def test_recording_twice_is_recording_once(course: Course, graded: Course) -> None:
    record_all(course, graded, ONE, TWO)
    assert content(course) == content(graded)
    with Recorder(course, ONE) as recorder:
        for result in stored(graded, ONE):
            before, after = recorder.record(result)
            assert before == after
        assert recorder.students() == {result.student for result in stored(graded, ONE)}
    assert content(course) == content(graded)


def at_once(course: Course, graded: Course) -> None:
    """Three recorders, two of them for the same unit."""
    errors: list[BaseException] = []

    def work(unit: str) -> None:
        try:
            for _ in range(3):
                record_all(course, graded, unit)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(unit,)) for unit in (ONE, TWO, ONE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_two_units_at_once(course: Course, graded: Course) -> None:
    at_once(course, graded)
    assert content(course) == content(graded)


def test_strict_isolation_makes_transactions_fail_and_be_repeated(
    server: Server, in_postgres: Course, graded: Course
) -> None:
    server.sql("ALTER DATABASE copy SET default_transaction_isolation = 'serializable'")
    at_once(in_postgres, graded)
    assert content(in_postgres) == content(graded)


def test_a_student_whom_somebody_else_is_just_inserting(course: Course, graded: Course) -> None:
    first, second = stored(graded, ONE)[0], stored(graded, TWO)[0]
    assert first.student == second.student
    with Recorder(course, ONE) as one, Recorder(course, TWO) as two:
        thread = threading.Thread(target=two.record, args=(second,))
        with one.gradebook.engine.begin() as connection:
            one._submission(connection, first)
            thread.start()
            thread.join(0.5)
            assert thread.is_alive(), "it waits"
        thread.join()
        one.record(first)
    assert [row["id"] for row in content(course)["student"]] == [first.student]


def _statements(recorder: Recorder) -> list[str]:
    """What is sent to the database from now on."""
    sent: list[str] = []
    event.listen(
        recorder.gradebook.engine,
        "before_cursor_execute",
        lambda c, cursor, statement, *_: sent.append(statement),
    )
    return sent


def test_cut_off_at_every_statement(server: Server, in_postgres: Course, graded: Course) -> None:
    first, *others = stored(graded, ONE)
    with Recorder(in_postgres, ONE) as recorder:
        engine, sent = recorder.gradebook.engine, _statements(recorder)
        for _ in ("new", "again"):
            sent.clear()
            recorder.record(first)
            length = len(sent)
            for number, result in enumerate(others):
                sent.clear()
                at = 1 + number % length

                @event.listens_for(engine, "before_cursor_execute")
                def cut(*_: object, at: int = at) -> None:
                    if len(sent) == at:
                        server.cut()

                recorder.record(result)
                event.remove(engine, "before_cursor_execute", cut)
                assert len(sent) == at + length, "the transaction began anew"
    record_all(in_postgres, graded, TWO)
    assert content(in_postgres) == content(graded)


def test_cut_off_at_random_moments(server: Server, in_postgres: Course, graded: Course) -> None:
    chance = random.Random(1)

    def saw() -> None:
        for _ in range(25):
            time.sleep(chance.uniform(0.05, 0.2))
            server.cut()

    with Recorder(in_postgres, ONE) as one, Recorder(in_postgres, TWO) as two:
        thread = threading.Thread(target=saw)
        thread.start()
        while thread.is_alive():
            for recorder in (one, two):
                for result in stored(graded, recorder.unit):
                    recorder.record(result)
    assert content(in_postgres) == content(graded)


def test_a_commit_whose_confirmation_got_lost(
    in_postgres: Course, graded: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = stored(graded, ONE)[0]
    with Recorder(in_postgres, ONE) as recorder:
        assert recorder.record(result)[0] is None
        better = dataclasses.replace(
            result,
            cells=tuple(
                dataclasses.replace(cell, points=0.0 if cell.points is not None else None)
                for cell in result.cells
            ),
        )
        dialect = recorder.gradebook.engine.dialect
        lost: list[int] = []
        real = dialect.do_commit

        def commit(connection: Any) -> None:
            real(connection)
            if not lost:
                lost.append(1)
                connection.close()
                raise psycopg2.OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(dialect, "do_commit", commit)
        before, after = recorder.record(better)
        assert before == pytest.approx(result.score), "it is that before the first try"
        assert after == 0.0
        assert lost


@contextlib.contextmanager
def afterwards(said: list[str], mend: Callable[[], object]) -> Iterator[None]:
    """Mend the database as soon as it was said that it is waited for."""
    over = threading.Event()

    def wait() -> None:
        while not said and not over.wait(0.02):
            pass
        mend()

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_gone_for_a_while_and_gone_for_good(
    server: Server, in_postgres: Course, graded: Course
) -> None:
    said: list[str] = []
    everything = stored(graded, ONE)
    with Recorder(in_postgres, ONE, said.append) as recorder:
        recorder.record(everything[0])
        server.stop()
        with afterwards(said, server.start):
            recorder.record(everything[1])
        assert len(said) == 2
        assert "waiting for it, up to 60 s" in said[0]
        assert said[1].startswith("the gradebook is back")
        server.crash()
        settings = in_postgres.root / "course.toml"
        settings.write_text(
            settings.read_text().replace("patience_seconds = 60", "patience_seconds = 1")
        )
        recorder.course = Course(in_postgres.root)
        with pytest.raises(
            UserError,
            match=r"Connection refused.*for \d+ s now\. "
            "Nothing is lost: .* the same command goes on",
        ):
            recorder.record(everything[2])
    with pytest.raises(UserError, match="Connection refused; is the server running"):
        Recorder(in_postgres, ONE)
    server.start()
    record_all(in_postgres, graded, ONE, TWO)
    assert content(in_postgres) == content(graded)


def test_sqlite_that_is_busy_is_waited_for(in_sqlite: Course, graded: Course) -> None:
    settings = in_sqlite.root / "course.toml"
    settings.write_text(settings.read_text().replace("gradebook.db", "gradebook.db?timeout=0.1"))
    said: list[str] = []
    with Recorder(Course(in_sqlite.root), ONE, said.append) as recorder:
        other = sqlite3.connect(
            in_sqlite.root / "gradebook.db", check_same_thread=False, isolation_level=None
        )
        other.execute("BEGIN EXCLUSIVE")
        with afterwards(said, other.rollback):
            recorder.record(stored(graded, ONE)[0])
        other.close()
    assert "database is locked" in said[0]
    record_all(in_sqlite, graded, ONE, TWO)
    assert content(in_sqlite) == content(graded)


def test_what_a_student_prints_cannot_stop_the_recording(course: Course, graded: Course) -> None:
    result = stored(graded, ONE)[0]
    name = next(iter(result.comments))
    odd = dataclasses.replace(
        result,
        comments=result.comments | {name: "nul \0, half a pair \ud800, a heart 💜, %s %(x)s :y"},
    )
    with Recorder(course, ONE) as recorder:
        recorder.record(odd)
        texts = [row["auto_comment"] for row in content(course)["comment"] if row["auto_comment"]]
        assert any(
            text.startswith("nul �, half a pair ?, a heart 💜, %s %(x)s :y") for text in texts
        )
        with pytest.raises(Unrecordable, match="refuses the result of"):
            recorder.record(dataclasses.replace(result, student="\udcff"))
        recorder.record(stored(graded, ONE)[1])


def test_a_name_that_does_not_fit_is_one_line(in_postgres: Course, graded: Course) -> None:
    long = "x" * 129
    with Recorder(in_postgres, ONE) as recorder:
        with pytest.raises(Unrecordable, match="value too long"):
            recorder.record(dataclasses.replace(stored(graded, ONE)[0], student=long))
        recorder.record(stored(graded, ONE)[0])
        assert long not in recorder.students()


def test_a_refusal_is_not_waited_for(server: Server, in_postgres: Course, graded: Course) -> None:
    said: list[str] = []
    with Recorder(in_postgres, ONE, said.append) as recorder:
        server.sql("ALTER TABLE grade OWNER TO postgres", database="copy")
        with pytest.raises(UserError, match=r"permission denied for table grade.*Nothing is lost"):
            recorder.record(stored(graded, ONE)[0])
    assert said == [], "nobody was told to wait"
    assert of(ONE, content_as_admin(server, in_postgres))["submitted_assignment"] == [], (
        "all of a result or nothing"
    )


def content_as_admin(server: Server, course: Course) -> dict[str, Any]:
    server.sql("ALTER TABLE grade OWNER TO grader", database="copy")
    return content(course)


class Wire:
    """A proxy before the server that counts how often a client has to wait for an answer."""

    def __init__(self, port: int) -> None:
        self.port, self.trips, self.answered = port, 0, True
        self.socket = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.socket.accept()
                behind = socket.create_connection(("127.0.0.1", self.port))
                for pair in ((client, behind, False), (behind, client, True)):
                    threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                self.trips += self.answered and not answer  # a long question may come in pieces
                self.answered = answer
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    one = Wire(server.port)
    yield one
    one.socket.close()


def test_few_round_trips_per_submission(
    server: Server, in_postgres: Course, graded: Course, wire: Wire
) -> None:
    settings = (in_postgres.root / "course.toml").read_text()
    (in_postgres.root / "course.toml").write_text(
        settings.replace(f":{server.port}/", f":{wire.socket.getsockname()[1]}/")
    )
    course = Course(in_postgres.root)
    everything = stored(graded, ONE)
    with Recorder(course, ONE) as recorder:
        recorder.record(everything[0])  # connects
        counts = []
        for _ in ("new", "again"):
            wire.trips = 0
            for result in everything[1:]:
                recorder.record(result)
            counts.append(wire.trips / len(everything[1:]))
    assert counts == [11, 8], "the figures of docs/instructor.md"
