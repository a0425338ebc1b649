"""course.toml, checked completely: whatever is not understood is refused with its line and the
nearest name that is."""

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, get_type_hints
from zoneinfo import ZoneInfo

import msgspec

from autograder.errors import UserError
from autograder.points.policy import Questions, Rule, Scheme

Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e12, description="a positive number")]
Whole = Annotated[int, msgspec.Meta(gt=0, lt=10**9, description="a positive whole number")]
Count = Annotated[int, msgspec.Meta(ge=0, le=10_000, description="0 or a positive whole number")]
Amount = Annotated[float, msgspec.Meta(ge=0, lt=1e12, description="0 or a positive number")]
SHARE = "a share between 0 and 1 (0.1 is ten percent)"
Share = Annotated[float, msgspec.Meta(ge=0, le=1, description=SHARE)]
Percent = Annotated[float, msgspec.Meta(ge=0, le=100, description="between 0 and 100 percent")]
Text = Annotated[str, msgspec.Meta(description="a text in quotes")]
Names = Annotated[tuple[str, ...], msgspec.Meta(description='a list of names, such as ["softmax"]')]
MISSING = ("zero", "blank")


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    cell_seconds: Positive = 30.0
    submission_seconds: Positive = 300.0
    cpu_seconds: Positive = 240.0
    memory_mb: Whole = 2048
    processes: Whole = 64
    disk_mb: Whole = 64
    output_kb: Whole = 2048


@dataclass(frozen=True)
class Repository:
    owner: Text = "OWNER"
    name: Text = "REPOSITORY"
    branch: Text = "main"


@dataclass(frozen=True)
class Gradebook:
    url: Text = ""
    patience_seconds: Annotated[
        float, msgspec.Meta(ge=0, lt=1e9, description="a number of seconds")
    ] = 300.0


@dataclass(frozen=True)
class Late:
    penalty_per_day: Share = 0.0
    max_penalty: Share = 1.0
    grace_minutes: Amount = 0.0
    late_days: Count = 0
    unknown_days: Count = 1


@dataclass(frozen=True)
class Counting:
    best: Whole | None = None
    missing: Text = "zero"
    out_of: Positive = 100.0
    decimals: Annotated[int, msgspec.Meta(ge=0, le=6, description="between 0 and 6")] = 2


@dataclass(frozen=True)
class Changed:
    drop: Names = ()
    full_credit: Names = ()


SECTIONS: dict[str, Any] = {
    "student_repository": Repository,
    "gradebook": Gradebook,
    "late": Late,
    "limits": Limits,
    "total": Counting,
}


@dataclass(frozen=True)
class Settings:
    """course.toml."""

    title: str = "Attention and Transformers"
    timezone: str = "UTC"  # of times without a zone: in zip files, worksheets and course.toml
    site: str = ""  # where `make site` is published: pages link to its lectures
    student_repository: dict[str, str] = field(default_factory=dict)
    gradebook: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    open: dict[str, datetime] = field(default_factory=dict)
    due: dict[str, datetime] = field(default_factory=dict)
    late: Rule = field(default_factory=Rule)
    extensions: dict[str, dict[str, datetime]] = field(default_factory=dict)  # unit -> student
    questions: dict[str, Questions] = field(default_factory=dict)
    total: Scheme = field(default_factory=Scheme)
    letters: dict[str, float] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def read(cls, path: Path, units: Callable[[str], str | None] | None = None) -> "Settings":
        """The settings in a file; `units` turns whatever a unit may be called into its name."""
        return Reader(path, units or (lambda name: name)).settings()

    @property
    def zone(self) -> tzinfo:
        return UTC if self.timezone == "UTC" else ZoneInfo(self.timezone)

    @property
    def repository(self) -> Repository:
        return Repository(**self.student_repository)


