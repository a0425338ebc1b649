"""Files submissions under submitted/STUDENT/UNIT: one repaired notebook each, with what is known of
its time. No submission ends a collection: each is filed, or is one line of the report."""

import errno
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder import fit, outside
from autograder.collecting import archive, filing, platforms, taken, times
from autograder.collecting.archive import FAILURES, Entry
from autograder.collecting.platforms import Delivered, Roster, fold, safe
from autograder.collecting.repair import CHECK, repair
from autograder.collecting.taken import Collected, Taken
from autograder.collecting.taken import notes_of as notes_of
from autograder.course import Course, marks
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.points import facts, finals
from autograder.points.policy import HandIn

MAX_NOTEBOOKS = 20  # of one student, that are looked at
NOTEBOOK = re.compile(r"\.ipynb(?:\.(?:txt|json))?$", re.IGNORECASE)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # not a student's doing
STAMPED = ("folder",)  # layouts whose files bear the time of hand-in; elsewhere it is the download
ASK = {  # ending -> what was handed in instead of a notebook, and what to do
    "html": "a text or a link that was typed into the platform",
    "py": "a script",
    "pdf": "a printout",
    "txt": "a text",
    "docx": "a text document",
    "zip": "a zip file without a notebook in it",
}


def collect(
    course: Course,
    unit: str,
    source: Path,
    layout: str | None = None,
    roster: Path | None = None,
    mapping: Path | None = None,
    told: Path | None = None,
    extensions: Path | None = None,
) -> Collected:
    """Take in a delivery: a zip or folder of a platform, of repositories, or of students."""
    releases = Release.all_of(course, unit)
    fit.check(course, unit)
    people = platforms.read_roster(roster or course.roster, mapping)
    known = times.read(told, course.settings.zone) if told else None
    if extensions is not None:
        facts.extend(course, unit, extensions, people)
    found = archive.entries(source)
    layout = {"repositories": "repos"}.get(layout or "", layout)
    layout = layout or platforms.layout_of(found, people)
    files, strays = sort(found, layout, unit, people, source)
    result = Collected(unit, layout, [], strays)
    job = Job(course, unit, releases, people, known, facts.Ledger(course), result)
    for student in sorted(set(files) | set(people.students)):
        result.students.append(job.one(student, files.get(student, [])))
    _remark(result, course, unit)
    report = json.dumps(result.as_json(), ensure_ascii=False, indent=1)
    write_whole(taken.folder(course, unit) / "report.json", report)
    finals.settle(course, unit)
    return result


def sort(
    found: list[Entry], layout: str, unit: str, people: Roster, source: Path
) -> tuple[dict[str, list[Delivered]], list[str]]:
    """Student -> files, and a line for every file that belongs to nobody."""
    files: dict[str, list[Delivered]] = defaultdict(list)
    strays, nobodies = [], set()
    for entry, each in zip(found, platforms.delivered(found, layout, unit, people), strict=True):
        name = outside.line("/".join(entry.parts), 200)
        if each is None:
            if entry.refused:
                strays.append(f"{name}: {entry.refused}")
            continue
        student = people.bearer(each, layout)
        if student is None and not people.known:
            student = safe(each.who[0]) if each.who[0] else None
        if student is None:
            nobodies.add(each.who[0])
            strays.append(f"{name}: {outside.line(each.who[0], 100)!r} is nobody's name")
        else:
            files[student].append(each)
    if len(nobodies) > max(1, len(files)):
        some = ", ".join(outside.line(each, 40) or "(no name)" for each in sorted(nobodies)[:3])
        raise UserError(
            f"most of what is in {source} belongs to nobody ({some} …), read as {layout}:"
            " is it the right roster, and the right platform (--from)?"
        )
    return _one_person_each(files, layout, strays), strays


