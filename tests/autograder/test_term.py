"""A whole term, played against an independent calculation of every final grade; and the rule that
grades depend on the facts, not on the order in which commands were given.

Grading itself is played by writing results: what code is worth is tested elsewhere.
"""

import csv
import io
import itertools
import json
import random
import shutil
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder import fit
from autograder.authoring.release import opened, releasable, release
from autograder.collecting.collect import collect
from autograder.course import Course
from autograder.errors import UserError
from autograder.gradebook import opened as gradebook_of
from autograder.grading.record import Recorder
from autograder.grading.results import CellResult, Result
from autograder.points import changes
from autograder.points.export import export, export_total, grades
from autograder.points.finals import finals, settle

pytestmark = pytest.mark.slow

UNITS = ("01_nadaraya_watson", "02_dot_product_attention", "03_masking")
DUE = {
    unit: datetime(2027, 3, 7, 12, tzinfo=UTC) + timedelta(days=14 * n)
    for n, unit in enumerate(UNITS)
}
OPEN = {unit: due - timedelta(days=14) for unit, due in DUE.items()}
MOST = {"a": 4, "b": 3, "why": 3}
AFTER = [-600, -1, 0, 5, 15, 16, 20 * 60, 30 * 60, 80 * 60, 400 * 60]  # minutes after the due date


def source(unit: str) -> nbformat.NotebookNode:
    """Two questions that are tested, and one for a person."""
    new, number = nbformat.v4, unit[:2]
    cells = []
    for name, points in MOST.items():
        mark = {"schema_version": 3, "task": False, "grade_id": f"{name}{number}"}
        hidden = "### BEGIN SOLUTION\n{}\n### END SOLUTION"
        if name == "why":
            own = mark | {"grade": True, "solution": True, "locked": False, "points": points}
            cells.append(
                new.new_markdown_cell(hidden.format("Rubric."), metadata={"nbgrader": own})
            )
            continue
        answer = mark | {"grade": False, "solution": True, "locked": False}
        test = mark | {"grade": True, "solution": False, "locked": True, "points": points}
        test["grade_id"] = f"test_{name}{number}"
        code = hidden.format(f"{name}{number} = 1")
        cells.append(new.new_code_cell(code, metadata={"nbgrader": answer}))
        cells.append(new.new_code_cell(f"assert {name}{number}", metadata={"nbgrader": test}))
    for cell in cells:
        cell["id"] = cell["metadata"]["nbgrader"]["grade_id"]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new.new_notebook(cells=cells, metadata=kernel)


def make(root: Path, toml: str = "") -> Course:
    for unit in UNITS:
        (root / "solutions" / unit).mkdir(parents=True)
        nbformat.write(source(unit), root / "solutions" / unit / f"{unit}.ipynb")
    (root / "course.toml").write_text(toml)
    return Course(root)


def record(course: Course, unit: str, scores: dict[str, dict[str, float]]) -> None:
    """What a grading run would write: points for the tests, nothing for the written answer."""
    number = unit[:2]
    with Recorder(course, unit) as recorder:
        for student, mine in scores.items():
            cells = [
                CellResult(f"test_{name}{number}", None, "asserted", float(mine[name]), MOST[name])
                for name in ("a", "b")
            ]
            cells.append(CellResult(f"why{number}", None, "by hand", None, MOST["why"]))
            recorder.record(Result(student, unit, f"{mine}", 3, tuple(cells)))


def by_hand(course: Course, unit: str, points: dict[str, float]) -> None:
    with gradebook_of(course) as gradebook:
        for student, value in points.items():
            name = f"why{unit[:2]}"
            grade = gradebook.find_grade(name, unit, unit, student)
            grade.manual_score, grade.needs_manual_grade = value, False
        gradebook.db.commit()


def notebook(course: Course, unit: str, text: str) -> bytes:
    made = json.loads(course.released(unit).read_bytes())
    made["cells"][-1]["source"] = text
    return json.dumps(made).encode()


def download(path: Path, files: dict[str, bytes]) -> Path:
    """A platform's zip, stamped with the time of the download."""
    with zipfile.ZipFile(path, "w") as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name, (2027, 6, 1, 0, 0, 0)), content)
    return path


def table(path: Path, rows: list[list[str]]) -> Path:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# The term ----------------------------------------------------------------------------------------


