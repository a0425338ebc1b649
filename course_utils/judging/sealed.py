"""Choices as students get them: no option says what it is worth until somebody chooses it.

Nobody can keep a secret in a file that checks answers without a network: whoever runs this code
for every letter learns the answer, as with `check`. It does not stand there to be read.
"""

import base64
import hashlib
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from course_utils.judging.exercise import Choice, Option

BLOCK = 256  # bytes: options of about the same length are of equal length when sealed


class SealedOptions(Mapping[str, Option]):
    """Letter -> option, each opened when it is asked for."""

    def __init__(self, salt: str, sealed: Mapping[str, str]) -> None:
        self.salt, self.sealed = salt, sealed

    def __getitem__(self, letter: str) -> Option:
        closed = base64.b64decode(self.sealed[letter])
        return Option(**json.loads(_mixed(closed, self.salt, letter)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.sealed)

    def __len__(self) -> int:
        return len(self.sealed)


@dataclass(frozen=True)
class SealedChoice(Choice):
    """A choice whose `right` is a salted hash."""

    salt: str

    def __post_init__(self) -> None:
        pass  # what it holds was checked before it was sealed

    def is_right(self, letter: str) -> bool:
        return self.right == hashed(self.salt, letter)


def sealed(
    name: str, points: float, section: str, salt: str, right: str, options: Mapping[str, str]
) -> SealedChoice:
    """What the file of a sealed choice calls."""
    return SealedChoice(name, points, section, right, SealedOptions(salt, options), salt)


def hashed(salt: str, letter: str) -> str:
    return hashlib.sha256(f"{salt}/right/{letter}".encode()).hexdigest()


def _mixed(text: bytes, salt: str, letter: str) -> bytes:
    """Sealed if it is open, open if it is sealed."""
    stream = hashlib.shake_256(f"{salt}/option/{letter}".encode()).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))


# Writing -----------------------------------------------------------------------------------------


def source(choice: Choice) -> str:
    """The file of a sealed choice; the same choice gives the same file."""
    salt = hashlib.sha256(repr(choice).encode()).hexdigest()[:32]
    opened = {letter: json.dumps(asdict(each)).encode() for letter, each in choice.options.items()}
    length = -(-max(map(len, opened.values())) // BLOCK) * BLOCK
    lines = [
        '"""What the options mean is sealed: `check` opens the one that you choose."""',
        "",
        "from course_utils.judging.sealed import sealed",
        "",
        "EXERCISE = sealed(",
        f"    name={choice.name!r},",
        f"    points={choice.points!r},",
        f"    section={choice.section!r},",
        f"    salt={salt!r},",
        f"    right={hashed(salt, choice.right)!r},",
        "    options={",
    ]
    for letter, text in opened.items():
        closed = base64.b64encode(_mixed(text.ljust(length), salt, letter)).decode()
        lines += [f"        {letter!r}: (", *(f"            {p!r}" for p in _pieces(closed))]
        lines += ["        ),"]
    return "\n".join([*lines, "    },", ")", ""])


def _pieces(text: str) -> list[str]:
    return textwrap.wrap(text, 76)
