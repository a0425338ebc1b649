"""A notebook of any nbgrader course: made fit to run, run, and scored, as nbgrader does it.

nbgrader's own steps are used where they decide (what a locked cell says, what outputs are worth),
with the gradebook's cells at hand instead of a database. A notebook that nbgrader would refuse, or
in which it would lose a graded cell, is repaired first. An assert cell runs in the student's own
process, so it can be forged; what can be done about that is done before it runs (pristine.py).
"""

import ast
import builtins
import json
import re
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import nbformat
from nbconvert.preprocessors import ClearMetadataPreprocessor
from nbgrader import utils
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearOutput,
    DeduplicateIds,
    IgnorePattern,
    LimitOutput,
    OverwriteCells,
)
from nbgrader.preprocessors.base import NbGraderPreprocessor
from traitlets.config import Config

from autograder import outside
from autograder.collecting.repair import CHECK, Unreadable, repair
from autograder.grading.outputs import markdown
from autograder.grading.prepare import SCHEMA, SourceCell, Template
from autograder.grading.results import CellResult, LimitNote, full_name
from autograder.grading.session import Session

SKIP = "skip-execution"  # a tag by which a cell is left out, as nbclient does it
ANSI = re.compile(r"\x1b\[[0-9;]*m")
FRAME = re.compile(r"\s*Cell In\[(\d+)\], line (\d+)(?: in (.*))?")
MAX_CODE, MAX_MESSAGE, MAX_TRACE = 500, 4000, 20  # characters, characters, frames
TAMPERED = f"{CHECK}the interpreter was changed before the tests ran, and was put right: "
BEYOND = "gave more points than it is worth, which nbgrader refuses; it got none"


@dataclass
class Graded:
    """A notebook that has run: in its format, its graded cells, and what was said of it."""

    notebook: bytes
    results: list[CellResult]
    comments: dict[str, str | None]
    repairs: list[str]
    problems: list[str]


# Reading -----------------------------------------------------------------------------------------


def read(raw: bytes, template: Template) -> tuple[Any, list[str]]:
    """The notebook, with every cell of the gradebook in it once, and what had to be repaired."""
    try:
        notebook = nbformat.reads(raw.decode("utf-8-sig"), as_version=4)
        whole = fits(notebook, template)
    except Exception:
        whole = False
    if whole:
        return notebook, []
    mended, notes = repair(raw, template.release)
    notebook = nbformat.from_dict(mended)
    there = {_mark(cell).get("grade_id") for cell in notebook.cells}
    for known in template.cells:  # the gradebook has it, the released notebook lacks it
        if known.name not in there:
            notes.append(f"the cell {known.name} was missing; it was put back")
            notebook.cells.append(_put_back(known))
    if not fits(notebook, template):
        raise Unreadable("its marked cells do not fit those of the gradebook")
    return notebook, notes


def fits(notebook: Any, template: Template) -> bool:
    """Are the marks of all cells those that the gradebook knows, each there once?"""
    marked = [cell for cell in notebook.cells if _mark(cell).get("grade_id") is not None]
    found = {_mark(cell)["grade_id"]: cell for cell in marked}
    return (
        len(marked) == len(found)
        and set(found) == {known.name for known in template.cells}
        and all(_agrees(found[known.name], known) for known in template.cells)
    )


def _mark(cell: Any) -> dict[str, Any]:
    return dict(cell.metadata.get("nbgrader") or {})


def _agrees(cell: Any, known: SourceCell) -> bool:
    """Is a cell, and does its mark say of it, what the gradebook says of it?"""
    mark, flags = _mark(cell), {"grade": known.grade, "solution": known.solution}
    return (
        mark.get("schema_version") == SCHEMA
        and cell.cell_type == known.cell_type
        and all(
            bool(mark.get(name)) == flag for name, flag in (flags | {"task": known.task}).items()
        )
    )


def _put_back(known: SourceCell) -> Any:
    make = nbformat.v4.new_code_cell if known.cell_type == "code" else nbformat.v4.new_markdown_cell
    return make(known.source, metadata=known.metadata(), id=f"put-back-{known.checksum[:8]}")


# nbgrader's own steps ----------------------------------------------------------------------------


class Known:
    """What nbgrader's OverwriteCells asks a gradebook for, answered from the template."""

    def __init__(self, template: Template) -> None:
        from nbgrader.api import MissingEntry

        self.cells, self.missing = {cell.name: cell for cell in template.cells}, MissingEntry

    def find_source_cell(self, name: str, *_: str) -> SourceCell:
        if name not in self.cells:
            raise self.missing(name)
        return self.cells[name]

    def find_graded_cell(self, name: str, *_: str) -> Any:
        return SimpleNamespace(max_score=self.cells[name].points)


class Overwrite(OverwriteCells):
    """OverwriteCells without a database."""

    known: Any = None

    def preprocess(self, nb: Any, resources: Any) -> Any:
        self.gradebook, self.notebook_id, self.assignment_id = self.known, "", ""
        return NbGraderPreprocessor.preprocess(self, nb, resources)