class Reader:
    """Reads one file; every complaint names its line."""

    def __init__(self, path: Path, units: Callable[[str], str | None]) -> None:
        self.path, self.units = path, units
        try:
            self.text = path.read_text(encoding="utf-8-sig")
            self.data: dict[str, Any] = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise UserError(f"{path} is not valid TOML: {error}") from None
        except UnicodeDecodeError:
            raise UserError(f"{path} is not UTF-8 text") from None
        self.zone: tzinfo | None = None

    def settings(self) -> Settings:
        known = [each.name for each in dataclasses.fields(Settings)]
        for key in self.data:
            if key not in known:
                raise self.unknown("entry", key, known, ())
        found: dict[str, Any] = {
            key: self.value((key,), self.data[key], Text)
            for key in ("title", "timezone", "site")
            if key in self.data
        }
        if "timezone" in found:
            self.zone = self._zone(found["timezone"])
        for name, kind in SECTIONS.items():
            found[name] = self.section(name, kind)
        for name in ("open", "due"):
            found[name] = self.by_unit(name, self.moment)
        found["weights"] = self.by_unit("weights", lambda at, value: self.value(at, value, Amount))
        found["extensions"] = self.by_unit("extensions", self.students)
        found["questions"] = self.by_unit("questions", self.changed)
        found["letters"] = self.letters()
        found["total"] = self.scheme(found)
        found["late"] = Rule(**found["late"])
        found["limits"] = Limits(**found["limits"])
        return Settings(**found)

    def section(self, name: str, kind: Any) -> dict[str, Any]:
        """A table with fixed entries."""
        hints = get_type_hints(kind, include_extras=True)
        found = {}
        for key, value in self.table((name,)).items():
            if key not in hints:
                raise self.unknown("limit" if name == "limits" else "entry", key, hints, (name,))
            found[key] = self.value((name, key), value, hints[key])
        return found

    def by_unit(self, name: str, read: Callable[[tuple[str, ...], Any], Any]) -> dict[str, Any]:
        """A table whose entries are units, by number, name or title."""
        found: dict[str, Any] = {}
        for key, value in self.table((name,)).items():
            try:
                unit = self.units(key)
            except UserError as error:
                raise UserError(f"{self.at((name, key))}: in [{name}], {error}") from None
            if unit is None or unit in found:
                again = f"{unit} is there twice" if unit else f"there is no unit {key!r}"
                raise UserError(f"{self.at((name, key))}: in [{name}], {again}")
            found[unit] = read((name, key), value)
        return found

    def table(self, at: tuple[str, ...]) -> Mapping[str, Any]:
        found: Any = self.data
        for key in at:
            found = found.get(key, {})
        if not isinstance(found, dict):
            raise UserError(f"{self.at(at)}: {'.'.join(at)} must be a table, [{'.'.join(at)}]")
        return found

    def value(self, at: tuple[str, ...], value: Any, kind: Any) -> Any:
        try:
            if isinstance(value, bool):  # which Python takes for a number
                raise msgspec.ValidationError
            return msgspec.convert(value, kind)
        except msgspec.ValidationError:
            what = next((m.description for m in _metas(kind) if m.description), "something else")
            where = f" in [{'.'.join(at[:-1])}]" if at[1:] else ""
            said = f"{at[-1]}{where} must be {what}, not {value!r}"
            raise UserError(f"{self.at(at)}: {said}") from None

    def moment(self, at: tuple[str, ...], value: Any) -> datetime:
        if isinstance(value, datetime) and value.tzinfo is None and self.zone is not None:
            value = value.replace(tzinfo=self.zone)
        if not isinstance(value, datetime) or value.tzinfo is None:
            what = "a date and time with a time zone, such as 2027-03-01T23:59:00+01:00"
            where = f"{at[-1]} in [{'.'.join(at[:-1])}]"
            hint = '(or name one for all: timezone = "Europe/Berlin")'
            raise UserError(f"{self.at(at)}: {where} must be {what}, not {value} {hint}")
        return value

    def students(self, at: tuple[str, ...], value: Any) -> dict[str, datetime]:
        if not isinstance(value, dict):
            raise UserError(f"{self.at(at)}: extensions are per student, such as anna = TIME")
        return {student: self.moment((*at, student), due) for student, due in value.items()}

    def changed(self, at: tuple[str, ...], value: Any) -> Questions:
        if not isinstance(value, dict):
            raise UserError(f"{self.at(at)}: [questions.{at[-1]}] holds drop and full_credit")
        hints = get_type_hints(Changed, include_extras=True)
        for key in value:
            if key not in hints:
                raise self.unknown("entry", key, hints, at)
        return Questions(**{k: self.value((*at, k), v, hints[k]) for k, v in value.items()})

    def letters(self) -> dict[str, float]:
        rows = self.table(("letters",))
        found = {key: self.value(("letters", key), value, Percent) for key, value in rows.items()}
        if found and 0 not in found.values():
            said = "one of [letters] must begin at 0, or there are scores without a letter"
            raise UserError(f"{self.at(('letters',))}: {said}")
        if len(set(found.values())) < len(found):
            raise UserError(f"{self.at(('letters',))}: two of [letters] begin at the same score")
        return found

    def scheme(self, found: dict[str, Any]) -> Scheme:
        given, weights = found["total"], found["weights"]
        if given.get("missing", "zero") not in MISSING:
            raise self.unknown("value", given["missing"], MISSING, ("total", "missing"))
        if weights and not any(weights.values()):
            raise UserError(f"{self.at(('weights',))}: some unit must have a weight above 0")
        return Scheme(weights=weights, letters=found["letters"], **given)

    def _zone(self, name: str) -> tzinfo:
        try:
            return ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            said = f"there is no time zone {name!r}, such as Europe/Berlin"
            raise UserError(f"{self.at(('timezone',))}: {said}") from None

    def unknown(self, what: str, key: str, known: Any, at: tuple[str, ...]) -> UserError:
        where = f" in [{'.'.join(at)}]" if at and what != "limit" else ""
        said = f"unknown {what} {key!r}{where}{nearest(key, known)}"
        return UserError(f"{self.at((*at, key))}: {said}; known are {', '.join(sorted(known))}")

    def at(self, keys: tuple[str, ...]) -> str:
        """The file, and the line in which an entry stands."""
        line = line_of(self.text, keys)
        return f"{self.path}, line {line}" if line else f"{self.path}"


def _metas(kind: Any) -> list[msgspec.Meta]:
    """The descriptions in a type, inside an optional too."""
    found = [each for each in getattr(kind, "__metadata__", ()) if isinstance(each, msgspec.Meta)]
    return found + [meta for each in getattr(kind, "__args__", ()) for meta in _metas(each)]


def nearest(name: str, known: Any) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f", did you mean {near[0]!r}?" if near else ""


KEY = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""


def line_of(text: str, keys: tuple[str, ...]) -> int | None:
    """The line of an entry of a TOML file; of its table, where that is all that can be told."""
    table: tuple[str, ...] = ()
    best: tuple[int, int] = (0, 0)  # how many keys agree, and the line
    for number, line in enumerate(text.splitlines(), 1):
        if head := re.match(rf"\s*\[+\s*({KEY}(?:\s*\.\s*{KEY})*)\s*\]", line):
            table = _parts(head[1])
            here = table
        elif entry := re.match(rf"\s*({KEY}(?:\s*\.\s*{KEY})*)\s*=", line):
            here = (*table, *_parts(entry[1]))
        else:
            continue
        if here == keys[: len(here)] and len(here) > best[0]:
            best = (len(here), number)
    return best[1] or None


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(KEY, dotted))
