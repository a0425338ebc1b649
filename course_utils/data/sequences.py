"""The pairs that unit 04 translates: German number words and dates in six languages (made by
data/make_seq2seq.py)."""

from pathlib import Path

DATA = Path(__file__).parent


def read_rows(name: str) -> list[list[str]]:
    """The lines of `number_words` (digits, parts of the word) or `dates` (ISO date, language,
    text), each cut at its tabs."""
    text = (DATA / f"{name}.tsv").read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines()]


def spell(text: str) -> str:
    """A text as letters with spaces between them, and ␣ for a space: "3 may" -> "3 ␣ m a y"."""
    return " ".join(text.replace(" ", "␣"))