class Steps:
    """nbgrader's steps before and after a notebook runs, configured as in the course."""

    def __init__(self, rules: str, template: Template) -> None:
        config = Config(json.loads(rules))
        overwrite = Overwrite(config=config)
        overwrite.known = Known(template)
        self.before = [ClearOutput(config=config), DeduplicateIds(config=config), overwrite]
        self.after = [
            IgnorePattern(config=config),
            ClearMetadataPreprocessor(config=config),
            LimitOutput(config=config),
        ]
        self.check = CheckCellMetadata(config=config)
        self.kernelspec = template.kernelspec

    def sanitized(self, notebook: Any) -> Any:
        if self.kernelspec:
            notebook.metadata["kernelspec"] = self.kernelspec
        return self._through([*self.before, self.check], notebook)

    def finished(self, notebook: Any) -> Any:
        return self._through([*self.after, self.check], notebook)

    def _through(self, steps: list[Any], notebook: Any) -> Any:
        for step in steps:
            notebook, _ = step(notebook, {})
        return notebook


# Grading -----------------------------------------------------------------------------------------


def grade(raw: bytes | None, template: Template, unit: str, rules: str, session: Session) -> Graded:
    """Run a notebook and score it; one that was not handed in is worth nothing."""
    names = {cell.name: full_name(unit, template.name, cell.name) for cell in template.cells}
    if raw is None:
        results = [_absent(cell, names[cell.name]) for cell in template.cells]
        return Graded(b"", [each for each in results if each is not None], {}, [], [])
    notebook, repairs = read(raw, template)
    steps = Steps(rules, template)
    notebook = steps.sanitized(notebook)
    run = Running(names, template, session)
    for number, cell in enumerate(notebook.cells):
        run.cell(cell, number)
    notebook = steps.finished(notebook)
    scoring = Scoring(names, template, run)
    for cell in notebook.cells:
        scoring.cell(cell)
    texts = released_texts(template) | {cell.source for cell in template.cells}
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source not in texts:
            cell.source = markdown(cell.source)
    written = nbformat.writes(notebook, version=4).encode("utf-8", "replace")
    return Graded(
        written,
        scoring.results,
        scoring.comments,
        [*repairs, *run.tampered()],
        scoring.problems,
    )


def _absent(known: SourceCell, name: str) -> CellResult | None:
    if not (known.grade or known.task):
        return None
    message = "Its notebook was not handed in."
    how = "asserted" if known.is_test else "by hand"
    return CellResult(
        name, None, how, 0.0, known.points, status="not started", message=message, answer=name
    )


def released_texts(template: Template) -> set[str]:
    """What the course gave out."""
    return {"".join(cell["source"]) for cell in json.loads(template.release)["cells"]}


class Uses:
    """What test cells take from the course's own imports, and from Python."""

    def __init__(self, template: Template) -> None:
        self.imports: dict[str, list[str]] = {}
        self.defined: set[str] = set()
        for text in released_texts(template) | {cell.source for cell in template.cells}:
            for node in ast.walk(_tree(text)):
                self._note(node)

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname or "." not in alias.name:
                    name = alias.asname or alias.name
                    self.imports[name] = [name, alias.name, ""]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = alias.asname or alias.name
                self.imports[name] = [name, node.module, alias.name]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.defined.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self.defined.add(node.id)

    def of(self, source: str) -> dict[str, Any]:
        names = {node.id for node in ast.walk(_tree(source)) if isinstance(node, ast.Name)}
        names = names - self.defined
        return {
            "imports": [each for name, each in self.imports.items() if name in names],
            "builtins": sorted(names & set(dir(builtins))),
        }


def _tree(source: str) -> ast.Module:
    """The syntax tree of a cell of the course; an empty one if it is not Python."""
    lines = ["pass" if line.lstrip()[:1] in ("%", "!") else line for line in source.splitlines()]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


class Running:
    """Runs the cells of one notebook in their order."""

    def __init__(self, names: dict[str, str], template: Template, session: Session) -> None:
        self.names, self.session = names, session
        self.known = {cell.name: cell for cell in template.cells}
        self.uses = Uses(template)
        self.seconds: dict[str, float] = {}
        self.sources: dict[int, str] = {}  # by execution count
        self.changed: dict[str, None] = {}  # what was found changed in the interpreter

    def cell(self, cell: Any, number: int) -> None:
        known = self.known.get(_mark(cell).get("grade_id", ""))
        skipped = SKIP in cell.metadata.get("tags", ()) and not (known and known.grade)
        if cell.cell_type != "code" or not cell.source.strip() or skipped:
            return
        where = self.names[known.name] if known is not None else f"cell {number + 1}"
        began = time.perf_counter()
        test = self.uses.of(cell.source) if known is not None and known.is_test else None
        done = self.session.run(where, cell.source, test)
        self.changed |= dict.fromkeys(done.tampered)
        outputs = list(done.outputs)
        if done.stopped is not None:
            outputs.append(notice(done.stopped))
        cell.outputs = [nbformat.from_dict(output) for output in outputs]
        cell.execution_count = done.count
        if done.count is not None:
            self.sources[done.count] = cell.source
        if known is not None:
            self.seconds[known.name] = round(time.perf_counter() - began, 4)

    def tampered(self) -> list[str]:
        return [TAMPERED + ", ".join(outside.lines(list(self.changed), 10, 100))] * bool(
            self.changed
        )


