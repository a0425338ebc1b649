"""Files submissions under submitted/STUDENT/UNIT: one repaired notebook each, with its time; older ones are kept in inbox/."""

import json
import os
import re
import shutil
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from autograder.collecting import archive, platforms
from autograder.collecting.platforms import Delivered, Roster, safe
from autograder.course import Course
from autograder.errors import UserError
from autograder.repair import CHECK, Unreadable, repair, uncertain

MAX_BESIDE = 50  # files beside the notebook
MAX_BESIDE_BYTES = 16 << 20
STAMP = "%Y-%m-%d %H:%M:%S UTC"  # what nbgrader reads in timestamp.txt
TAKEN = ("taken", "replaced")


@dataclass
class Taken:
    """What became of one student's submission."""

    student: str
    status: str = "missing"  # "taken", "replaced" (an older one), "unchanged", "older" (than what is there), "refused", "missing"
    time: str = ""
    late: bool = False
    file: str = ""
    layout: str = ""  # of the platform
    known_as: list[str] = field(default_factory=list)  # there, the surest name first
    upload: int = 0  # number that the platform gave the file
    repairs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def check(self) -> list[str]:
        """What a person should look at."""
        return uncertain([*self.repairs, *self.notes])


@dataclass
class Collected:
    """A whole collection."""

    unit: str
    layout: str
    students: list[Taken]
    strays: list[str]  # files that belong to nobody

    def count(self, *status: str) -> int:
        return sum(each.status in status for each in self.students)

    @property
    def good(self) -> bool:
        return not self.strays and not self.count("refused") and not any(each.check for each in self.students)

    def as_json(self) -> dict[str, Any]:
        return {"unit": self.unit, "layout": self.layout, "students": [asdict(s) for s in self.students], "strays": self.strays}


def collect(
    course: Course,
    unit: str,
    source: Path,
    layout: str | None = None,
    roster: Path | None = None,
    mapping: Path | None = None,
    times: Path | None = None,
    extensions: Path | None = None,
) -> Collected:
    """Take in a delivery: a zip or folder from a platform, a folder of repositories, or a plain folder."""
    release = course.released(unit).read_bytes()
    if roster is None and (course.root / "students.csv").is_file():
        roster = course.root / "students.csv"
    people = platforms.read_roster(roster, mapping)
    given = {safe(row["student"]): _moment(row["time"], times) for row in platforms.table(times, "student", "time")} if times else {}
    longer = extended(course, unit, extensions)
    found = archive.entries(source)
    layout = {"repositories": "repos"}.get(layout, layout) if layout else platforms.layout_of(found)
    files, strays = _by_student(platforms.delivered(found, layout, unit), people)
    claimed = {id(entry.read) for each in files.values() for entry in [d.entry for d in each]} | {id(s.entry.read) for s in strays}
    homeless = [f"{'/'.join(e.parts)}: {e.refused or 'it belongs to nobody'}" for e in found if id(e.read) not in claimed and e.refused]
    everybody = []
    for student in sorted(set(files) | set(people.students)):
        one = Taken(student, layout=layout)
        if student in files:
            _take(course, unit, release, one, files[student], given.get(student), longer.get(student))
        everybody.append(one)
    _grant(course, unit, {one.student: longer[one.student] for one in everybody if one.student in longer and one.status != "missing"})
    lost = sorted({f"{'/'.join(s.entry.parts)}: {s.who[0]!r} is nobody's name" for s in strays})
    result = Collected(unit, layout, everybody, homeless + lost)
    folder = course.root / "inbox" / unit
    for one in everybody:
        if one.status in TAKEN:
            _write(folder / "notes" / f"{one.student}.json", json.dumps(asdict(one), ensure_ascii=False, indent=1).encode())
    _write(folder / "report.json", json.dumps(result.as_json(), ensure_ascii=False, indent=1).encode())
    return result