@dataclass
class Work:
    """What one student did in one unit, as it was."""

    after: int  # minutes after the due date
    scores: dict[str, float]
    by_hand: float
    upload: int = 0


@dataclass
class Pupil:
    ident: str
    platform: str
    number: int
    told: bool  # on Canvas: the instructor knows the time from elsewhere
    work: dict[str, Work | None] = field(default_factory=dict)
    extended: dict[str, int] = field(default_factory=dict)  # unit -> days


def play_class(seed: int) -> list[Pupil]:
    draw, found = random.Random(seed), []
    for n in range(60):
        platform = "canvas" if n < 30 else "moodle"
        pupil = Pupil(f"p{n:02d}", platform, 1000 + n, platform == "canvas" and n % 3 == 0)
        for unit in UNITS:
            scores = {"a": float(draw.randint(0, 4)), "b": draw.choice([0.0, 0.5, 1.0, 3.0])}
            work = Work(draw.choice(AFTER), scores, float(draw.randint(0, 3)), 5000 + n)
            pupil.work[unit] = work if draw.random() < 0.9 else None
            if draw.random() < 0.15:
                pupil.extended[unit] = draw.choice([1, 3, 30])
        found.append(pupil)
    return found


PER_DAY, MOST_OFF = Fraction(1, 10), Fraction(3, 10)
GRACE, FREE = 15, 2  # minutes, days
WEIGHTS = dict(zip(UNITS, (20, 30, 50), strict=True))
LETTERS = {"A": 90, "B": 75, "C": 50, "F": 0}


