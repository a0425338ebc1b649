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
        self.served: dict[int, list[Any]] = {}  # case -> answers of stand-ins
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

        nodes = [header["cases"], header.get("served", [])]
        asked, served = wire.Decoder(body, _build).decode(nodes)
        cases = [play.Case(**fields) for fields in asked]
        missing = NameError(f"name {header['name']!r} is not defined")
        target = self.shell.user_ns.get(header["name"], missing)
        if target is missing:
            outcomes = [play.Outcome(failure=play.failure_of(missing))] * len(cases)
        else:
            watch = _alarm if hasattr(signal, "setitimer") else play.time_limit
            known = self._kept(header.get("numbers", []), served)
            with _quiet(), self._stand_ins(header.get("stand_ins", []), known) as before:
                outcomes = play.play_all(cases, target, header["limit"], watch, before)
        buffers: list[bytes] = []
        self.answer({"outcomes": [_outcome(outcome, buffers) for outcome in outcomes]}, buffers)

    def _kept(self, numbers: list[int], served: list[Any]) -> list[Any]:
        """The answers of stand-ins for each case: those that came before, and the new ones."""
        for number, (known, new) in zip(numbers, served, strict=True):
            self.served[number] = [*self.served.get(number, [])[:known], *new]
        return [self.served[number] for number in numbers]

    @contextmanager
    def _stand_ins(self, wanted: list[Any], served: list[Any]) -> Iterator[Any]:
        """Stand-ins for earlier answers in the notebook's namespace, if they are wanted."""
        if not wanted:
            yield lambda: None
            return
        from course_utils.judging import stand_in

        replay = stand_in.Replay(served)
        with stand_in.standing_in(self.shell.user_ns, wanted, replay):
            yield replay.next_case

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
def _alarm(seconds: float) -> Iterator[None]:
    """The time limit of `play` by a timer of this process, which needs no thread and counts
    processor time: who sleeps is stopped from outside.
    """
    from course_utils.judging.runner import TimeLimit

    def interrupt(*_: object) -> None:
        raise TimeLimit

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(
        signal.ITIMER_PROF, seconds, 0.5
    )  # again and again: a bare `except:` may swallow the first one
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


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


def _outcome(outcome: Any, buffers: list[bytes]) -> dict[str, Any]:
    """An outcome as plain data; a value that cannot be sent becomes the name of its type."""
    kept = len(buffers)
    failure = outcome.failure
    if outcome.asks is not None:
        return {"asks": wire.encode(outcome.asks, buffers, NESTED, _opaque)}
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


def fresh_randomness() -> None:
    """Children of one parent must not share their random numbers; torch starts where a fresh
    process does.
    """
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(None)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(SEED)


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
    prepared: Any,
    rebind: Any,
) -> None:
    """Serve a submission until the other side hangs up; never returns."""
    agent = Agent(reader, writer)
    agent.captured = captured
    sys.path[:0] = path
    for name, module in list(sys.modules.items()) if path else []:
        if name.split(".")[0] == "course_utils" and hasattr(module, "__path__"):
            module.__path__ = [
                f"{path[0]}/{name.replace('.', '/')}"
            ]  # imported before the walls stood
    sys.path.append(
        os.getcwd()
    )  # files that were handed in with the notebook; last, so that they shadow nothing
    if prepared is not None:
        rebind(agent.emit)
        agent.shell = prepared
        fresh_randomness()
    builtins.input = _no_input
    sys.stdout, sys.stderr = shell.Stream("stdout", agent.emit), shell.Stream("stderr", agent.emit)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if agent.shell is not None:
        agent.pristine = Pristine(agent.shell)
        agent.restore = agent.pristine.restore
    agent.answer({"ready": True})
    agent.serve()
