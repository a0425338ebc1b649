"""Where submissions of a unit run on this machine: a warm process, proven walls, and what a child
may see of the course.
"""

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.course import Limits
from autograder.errors import UserError
from autograder.grading import shown_to_all
from autograder.grading.beside import Beside
from autograder.grading.prepare import code_of
from autograder.sandbox import proof, warm
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import AnyChild, SandboxError, warm_is_possible
from autograder.sandbox.plain_child import PlainChild

TRAINS = ("optim", "fit(", "torch.compile")  # words of code that trains
DRAWS = ("matplotlib", "plt.", "plotting")  # and of code that draws
WAITS = "if ready("  # in a cell that is left out while a notebook is graded
INSIDE = "/course"  # where the view of the course appears behind the walls
OURS = ("course_utils", "autograder.grading", "autograder.course")  # nothing for other courses


def code_that_runs(released: Iterable[bytes]) -> str:
    """Of released notebooks, the code that is executed while they are graded."""
    return "\n".join(code for each in released for code in code_of(each) if WAITS not in code)


def words_added(released: bytes, handed_in: bytes) -> set[str]:
    """Words of code that trains or draws which a student has added to a notebook."""
    return {
        word
        for word in (*TRAINS, *DRAWS)
        if handed_in.count(word.encode()) > released.count(word.encode())
    }


@dataclass(frozen=True)
class Launcher:
    """The address of a warm process, the level of its walls, and the folder that holds the view of
    the course.
    """

    address: str
    level: int
    view: str

    def confinement(self, limits: Limits) -> Confinement:
        return Confinement(
            level=self.level,
            shown=((self.view, INSIDE),),
            path=(INSIDE,),
            memory_mb=int(limits.memory_mb),
            cpu_seconds=float(limits.cpu_seconds),
            processes=int(limits.processes),
            disk_mb=max(1, int(limits.disk_mb)),
        )

    def launch(self, limits: Limits) -> AnyChild:
        return self.child(self.confinement(limits), int(limits.output_kb))

    def child(self, confinement: Confinement, output_kb: int = 2048) -> AnyChild:
        if self.address:
            return Child(self.address, confinement, output_kb)
        return PlainChild(confinement, output_kb)


class Sandbox:
    """Starts the warm process at once and proves its walls when asked; as a context manager it ends
    with the block.
    """

    def __init__(
        self, unit: str, level: int, text: str = "", modules: tuple[str, ...] | None = None
    ) -> None:
        """`text`: the code that will run; `modules`: what an assignment of any course imports,
        which sees nothing of this one."""
        self.further: tuple[str, ...] = ()
        if modules is None and any(word in text for word in DRAWS):
            self.further += warm.DRAWING
        if (modules is None or "torch" in modules) and any(word in text for word in TRAINS):
            self.further += warm.TRAINING
        imported = warm.modules() if modules is None else warm.modules(modules)
        self.warm = warm.take(level, imported) if warm_is_possible(level) else None
        self.folder = (
            self.warm.folder if self.warm is not None else tempfile.mkdtemp(prefix="sandbox-")
        )
        target = Path(self.folder) / "view"
        if modules is None:
            from autograder.grading import view

            self.secret_modules = view.secret_modules(unit)
            shown = str(view.write(unit, target))
        else:
            self.secret_modules = OURS
            shown = str(shown_to_all.write(target))
        self.launcher = Launcher(self.warm.address if self.warm is not None else "", level, shown)

    def proven(self, secret_paths: tuple[str, ...] = ()) -> proof.Proof:
        """Wait until it is warm, then attack from inside."""
        if self.warm is not None:
            self.warm.wait(self.launcher.view, self.further)
        held = proof.prove(
            self.launcher.child,
            self.launcher.confinement(Limits()),
            self.secret_modules,
            secret_paths,
        )
        if self.warm is not None:
            self.warm.wait_until_warm()
        return held

    def close(self) -> None:
        if self.warm is not None:
            self.warm.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Opening:
    """Looks for the highest level from 3 down to `min_level` that holds. The first one is attacked
    by another process at once, so that this one can do something else meanwhile."""

    def __init__(
        self,
        unit: str,
        min_level: int,
        text: str = "",
        secret_paths: tuple[str, ...] = (),
        modules: tuple[str, ...] | None = None,
    ) -> None:
        self.how, self.secret_paths, self.min_level = (unit, text, modules), secret_paths, min_level
        self.tried: list[proof.Proof] = []
        self.levels = [level for level in proof.LEVELS if level >= min_level]
        self.sandbox: Sandbox | None = None
        self.proven: Beside[proof.Proof] | None = None
        self._begin()

    def _begin(self) -> None:
        """Attack the next level that can be built."""
        unit, text, modules = self.how
        while self.proven is None and self.levels:
            level = self.levels.pop(0)
            if level > 1 and not warm_is_possible(level):
                self.tried.append(proof.Proof(level, {}, "this is not Linux"))
                continue
            try:
                self.sandbox = Sandbox(unit, level, text, modules)
            except (SandboxError, OSError) as error:
                self.tried.append(proof.Proof(level, {}, str(error)))
                continue
            self.proven = Beside(partial(self.sandbox.proven, self.secret_paths))

    def finish(self) -> tuple[Sandbox, proof.Proof]:
        """The sandbox and what it held; UserError if no level does. Never below `min_level`, and
        never silently."""
        while self.proven is not None and self.sandbox is not None:
            sandbox, proven, self.proven = self.sandbox, self.proven, None
            try:
                self.tried.append(proven.result())
            except (SandboxError, OSError) as error:
                self.tried.append(proof.Proof(sandbox.launcher.level, {}, str(error)))
            if self.tried[-1].holds:
                return sandbox, self.tried[-1]
            self.close()
            self._begin()
        raise UserError(refusal(self.min_level, self.tried))

    def close(self) -> None:
        """End the sandbox, whatever became of it."""
        if self.sandbox is not None:
            self.sandbox.close()
            self.sandbox = None


def open_sandbox(
    unit: str,
    min_level: int,
    text: str = "",
    secret_paths: tuple[str, ...] = (),
    modules: tuple[str, ...] | None = None,
) -> tuple[Sandbox, proof.Proof]:
    """The highest level from 3 down to `min_level` that holds; UserError if none does."""
    return Opening(unit, min_level, text, secret_paths, modules).finish()


def refusal(min_level: int, tried: list[proof.Proof]) -> str:
    why = " ".join(line + "." for line in proof.reasons(tried))
    return (
        f"sandbox level {min_level} does not hold on this machine, so nothing was graded. {why} "
        f"To accept weaker walls: --min-level {max(min_level - 1, 0)}"
    )
