"""Where submissions of a unit run on this machine: a warm process, proven walls, and what a child may see of the course."""

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Limits
from autograder.errors import UserError
from autograder.grading import view
from autograder.sandbox import client, prove
from autograder.sandbox.client import Child
from autograder.sandbox.cold import ColdChild
from autograder.sandbox.plan import Plan

TRAINS = ("optim", "fit(", "torch.compile")


@dataclass(frozen=True)
class Place:
    """The address of a warm process, the level of its walls, and the folder that holds the view of the course."""

    address: str
    level: int
    view: str

    def plan(self, limits: Limits) -> Plan:
        return Plan(
            level=self.level,
            shown=((self.view, view.INSIDE),),
            path=(view.INSIDE,),
            memory_mb=int(limits.memory_mb),
            cpu_seconds=float(limits.cpu_seconds),
            processes=int(limits.processes),
            disk_mb=max(1, int(limits.disk_mb)),
        )

    def launch(self, limits: Limits) -> Child:
        kind = Child if self.address else ColdChild
        return kind(self.address, self.plan(limits), output_kb=int(limits.output_kb))


class Site:
    """Starts the warm process at once and proves its walls when asked; as a context manager it ends with the block."""

    def __init__(self, unit: str, level: int, text: str = "") -> None:
        self.unit = unit
        self.further = client.TRAINING if any(word in text for word in TRAINS) else ()
        self.warm = client.take(level) if prove.warm_is_possible(level) else None
        self.folder = self.warm.folder if self.warm is not None else tempfile.mkdtemp(prefix="sandbox-")
        shown = str(view.write(unit, Path(self.folder) / "view"))
        self.place = Place(self.warm.address if self.warm is not None else "", level, shown)

    def proven(self, secret_paths: tuple[str, ...] = ()) -> prove.Proof:
        """Wait until it is warm, then attack from inside."""
        if self.warm is not None:
            self.warm.wait(self.place.view, self.further)
        limits = Limits()
        return prove.prove(lambda: self.place.launch(limits), self.place.plan(limits), view.secret_modules(self.unit), secret_paths)

    def close(self) -> None:
        if self.warm is not None:
            self.warm.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_site(unit: str, min_level: int, text: str = "", secret_paths: tuple[str, ...] = ()) -> tuple[Site, prove.Proof]:
    """The highest level from 3 down to `min_level` that holds; UserError if none does. Never below it, and never silently."""
    tried: list[prove.Proof] = []
    for level in prove.LEVELS:
        if level < min_level:
            break
        if level > 1 and not prove.warm_is_possible(level):
            tried.append(prove.Proof(level, {}, "this is not Linux"))
            continue
        try:
            site = Site(unit, level, text)
            tried.append(site.proven(secret_paths))
        except (client.SandboxError, OSError) as error:
            tried.append(prove.Proof(level, {}, str(error)))
            continue
        if tried[-1].holds:
            return site, tried[-1]
        site.close()
    raise UserError(refusal(min_level, tried))


def refusal(min_level: int, tried: list[prove.Proof]) -> str:
    why = " ".join(line + "." for line in prove.reasons(tried))
    return f"sandbox level {min_level} does not hold on this machine, so nothing was graded. {why} To accept weaker walls: --min-level {max(min_level - 1, 0)}"


def secrets_of(root: Path) -> tuple[str, ...]:
    """What of a course no student may read: the attack tries each."""
    names = ("course.toml", "gradebook.db", ".secret_seed", "solutions", "submitted", "autograded", "runs")
    return tuple(str(root / name) for name in names if os.path.exists(root / name))