def taken(course: Course, unit: str, student: str) -> Taken | None:
    """What is known about how a submission came in."""
    try:
        return Taken(**json.loads((course.root / "inbox" / unit / "notes" / f"{student}.json").read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def notes_of(course: Course, unit: str, student: str) -> tuple[str, ...]:
    """What collecting had to mend or to say about a submission, for whoever grades it."""
    one = taken(course, unit, student)
    return (*one.repairs, *one.notes) if one is not None else ()


def _by_student(delivered: Iterable[Delivered], people: Roster) -> tuple[dict[str, list[Delivered]], list[Delivered]]:
    files: dict[str, list[Delivered]] = defaultdict(list)
    strays = []
    for each in delivered:
        student = people.find(each.who)
        if student is None and not people.known:
            student = safe(each.who[0]) or None
        if student is None:
            strays.append(each)
        else:
            files[student].append(each)
    return files, strays


# One student -----------------------------------------------------------------------------------------------------------


def _take(
    course: Course, unit: str, release: bytes, one: Taken, files: list[Delivered], given: datetime | None, due: datetime | None
) -> None:
    """Choose, repair, file; `one` says what happened."""
    for each in files:
        if each.entry.refused:
            one.notes.append(f"{each.entry.name} was left out: {each.entry.refused}")
    usable = [each for each in files if not each.entry.refused]
    names = _released_names(release)
    notebooks = sorted(
        (each for each in usable if each.entry.name.lower().endswith(".ipynb")), key=lambda each: _rank(each, unit, names), reverse=True
    )
    if not notebooks:
        one.status = "refused"
        one.notes.append("there is no notebook among the files" if files else "nothing was handed in")
        return
    kept = None
    for position, chosen in enumerate(notebooks):
        try:
            notebook, repairs = repair(chosen.entry.read(), release)
        except (Unreadable, ValueError, OSError, zipfile.BadZipFile, RuntimeError) as error:
            one.notes.append(f"{chosen.entry.name} cannot be graded: {error}")
            continue
        if kept is None:
            kept = chosen
            one.repairs, one.file, one.known_as, one.upload = repairs, chosen.entry.name, list(chosen.who), chosen.number
            content, moment = _dump(notebook), _time(course, unit, one, chosen, given, due)
            if position:
                one.notes.append(f"{CHECK}the newest notebook could not be read; {chosen.entry.name} was taken instead")
        elif _base(chosen.entry.name) in (_base(kept.entry.name), unit):
            _keep(course, unit, one.student, _dump(notebook), chosen.entry.time, f"{chosen.number or position}")
            one.notes.append(f"an older version, {chosen.entry.name}, was kept in inbox/")
        else:
            one.notes.append(f"{CHECK}there was another notebook, {chosen.entry.name}; it was not taken")
    if kept is None:
        one.status = "refused"
        return
    if _base(kept.entry.name) != unit:
        one.notes.append(f"the notebook was called {kept.entry.name!r}")
    if sum("was missing" in note for note in one.repairs) > len(names) // 2:
        one.notes.append(f"{CHECK}most of the graded cells were not there: is this the assignment {unit}?")
    _file(course, unit, one, content, moment, _beside(usable, kept, one))


def _released_names(release: bytes) -> set[str]:
    marks = [cell.get("metadata", {}).get("nbgrader", {}) for cell in json.loads(release)["cells"]]
    return {mark["grade_id"] for mark in marks if "grade_id" in mark}


def _base(name: str) -> str:
    """A notebook's name without what browsers, Colab and platforms add to it."""
    stem = re.sub(r"\.ipynb$", "", name, flags=re.I)
    stem = re.sub(r"^(?:Copy[ _]of[ _]+)+", "", stem, flags=re.I)
    return re.sub(r"(?:[-_]\d{1,2}|\s?\(\d+\))+$", "", stem)


def _rank(each: Delivered, unit: str, names: set[str]) -> tuple[bool, bool, int, int, datetime]:
    """The notebook of this unit first, then the newest."""
    number = re.search(r"[-_(](\d{1,2})\)?\.ipynb$", each.entry.name)
    version = int(number[1]) if number and _base(each.entry.name) == unit else 0
    by_name = _base(each.entry.name) == unit
    try:
        by_content = by_name or any(f'"{name}"' in each.entry.read().decode("utf-8", "replace") for name in names)
    except (OSError, ValueError, RuntimeError, zipfile.BadZipFile):
        by_content = False
    return by_name, by_content, each.number, version, each.entry.time or datetime.min.replace(tzinfo=UTC)


def _time(course: Course, unit: str, one: Taken, chosen: Delivered, given: datetime | None, longer: datetime | None) -> datetime | None:
    """When it was handed in: as told, or by the file; a platform's own mark "late" is believed over the file."""
    due = longer or course.settings.due.get(unit)
    moment = given or chosen.entry.time
    if given is None and due is not None and moment is not None:
        if chosen.late and moment <= due:
            moment = due + timedelta(seconds=1)
            one.notes.append("the platform says late, but not how much: one day is counted; --times tells more")
        elif not chosen.late and chosen.number and moment > due:
            moment = due  # Canvas marks what is late: the times of the files are those of the download
    one.time = moment.astimezone(UTC).strftime(STAMP) if moment is not None else ""
    one.late = bool(due is not None and moment is not None and moment > due)
    return moment


def _beside(usable: list[Delivered], kept: Delivered, one: Taken) -> dict[str, bytes]:
    """Other files that were handed in with the notebook; none may pass for the course's own or for the time."""
    beside: dict[str, bytes] = {}
    space = MAX_BESIDE_BYTES
    for each in usable:
        name = "/".join(each.entry.parts)
        if each is kept or name.lower().endswith(".ipynb") or name == "timestamp.txt":
            continue
        if len(beside) >= MAX_BESIDE or each.entry.size > space or ".." in each.entry.parts:
            one.notes.append(f"{name} was left out: too many files, or too large")
            continue
        try:
            beside[name] = each.entry.read()
            space -= len(beside[name])
        except (OSError, ValueError, RuntimeError, zipfile.BadZipFile) as error:
            one.notes.append(f"{name} was left out: {error}")
    return beside


def _file(course: Course, unit: str, one: Taken, content: bytes, moment: datetime | None, beside: dict[str, bytes]) -> None:
    """Put it where nbgrader looks; what was there goes to inbox/ unless it is newer."""
    target = course.submitted / one.student / unit
    notebook, stamp = target / f"{unit}.ipynb", target / "timestamp.txt"
    one.status = "taken"
    if target.exists():
        before = _moment(stamp.read_text(encoding="utf-8"), stamp) if stamp.is_file() else None
        if notebook.is_file() and notebook.read_bytes() == content:
            one.status = "unchanged"
            if one.time and (before is None or before.strftime(STAMP) == one.time):
                return
            if before is not None and moment is not None and moment > before:
                return  # the same again, later: the earlier time is the better one
        elif before is not None and moment is not None and moment < before:
            one.status = "older"
            one.notes.append(f"it is older than what is there, of {before.strftime(STAMP)}; that one stays")
            _keep(course, unit, one.student, content, moment, "older")
            return
        else:
            one.status = "replaced"
            kept = course.root / "inbox" / unit / "replaced" / one.student / datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(target, kept)
            one.notes.append(f"the one before is in {kept.relative_to(course.root)}")
    aside = target.with_name(f".{unit}.new")
    shutil.rmtree(aside, ignore_errors=True)
    for name, data in beside.items():
        _write(aside / name, data)
    _write(aside / f"{unit}.ipynb", content)
    if one.time:
        _write(aside / "timestamp.txt", one.time.encode())
    shutil.rmtree(target, ignore_errors=True)
    os.replace(aside, target)


def _keep(course: Course, unit: str, student: str, content: bytes, moment: datetime | None, mark: str) -> None:
    when = moment.astimezone(UTC).strftime("%Y%m%d-%H%M%S") if moment is not None else "undated"
    _write(course.root / "inbox" / unit / "older" / student / f"{when}-{mark}.ipynb", content)


def _dump(notebook: dict[str, Any]) -> bytes:
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.new")
    aside.write_bytes(content)
    aside.replace(path)


# Due dates -------------------------------------------------------------------------------------------------------------


def _moment(text: str, where: Path | None) -> datetime:
    """A time as people and platforms write it; without a zone it is UTC."""
    from dateutil import parser  # type: ignore[import-untyped]

    try:
        found: datetime = parser.parse(text, default=datetime(2000, 1, 1, tzinfo=UTC))
    except (ValueError, OverflowError):
        raise UserError(f"{where}: {text!r} is not a time, such as 2027-03-01 12:00 UTC") from None
    return found


def extended(course: Course, unit: str, path: Path | None) -> dict[str, datetime]:
    """Student -> due date of one's own: [extensions] of course.toml, and a CSV file (student, due)."""
    given: dict[str, Any] = dict(course.settings.extensions.get(unit, {}))
    for row in platforms.table(path, "student", "due") if path else []:
        if row.get("unit", unit) in (unit, "", unit[:2]):
            given[row["student"]] = _moment(row["due"], path)
    for student, due in given.items():
        if not isinstance(due, datetime) or due.tzinfo is None:
            raise UserError(f"course.toml: the extension of {student} in {unit} must be a date and time with a time zone")
    return {safe(student): due for student, due in given.items()}


def _grant(course: Course, unit: str, longer: dict[str, datetime]) -> None:
    """Tell nbgrader, so that late penalties know."""
    from autograder.gradebook import opened

    due = course.settings.due.get(unit)
    if not longer or due is None:
        return
    with warnings.catch_warnings(), opened(course) as gradebook:
        warnings.simplefilter("ignore")  # SQLAlchemy's, on how nbgrader uses it
        for student, until in longer.items():
            gradebook.update_or_create_student(student)
            gradebook.update_or_create_submission(unit, student)
            minutes = max(0.0, (until - due).total_seconds() / 60)
            gradebook.grant_extension(unit, student, minutes=minutes)
