"""No submission ends a collection, takes another one's place, or buys time: each is filed, or is
one line about that student. COURSE_FUZZ=N tries N random deliveries instead of a few."""

import io
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.collecting import archive
from autograder.collecting.collect import collect
from autograder.collecting.taken import Collected, Taken
from autograder.course import Course
from autograder.errors import UserError
from tests.autograder import classroom
from tests.autograder.classroom import UNIT

EXAMPLES = int(os.environ.get("COURSE_FUZZ", "25"))
DUE = f'[due]\n"{UNIT}" = 2027-03-01T12:00:00Z\n[late]\npenalty_per_day = 0.1\n'
STATUS = {"taken", "replaced", "unchanged", "older", "refused", "missing"}
NOTEBOOK = f"{UNIT}.ipynb"
Files = dict[str, bytes]
Moment = tuple[int, int, int, int, int, int]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a released notebook and no gradebook: collecting needs none."""
    root = tmp_path_factory.mktemp("hostile") / "course"
    (root / "assignments" / UNIT).mkdir(parents=True)
    (root / "course.toml").write_text(DUE)
    source = classroom.source_notebook()
    (root / "assignments" / UNIT / NOTEBOOK).write_text(json.dumps(source))
    return root


@pytest.fixture
def course(released: Path, tmp_path: Path) -> Course:
    shutil.copytree(released, tmp_path / "course")
    return Course(tmp_path / "course")


@pytest.fixture
def good(course: Course) -> bytes:
    return course.released(UNIT).read_bytes()


def zipped(path: Path, files: Files, date: Moment = (2027, 3, 1, 10, 0, 0)) -> Path:
    path.write_bytes(packed(files, date))
    return path


def packed(files: Files, date: Moment = (2027, 3, 1, 10, 0, 0)) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name, date), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def by_name(result: Collected) -> dict[str, Taken]:
    return {each.student: each for each in result.students}


def names(n: int) -> dict[str, str]:
    return {f"{number}": f"s{number}_{number}_{900 + number}_{NOTEBOOK}" for number in range(1, n)}


# Whose it is -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "theft",
    [
        "Bob Two_4712_assignsubmission_file_x.ipynb",
        "bobtwo_4712_99_x.ipynb",
        "Bob Two_4712_assignsubmission_file/x.ipynb",
        "assignments/x/y.ipynb",
    ],
)
@pytest.mark.parametrize("nested", [True, False])
def test_a_name_inside_a_students_file_takes_nobodys_place(
    theft: str, nested: bool, course: Course, good: bytes, tmp_path: Path
) -> None:
    mine = {"anna/w.zip": packed({theft: b"{}"})} if nested else {f"anna/{theft}": b"{}"}
    files = {f"anna/{NOTEBOOK}": good, **mine, f"4712/{NOTEBOOK}": good, f"max/{NOTEBOOK}": good}
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert result.layout == "folder"
    assert {each.student: each.status for each in result.students} == dict.fromkeys(
        ("anna", "4712", "max"), "taken"
    )
    for student in ("anna", "4712", "max"):
        there = (course.submitted / student / UNIT / NOTEBOOK).read_bytes()
        assert b"gaussian_weights" in there


def test_canvas_and_moodle_are_known_by_most_files(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    files = dict.fromkeys(names(4).values(), good)
    files["Eve_7_assignsubmission_file_x.ipynb"] = b"{}"
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert result.layout == "canvas"
    assert {each.student for each in result.students} == {"1", "2", "3"}


def test_two_people_of_a_platform_are_never_one_student(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    (course.root / "students.csv").write_text("student,name\nbob,Bob Two\nanna,Anna One\n")
    files = {
        f"twobob_1_11_{NOTEBOOK}": good,
        f"twobob_2_12_{NOTEBOOK}": good,  # who has taken Bob's name on the platform
        f"oneanna_3_13_{NOTEBOOK}": good,
    }
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert by_name(result)["bob"].status == "missing"
    assert by_name(result)["anna"].status == "taken"
    assert any("different people" in stray for stray in result.strays)


def test_a_platforms_number_is_not_taken_for_another_kind_of_number(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    (course.root / "students.csv").write_text("student,canvas\n11,12\n12,13\n13,11\n")
    files = {f"s_{n}_9{n}_{NOTEBOOK}": good.replace(b"imports", b"i%d" % n) for n in (11, 12, 13)}
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert {each.student: each.known_as[0] for each in result.students} == {
        "11": "12",
        "12": "13",
        "13": "11",
    }


def test_it_stops_when_most_files_belong_to_nobody(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    (course.root / "students.csv").write_text("student\nanna\n")
    files = {f"{name}/{NOTEBOOK}": good for name in ("anna", "x1", "x2", "x3")}
    with pytest.raises(UserError, match="belongs to nobody"):
        collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert not course.submitted.exists()


# When it came ------------------------------------------------------------------------------------


def test_a_date_in_a_students_zip_buys_nothing(course: Course, good: bytes, tmp_path: Path) -> None:
    early = packed({NOTEBOOK: good}, (1980, 1, 1, 0, 0, 0))
    canvas = {"a_LATE_1_10_w.zip": early, f"b_2_20_{NOTEBOOK}": good}
    found = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", canvas)))
    assert (found["1"].late, found["1"].source, found["1"].time) == (True, "mark", "")
    assert (found["2"].late, found["2"].source) == (False, "unmarked")
    folder = {"eve/w.zip": early}
    late = zipped(tmp_path / "f.zip", folder, (2027, 3, 3, 10, 0, 0))
    one = by_name(collect(course, UNIT, late))["eve"]
    assert (one.late, one.source, one.time) == (True, "entry", "2027-03-03 10:00:00 UTC")


def test_a_download_proves_nothing_about_times(course: Course, good: bytes, tmp_path: Path) -> None:
    files = {f"Anna_{n}_assignsubmission_file/{NOTEBOOK}": good for n in (1, 2, 3)}
    source = zipped(tmp_path / "m.zip", files, (2027, 3, 9, 10, 0, 0))
    result = collect(course, UNIT, source)
    assert {each.source for each in result.students} == {"none"}
    assert not any(each.late for each in result.students)
    assert any("3 of them" in note and "--times" in note for note in result.notes)


# What must be one line ---------------------------------------------------------------------------

STRANGE: dict[str, Callable[[bytes], Files]] = {
    "file and folder of one name": lambda good: {"a/data": b"1", "a/data/x": b"2"},
    "a name of 300 bytes": lambda good: {"a/" + "x" * 300: b"1"},
    "a folder called like the notebook": lambda good: {f"a/{NOTEBOOK}/x": b"1"},
    "an id of 100 Chinese characters": lambda good: {"学" * 100 + f"/{NOTEBOOK}": good},
    "a lone surrogate": lambda good: {
        f"b/{NOTEBOOK}": json.dumps(
            {"nbformat": 4, "metadata": {}, "cells": [_cell("markdown", "\ud800")]}
        ).encode()
    },
    "cells that are not cells": lambda good: {f"b/{NOTEBOOK}": b'{"cells": [1, null, "x"]}'},
    "deep JSON": lambda good: {f"b/{NOTEBOOK}": b"[" * 100_000},
    "2 MB of assignments in a text": lambda good: {
        f"b/{NOTEBOOK}": json.dumps(
            {"nbformat": 4, "metadata": {}, "cells": [_cell("markdown", "a=1\n" * 500_000)]}
        ).encode()
    },
    "an encrypted zip": lambda good: {"b/w.zip": b"PK\x03\x04" + b"\0" * 40},
    "dots that appear when a name is cleaned": lambda good: {"b/.\u200b./evil.txt": b"1"},
    "the name of the time": lambda good: {"a/timestamp.txt/x": b"1", "a/timestamp.txt": b"1999"},
}


def _cell(kind: str, source: str) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source}


@pytest.mark.parametrize("what", STRANGE)
def test_strange_submissions_are_one_line_and_the_others_are_taken(
    what: str, course: Course, good: bytes, tmp_path: Path
) -> None:
    files = {f"a/{NOTEBOOK}": good} | STRANGE[what](good) | {f"zoe/{NOTEBOOK}": good}
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert by_name(result)["zoe"].status == "taken"
    assert by_name(result)["a"].status == "taken"
    whole(course, result, tmp_path)


def test_a_zip_with_repeated_entries_is_bounded(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(NOTEBOOK, good)
        info = made.infolist()[0]
        for n in range(2000):
            twin = zipfile.ZipInfo(f"{n}/{NOTEBOOK}" if n % 2 else NOTEBOOK)
            for field in ("header_offset", "CRC", "compress_size", "file_size", "compress_type"):
                setattr(twin, field, getattr(info, field))
            made.filelist.append(twin)
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", {"eve/w.zip": out.getvalue()}))
    kept = sum(p.stat().st_size for p in (course.root / "inbox").rglob("*") if p.is_file())
    assert kept < 20 * len(good) + (1 << 20)
    assert len(by_name(result)["eve"].words) < 80
    entry = archive.Entry(("w.zip",), 1, None, out.getvalue)
    assert len(list(archive.opened(entry))) <= archive.MAX_PACKED + 1


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"s_1_text.html": b"<p>my answer</p>"}, ["text.html", "typed into the platform"]),
        ({"s_1_2_a.pdf": b"%PDF", "s_1_3_b.py": b"x=1"}, ["a.pdf", "b.py", "a script", "printout"]),
    ],
)
def test_what_is_no_notebook_is_named_with_what_to_do(
    files: Files, words: list[str], course: Course, good: bytes, tmp_path: Path
) -> None:
    (course.root / "students.csv").write_text(
        "student,name,canvas\nann,Ann Lee,1\nbo,Bo,2\ncy,Cy,3\ndi,Di,4\n"
    )
    others = dict.fromkeys(list(names(5).values())[1:], good)
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files | others))
    (line,) = by_name(result)["ann"].notes
    assert all(word in line for word in [*words, "Ann Lee (ann)", NOTEBOOK])


def test_a_notebook_with_another_ending_is_taken(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    files = {f"anna/{NOTEBOOK}.txt": good, f"bob/{NOTEBOOK}.json": b"\xef\xbb\xbf" + good}
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert {each.status for each in result.students} == {"taken"}


def test_a_notebook_of_another_unit_is_recognised(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    other = "03_masking"
    cells = [_cell("code", "1") for _ in range(4)]
    for n, cell in enumerate(cells):
        cell["metadata"] = {"nbgrader": {"grade_id": f"mask_{n}", "grade": True}}
    foreign = json.dumps({"nbformat": 4, "metadata": {}, "cells": cells}).encode()
    (course.assignments / other).mkdir()
    (course.assignments / other / f"{other}.ipynb").write_bytes(foreign)
    files = {f"anna/{NOTEBOOK}": foreign, f"bob/{NOTEBOOK}": good}
    found = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files)))
    assert found["anna"].status == "refused"
    assert any("is the notebook of 03_masking" in note for note in found["anna"].notes)
    assert found["bob"].status == "taken"


# Anything at all ---------------------------------------------------------------------------------

WORDS = ["anna", "bob_1_2_x", UNIT, NOTEBOOK, "data", "..", ".", "A_7_assignsubmission_file", "x"]
PART = st.one_of(
    st.sampled_from(WORDS), st.text(min_size=1, max_size=12).map(lambda s: s.replace("\0", ""))
)
NAME = st.lists(PART, min_size=1, max_size=4).map("/".join).filter(bool)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "metadata", "nbgrader", "id", "x"]),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)
RANDOM_CELL = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw", "x"]),
        "source": st.one_of(st.text(max_size=60), st.lists(st.text(max_size=9), max_size=3), JSON),
        "metadata": st.one_of(
            st.fixed_dictionaries(
                {
                    "nbgrader": st.fixed_dictionaries(
                        {"grade_id": st.sampled_from(["softmax", "why"])}
                    )
                }
            ),
            JSON,
        ),
    },
    optional={"id": st.one_of(st.sampled_from(["softmax", "test_softmax"]), JSON)},
)
RANDOM_NOTEBOOK = st.fixed_dictionaries(
    {"nbformat": st.sampled_from([3, 4, "x"]), "cells": st.lists(RANDOM_CELL, max_size=6)}
)


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


CONTENT = st.one_of(st.binary(max_size=50), JSON.map(_dumped), RANDOM_NOTEBOOK.map(_dumped))


def _try_pack(files: Files) -> bytes:
    try:
        return packed(files)
    except (ValueError, UnicodeEncodeError):
        return b"PK"


TREE = st.dictionaries(
    NAME,
    st.one_of(CONTENT, st.dictionaries(NAME, CONTENT, max_size=3).map(_try_pack)),
    min_size=1,
    max_size=6,
)


def whole(course: Course, result: Collected, outside: Path) -> None:
    """Every student has a result that can be written, and nothing was written elsewhere."""
    assert {each.status for each in result.students} <= STATUS
    json.dumps(result.as_json(), ensure_ascii=False).encode()
    for each in result.students:
        if each.status == "refused":
            assert each.notes, "a refusal says why"
        if each.status == "taken":
            json.loads((course.submitted / each.student / UNIT / NOTEBOOK).read_bytes())
    left = {path.name for path in outside.iterdir()}
    assert left <= {"course", "c.zip", "tree"}


@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(files=TREE)
def test_no_delivery_ends_a_collection(files: Files, released: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(released, root / "course")
        course = Course(root / "course")
        good = course.released(UNIT).read_bytes()
        data = _try_pack({**files, f"zoe/{NOTEBOOK}": good, f"max/{NOTEBOOK}": good})
        (root / "c.zip").write_bytes(data)
        if data == b"PK":
            return
        result = collect(course, UNIT, root / "c.zip", layout="folder")
        assert by_name(result)["max"].status == "taken" or any(
            name.startswith("max/") for name in files
        )
        whole(course, result, root)
