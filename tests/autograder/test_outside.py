"""Whatever comes from outside leaves these functions bounded, valid and harmless."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from autograder import outside

ANY = st.text(st.characters(exclude_categories=()), max_size=200)


@given(ANY, st.integers(1, 50))
def test_a_text_is_valid_bounded_and_without_controls(value: str, most: int) -> None:
    clean = outside.text(value, most)
    assert len(clean) <= most
    assert clean.encode("utf-8").decode() == clean
    assert not any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t" for c in clean)


@given(ANY, st.integers(1, 50))
def test_a_line_is_one_line_and_no_markup(value: str, most: int) -> None:
    clean = outside.line(value, most)
    assert len(clean.splitlines()) <= 1
    assert "\x1b" not in clean
    assert Text.from_markup(clean).plain == clean
    assert len(clean) <= 2 * most


@pytest.mark.parametrize("value", ["[bold red]x[/]", "[/]", "[@click=f]", "\x1b[31mred", "a\nb\rc"])
def test_known_tricks_reach_no_terminal(value: str) -> None:
    clean = outside.line(value)
    assert Text.from_markup(clean).plain == clean
    assert not set(clean) & set("\x1b\n\r")


def test_plain_words_stay() -> None:
    assert outside.line("grade of x[0] is 1.5 (Äöü 漢字)") == "grade of x[0] is 1.5 (Äöü 漢字)"
    assert outside.text("a\tb\r\nc", 10) == "a\tb\nc"
    assert outside.valid("\x1b[31mred\ud800", 50) == "\x1b[31mred\ufffd"
    assert outside.text(None, 5) == outside.line(7) == outside.cell(None) == ""  # type: ignore[arg-type]
    assert outside.lines(["a", "b", "c"], 2) == ["a", "b", "… and 1 more"]


@given(ANY)
def test_a_cell_is_never_a_formula(value: str) -> None:
    clean = outside.cell(value)
    assert not clean or clean[0] not in "=@＝＋－＠"
    if clean and clean[0] in "+-":
        float(clean)


@pytest.mark.parametrize(
    ("value", "clean"),
    [("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("-1.5", "-1.5"), ("-cmd|x", "'-cmd|x")]
    + [("\t=1", "'=1"), ("Ann Lee", "Ann Lee")],
)
def test_cells(value: str, clean: str) -> None:
    assert outside.cell(value) == clean


@given(ANY, ANY)
def test_no_two_names_share_a_file(one: str, other: str) -> None:
    assert (outside.file_name(one) == outside.file_name(other)) == (one == other)
    assert 0 < len(outside.file_name(one).encode()) <= outside.NAME_BYTES
    assert not set(outside.file_name(one)) & set("/\0\\")
    assert not outside.file_name(one).startswith(".")


def test_names_that_people_have_stay() -> None:
    assert outside.file_name("ann_lee@example.org") == "ann_lee@example.org"
    assert outside.file_name("ann lee").startswith("ann_lee~")
    assert outside.file_name("ann_lee~" + outside.file_name("ann lee")[8:]) != outside.file_name(
        "ann lee"
    )
    assert outside.wrong_with_name("ann") == ""
    assert "UTF-8" in outside.wrong_with_name(os.fsdecode(b"ann\xff"))
    assert "200 bytes" in outside.wrong_with_name("漢" * 70)


def test_only_small_regular_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert outside.read_bounded(path, 5) == b"12345"
    with pytest.raises(outside.TooLarge, match="larger than 4 bytes"):
        outside.read_bounded(path, 4)
    os.truncate(path, 1 << 40)  # sparse: read at all, it would take the machine's memory
    with pytest.raises(outside.TooLarge):
        outside.read_bounded(path, 100)
    (tmp_path / "link").symlink_to(path)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", ".", "nothing"):
        with pytest.raises(OSError, match=r"is not a file|Too many levels|No such file"):
            outside.read_bounded(tmp_path / name, 100)
