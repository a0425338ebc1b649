"""Makes a submission fit to run, believing nothing that it says about itself.

Repairing has given every cell of the release its place and its mark; what such a cell is (graded,
locked, worth how much) and the text of a locked one, with its hidden tests, come from the
gradebook.
"""

import json
from dataclasses import dataclass
from typing import Any

from autograder.collecting.repair import repair

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
    """A notebook as it was released.

    Its cells in order, the kernel, and the released notebook itself.
    """

    name: str  # of the notebook; a unit of the course has one, of the same name
    cells: tuple[SourceCell, ...]
    kernelspec: dict[str, Any] | None
    release: bytes


@dataclass
class Cell:
    """A cell that is about to run; `known` says what it is if the course put it there."""

    cell_type: str
    source: str
    known: SourceCell | None = None
    id: str = ""
    ours: bool = False  # its text is the course's, not the student's

    def as_dict(self) -> dict[str, Any]:
        """In the notebook's format, without outputs."""
        metadata = self.known.metadata() if self.known is not None else {}
        data: dict[str, Any] = {
            "cell_type": self.cell_type,
            "id": self.id,
            "metadata": metadata,
            "source": self.source,
        }
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
    texts = {"".join(cell["source"]) for cell in json.loads(template.release)["cells"]}
    cells = []
    for cell in notebook["cells"]:
        mark = known.pop((cell["metadata"].get("nbgrader") or {}).get("grade_id", ""), None)
        text = mark.source if mark is not None and mark.locked else cell["source"]
        ours = text in texts or (mark is not None and mark.locked)
        cells.append(Cell(cell["cell_type"], text, mark, cell["id"], ours))
    for mark in known.values():  # the gradebook knows it, but the released notebook lacks it
        notes.append(f"the cell {mark.name} was missing; it was put back")
        cells.append(Cell(mark.cell_type, mark.source, mark, mark.name, True))
    return Prepared(cells, notes)


def code_of(release: bytes) -> list[str]:
    """The texts of the code cells of a released notebook."""
    cells = json.loads(release)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def metadata_of(template: Template) -> dict[str, Any]:
    """The metadata of an autograded notebook: the release's, not what the submission claims."""
    metadata = dict(json.loads(template.release).get("metadata", {}))
    return metadata | ({"kernelspec": template.kernelspec} if template.kernelspec else {})
