"""Mends what front ends and students do to a notebook before it is graded: bytes in, a notebook
like the released one out.

Every cell of the release is looked for in the submission: by its id (which Colab also keeps in the
metadata), by nbgrader's grade id, by its text, by the name that it defines, by its neighbours. What
is found gets type, metadata and, if it was locked, text of the release; what is missing is put
back; answers are kept, and so are the student's own cells. Nothing else of the file survives: no
outputs, no widget state, no names of people. Whatever was only guessed says so (`uncertain`), for a
person to check.
"""

import ast
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autograder import outside

TYPES = ("code", "markdown", "raw")
MAX_CELLS, MAX_TEXT = 2000, 4_000_000  # cells, and characters in all of them
CHECK = "please check: "  # begins the note of every repair that was a guess
IDENTIFIER = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_PARSED = 50_000  # characters of one cell that are parsed: an answer has a few hundred
MAX_PARSED_ALL = 400_000  # of a whole notebook


class Unreadable(ValueError):
    """The file cannot be made a notebook; the message is the reason, in words."""


def repair(raw: bytes, release: bytes) -> tuple[dict[str, Any], list[str]]:
    """The repaired notebook, and a note for everything that was mended."""
    released = json.loads(release)
    pieces = [Piece.of(cell) for cell in parse(raw)["cells"]]
    space = MAX_PARSED_ALL
    for piece in pieces:
        size = len(piece.source)
        piece.parsed = size <= min(MAX_PARSED, space)
        space -= size if piece.parsed else 0
    mending = Mending([Home.of(cell, i) for i, cell in enumerate(released["cells"])], pieces)
    cells = mending.mend()
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": released.get("metadata", {}),
        "cells": cells,
    }, mending.notes


def uncertain(notes: Iterable[str]) -> list[str]:
    """The notes on repairs that a person should look at."""
    return [note.removeprefix(CHECK) for note in notes if note.startswith(CHECK)]


# Reading -----------------------------------------------------------------------------------------


def parse(raw: bytes) -> dict[str, Any]:
    """The notebook with text as text, every field of the type that it must have; Unreadable with
    the reason."""
    try:
        data = json.loads(raw.removeprefix(b"\xef\xbb\xbf"))  # a mark that Windows' editors write
    except (ValueError, RecursionError, MemoryError):
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
    if sum(len(cell["source"]) for cell in cells) > MAX_TEXT:
        raise Unreadable(f"the cells hold more than {MAX_TEXT // 1_000_000} MB of text")
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": metadata if isinstance(metadata, dict) else {},
        "cells": cells,
    }


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
    clean = {
        "cell_type": cell["cell_type"],
        "metadata": metadata if isinstance(metadata, dict) else {},
        "source": outside.valid(source, MAX_TEXT + 1).replace("\r\n", "\n"),
    }
    if isinstance(cell.get("id"), str):
        clean["id"] = cell["id"]
    return clean


def _grade_id(metadata: dict[str, Any]) -> str | None:
    mark = metadata.get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else None


def _tree(source: str) -> ast.Module | None:
    from course_utils.judging import syntax  # imports torch: only where a notebook is broken

    return syntax.parse(source)


# The two sides: cells of the release, and cells of the submission --------------------------------


def defined(source: str) -> dict[str, str]:
    """Top-level name -> the text that defines it."""
    found: dict[str, str] = {}
    tree = _tree(source)
    lines = source.splitlines()
    for node in tree.body if tree is not None else []:
        names: list[str] = []
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
            first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        found |= dict.fromkeys(names, "\n".join(lines[first - 1 : node.end_lineno]))
    return found


def imports_only(source: str) -> bool:
    tree = _tree(source)
    return (
        tree is not None
        and bool(tree.body)
        and all(isinstance(node, ast.Import | ast.ImportFrom) for node in tree.body)
    )


