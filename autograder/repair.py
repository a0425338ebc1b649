"""Mends what front ends and students do to a notebook, before it is graded: bytes in, a notebook in the current format out."""

import json
from typing import Any

TYPES = ("code", "markdown", "raw")
MAX_CELLS = 2000


class Unreadable(ValueError):
    """The file cannot be made a notebook; the message is the reason, in words."""


def repair(raw: bytes, release: bytes) -> tuple[dict[str, Any], list[str]]:
    """The notebook with clean cells whose graded ones carry their grade id again, and a note for everything that was mended."""
    notebook = parse(raw)
    names = _names(json.loads(release))
    notes: list[str] = []
    there = {_grade_id(cell) for cell in notebook["cells"]}
    for cell in notebook["cells"]:
        name = cell.get("id")
        if _grade_id(cell) is None and name in names and name not in there:
            cell["metadata"]["nbgrader"] = {"grade_id": name}
            there.add(name)
            notes.append(f"the cell {name} had lost its mark; it was recognised by its id")
    return notebook, notes


def parse(raw: bytes) -> dict[str, Any]:
    """The notebook with text as text, every field of the type that it must have; Unreadable with the reason."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError):
        raise Unreadable("the file is not JSON: it was cut off or is not a notebook") from None
    if not isinstance(data, dict):
        raise Unreadable("the file is JSON, but not a notebook")
    if data.get("nbformat") == 3:
        data = _upgrade(raw)
    if not isinstance(data.get("cells"), list):
        raise Unreadable("the file is JSON, but not a notebook")
    if len(data["cells"]) > MAX_CELLS:
        raise Unreadable(f"the notebook has more than {MAX_CELLS} cells")
    metadata = data.get("metadata")
    cells = [_cell(cell) for cell in data["cells"]]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata if isinstance(metadata, dict) else {}, "cells": cells}


def _upgrade(raw: bytes) -> dict[str, Any]:
    import nbformat

    try:
        return dict(json.loads(nbformat.writes(nbformat.reads(raw.decode("utf-8"), as_version=4))))
    except Exception:
        raise Unreadable("the notebook is of an old format and cannot be converted") from None


def _cell(cell: Any) -> dict[str, Any]:
    if not isinstance(cell, dict) or cell.get("cell_type") not in TYPES:
        raise Unreadable("the file is JSON, but some of its cells are not cells")
    source = cell.get("source", "")
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(source, str):
        raise Unreadable("the file is JSON, but some of its cells hold no text")
    metadata = cell.get("metadata")
    clean = {"cell_type": cell["cell_type"], "metadata": metadata if isinstance(metadata, dict) else {}, "source": source}
    if isinstance(cell.get("id"), str):
        clean["id"] = cell["id"]
    return clean


def _grade_id(cell: dict[str, Any]) -> str | None:
    mark = cell["metadata"].get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else None


def _names(release: dict[str, Any]) -> set[str]:
    marks = [cell.get("metadata", {}).get("nbgrader", {}) for cell in release["cells"]]
    return {mark["grade_id"] for mark in marks if "grade_id" in mark}