def _one_person_each(
    files: dict[str, list[Delivered]], layout: str, strays: list[str]
) -> dict[str, list[Delivered]]:
    """Two people whom a platform tells apart are never taken for one student."""
    for student in list(files):
        people = {each.who[0] for each in files[student]}
        if len(people) > 1 and (layout in ("canvas", "moodle") or _told_apart(files[student])):
            listed = " and ".join(sorted(outside.line(each, 40) for each in people)[:5])
            strays.append(f"{student}: {listed} are different people there; nothing was taken")
            del files[student]
    return files


def _told_apart(files: list[Delivered]) -> bool:
    """Folders whose names become the same id, though nothing says that they are one person."""
    return len({each.who for each in files if len(each.who) == 1}) > 1


def _remark(result: Collected, course: Course, unit: str) -> None:
    """What holds for the whole collection."""
    if course.settings.due.get(unit) is None:
        return
    unknown = [s for s in result.students if s.source == "none" and s.status in FILED]
    if unknown:
        where = {"moodle": "its grading worksheet", "canvas": "a table student,time"}
        given = where.get(result.layout, "a table student,time")
        result.notes.append(
            f"nobody can say when {len(unknown)} of them were handed in, so they count as in time:"
            f" give {given} with --times"
        )


FILED = ("taken", "replaced", "unchanged")


# The release -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Release:
    """The notebook that was given out, and by which names those of other units are known."""

    name: str
    content: bytes
    names: frozenset[str]
    others: dict[str, frozenset[str]]  # unit -> names of its graded cells that no other unit has

    @classmethod
    def all_of(cls, course: Course, unit: str) -> "list[Release]":
        """All notebooks of a unit; another course may have several."""
        paths = course.releases(unit)
        mine = _marked(paths)
        others = {each: _marked(_released(course, each)) - mine for each in course.unit_names}
        del others[unit]
        return [
            cls(name, path.read_bytes(), frozenset(marks(path)), others)
            for name, path in paths.items()
        ]

    def another(self, text: str) -> str | None:
        """The unit to which a notebook belongs, if most of its cells are there and none is here."""
        if any(f'"{name}"' in text for name in self.names if name not in COMMON):
            return None
        for unit, names in self.others.items():
            there = sum(f'"{name}"' in text for name in names)
            if names and 2 * there > len(names):
                return unit
        return None


COMMON = ("imports", "total")  # cells that every unit has


def _released(course: Course, unit: str) -> dict[str, Path]:
    try:
        return course.releases(unit)
    except UserError:
        return {}


def _marked(notebooks: dict[str, Path]) -> frozenset[str]:
    return frozenset(name for path in notebooks.values() for name in marks(path))


# One student -------------------------------------------------------------------------------------


