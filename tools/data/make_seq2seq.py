"""Makes number_words.tsv and dates.tsv, the data of unit 04 (needs num2words and babel; students do
not).

python tools/data/make_seq2seq.py
"""

import datetime
import random
import re
from pathlib import Path

from babel.dates import format_date
from num2words import num2words

DATA = Path(__file__).resolve().parents[2] / "course_utils" / "data"
LANGUAGES = {
    "English": "en",
    "German": "de",
    "French": "fr",
    "Spanish": "es",
    "Italian": "it",
    "Hungarian": "hu",
}
FORMATS = ["full", "long", "medium", "d MMMM y", "EEEE d MMMM y"]
ONES = [
    "eins",
    "eine",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
]
TEENS = ["dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"]
TENS = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
PARTS = re.compile(
    "|".join(sorted([*ONES, *TEENS, *TENS, "hundert", "tausend", "und"], key=len, reverse=True))
)


def number_words(count: int) -> list[str]:
    """Lines `digits<tab>parts of the word`, in random order: 25 -> "0025", "fünf und zwanzig"."""
    lines = []
    for number in random.Random(0).sample(range(1, 10_000), count):
        word = num2words(number, lang="de").replace(" ", "")
        parts = PARTS.findall(word)
        if "".join(parts) != word:
            raise ValueError(f"{word} is not made of the known parts: {parts}")
        lines.append(f"{number:04d}\t{' '.join(parts)}")
    return lines


def dates(count: int) -> list[str]:
    """Lines `ISO date<tab>language<tab>text`, days from 1950 to 2049 in six languages and five
    formats.
    """
    draw = random.Random(0)
    lines: set[str] = set()
    first = datetime.date(1950, 1, 1)
    while len(lines) < count:
        day = first + datetime.timedelta(days=draw.randrange(36_525))
        language, form = draw.choice(list(LANGUAGES)), draw.choice(FORMATS)
        text = format_date(day, form, locale=LANGUAGES[language]).lower()
        lines.add(f"{day.isoformat()}\t{language}\t{text}")
    return draw.sample(sorted(lines), count)


if __name__ == "__main__":
    (DATA / "number_words.tsv").write_text("\n".join(number_words(4_000)) + "\n", encoding="utf-8")
    (DATA / "dates.tsv").write_text("\n".join(dates(5_000)) + "\n", encoding="utf-8")