@dataclass(frozen=True)
class Home:
    """A cell of the release."""

    position: int
    id: str
    cell_type: str
    source: str
    metadata: dict[str, Any] = field(compare=False)

    @classmethod
    def of(cls, cell: dict[str, Any], position: int) -> "Home":
        return cls(
            position,
            cell.get("id", ""),
            cell["cell_type"],
            "".join(cell["source"]),
            cell.get("metadata", {}),
        )

    @cached_property
    def mark(self) -> dict[str, Any]:
        return dict(self.metadata.get("nbgrader") or {})

    @cached_property
    def name(self) -> str:
        return str(self.mark.get("grade_id") or self.id)

    @property
    def locked(self) -> bool:
        return bool(self.mark.get("locked"))

    @cached_property
    def is_test(self) -> bool:
        return bool(self.mark.get("grade")) and not self.mark.get("solution")

    @cached_property
    def is_answer(self) -> bool:
        return bool(self.mark.get("solution"))

    @cached_property
    def is_coded(self) -> bool:
        return self.is_answer and self.cell_type == "code"

    @cached_property
    def wanted(self) -> str | None:
        """The name that a coded answer has to define."""
        names = defined(self.source)
        return self.name if not names or self.name in names else next(iter(names))


@dataclass(eq=False)
class Piece:
    """A cell of the submission, and the cell of the release that it is, if any."""

    cell_type: str
    source: str
    id: str = ""
    known_as: tuple[str, ...] = ()  # names that it bears: id, Colab's id, grade id
    grade_id: str | None = None
    home: Home | None = None
    parsed: bool = True  # it is short enough to look for what it defines

    @classmethod
    def of(cls, cell: dict[str, Any]) -> "Piece":
        metadata = cell["metadata"]
        grade_id, colab = _grade_id(metadata), metadata.get("id")
        names = [cell.get("id"), colab, grade_id]
        return cls(
            cell["cell_type"],
            cell["source"],
            cell.get("id", ""),
            tuple(n for n in names if isinstance(n, str)),
            grade_id,
        )

    def says(self, home: Home) -> bool:
        """Is its text the released one?"""
        return self.source.strip() == home.source.strip()

    @cached_property
    def defines(self) -> dict[str, str]:
        return defined(self.source) if self.parsed else {}


# Mending -----------------------------------------------------------------------------------------


