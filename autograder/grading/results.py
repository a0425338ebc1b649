"""What is known about one graded submission, as a file: runs/results/UNIT/STUDENT.json.

The gradebook holds scores and comments; this holds why: every verdict with its cases, what hit a
limit, what was repaired, how long it took, behind which walls. Feedback and reports are made from
it.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

FORMAT = 1


@dataclass(frozen=True)
class CaseResult:
    """One case of a judged exercise, as the judge of course_utils has it."""

    label: str
    group: str
    passed: bool
    visible: bool
    message: str = ""


@dataclass(frozen=True)
class CellResult:
    """One graded cell."""

    name: str  # full name of the test cell, or of the written answer
    exercise: str | None  # that was judged; None for cells that are not the course's own
    how: str  # "judged" from outside, "asserted" inside the walls, "by hand"
    points: float | None  # None: to be graded by hand
    max_points: float
    forgeable: bool = False  # the test ran in the student's own process
    kind: str = ""  # of the exercise
    section: str = ""  # of the lecture
    status: str = ""  # "passed", "failed", "not started", "not allowed"
    misconception: str | None = None  # of an assert cell: the assert that failed
    title: str = ""
    message: str = ""
    text: str = ""  # the card as plain text
    html: str = ""  # the card for a page
    cases: tuple[CaseResult, ...] = ()
    line: int | None = None  # of the answer, where it failed
    seconds: float = 0.0
    answer: str = ""  # the cell that was tested; empty: it is called as the test without test_


@dataclass(frozen=True)
class LimitNote:
    """A limit that was hit, or a process that ended itself."""

    limit: str  # name in course.toml, or "crash"
    where: str  # the cell, by grade id or number
    message: str
    idle: bool = False  # its time ran out while it mostly waited: worth another try


@dataclass(frozen=True)
class Result:
    """One graded submission."""

    student: str
    unit: str
    fingerprint: str  # of the submission, unit, grader and seed: equal means nothing to do
    level: int  # of the sandbox
    cells: tuple[CellResult, ...] = ()
    limits: tuple[LimitNote, ...] = ()
    repairs: tuple[str, ...] = ()  # what was mended in the notebook before it ran
    notes: tuple[str, ...] = ()  # what a person should know, for instance that a file was left out
    comments: dict[str, str | None] = field(default_factory=dict)  # answer cell -> nbgrader's
    timestamp: str | None = None  # when it was handed in
    seconds: float = 0.0  # from the first cell to the last verdict
    cpu_seconds: float = 0.0  # of the student's processes
    memory_mb: float = 0.0  # their peak
    judge_seconds: float = 0.0  # processor time of the trusted side
    graded_at: str = ""
    format: int = FORMAT

    @property
    def score(self) -> float:
        return sum(cell.points or 0.0 for cell in self.cells)

    @property
    def max_score(self) -> float:
        return sum(cell.max_points for cell in self.cells)

    def to_json(self) -> bytes:
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Result":
        result = msgspec.json.decode(text, type=cls)
        if result.format != FORMAT:
            raise msgspec.ValidationError(f"a result of format {result.format}, not {FORMAT}")
        return result


def full_name(unit: str, notebook: str, cell: str) -> str:
    """A graded cell's name within its unit, which may have several notebooks."""
    return cell if notebook == unit else f"{notebook}:{cell}"


def path_of(root: Path, unit: str, student: str) -> Path:
    """Where a course keeps the result of a submission."""
    return root / "runs" / "results" / unit / f"{student}.json"


def read(root: Path, unit: str, student: str) -> Result | None:
    """The stored result, or None if there is none that can be read."""
    try:
        return Result.from_json(path_of(root, unit, student).read_bytes())
    except (OSError, ValueError, msgspec.MsgspecError):
        return None


@dataclass
class RunSummary:
    """What a run came to."""

    unit: str
    graded: int = 0
    skipped: int = 0
    problems: list[dict[str, str]] = field(default_factory=list)
    level: int | None = None
    seconds: float = 0.0
    changed: list[dict[str, Any]] = field(default_factory=list)  # whose score, before and after
    held: list[str] = field(default_factory=list)  # what the walls were proven to hold

    def as_json(self) -> dict[str, Any]:
        """The object that `autograder grade --json` prints."""
        shown = asdict(self)
        del shown["changed"], shown["held"]
        return shown
