"""A submission's folder is read within bounds, whatever stands in it."""

import os
from pathlib import Path
from typing import Any

import pytest

from autograder.course import Limits
from autograder.grading.prepare import Template
from autograder.grading.submissions import (
    Submission,
    Unusable,
    fingerprint,
    read_submission,
    seed_for,
)

UNIT = "01_unit"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / f"{UNIT}.ipynb").write_text("{}")
    return tmp_path


def read(folder: Path, student: str = "ann", disk_mb: int = 1) -> Submission:
    return read_submission(folder, (UNIT,), student, disk_mb)


def test_names_that_no_file_system_would_take_twice(folder: Path) -> None:
    (folder / ("n" * 254)).write_text("long")
    (folder / os.fsdecode(b"not\xff utf-8")).write_text("bytes")
    (folder / "data").mkdir()
    (folder / "data" / "numbers.txt").write_text("1")
    found = read(folder)
    assert found.files == (("data/numbers.txt", b"1"),)
    assert len(found.notes) == 2
    assert "longer than 200 bytes" in found.notes[1] + found.notes[0]
    for note in found.notes:
        note.encode()


def test_a_folder_with_the_name_of_the_notebook(tmp_path: Path) -> None:
    (tmp_path / f"{UNIT}.ipynb").mkdir()
    (tmp_path / f"{UNIT}.ipynb" / "x").write_text("in the way")
    (tmp_path / "timestamp.txt").mkdir()
    (tmp_path / "timestamp.txt" / "y").write_text("in the way")
    (tmp_path / "hw.ipynb").write_text("{}")
    found = read(tmp_path)
    assert (found.notebook, found.files, found.timestamp) == (b"{}", (), None)
    assert sum("has the name of a file" in note for note in found.notes) == 2


@pytest.mark.parametrize("student", ["i" * 250, os.fsdecode(b"ann\xff"), "漢" * 100])
def test_an_id_that_cannot_be_a_file_name(folder: Path, student: str) -> None:
    with pytest.raises(Unusable, match="rename it"):
        read(folder, student)


def test_huge_files_are_not_read(folder: Path) -> None:
    for name in ("timestamp.txt", "data.bin"):
        with (folder / name).open("wb") as file:
            file.truncate(1 << 40)  # sparse: takes no room on the disk, but would in memory
    found = read(folder)
    assert (found.files, found.timestamp) == ((), None)
    assert len(found.notes) == 2
    with (folder / f"{UNIT}.ipynb").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Unusable, match="larger than 20 MB"):
        read(folder)


def test_notes_are_few_however_many_files_there_are(folder: Path) -> None:
    for number in range(300):
        (folder / f"{number}.txt").write_text("x")
    found = read(folder)
    assert len(found.files) == 200
    assert len(found.notes) == 21
    assert found.notes[-1] == "… and 80 more"


def test_another_content_meets_other_seeds() -> None:
    one = Submission("ann", (b"notebook",), (("a", b"1"),), "yesterday")
    others = [
        Submission("ann", (b"notebook ",), (("a", b"1"),), None),
        Submission("ann", (b"notebook",), (("a", b"2"),), None),
        Submission("ann", (b"notebook",), (("b", b"1"),), None),
        Submission("ann", (b"notebook",), (), None),
        Submission("ann", (b"notebooka",), (("", b"1"),), None),
    ]
    seeds = {seed_for("secret", each) for each in (one, *others)}
    assert len(seeds) == 6
    assert seed_for("secret", one) == seed_for("secret", Submission("bob", *list_of(one)[1:]))
    assert seed_for("other", one) not in seeds


def list_of(submission: Submission) -> tuple[Any, ...]:
    return b"", submission.notebooks, submission.files, None


def test_equal_fingerprints_mean_equal_work() -> None:
    template = (Template(UNIT, (), None, b"{}"),)
    one = Submission("ann", (b"notebook",), (), "yesterday")
    same = fingerprint(one, template, "1", "s", Limits())
    assert same == fingerprint(one, template, "1", "s", Limits())
    late = Submission("ann", (b"notebook",), (), "today")
    assert same == fingerprint(late, template, "1", "s", Limits()), (
        "time costs points, no code runs"
    )
    plugin = fingerprint(one, template, "1", "s", Limits(), "nbgrader's own rules")
    assert plugin != fingerprint(late, template, "1", "s", Limits(), "nbgrader's own rules")
    assert same != fingerprint(one, template, "2", "s", Limits())
    assert same != fingerprint(one, template, "1", "t", Limits())
    assert same != fingerprint(one, template, "1", "s", Limits(memory_mb=1))