class Scoring:
    """What the cells of a notebook that has run are worth, by nbgrader's rules."""

    def __init__(self, names: dict[str, str], template: Template, run: Running) -> None:
        self.names, self.run = names, run
        self.known = {cell.name: cell for cell in template.cells}
        self.visible = released_texts(template)
        self.results: list[CellResult] = []
        self.comments: dict[str, str | None] = {}
        self.problems: list[str] = []
        self.answer = ""  # the last answer cell before the one that is looked at

    def cell(self, cell: Any) -> None:
        known = self.known.get(_mark(cell).get("grade_id", ""))
        if known is None:
            return
        name = self.names[known.name]
        if known.solution:
            self.answer = name
        if known.grade:
            self.results.append(
                self._asserted(cell, known) if known.is_test else by_hand(cell, name)
            )
        elif known.task:
            self.results.append(CellResult(name, None, "by hand", None, known.points, answer=name))
        if known.solution or known.task:
            untouched = not known.task and utils.compute_checksum(cell) == known.checksum
            self.comments[name] = "No response." if untouched else None

    def _asserted(self, cell: Any, known: SourceCell) -> CellResult:
        name = self.names[known.name]
        try:
            points, most = utils.determine_grade(cell)
        except (ValueError, KeyError):  # for which nbgrader gives up the whole submission
            points, most = 0.0, known.points
            self.problems.append(f"{name} {BEYOND}")
        if points is None:  # a graded cell that is not code
            return CellResult(name, None, "by hand", None, most, answer=name)
        failed = Failed.of(cell, self.run.sources, self.visible) if points < most else None
        return CellResult(
            name,
            None,
            "asserted",
            float(points),
            most,
            forgeable=True,
            status="passed" if failed is None else "failed",
            misconception=failed.what if failed is not None else None,
            title=failed.title if failed is not None else "",
            message=failed.message if failed is not None else "",
            text=failed.trace if failed is not None else "",
            seconds=self.run.seconds.get(known.name, 0.0),
            answer=self.answer,
        )


def by_hand(cell: Any, name: str) -> CellResult:
    """A written answer waits for a person; one that was never touched is worth nothing at once."""
    points, most = utils.determine_grade(cell)
    status = "" if points is None else "not started"
    points = float(points) if points is not None else None
    return CellResult(name, None, "by hand", points, most, status=status, answer=name)


def notice(note: LimitNote) -> dict[str, Any]:
    text = f"Stopped: {note.message}. The other cells were run without this one.\n"
    return {"output_type": "stream", "name": "stderr", "text": text}


# What a student is told --------------------------------------------------------------------------


@dataclass(frozen=True)
class Failed:
    """Why a test cell gave less than all of its points: the line that failed, as far as it was
    released, what it said, and the way through the student's own cells."""

    what: str  # for counting: equal for equal mistakes
    title: str
    message: str
    trace: str

    @classmethod
    def of(cls, cell: Any, sources: dict[int, str], visible: set[str]) -> "Failed":
        for output in cell.outputs:
            if output.output_type == "error":
                return cls._error(cell, output, sources, visible)
            if output.output_type == "stream" and output.name == "stderr":
                said = outside.text(output.text, MAX_MESSAGE).strip()
                said = f"Something was written to the error output: {said}"
                return cls("error output", "Error output", said, "")
            if output.output_type == "execute_result":
                return cls("partial credit", "Partly right", "Some of its tests failed.", "")
        return cls("", "", "", "")

    @classmethod
    def _error(cls, cell: Any, output: Any, sources: dict[int, str], visible: set[str]) -> "Failed":
        name, said = outside.line(output.ename, 200), outside.text(output.evalue, MAX_MESSAGE)
        frames = list(_frames(output.traceback))
        mine = next((frame for frame in frames if frame[0] == cell.execution_count), None)
        line = _line(cell.source, mine[1]) if mine is not None else ""
        shown = outside.line(line, MAX_CODE) if _was_released(line, visible) else "a hidden test"
        title = f"{name}: {shown}" if shown else name
        message = f"{name}: {said}" if said else f"{name} without a message"
        steps = [
            f"cell {count}, line {number}{f' in {where}' if where else ''}: "
            f"{_line(sources.get(count, ''), number)}"
            for count, number, where in frames[-MAX_TRACE:]
            if count != cell.execution_count
        ]
        trace = "\n".join(outside.line(step, MAX_CODE) for step in steps)
        return cls(shown or name, title, message, trace)


def _frames(traceback: list[str]) -> Any:
    """(execution count, line, function) of every step that was in a cell of the notebook."""
    for text in traceback:
        hit = FRAME.match(ANSI.sub("", text))
        if hit is not None:
            yield int(hit[1]), int(hit[2]), (hit[3] or "").strip()


def _line(source: str, number: int) -> str:
    lines = source.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _was_released(line: str, visible: set[str]) -> bool:
    return bool(line) and any(line in text for text in visible)
