"""Makes a submission fit to run: nbgrader's sanitising, on plain data, believing nothing that the submission says about itself.

What a cell is (graded, locked, worth how much) comes from the gradebook alone; from the submission come the answers, its own cells
and their order. Test cells are restored, double ones lose their mark, missing ones are put back.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from autograder.repair import repair
from course_utils import syntax

IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")
SCHEMA = 3  # of nbgrader's metadata


@dataclass(frozen=True)
class SourceCell:
    """A cell as the gradebook knows it."""

    name: str
    cell_type: str
    source: str  # with hidden tests
    locked: bool
    checksum: str
    grade: bool
    solution: bool
    task: bool
    points: float

    @property
    def is_test(self) -> bool:
        return self.grade and not self.solution

    def metadata(self) -> dict[str, Any]:
        mark: dict[str, Any] = {
            "schema_version": SCHEMA,
            "grade": self.grade,
            "solution": self.solution,
            "task": self.task,
            "locked": self.locked,
            "grade_id": self.name,
            "cell_type": self.cell_type,
            "checksum": self.checksum,
        }
        if self.grade or self.task:
            mark["points"] = self.points
        return {"deletable": False, "nbgrader": mark} | ({"editable": False} if self.locked else {})


@dataclass(frozen=True)
class Template:
    """A unit as it was released: its cells in order, the kernel, and the released notebook itself."""

    unit: str
    cells: tuple[SourceCell, ...]
    kernelspec: dict[str, Any] | None
    release: bytes

    @cached_property
    def as_json(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "cells": [asdict(cell) for cell in self.cells],
            "kernelspec": self.kernelspec,
            "release": self.release.decode("utf-8"),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Template":
        cells = tuple(SourceCell(**cell) for cell in data["cells"])
        return cls(data["unit"], cells, data["kernelspec"], data["release"].encode("utf-8"))


@dataclass
class Cell:
    """A cell that is about to run; `known` says what it is if the course put it there."""

    cell_type: str
    source: str
    known: SourceCell | None = None
    id: str = ""

    def as_dict(self) -> dict[str, Any]:
        """In the notebook's format, without outputs."""
        metadata = self.known.metadata() if self.known is not None else {}
        data: dict[str, Any] = {"cell_type": self.cell_type, "id": self.id, "metadata": metadata, "source": self.source}
        return data | ({"execution_count": None, "outputs": []} if self.cell_type == "code" else {})


@dataclass(frozen=True)
class Prepared:
    """A submission that is fit to run, and what was mended."""

    cells: list[Cell]
    repairs: list[str]


def prepare(raw: bytes, template: Template) -> Prepared:
    """Raises repair.Unreadable if there is no notebook in these bytes."""
    notebook, notes = repair(raw, template.release)
    known = {cell.name: cell for cell in template.cells}
    cells = [Cell(cell["cell_type"], cell["source"], known.get(_name(cell) or ""), cell.get("id", "")) for cell in notebook["cells"]]
    _only_the_last(cells, notes)
    for cell in cells:
        if cell.known is not None:
            _restore(cell, notes)
    for position, source in enumerate(template.cells):
        _put_back(cells, source, template.cells[:position], notes)
    for source in template.cells:
        if source.is_test:
            _behind_its_answer(cells, source, notes)
    _number(cells)
    return Prepared(cells, notes)


def _name(cell: dict[str, Any]) -> str | None:
    mark = cell["metadata"].get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else None


def _only_the_last(cells: list[Cell], notes: list[str]) -> None:
    """Of several cells with one name the last one counts, as in nbgrader."""
    seen: set[str] = set()
    for cell in reversed(cells):
        if cell.known is None:
            continue
        if cell.known.name in seen:
            notes.append(f"the cell {cell.known.name} was there more than once; the last one counts")
            cell.known = None
        else:
            seen.add(cell.known.name)


def _restore(cell: Cell, notes: list[str]) -> None:
    """A locked cell is what it was; an answer keeps its text, but not another type."""
    assert cell.known is not None
    if cell.cell_type != cell.known.cell_type:
        notes.append(f"the cell {cell.known.name} had become a {cell.cell_type} cell")
        cell.cell_type = cell.known.cell_type
    if cell.known.locked:
        cell.source = cell.known.source


def _put_back(cells: list[Cell], source: SourceCell, before: Iterable[SourceCell], notes: list[str]) -> None:
    """A cell of the course that is missing goes behind its answer, or where it stood in the release."""
    if any(cell.known is source for cell in cells):
        return
    place = _definition(cells, source.name)
    if source.solution and not source.grade and place is not None:
        return  # the answer stands in a cell of the student's own
    notes.append(f"the cell {source.name} was missing; it was put back")
    if source.is_test:
        place = _answer(cells, source)
    earlier = {cell.name for cell in before}
    if place is None:
        place = max((i for i, cell in enumerate(cells) if cell.known is not None and cell.known.name in earlier), default=-1)
    cells.insert(place + 1, Cell(source.cell_type, source.source, source))


def _answer(cells: list[Cell], test: SourceCell) -> int | None:
    """Where the answer to a test cell stands: its own cell, or the last one that defines its name."""
    name = test.name.removeprefix("test_")
    own = [i for i, cell in enumerate(cells) if cell.known is not None and cell.known.name == name]
    found = [i for i in (own[-1] if own else None, _definition(cells, name) if not own else None) if i is not None]
    return max(found) if found else None


def _definition(cells: list[Cell], name: str) -> int | None:
    for index in range(len(cells) - 1, -1, -1):
        cell = cells[index]
        if (
            cell.cell_type == "code"
            and name in cell.source
            and (tree := syntax.parse(cell.source)) is not None
            and syntax.defines(tree, name)
        ):
            return index
    return None


def _behind_its_answer(cells: list[Cell], test: SourceCell, notes: list[str]) -> None:
    at = next(i for i, cell in enumerate(cells) if cell.known is test)
    answer = _answer(cells, test)
    if answer is not None and answer > at:
        notes.append(f"the cell {test.name} stood before the answer; it was moved behind it")
        cells.insert(answer, cells.pop(at))


def _number(cells: list[Cell]) -> None:
    """Every cell has an id of its own, and those of the course have their names."""
    taken = {cell.known.name for cell in cells if cell.known is not None}
    for number, cell in enumerate(cells):
        if cell.known is not None:
            cell.id = cell.known.name
        elif not IDENTIFIER.fullmatch(cell.id) or cell.id in taken:
            cell.id = next(name for name in (f"cell-{number}", *(f"cell-{number}-{i}" for i in range(len(cells)))) if name not in taken)
        taken.add(cell.id)


def metadata_of(template: Template) -> dict[str, Any]:
    """The metadata of an autograded notebook: what the release has, not what the submission claims."""
    metadata = dict(json.loads(template.release).get("metadata", {}))
    return metadata | ({"kernelspec": template.kernelspec} if template.kernelspec else {})
