"""docs/coverage.toml holds every topic, mistake and question of the source decks, and points to
headings that exist.
"""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COVERAGE = tomllib.loads((ROOT / "docs/coverage.toml").read_text(encoding="utf-8"))
UNITS = (
    "01_nadaraya_watson",
    "02_dot_product_attention",
    "03_masking",
    "04_seq2seq_attention",
    "05_multi_head_attention",
    "06_positional_encoding",
    "07_transformer_encoder",
    "08_transformer_decoder",
    "09_vision_transformer",
    "10_image_captioning",
)
MISTAKES = {"E0": 37, "E1": 13, "E2": 15, "E3": 33, "E4": 30}
TOPICS = {"D0": 26, "D1": 16, "D2": 15, "D3": 33, "D4": 17}
QUESTIONS = {"D1": 3, "D3": 2, "D4": 11}
ENTRIES = [entry for kind in ("topic", "mistake", "question") for entry in COVERAGE[kind]]


def headings(unit: str) -> list[str]:
    """The headings in the markdown cells of a lecture."""
    cells = (ROOT / "lectures" / f"{unit}.py").read_text(encoding="utf-8").split("# %%")
    return [
        match[1]
        for cell in cells
        if cell.startswith(" [markdown]")
        for match in re.finditer(r"^# #{1,3} (.+?)\s*$", cell, re.M)
    ]


def ids(kind: str) -> list[str]:
    """Every id of a kind once, in the file's order."""
    return list(dict.fromkeys(entry["id"] for entry in COVERAGE[kind]))


def test_the_file_holds_nothing_else() -> None:
    assert set(COVERAGE) == {"topic", "mistake", "question"}
    for entry in ENTRIES:
        assert set(entry) in ({"id", "what", "unit", "section"}, {"id", "what", "unit", "skip"}), (
            entry
        )
        assert entry["what"].strip(), entry


def test_every_mistake_is_there() -> None:
    assert ids("mistake") == [
        f"{deck}-{number:02}" for deck, count in MISTAKES.items() for number in range(1, count + 1)
    ]


@pytest.mark.parametrize(("kind", "counts"), [("topic", TOPICS), ("question", QUESTIONS)])
def test_every_line_of_a_deck_is_there(kind: str, counts: dict[str, int]) -> None:
    spans = []
    for identifier in ids(kind):
        match = re.fullmatch(r"(D\d):(\d+)(?:-(\d+))?", identifier)
        assert match, identifier
        spans.append((match[1], int(match[2]), int(match[3] or match[2])))
    assert {deck: sum(span[0] == deck for span in spans) for deck in counts} == counts
    assert spans == sorted(spans)
    assert all(first <= last for _, first, last in spans)


def test_an_id_is_given_to_a_unit_once() -> None:
    pairs = [
        (entry["id"], entry["unit"]) for kind in ("topic", "mistake") for entry in COVERAGE[kind]
    ]
    assert len(pairs) == len(set(pairs))


@pytest.mark.parametrize("unit", UNITS)
def test_sections_exist(unit: str) -> None:
    mine = [entry for entry in ENTRIES if entry["unit"] == unit]
    assert mine, f"nothing is planned for {unit}"
    if not (ROOT / "lectures" / f"{unit}.py").exists():
        assert not any(entry.get("section") for entry in mine), (
            f"{unit} has sections but no lecture"
        )
        return
    known = headings(unit)
    wrong = {
        entry["id"]: entry["section"]
        for entry in mine
        if "section" in entry and entry["section"] not in known
    }
    assert not wrong, f"headings that lectures/{unit}.py does not have: {wrong}"


def test_no_other_units_are_named() -> None:
    assert {entry["unit"] for entry in ENTRIES} <= set(UNITS)


def test_what_is_skipped_has_a_reason() -> None:
    skipped = [entry for entry in ENTRIES if "skip" in entry]
    assert len(skipped) == 1
    assert all(entry["skip"].strip() for entry in skipped)