@dataclass
class Mending:
    homes: list[Home]
    pieces: list[Piece]
    notes: list[str] = field(default_factory=list)

    def mend(self) -> list[dict[str, Any]]:
        claims = self.claims()
        self.by_text(claims)
        for home in self.homes:
            self.choose(home, claims.get(home, []))
        for home in self.homes:
            if home.is_coded:
                self.by_definition(home)
        for home in self.homes:
            if home.is_answer:
                self.by_neighbours(home)
        self.join_halves()
        for home in self.homes:
            self.put_back(home)
        self.imports_first()
        self.tests_after_answers()
        return [self.restored(piece, number) for number, piece in enumerate(self.pieces)]

    def at(self, home: Home) -> Piece | None:
        return next((piece for piece in self.pieces if piece.home is home), None)

    def own(self) -> list[Piece]:
        """The student's own cells."""
        return [piece for piece in self.pieces if piece.home is None]

    # Whose cell is this?

    def claims(self) -> dict[Home, list[Piece]]:
        """Which cells bear the name of a released one."""
        names = {home.id: home for home in self.homes} | {
            home.name: home for home in self.homes if home.mark
        }
        found: dict[Home, list[Piece]] = {}
        for piece in self.pieces:
            bears = list(dict.fromkeys(names[name] for name in piece.known_as if name in names))
            if not bears:
                continue
            home = next(
                (each for each in bears if each.is_coded and each.wanted in piece.defines), bears[0]
            )
            others = [each for each in self.homes if each.is_coded and each.wanted in piece.defines]
            if home.mark and others and home not in others:  # an answer in another one's cell
                if home.is_test:
                    self.notes.append(
                        f"the test cell {home.name} held an answer, which was kept in a cell of"
                        " its own"
                    )
                    continue
                if not piece.says(home) and home.is_coded:
                    self.notes.append(
                        f"{CHECK}the cell {home.name} held the answer to {others[0].name}"
                    )
                    home = others[0]
            if home.mark and piece.grade_id != home.name:
                self.notes.append(
                    f"the cell {home.name} had lost its mark; it was recognised by its id"
                )
            found.setdefault(home, []).append(piece)
        return found

    def by_text(self, claims: dict[Home, list[Piece]]) -> None:
        """Released cells that nobody claims, found by their exact text."""
        claimed = {id(piece) for pieces in claims.values() for piece in pieces}
        for home in self.homes:
            for piece in self.pieces if home not in claims and home.source.strip() else []:
                if id(piece) not in claimed and piece.says(home):
                    claims[home] = [piece]
                    claimed.add(id(piece))
                    if home.mark:
                        self.notes.append(
                            f"the cell {home.name} had lost its mark and its id; it was"
                            " recognised by its text"
                        )
                    break

    def choose(self, home: Home, claimants: list[Piece]) -> None:
        """Of several cells with one name: for an answer, the last that was worked on; for any
        other, the last."""
        if not claimants:
            return
        best = claimants
        if home.is_answer:
            begun = [
                piece
                for piece in claimants
                if not piece.says(home) and (not home.is_coded or str(home.wanted) in piece.source)
            ]
            best = begun or [piece for piece in claimants if piece.says(home)] or best
        if home.is_coded:
            best = [piece for piece in best if home.wanted in piece.defines] or best
        chosen = best[-1]
        chosen.home = home
        if len(claimants) == 1 or not home.mark:
            return
        if home.is_answer and len({piece.source.strip() for piece in best}) > 1:
            self.notes.append(
                f"{CHECK}the cell {home.name} was there more than once with different answers;"
                " the last one counts"
            )
        else:
            kept = "the one that was worked on" if home.is_answer else "the last one"
            self.notes.append(f"the cell {home.name} was there more than once; {kept} counts")
        for piece in claimants:
            if piece is not chosen and (
                piece.says(home) or piece.source.strip() == chosen.source.strip()
            ):
                self.pieces.remove(piece)

    def by_definition(self, home: Home) -> None:
        """An answer that was written into another cell, found by the name that it defines."""
        there, wanted = self.at(home), home.wanted or ""
        if there is not None and not there.says(home) and wanted in there.defines:
            return
        stub = defined(home.source).get(wanted, "")
        homes = (
            [piece for piece in self.pieces if piece.home is not None and piece.home.is_answer]
            if there is None
            else []
        )
        found = [
            piece
            for piece in [*homes, *self.own()]
            if piece.defines.get(wanted, stub).strip() != stub.strip()
        ]
        if not found:
            return
        self.notes.append(
            f"{CHECK}the answer to {home.name} was found in another cell, which defines it"
        )
        answer = found[-1]
        if there is not None:
            there.home = None
            if there.says(home):
                self.pieces.remove(there)
        shared = [
            name
            for name in answer.defines
            if any(h.wanted == name for h in self.homes if h.is_coded)
        ]
        if answer.home is None and len(shared) == 1:
            answer.home = home
        else:  # one cell with several answers: each gets a cell with its own
            copied = Piece("code", answer.defines[wanted], home=home)
            self.pieces.insert(self.pieces.index(answer) + 1, copied)

    def by_neighbours(self, home: Home) -> None:
        """An answer without any name, found by where it stands: between the cells that surround it
        in the release."""
        there = self.at(home)
        if there is not None and (home.is_coded or not there.says(home)):
            return
        found = [
            piece
            for piece in self.between(home)
            if piece.cell_type == home.cell_type and piece.source.strip()
        ]
        if not found or (home.is_coded and len(found) > 1):
            return
        self.notes.append(
            f"{CHECK}the answer to {home.name} was found by its place between the other cells"
        )
        found[0].source = "\n\n".join(piece.source for piece in found)
        found[0].home = home
        for piece in [*found[1:], *([there] if there is not None else [])]:
            self.pieces.remove(piece)

    def between(self, home: Home) -> list[Piece]:
        """The student's own cells between the neighbours that a released cell had."""
        index = {
            piece.home.position: i for i, piece in enumerate(self.pieces) if piece.home is not None
        }
        before = [index[p] for p in range(home.position) if p in index]
        after = [index[p] for p in range(home.position + 1, len(self.homes)) if p in index]
        low, high = (before[-1] if before else -1), (after[0] if after else len(self.pieces))
        return [piece for piece in self.pieces[low + 1 : high] if piece.home is None]

    def join_halves(self) -> None:
        """A function that was split into two cells: the second one begins with an indented line."""
        for piece in list(self.pieces):
            if piece.home is None or not piece.home.is_coded or piece not in self.pieces:
                continue
            at = self.pieces.index(piece)
            rest = self.pieces[at + 1] if at + 1 < len(self.pieces) else None
            if (
                rest is None
                or rest.home is not None
                or rest.cell_type != "code"
                or not (piece.parsed and rest.parsed)
                or not rest.source.strip("\n")[:1].isspace()
            ):
                continue
            joined = piece.source.rstrip() + "\n" + rest.source.strip("\n")
            if _tree(joined) is not None:
                self.notes.append(
                    f"{CHECK}the cell {piece.home.name} was in two halves, which were joined"
                )
                piece.source = joined
                self.pieces.remove(rest)

    # What the course put there is there again

    def put_back(self, home: Home) -> None:
        """A graded cell that is missing goes after its answer, or where it stood; so does one with
        nothing but imports."""
        if self.at(home) is not None or not (
            home.mark or (home.cell_type == "code" and imports_only(home.source))
        ):
            return
        what = home.name if home.mark else "with the imports"
        self.notes.append(f"the cell {what} was missing; it was put back")
        answer = next(
            (
                h
                for h in self.homes
                if h.is_coded and home.is_test and home.name == f"test_{h.name}"
            ),
            None,
        )
        places = [
            i
            for i, piece in enumerate(self.pieces)
            if piece.home is not None and piece.home.position < home.position
        ]
        before = self.at(answer) if answer is not None else None
        if before is None and places:
            before = max(
                (self.pieces[i] for i in places),
                key=lambda piece: piece.home.position if piece.home is not None else -1,
            )
        self.pieces.insert(
            self.pieces.index(before) + 1 if before is not None else 0,
            Piece(home.cell_type, home.source, home=home),
        )

    def imports_first(self) -> None:
        """The released imports stand before the first answer, as they did."""
        first = next(
            (
                i
                for i, piece in enumerate(self.pieces)
                if piece.home is not None and piece.home.is_coded
            ),
            len(self.pieces),
        )
        late = [
            p
            for p in self.pieces[first:]
            if p.home is not None and p.home.cell_type == "code" and imports_only(p.home.source)
        ]
        start = min((home.position for home in self.homes if home.is_coded), default=0)
        for piece in late:
            if piece.home is not None and piece.home.position < start:
                self.notes.append(
                    "the cell with the imports stood after answers; it was moved before them"
                )
                self.pieces.remove(piece)
                self.pieces.insert(first, piece)

    def tests_after_answers(self) -> None:
        """A test never stands before the answer that it tests, nor before an earlier one, which
        that may need."""
        moved: list[Piece] = []
        for home in self.homes:
            test = self.at(home)
            if test is None or not home.is_test:
                continue
            answers = [
                p
                for p in self.pieces
                if p.home is not None and p.home.is_coded and p.home.position < home.position
            ]
            last = max((self.pieces.index(piece) for piece in answers), default=-1)
            if last > self.pieces.index(test):
                last = max([last, *(self.pieces.index(piece) for piece in moved)])
                self.notes.append(
                    f"the cell {home.name} stood before the answer; it was moved after it"
                )
                self.pieces.remove(test)
                self.pieces.insert(last, test)
                moved.append(test)

    def restored(self, piece: Piece, number: int) -> dict[str, Any]:
        """The cell as it goes on: type, metadata and id of the release, the student's text unless
        the cell was locked."""
        home, cell_type, source, metadata = piece.home, piece.cell_type, piece.source, {}
        ident = piece.id if self.free(piece, number) else f"own-{number}"
        if home is not None and home.id:
            ident = home.id
        if home is not None and home.mark:
            if cell_type != home.cell_type:
                self.notes.append(f"the cell {home.name} had become a {cell_type} cell")
                cell_type = home.cell_type
            if home.locked and not piece.says(home):
                self.notes.append(f"the cell {home.name} had been changed; it was restored")
            source = home.source if home.locked else source
            metadata = home.metadata
        cell: dict[str, Any] = {
            "cell_type": cell_type,
            "id": ident,
            "metadata": metadata,
            "source": source,
        }
        return cell | ({"execution_count": None, "outputs": []} if cell_type == "code" else {})

    def free(self, piece: Piece, number: int) -> bool:
        """May a cell of the student's keep its id?"""
        taken = {each.id for each in self.homes} | {
            each.id for each in self.pieces[:number] if each.home is None
        }
        return bool(IDENTIFIER.fullmatch(piece.id)) and piece.id not in taken