@dataclass
class Job:
    """What is the same for all students of a collection."""

    course: Course
    unit: str
    releases: list[Release]
    people: Roster
    known: times.Moments | None
    ledger: facts.Ledger
    result: Collected

    def one(self, student: str, files: list[Delivered]) -> Taken:
        """Take in one student's files; whatever is wrong with them is in what it returns."""
        one = Taken(student, layout=self.result.layout)
        if not files:
            return one
        try:
            self.take(one, files)
        except OSError as error:
            if error.errno in FULL:
                raise UserError(f"cannot write {error.filename}: {error.strerror}") from None
            self.refuse(one, f"it could not be filed: {error.strerror or error}")
        except Exception as error:  # a submission that nobody has thought of is one line
            self.refuse(one, f"it could not be collected: {type(error).__name__}: {error}")
        one.repairs, one.notes, one.said = (
            outside.lines(each, 50) for each in (one.repairs, one.notes, one.said)
        )
        until = self.ledger.deadline(self.unit, student)
        one.late = facts.is_late(one.came, until, self.course.settings.late)
        return one

    def refuse(self, one: Taken, reason: str) -> None:
        one.status = "refused"
        one.notes.append(outside.line(reason, 400))

    def take(self, one: Taken, files: list[Delivered]) -> None:
        """Choose, repair, file."""
        usable = self.usable(one, files)
        notebooks = [each for each in usable if NOTEBOOK.search(each.entry.name)]
        if not notebooks:
            self.refuse(one, self.instead(one, files))
            return
        kept, content = self.choose(one, notebooks)
        if not kept:
            self.refuse(one, f"ask {self.called(one.student)} for {self.wanted}")
            return
        newest = max(kept, key=lambda each: each.number)
        one.file, one.known_as = newest.entry.name, list(newest.who)
        one.upload = newest.number
        one.came = self.came(one, newest)
        others = filing.beside(usable, kept, one, tuple(content))
        filing.file(self.course, self.unit, one, content, others)

    @property
    def wanted(self) -> str:
        return " and ".join(f"{release.name}.ipynb" for release in self.releases)

    def choose(
        self, one: Taken, notebooks: list[Delivered]
    ) -> tuple[list[Delivered], dict[str, bytes]]:
        """The files that count, and what is filed under which name."""
        kept, content = [], {}
        for release in self.releases:
            mine = [each for each in notebooks if self.may_be(each, release)]
            choice = Choice(self, one, release, mine)
            choice.look()
            if choice.kept is not None:
                kept.append(choice.kept)
                content[f"{release.name}.ipynb"] = choice.content
            elif len(self.releases) > 1:
                one.notes.append(f"{CHECK}{release.name}.ipynb was not handed in")
        names = {release.name for release in self.releases}
        for each in notebooks if len(names) > 1 else ():
            if base(each.entry.name) not in names:
                name = outside.line(each.entry.name, 100)
                one.notes.append(f"{CHECK}there was another notebook, {name}; it was not taken")
        return kept, content

    def may_be(self, each: Delivered, release: Release) -> bool:
        """One of several notebooks is known by its name; a single one may be called anything."""
        return len(self.releases) == 1 or base(each.entry.name) == release.name

    def usable(self, one: Taken, files: list[Delivered]) -> list[Delivered]:
        """What may be read, zips opened; what may not is said."""
        found, left_out = [], []
        for each in files:
            for entry in archive.opened(each.entry):
                if entry.refused:
                    left_out.append(f"{entry.name} was left out: {entry.refused}")
                else:
                    found.append(Delivered(each.who, entry, each.late, each.number))
        one.said += outside.lines(left_out, 10)
        return found

    def called(self, student: str) -> str:
        name = self.people.name(student)
        return f"{outside.line(name, 80)} ({student})" if name else student

    def instead(self, one: Taken, files: list[Delivered]) -> str:
        """What was handed in instead of a notebook, and what to do."""
        names = [each.entry.name for each in files]
        kinds = [ASK.get(name.rpartition(".")[2].lower(), "a file") for name in names]
        listed = ", ".join(f"{outside.line(name, 60)}" for name in names[:5])
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        what = " and ".join(dict.fromkeys(kinds))
        return (
            f"there is no notebook among the files, only {what} ({listed}{more}):"
            f" ask {self.called(one.student)} for {self.wanted}"
        )

    def came(self, one: Taken, chosen: Delivered) -> HandIn:
        """When it was handed in: as told, by the platform's mark, or by the outermost file."""
        zone = self.course.settings.zone
        if self.known is not None:
            row = self.people.students.get(one.student, {})
            names = [one.student, *chosen.who, *row.values()]
            if (time := self.known.of(names, fold)) is not None:
                source = "told" if self.known.told else "worksheet"
                return HandIn(time, source, self.known.zone)
        if chosen.late:
            return HandIn(None, "mark")
        if self.result.layout == "canvas":
            return HandIn(None, "unmarked")
        time = chosen.entry.time
        if time is None or self.result.layout not in STAMPED or time.year < 1990:
            return HandIn()
        if time.tzinfo is None:
            return HandIn(time.replace(tzinfo=zone), "entry", str(zone))
        return HandIn(time, "file", "UTC")