def days_late(pupil: Pupil, unit: str) -> int:
    """As the rules say it in words; nothing of the program is used."""
    work = pupil.work[unit]
    if work is None:
        return 0
    if pupil.platform == "canvas" and not pupil.told:  # only Canvas' own mark is known
        return 1 if work.after > 0 and unit not in pupil.extended else 0
    minutes = work.after - pupil.extended.get(unit, 0) * 24 * 60
    if minutes <= GRACE:
        return 0
    return -(-minutes // (24 * 60))


def expected(pupil: Pupil) -> tuple[dict[str, Fraction | None], Decimal, str]:
    """Final points of the units, the total to the cent, and its letter."""
    left = FREE
    points: dict[str, Fraction | None] = {}
    shares: dict[str, Fraction] = {}
    for unit in UNITS:  # in the order of their due dates
        days = days_late(pupil, unit)
        free = min(left, days)
        left -= free
        work = pupil.work[unit]
        if work is None:
            points[unit], shares[unit] = None, Fraction(0)
            continue
        a, b = Fraction(work.scores["a"]), Fraction(work.scores["b"])
        hand, most = Fraction(work.by_hand), Fraction(10)
        if unit == UNITS[0]:
            b = Fraction(3)  # full credit for all
        if unit == UNITS[1] and b == 1:
            b = Fraction(3)  # the exercise was mended
        if unit == UNITS[2]:
            b, most = Fraction(0), Fraction(7)  # dropped
        earned = a + b + hand
        off = min(PER_DAY * (days - free), MOST_OFF)
        points[unit] = earned * (1 - off)
        shares[unit] = earned * (1 - off) / most
    best = sorted(UNITS, key=lambda unit: (-shares[unit], unit))[:2]
    whole = sum(WEIGHTS[unit] for unit in best)
    mean = 100 * sum((WEIGHTS[unit] * shares[unit] for unit in best), Fraction(0)) / whole
    cents = Decimal(mean.numerator * 1000000 // mean.denominator) / 1000000
    score = cents.quantize(Decimal("0.01"), ROUND_HALF_UP)
    letter = next(name for name, low in LETTERS.items() if score >= low)
    return points, score, letter


def test_a_whole_term_comes_out_to_the_cent(tmp_path: Path) -> None:
    pupils = play_class(7)
    toml = 'title = "A term"\n[open]\n' + "".join(
        f'"{unit}" = {OPEN[unit].isoformat()}\n' for unit in UNITS
    )
    course = make(tmp_path / "course", toml)
    head = ["student", "name", "canvas", "moodle"]
    people = [
        [p.ident, f"First{p.number} Last{p.number}", "", ""][:2]
        + [str(p.number) if p.platform == each else "" for each in ("canvas", "moodle")]
        for p in pupils
    ]
    table(course.root / "students.csv", [head, *people])
    for stage, unit in enumerate(UNITS):
        now = OPEN[unit] + timedelta(hours=1)
        due_unit = opened(course, releasable(course), now)
        assert due_unit == list(UNITS[: stage + 1]), "only what is open is released"
        release(course, unit)
        play_unit(course, unit, pupils, tmp_path / unit[:2])
    # decided at the end of the term: the policy, extensions, questions, weights, letters
    write_rules(course, pupils, toml)
    course = Course(course.root)
    mended = {
        p.ident: {"a": w.scores["a"], "b": 3.0 if w.scores["b"] == 1 else w.scores["b"]}
        for p in pupils
        if (w := p.work[UNITS[1]]) is not None
    }
    record(course, UNITS[1], mended)  # a mended exercise, graded again
    compare(course, pupils)


def play_unit(course: Course, unit: str, pupils: list[Pupil], folder: Path) -> None:
    """Collect from both platforms, grade, collect resubmissions, grade those, grade by hand."""
    folder.mkdir()
    here = [p for p in pupils if p.work[unit] is not None]
    first = {p.ident: {"a": 0.0, "b": 0.0} for p in here}
    again = [p for p in here if p.platform == "canvas" and p.number % 4 == 0]
    for people, name in ((here, "first"), (again, "second")):
        files = {}
        for p in people:
            if p.platform == "canvas":
                work = p.work[unit]
                assert work is not None
                # the first version of somebody who hands in again was in time
                final = name == "second" or p not in again
                mark = "LATE_" if final and work.after > 0 else ""
                upload = work.upload + (100 if name == "second" else 0)
                file = f"last{p.number}first_{mark}{p.number}_{upload}_{unit}.ipynb"
                files[file] = notebook(course, unit, f"{name} of {p.ident}")
        times = table(folder / f"{name}.csv", told(people, unit, again if name == "first" else []))
        collect(course, unit, download(folder / f"{name}.zip", files), told=times)
    moodle = {
        f"First{p.number} Last{p.number}_{p.number}_assignsubmission_file/{unit}.ipynb": notebook(
            course, unit, p.ident
        )
        for p in here
        if p.platform == "moodle"
    }
    sheet = table(
        folder / "moodle.csv", worksheet([p for p in here if p.platform == "moodle"], unit)
    )
    result = collect(course, unit, download(folder / "m.zip", moodle), told=sheet)
    assert result.layout == "moodle"
    assert not result.strays
    record(course, unit, first)
    record(course, unit, {p.ident: w.scores for p in here if (w := p.work[unit]) is not None})
    by_hand(course, unit, {p.ident: w.by_hand for p in here if (w := p.work[unit]) is not None})


def told(people: list[Pupil], unit: str, early: list[Pupil]) -> list[list[str]]:
    """What the instructor knows about some students on Canvas."""
    found = [["student", "time"], ["nobody", "2027-01-01 00:00 UTC"]]
    for p in people:
        work = p.work[unit]
        if p.told and work is not None:
            after = -600 if p in early else work.after
            found.append([p.ident, (DUE[unit] + timedelta(minutes=after)).isoformat()])
    return found


def worksheet(people: list[Pupil], unit: str) -> list[list[str]]:
    """Moodle's grading worksheet in German."""
    head = ["ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung"]
    head += ["Bewertung kann geändert werden", "Zuletzt geändert (Abgabe)"]
    head += ["Zuletzt geändert (Bewertung)", "Feedback als Kommentar"]
    months = ["Januar", "Februar", "März", "April", "Mai", "Juni", "Juli"]
    days = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
    found = [head]
    for p in people:
        work = p.work[unit]
        assert work is not None
        when = DUE[unit] + timedelta(minutes=work.after)
        day, month = days[when.weekday()], months[when.month - 1]
        said = f"{day}, {when.day}. {month} {when.year}, {when:%H:%M}"
        who = [f"Teilnehmer/in{p.number}", f"First{p.number} Last{p.number}", "x@example.org"]
        found.append([*who, "Zur Bewertung abgegeben", "", "50,00", "Ja", said, "-", ""])
    return found


def write_rules(course: Course, pupils: list[Pupil], toml: str) -> None:
    lines = [toml, "[due]", *(f'"{unit[:2]}" = {DUE[unit].isoformat()}' for unit in UNITS)]
    lines += ["[late]", "penalty_per_day = 0.1", "max_penalty = 0.3", "grace_minutes = 15"]
    lines += ["late_days = 2", "[total]", "best = 2", "[letters]"]
    lines += [f"{name} = {low}" for name, low in LETTERS.items()]
    lines += ["[weights]", *(f'"{unit[:2]}" = {weight}' for unit, weight in WEIGHTS.items())]
    lines += ['[questions."01"]', 'full_credit = ["b01"]']
    lines += ['[questions."03"]', 'drop = ["test_b03"]']
    for unit in UNITS:
        lines.append(f'[extensions."{unit}"]')
        for p in pupils:
            if unit in p.extended:
                until = DUE[unit] + timedelta(days=p.extended[unit])
                lines.append(f"{p.ident} = {until.isoformat()}")
    (course.root / "course.toml").write_text("\n".join(lines))


def compare(course: Course, pupils: list[Pupil]) -> None:
    units: dict[str, dict[str, dict[str, str]]] = {}
    for unit in UNITS:
        units[unit] = {row["student"]: row for row in rows(export(course, unit, "csv").files[0])}
        settle(course, unit)
    result = export_total(course, "csv")
    totals = {row["student"]: row for row in rows(result.files[0])}
    assert set(totals) == {p.ident for p in pupils}
    wrong: list[tuple[Pupil, str, dict[str, str], object]] = []
    for p in pupils:
        points, score, letter = expected(p)
        for unit in UNITS:
            mine = units[unit].get(p.ident)
            value = points[unit]
            if value is None:
                assert mine is None
                continue
            assert mine is not None, (p, unit)
            if abs(Fraction(mine["score"]) - value) > Fraction(1, 1000):
                wrong.append((p, unit, mine, float(value)))
            assert bool(mine["why"]) or Fraction(mine["late_penalty"]) == 0
            stored = nbgraders_own(course, unit, p.ident)
            assert stored == pytest.approx(float(mine["late_penalty"]), abs=1e-3)
        row = totals[p.ident]
        if (Decimal(row["score"]), row["letter"]) != (score, letter):
            wrong.append((p, "total", row, (score, letter)))
    assert not wrong, wrong[:3]
    assert any("best 2 of 3" in note for note in result.notes)


def nbgraders_own(course: Course, unit: str, student: str) -> float:
    """The penalty as nbgrader's own pages show it."""
    with gradebook_of(course) as gradebook:
        return float(gradebook.find_submission(unit, student).late_submission_penalty or 0.0)


# Facts, not their order --------------------------------------------------------------------------

ONE = UNITS[0]
PIECES = {
    "due": f'[due]\n"01" = {DUE[ONE].isoformat()}\n',
    "policy": "[late]\npenalty_per_day = 0.1\n",
    "extension": f'[extensions."01"]\nbea = {(DUE[ONE] + timedelta(days=1)).isoformat()}\n',
    "question": '[questions."01"]\nfull_credit = ["b01"]\n',
}
EVENTS = (*PIECES, "collect", "times", "grade", "hand", "settle", "export")
SCORES = {"ada": {"a": 4.0, "b": 1.0}, "bea": {"a": 2.0, "b": 3.0}, "cem": {"a": 1.0, "b": 0.0}}
FINAL = {"ada": 8.0, "bea": 6.0 * 0.9, "cem": 4.0 * 0.9}
# ada: in time, 4 + 3 + 1 by hand; bea: 26 hours late, a day of it allowed; cem: marked LATE, a day


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    course = make(tmp_path_factory.mktemp("order") / "course")
    release(course, ONE)
    return course.root


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.permutations(EVENTS))
def test_the_order_of_commands_does_not_change_a_grade(
    started: Path, tmp_path: Path, order: list[str]
) -> None:
    root = tmp_path / f"{next(COUNTER)}"
    shutil.copytree(started, root)
    toml, graded = "", False
    files = {
        f"{name}_{mark}{n}_9{n}_{ONE}.ipynb": notebook(Course(root), ONE, name)
        for n, (name, mark) in enumerate({"ada": "", "bea": "LATE_", "cem": "LATE_"}.items())
    }
    source = download(root / "c.zip", files)
    mapping = table(
        root / "map.csv", [["id", "student"], *([str(n), s] for n, s in enumerate(SCORES))]
    )
    late = (DUE[ONE] + timedelta(hours=26)).isoformat()
    times = table(root / "t.csv", [["student", "time"], ["bea", late]])
    for event in [*order, "hand"]:
        course = Course(root)
        if event in PIECES:
            toml += PIECES[event]
            (root / "course.toml").write_text(toml)
        elif event in ("collect", "times"):
            collect(course, ONE, source, mapping=mapping, told=times if event == "times" else None)
        elif event == "grade":
            record(course, ONE, SCORES)
            graded = True
        elif event == "hand" and graded:
            by_hand(course, ONE, {"ada": 1.0, "bea": 1.0, "cem": 0.0})
        elif event == "settle":
            settle(course, ONE)
        elif event == "export" and graded:
            export(course, ONE, "csv")
    course = Course(root)
    settle(course, ONE)
    assert {row.student: row.score for row in grades(course, ONE)} == pytest.approx(FINAL)
    for student, final in finals(course, ONE).items():
        assert nbgraders_own(course, ONE, student) == pytest.approx(final.points.off)
    shutil.rmtree(root)


COUNTER = itertools.count()


def test_what_changed_since_the_last_export_is_known(started: Path, tmp_path: Path) -> None:
    shutil.copytree(started, tmp_path / "course")
    course = Course(tmp_path / "course")
    record(course, ONE, SCORES)
    export(course, ONE, "csv")
    with pytest.raises(UserError, match="nothing has changed"):
        export(course, ONE, "csv", changed=True)
    record(course, ONE, {"bea": {"a": 3.0, "b": 3.0}})
    result = export(course, ONE, "csv", changed=True)
    assert [row["student"] for row in rows(result.files[0])] == ["bea"]
    (row,) = rows(result.files[1])
    assert (row["before"], row["after"]) == ("5", "6")
    assert result.grades == 1


def test_a_hand_graded_answer_stays_graded_unless_it_changes(started: Path, tmp_path: Path) -> None:
    shutil.copytree(started, tmp_path / "course")
    course = Course(tmp_path / "course")

    def graded(text: str) -> bool:
        """Grade a notebook with this written answer; does it wait for a person?"""
        folder = course.autograded / "ada" / ONE
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{ONE}.ipynb").write_bytes(notebook(course, ONE, text))
        record(course, ONE, {"ada": SCORES["ada"]})
        return finals(course, ONE)["ada"].points.waiting

    assert graded("Because.")
    by_hand(course, ONE, {"ada": 2.0})
    assert not graded("Because."), "graded again, the same answer"
    assert graded("Because of that."), "another answer is for a person to read"
    assert finals(course, ONE)["ada"].score == 7.0, "and the points stay meanwhile"


def test_what_does_not_fit_together_stops_with_the_command_that_mends_it(
    started: Path, tmp_path: Path
) -> None:
    shutil.copytree(started, tmp_path / "course")
    course = Course(tmp_path / "course")
    fit.check(course, ONE)
    path = course.solutions / ONE / f"{ONE}.ipynb"
    text = path.read_text()
    path.write_text(text.replace('"points": 4', '"points": 5'))
    with pytest.raises(UserError, match=r"release of 01.* is older.*`autograder release 01`"):
        fit.check(course, ONE)
    path.write_text(text)
    released = course.released(ONE)
    released.write_text(released.read_text().replace('"points": 4', '"points": 5'))
    path.write_text(text.replace('"points": 4', '"points": 5'))
    with pytest.raises(UserError, match=r"gradebook does not fit.*`autograder release 01`"):
        fit.check(course, ONE)


def test_a_regrade_tells_old_and_new_final_points(started: Path, tmp_path: Path) -> None:
    shutil.copytree(started, tmp_path / "course")
    course = Course(tmp_path / "course")
    record(course, ONE, SCORES)
    before = changes.points(course, ONE)
    record(course, ONE, {"bea": {"a": 4.0, "b": 3.0}})
    (change,) = changes.remember(course, ONE, before, "graded again")
    assert (change.student, change.before, change.after) == ("bea", 5.0, 7.0)
    assert changes.of(course, ONE, "bea") == change
    assert changes.of(course, ONE, "ada") is None
    assert [row["student"] for row in rows(changes.table_path(course, ONE))] == ["bea"]
