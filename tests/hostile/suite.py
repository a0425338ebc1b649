"""One class of hostile submissions with honest neighbours, graded in one run.

The tests look at what became of it.
"""

import json
import os
import re
import secrets
import shutil
import socket
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import SOURCE_TREE, Course
from autograder.grading import results
from autograder.grading.results import RunSummary
from autograder.grading.run import grade
from tests.autograder import classroom
from tests.autograder.classroom import UNIT
from tests.hostile.tampering import TAMPERINGS, Tampering

PROGRAMS = Path(__file__).parent / "programs"
WRONG = "def softmax(scores, dim=-1):\n    return scores * 0 + 0.125\n"
# seconds that a daemon would sleep: a number to recognise it by, of this run
SLEEP = f"86399.{os.getpid()}"
LIMITS = """
[limits]
cell_seconds = 3
submission_seconds = 40
cpu_seconds = 8
memory_mb = 600
processes = 40
disk_mb = 16
output_kb = 512
"""


@dataclass(frozen=True)
class Program:
    """One attack that is code: what it does, and what must come of it."""

    path: Path
    head: dict[str, str]

    @property
    def name(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}".replace("_", "-")

    @property
    def attack(self) -> str:
        return self.head["attack"]

    def source(self, values: dict[str, str]) -> str:
        text = self.path.read_text(encoding="utf-8")
        text = re.sub("@([A-Z]+)@", lambda match: values[match[1]], text)
        return text if "softmax" in re.sub(r"^#.*$", "", text, flags=re.M) else f"{text}\n{WRONG}"