@dataclass
class Choice:
    """Which of a student's notebooks counts."""

    job: Job
    one: Taken
    release: Release
    notebooks: list[Delivered]
    kept: Delivered | None = None
    content: bytes = b""

    def look(self) -> None:
        """The best one that can be read is kept; `one` says what became of the others."""
        ranked = sorted(self.notebooks[:MAX_NOTEBOOKS], key=self.rank, reverse=True)
        left = len(self.notebooks) - len(ranked)
        if left:
            self.one.notes.append(f"{CHECK}{left} more notebooks were not looked at")
        failed = False
        for position, each in enumerate(ranked):
            name = outside.line(each.entry.name, 100)
            if (unit := self.release.another(text_of(each.entry))) is not None:
                typed = self.job.course.typed(unit)
                self.one.notes.append(
                    f"{name} is the notebook of {unit}: hand it to `autograder collect {typed}`"
                )
                continue
            try:
                notebook, repairs = repair(each.entry.read(), self.release.content)
            except FAILURES as error:
                self.one.notes.append(f"{name} cannot be graded: {error}")
                failed = True
                continue
            if self.kept is None:
                self.keep(each, notebook, repairs, failed)
            else:
                self.other(each, notebook, position)

    def rank(self, each: Delivered) -> tuple[bool, bool, int, int, datetime]:
        """The notebook of this unit first, then the newest."""
        name = each.entry.name
        by_name = base(name) == self.release.name
        number = re.search(r"[-_(](\d{1,2})\)?\.ipynb", name)
        version = int(number[1]) if number and by_name else 0
        text = "" if by_name else text_of(each.entry)
        by_content = by_name or any(f'"{known}"' in text for known in self.release.names)
        time = each.entry.time or datetime.min
        return by_name, by_content, each.number, version, time.replace(tzinfo=UTC)

    def keep(
        self, each: Delivered, notebook: dict[str, Any], repairs: list[str], failed: bool
    ) -> None:
        one, unit, name = self.one, self.release.name, outside.line(each.entry.name, 100)
        self.kept, self.content, one.repairs = each, dump(notebook), repairs
        if failed:
            one.notes.append(
                f"{CHECK}the newest notebook could not be read; {name} was taken instead"
            )
        if base(each.entry.name) != unit:
            one.notes.append(f"the notebook was called {name!r}")
        missing = sum("was missing" in note for note in repairs)
        if missing > len(self.release.names) // 2:
            one.notes.append(
                f"{CHECK}most of the graded cells were not there: is this the assignment {unit}?"
            )

    def other(self, each: Delivered, notebook: dict[str, Any], position: int) -> None:
        """An older version is kept aside, anything else is for a person."""
        job, name = self.job, outside.line(each.entry.name, 100)
        assert self.kept is not None
        if base(each.entry.name) in (base(self.kept.entry.name), self.release.name):
            mark = f"{each.number or position}"
            filing.keep(
                job.course, job.unit, self.one.student, dump(notebook), each.entry.time, mark
            )
            self.one.notes.append(f"an older version, {name}, was kept in inbox/")
        else:
            self.one.notes.append(f"{CHECK}there was another notebook, {name}; it was not taken")


def base(name: str) -> str:
    """A notebook's name without what browsers, Colab and platforms add to it."""
    stem = NOTEBOOK.sub("", name)
    stem = re.sub(r"^(?:Copy[ _]of[ _]+)+", "", stem, flags=re.I)
    return re.sub(r"(?:[-_]\d{1,2}|\s?\(\d+\))+$", "", stem)


def text_of(entry: Entry) -> str:
    try:
        return entry.read().decode("utf-8", "replace")
    except FAILURES:
        return ""


def dump(notebook: dict[str, Any]) -> bytes:
    return (json.dumps(notebook, ensure_ascii=False, indent=1) + "\n").encode()
