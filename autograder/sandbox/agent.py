"""What runs in the child behind its walls: it takes orders over one socket and answers with data.

Nothing here is trusted: student code shares this process and may change all of it. The other side
believes nothing but values.
Orders: `cell` (run code; a test in an interpreter that was put right), `play` (call an object with
inputs), `value` (tell a plain value), `files`, `attack`.
"""

import builtins
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from autograder.sandbox import attack, shell, wire
from autograder.sandbox.pristine import Pristine
from autograder.sandbox.wire import Record, WireError

SEED = 67280421310721  # torch's own at a cold start
NESTED = 6  # how deep a value is within an answer


class Agent:
    """One submission's process, from its first cell to its end."""

    def __init__(self, reader: int, writer: int) -> None:
        self.reader, self.writer, self.sequence = reader, writer, 0
        self.shell: Any = None
        self.captured, self.read = -1, 0
        self.pristine: Pristine | None = None
        self.restore: Callable[[], list[str]] = list  # taken at the start: a class can be changed

    def emit(self, output: dict[str, Any]) -> None:
        self.answer({"output": output})

    def answer(self, header: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        try:
            frame = wire.pack({"seq": self.sequence, **header}, buffers or [])
        except WireError as error:
            frame = wire.pack({"seq": self.sequence, "refused": str(error)}, [])
        wire.write(self.writer, frame)

    def serve(self) -> None:
        while True:
            try:
                header, body = wire.read(self.reader)
            except (EOFError, OSError):
                os._exit(0)
            if "op" not in header:
                continue  # an answer that came too late for whoever asked
            self.sequence = header["seq"]
            getattr(self, "do_" + header["op"])(header, body)

    # orders ---------------------------------------------------------------------------------------

    def do_cell(self, header: dict[str, Any], body: bytearray) -> None:
        began = time.process_time()
        test = header.get("test")
        tampered: list[str] = []
        hidden: dict[str, Any] = {}
        if test is not None and self.pristine is not None:
            try:
                tampered = self.restore() + self.pristine.rebind(test["imports"])
                hidden = self.pristine.unshadow(test["builtins"])
            except Exception:  # whatever a student put there
                tampered = ["more than could be put right"]
        try:
            result = self.shell.run_cell(header["code"], store_history=True, silent=False)
            good = bool(result.success)
        except KeyboardInterrupt:
            good = False
        self.shell.user_ns.update(hidden)
        shell.flush()
        self._captured()
        self.answer(
            {
                "done": good,
                "count": self.shell.execution_count - 1,
                "cpu": time.process_time() - began,
                "tampered": [*tampered, *hidden],
            }
        )

    def do_play(self, header: dict[str, Any], body: bytearray) -> None:
        from course_utils.judging import runner as play  # of the view, which holds no judge

        asked = wire.Decoder(body, _build).decode(header["cases"])
        cases = [play.Case(**fields) for fields in asked]
        missing = NameError(f"name {header['name']!r} is not defined")
        target = self.shell.user_ns.get(header["name"], missing)
        if target is missing:
            outcomes = [play.Outcome(failure=play.failure_of(missing))] * len(cases)
        else:
            watch = play.alarm if hasattr(signal, "setitimer") else play.time_limit
            with _quiet(), self._stand_ins(header.get("stand_ins", [])):
                outcomes = play.play_all(cases, target, header["limit"], watch)
        buffers: list[bytes] = []
        self.answer({"outcomes": [outcome_node(outcome, buffers) for outcome in outcomes]}, buffers)

    @contextmanager
    def _stand_ins(self, wanted: list[Any]) -> Iterator[None]:
        """Stand-ins for earlier answers in the notebook's namespace, if they are wanted."""
        if not wanted:
            yield
            return
        from course_utils.judging import stand_in

        order = self.sequence

        def ask(question: stand_in.Question) -> stand_in.Answer:
            if self.sequence != order or not stand_in.bounded(question):
                raise stand_in.StandInRefused("a question that is not answered")
            return self._asked(question)

        with stand_in.standing_in(self.shell.user_ns, wanted, ask):
            yield

    def _asked(self, question: Any) -> Any:
        """Ask the other side, and wait for what it says; a time limit must not break a frame in
        two."""
        from course_utils.judging.runner import plain

        buffers: list[bytes] = []
        node = wire.encode(plain(dict(question)), buffers, NESTED, _opaque)
        with _no_alarm():
            self.answer({"asks": node}, buffers)
            header, body = wire.read(self.reader)
        return wire.Decoder(body).decode(header["told"])

    def do_value(self, header: dict[str, Any], body: bytearray) -> None:
        value = self.shell.user_ns.get(header["name"])
        if not (value is None or value is ... or isinstance(value, bool | int | float | str)):
            value = f"<{type(value).__name__}>"
        self.answer({"value": wire.encode(value, [])})

    def do_files(self, header: dict[str, Any], body: bytearray) -> None:
        at, problem = 0, ""
        for name, length in header["files"]:
            try:
                os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
                with open(name, "wb") as file:
                    file.write(body[at : at + length])
            except OSError as error:
                problem = f"{name}: {error.strerror}"
            at += length
        self.answer({"problem": problem})

    def do_attack(self, header: dict[str, Any], body: bytearray) -> None:
        held = attack.attack(header["target"], header["names"])
        self.answer({"held": held, "daemons": attack.DAEMONS})

    # ----------------------------------------------------------------------------------------------

    def _captured(self) -> None:
        """What was written past Python, by a subprocess or by C, becomes an output as well."""
        try:
            end = os.lseek(self.captured, 0, os.SEEK_END)
            if end > self.read:
                text = os.pread(self.captured, min(end - self.read, 1 << 20), self.read).decode(
                    "utf-8", "replace"
                )
                self.read = end
                self.emit({"output_type": "stream", "name": "stdout", "text": text})
        except OSError:
            pass


@contextmanager
def _no_alarm() -> Iterator[None]:
    """Hold back the timer of a time limit."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPROF})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _quiet:  # noqa: N801
    """Prints and warnings of an answer that is being judged belong to no cell."""

    def __enter__(self) -> None:
        self.streams = sys.stdout, sys.stderr
        self.nowhere = open(os.devnull, "w")
        sys.stdout = sys.stderr = self.nowhere

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self.streams
        self.nowhere.close()


def _build(record: Record) -> Any:
    import torch

    from course_utils.judging.runner import Call
    from course_utils.judging.toys import Toy

    if record.name == "generator":
        return torch.Generator().manual_seed(record.fields["seed"])
    if record.name == "dtype":
        return getattr(torch, record.fields["name"])
    return {"toy": Toy, "call": Call}[record.name](**record.fields)


def outcome_node(outcome: Any, buffers: list[bytes]) -> dict[str, Any]:
    """An outcome as plain data; a value that cannot be sent becomes the name of its type."""
    kept = len(buffers)
    failure = outcome.failure
    if failure is not None:
        fields = {
            "kind": failure.kind,
            "type": failure.type,
            "message": failure.message,
            "line": failure.line,
            "code": failure.code,
        }
        return {"failure": fields}
    try:
        return {
            "values": [wire.encode(value, buffers, NESTED, _opaque) for value in outcome.values],
            "changed": list(outcome.changed),
            "gradients": {
                name: wire.encode(gradient, buffers) for name, gradient in outcome.gradients.items()
            },
        }
    except (
        Exception
    ) as error:  # a lying Tensor subclass, a number without an end: whatever it is, it is no data
        del buffers[kept:]
        return {
            "failure": {
                "kind": "raised",
                "type": type(error).__name__,
                "message": str(error)[:500],
                "line": None,
                "code": "",
            }
        }


def _opaque(value: Any) -> Record:
    """What is said of a value that cannot be sent: its type."""
    from course_utils.judging.runner import Opaque

    name = str(value.type) if isinstance(value, Opaque) else type(value).__name__
    return Record("opaque", {"type": name[:100]})


def _no_input(*_: object, **__: object) -> str:
    raise RuntimeError("input() is not available while a notebook is graded")


@dataclass(frozen=True)
class Ready:
    """What is the same for every submission, made once, before children are forked: whatever a
    child touches of what it inherits costs it time."""

    shell: Any
    pristine: Pristine
    packages: tuple[tuple[Any, str], ...]  # of the course, and where each is below the view


def make_ready(prepared: Any) -> Ready:
    builtins.input = _no_input
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(SEED)  # as in a fresh process
    packages = tuple(
        (module, name.replace(".", "/"))
        for name, module in sys.modules.items()
        if name.split(".")[0] == "course_utils" and hasattr(module, "__path__")
    )
    return Ready(prepared, Pristine(prepared), packages)


def fresh_randomness() -> None:
    """Children of one parent must not share their random numbers."""
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(None)


def capture() -> int:
    """Let everything that is written past Python, by a program or by C, go to a file in memory."""
    file = (
        os.memfd_create("output") if hasattr(os, "memfd_create") else os.open(os.devnull, os.O_RDWR)
    )
    os.dup2(file, 1)
    os.dup2(file, 2)
    return file


def forget_the_course() -> None:
    """Make the installed course unfindable, however it was installed."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != root]
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if not str(getattr(finder, "__module__", "")).startswith("__editable__")
    ]
    sys.path_hooks[:] = [
        hook
        for hook in sys.path_hooks
        if not str(getattr(hook, "__module__", "")).startswith("__editable__")
    ]
    sys.path_importer_cache.clear()
    for name in [name for name in sys.modules if name.startswith("__editable__")]:
        del sys.modules[name]


def run(
    reader: int,
    writer: int,
    captured: int,
    path: tuple[str, ...],
    ready: Ready | None,
    rebind: Any,
) -> None:
    """Serve a submission until the other side hangs up; never returns."""
    agent = Agent(reader, writer)
    agent.captured = captured
    sys.path[:0] = path
    # files that were handed in with the notebook; last, so that they shadow nothing
    sys.path.append(os.getcwd())
    if ready is not None:
        rebind(agent.emit)
        agent.shell, agent.pristine = ready.shell, ready.pristine
        agent.restore = ready.pristine.restore
        for package, place in ready.packages if path else ():
            package.__path__ = [f"{path[0]}/{place}"]  # imported before the walls stood
        fresh_randomness()
    sys.stdout, sys.stderr = shell.Stream("stdout", agent.emit), shell.Stream("stderr", agent.emit)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    agent.answer({"ready": True})
    agent.serve()