def programs() -> list[Program]:
    found = []
    for path in sorted(PROGRAMS.glob("*/*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        head = dict(line[2:].split(": ", 1) for line in lines if re.match(r"# [a-z_]+: ", line))
        found.append(Program(path, head))
    return found


@dataclass
class Listener:
    """Ports of this machine on which nobody may call."""

    calls: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.abstract = f"hostile-{secrets.token_hex(6)}"
        self.tcp, self.udp = (
            socket.create_server(("127.0.0.1", 0)),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        )
        self.udp.bind(("127.0.0.1", 0))
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind("\0" + self.abstract)
        self.unix.listen()
        for server in (self.tcp, self.unix):
            threading.Thread(target=self._accept, args=(server,), daemon=True).start()
        threading.Thread(target=lambda: self.calls.append(self.udp.recv(100)), daemon=True).start()

    def _accept(self, server: socket.socket) -> None:
        while True:
            connection, _ = server.accept()
            self.calls.append(b"connection")
            connection.close()


@dataclass
class Class:
    """What is left after the run."""

    course: Course
    summary: RunSummary
    seconds: float
    mark: str  # the canary that was planted everywhere
    calls: list[bytes]
    honest: dict[str, dict[str, float]]

    def result(self, student: str) -> results.Result:
        found = results.read(self.course.root, UNIT, student)
        assert found is not None, f"{student} has no result: {self.problem(student)}"
        return found

    def points(self, student: str) -> dict[str, float | None]:
        return {cell.name: cell.points for cell in self.result(student).cells}

    def problem(self, student: str) -> str:
        return "; ".join(
            each["reason"] for each in self.summary.problems if each["student"] == student
        )

    def notebook(self, student: str) -> str:
        return (self.course.autograded / student / UNIT / f"{UNIT}.ipynb").read_text(
            encoding="utf-8"
        )

    def printed(self, student: str) -> str:
        """Everything that the submission's cells wrote."""
        outputs = [
            output
            for cell in json.loads(self.notebook(student))["cells"]
            for output in cell.get("outputs", [])
        ]
        return "".join(output["text"] for output in outputs if output["output_type"] == "stream")


def hold(base: Course, root: Path, only: tuple[str, ...] = ("",), min_level: int = 3) -> Class:
    """Hand in every attack and six honest submissions, and grade the class.

    `only` picks attacks by how their names begin.
    """
    course = classroom.clone(base, root)
    mark = f"CANARY{secrets.token_hex(8)}"
    with open(root / "course.toml", "a") as file:
        file.write(f"{LIMITS}\n# {mark}\n")
    _plant(course, mark)
    listener = Listener()
    values = {
        "COURSE": str(root),
        "REPO": str(SOURCE_TREE),
        "HOME": str(Path.home()),
        "TCP": str(listener.tcp.getsockname()[1]),
        "UDP": str(listener.udp.getsockname()[1]),
        "ABSTRACT": listener.abstract,
        "PID": str(os.getpid()),
        "MARK": mark,
        "SLEEP": SLEEP,
    }
    right = classroom.answers()
    honest = _honest(course, right, mark)
    for program in programs():
        if program.name.startswith(only):
            source = program.source(values | {"STUDENT": program.name})
            classroom.hand_in(
                course, program.name, classroom.notebook(course, right | {"softmax": source})
            )
    for each in TAMPERINGS:
        if student_of(each).startswith(only):
            _tamper(course, each, classroom.notebook(course, right | {"softmax": WRONG}), mark)
    began = time.perf_counter()
    summary = grade(course, UNIT, min_level=min_level, workers=4)
    return Class(course, summary, time.perf_counter() - began, mark, listener.calls, honest)


def student_of(each: Tampering) -> str:
    return f"files-{each.name}".replace("_", "-")


def _plant(course: Course, mark: str) -> None:
    """Put a secret wherever one would be."""
    solution = course.solutions / UNIT / f"{UNIT}.ipynb"
    solution.write_text(solution.read_text().replace("# Assignment 01", f"# {mark}"))
    (course.root / ".secret_seed").write_text(f"{mark}-seed")
    os.environ["HOSTILE_CANARY"] = mark


def _honest(course: Course, right: dict[str, str], mark: str) -> dict[str, dict[str, float]]:
    """Six neighbours whose grades must be right whatever the others do."""
    full = {
        "test_softmax": 3.0,
        "test_gaussian_weights": 3.0,
        "test_nadaraya_watson": 3.0,
        "test_leave_one_out_error": 4.0,
        "test_rescaled": 2.0,
    }
    expected = {}
    for number in range(1, 7):
        answers, points = dict(right), dict(full)
        answers["why"] = f"Because of {mark}."
        if number == 2:
            answers["softmax"], points["test_softmax"] = (
                "def softmax(scores, dim=-1):\n    return scores.sigmoid()",
                0.0,
            )
        if number == 4:
            answers["softmax"], points["test_softmax"] = (
                "def softmax(scores, dim=-1):\n    e = scores.exp()\n    return e / e.sum(dim, "
                "keepdim=True)",
                1.8,
            )
        if number == 5:
            answers["rescaled"], points["test_rescaled"] = (
                "def rescaled(x):\n    return x",
                0.0,
            )
        expected[f"honest-{number}"] = points
        classroom.hand_in(course, f"honest-{number}", classroom.notebook(course, answers))
    return expected


def _tamper(course: Course, each: Tampering, notebook: dict[str, object], mark: str) -> None:
    folder = course.submitted / student_of(each) / UNIT
    folder.mkdir(parents=True)
    content = each.write(notebook, folder)
    if content is not None:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / f"{UNIT}.ipynb").write_bytes(raw.replace(b"{mark}", mark.encode()))


def survivors() -> list[str]:
    """Processes of a run that are still there, also after a while.

    Those of the sandbox's users, and daemons by their number; not what is below another grader that
    runs beside this test.
    """
    deadline = time.monotonic() + 60
    while (found := _left_over()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def _left_over() -> list[str]:
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            command = Path(entry.path, "cmdline").read_bytes()
            user = entry.stat().st_uid
        except OSError:
            continue
        known = 200_000 <= user < 200_000 + (1 << 20) or SLEEP.encode() in command
        if known and not _of_a_living_grader(int(entry.name)):
            found.append(f"{entry.name}: {command!r} of {user}")
    return found


def _of_a_living_grader(pid: int) -> bool:
    """Is it, or a process above it, a warm process whose folder is there?

    That folder is removed when its grader ends.
    """
    while pid > 1:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return False
        folder = re.search(rb"[^\0]*/sandbox-[^\0/]+", command)
        if folder is not None and os.path.exists(folder[0]):
            return True
        pid = int(re.findall(r"(?m)^PPid:\s*(\d+)", status)[0])
    return False


def forget(root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
