"""Collecting: every platform's names, hostile archives, resubmissions, times; nothing is
overwritten silently, nobody is forgotten."""

import io
import json
import os
import stat
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.collecting import archive
from autograder.collecting.collect import collect
from autograder.collecting.repair import uncertain
from autograder.collecting.taken import Collected, Taken, notes_of
from autograder.course import Course
from autograder.errors import UserError
from tests.autograder import classroom
from tests.autograder.classroom import UNIT
from tests.colab import simulator

DUE = '[due]\n"01_nadaraya_watson" = 2027-03-01T12:00:00Z\n'
Moment = tuple[int, int, int, int, int, int]
IN_TIME, LATE = (2027, 3, 1, 10, 0, 0), (2027, 3, 1, 15, 0, 0)
Files = dict[str, bytes]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return classroom.make(tmp_path_factory.mktemp("collect") / "base", DUE)


@pytest.fixture
def course(base: Course, tmp_path: Path) -> Course:
    return classroom.clone(base, tmp_path / "course")


@pytest.fixture
def good(course: Course) -> bytes:
    return json.dumps(classroom.notebook(course, classroom.answers())).encode()


def other(course: Course, text: str) -> bytes:
    """A submission that differs from the others."""
    return json.dumps(classroom.notebook(course, classroom.answers() | {"why": text})).encode()


def zipped(path: Path, files: Files, times: dict[str, Moment] | None = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(
                zipfile.ZipInfo(name, (times or {}).get(name, IN_TIME)),
                content,
                zipfile.ZIP_DEFLATED,
            )
    return path


def unpacked(path: Path, files: Files) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
        os.utime(path / name, (datetime(*IN_TIME, tzinfo=UTC).timestamp(),) * 2)
    return path


def by_name(result: Collected) -> dict[str, Taken]:
    return {each.student: each for each in result.students}


def submitted(course: Course, student: str) -> dict[str, Any]:
    return dict(
        json.loads(
            (course.submitted / student / UNIT / f"{UNIT}.ipynb").read_text(encoding="utf-8")
        )
    )


def why(course: Course, student: str) -> str:
    return "".join(classroom.named(submitted(course, student), "why")["source"])


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# Platforms ---------------------------------------------------------------------------------------

PLATFORMS = {
    "canvas": {
        "oneanna_4711_9001_{}.ipynb": "4711",
        "o'twozoe_LATE_4712_9002_Copy of {}-2.ipynb": "4712",
    },
    "moodle": {
        "Anna Öne_4711_assignsubmission_file/{}.ipynb": "4711",
        "Zoë, O'Two_4712_assignsubmission_file_/{} (1).ipynb": "4712",
    },
    "repos": {
        "course-anna/assignments/{0}/{0}.ipynb": "course-anna",
        "course-zoë/{}.ipynb": "course-zoë",
    },
    "folder": {"anna/{}.ipynb": "anna", "zoë two/{0}/{0}.ipynb": "zoë two"},
}


@pytest.mark.parametrize("layout", PLATFORMS)
@pytest.mark.parametrize("packed", [True, False])
def test_every_platform_as_zip_and_as_folder(
    layout: str, packed: bool, course: Course, good: bytes, tmp_path: Path
) -> None:
    files = {name.format(UNIT): good for name in PLATFORMS[layout]}
    source = zipped(tmp_path / "all.zip", files) if packed else unpacked(tmp_path / "all", files)
    result = collect(course, UNIT, source)
    assert result.layout == layout
    assert {each.student: each.status for each in result.students} == dict.fromkeys(
        PLATFORMS[layout].values(), "taken"
    )
    for student in PLATFORMS[layout].values():
        assert why(course, student) == "Because."
        stamp = course.submitted / student / UNIT / "timestamp.txt"
        if layout == "folder":
            assert stamp.read_text().endswith(" UTC")
        else:
            assert not stamp.exists(), "the times in a download are those of the download"
    assert result.good


def test_moodle_flat_names(course: Course, good: bytes, tmp_path: Path) -> None:
    source = unpacked(tmp_path / "m", {f"Anna One_77_assignsubmission_file_{UNIT}.ipynb": good})
    assert by_name(collect(course, UNIT, source))["77"].status == "taken"


def test_one_file_per_student_in_a_plain_folder(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    source = unpacked(
        tmp_path / "flat",
        {f"anna_{UNIT}.ipynb": good, "handin 3.ipynb": good, f"{UNIT}.ipynb": good},
    )
    mapping = table(tmp_path / "map.csv", "id,student", '"handin 3.ipynb",zoe')
    result = collect(course, UNIT, source, mapping=mapping)
    assert {each.student for each in result.students} == {"anna", "zoe"}
    assert result.strays, "a file without a name belongs to nobody"


def test_a_roster_turns_ids_and_names_into_students_and_names_the_missing(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    table(
        course.root / "students.csv",
        "student;name;canvas",
        "a1;Anna Öne;4711",
        'z2;"Two, Zoë";',
        "m3;Max Three;4713",
    )
    files = {
        f"oneanna_4711_1_{UNIT}.ipynb": good,
        f"twozoe_999_2_{UNIT}.ipynb": good,
        f"nobody_1234_3_{UNIT}.ipynb": good,
    }
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert {each.student: each.status for each in result.students} == {
        "a1": "taken",
        "z2": "taken",
        "m3": "missing",
    }
    assert len(result.strays) == 1
    assert "1234" in result.strays[0]
    assert not result.good


def test_a_name_that_two_students_bear_is_not_guessed(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    table(course.root / "students.csv", "student,name", "a1,Anna One", "a2,Anna One")
    result = collect(course, UNIT, unpacked(tmp_path / "f", {f"Anna One/{UNIT}.ipynb": good}))
    assert result.count("missing") == 2
    assert result.strays


def test_names_with_accents_of_a_mac_are_the_same_names(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    collect(course, UNIT, zipped(tmp_path / "1.zip", {f"zoe\u0308/{UNIT}.ipynb": good}))
    assert (course.submitted / "zo\u00eb" / UNIT).is_dir()


# Several files, several times --------------------------------------------------------------------


def test_of_several_uploads_the_newest_wins_and_the_older_are_kept(
    course: Course, tmp_path: Path
) -> None:
    files = {
        f"a_7_{number}_{UNIT}{suffix}.ipynb": other(course, text)
        for number, suffix, text in [(3, "", "old"), (12, "-1", "new")]
    }
    one = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files)))["7"]
    assert why(course, "7") == "new"
    assert any("older version" in note for note in one.notes)
    kept = list((course.root / "inbox" / UNIT / "older" / "7").glob("*.ipynb"))
    assert len(kept) == 1
    assert '"old"' in kept[0].read_text()


def test_collecting_again_changes_nothing(course: Course, good: bytes, tmp_path: Path) -> None:
    source = zipped(tmp_path / "c.zip", {f"anna/{UNIT}.ipynb": good})
    collect(course, UNIT, source)
    before = {path: path.read_bytes() for path in course.submitted.rglob("*") if path.is_file()}
    assert by_name(collect(course, UNIT, source))["anna"].status == "unchanged"
    assert {
        path: path.read_bytes() for path in course.submitted.rglob("*") if path.is_file()
    } == before


def test_a_newer_submission_replaces_and_the_one_before_is_kept(
    course: Course, tmp_path: Path
) -> None:
    name = f"anna/{UNIT}.ipynb"
    collect(course, UNIT, zipped(tmp_path / "1.zip", {name: other(course, "first")}))
    one = by_name(
        collect(
            course, UNIT, zipped(tmp_path / "2.zip", {name: other(course, "second")}, {name: LATE})
        )
    )["anna"]
    assert one.status == "replaced"
    assert why(course, "anna") == "second"
    kept = list((course.root / "inbox" / UNIT / "replaced" / "anna").glob("*/*.ipynb"))
    assert len(kept) == 1
    assert "first" in kept[0].read_text()
    assert any(str(kept[0].parent.relative_to(course.root)) in note for note in one.notes)


def test_an_older_submission_does_not_replace_a_newer_one(course: Course, tmp_path: Path) -> None:
    name = f"anna/{UNIT}.ipynb"
    collect(course, UNIT, zipped(tmp_path / "1.zip", {name: other(course, "newer")}, {name: LATE}))
    one = by_name(
        collect(course, UNIT, zipped(tmp_path / "2.zip", {name: other(course, "older")}))
    )["anna"]
    assert one.status == "older"
    assert why(course, "anna") == "newer"
    assert list((course.root / "inbox" / UNIT / "older" / "anna").glob("*.ipynb"))


def test_the_notebook_of_this_unit_is_found_among_several(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    scratch = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}).encode()
    files = {
        "anna/scratch.ipynb": scratch,
        "anna/my answers.ipynb": good,
        "anna/helper.py": b"x = 1",
        "anna/timestamp.txt": b"2000-01-01",
    }
    one = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files)))["anna"]
    assert one.file == "my answers.ipynb"
    assert uncertain(one.notes)
    folder = course.submitted / "anna" / UNIT
    assert (folder / "helper.py").read_bytes() == b"x = 1"
    assert "2027" in (folder / "timestamp.txt").read_text(), (
        "the student's own timestamp is not believed"
    )


def test_another_assignment_is_noticed(course: Course, tmp_path: Path) -> None:
    foreign = json.dumps(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [nbformat.v4.new_code_cell("1")],
        }
    ).encode()
    one = by_name(
        collect(course, UNIT, zipped(tmp_path / "c.zip", {f"anna/{UNIT}.ipynb": foreign}))
    )["anna"]
    assert any("is this the assignment" in note for note in one.check)


def test_a_zip_within_the_zip_is_looked_into(course: Course, good: bytes, tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as made:
        made.writestr(f"deep/{UNIT}.ipynb", good)
    assert (
        by_name(
            collect(course, UNIT, zipped(tmp_path / "c.zip", {"a_5_6_work.zip": inner.getvalue()}))
        )["5"].status
        == "taken"
    )


def test_a_notebook_that_cannot_be_read_is_refused_with_the_reason(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    files = {
        f"cut/{UNIT}.ipynb": good[:500],
        f"none/{UNIT}.pdf": b"%PDF",
        f"fine/{UNIT}.ipynb": good,
    }
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    found = by_name(result)
    assert (found["cut"].status, found["none"].status, found["fine"].status) == (
        "refused",
        "refused",
        "taken",
    )
    assert "not JSON" in found["cut"].notes[0]
    assert "no notebook" in found["none"].notes[0]
    assert not (course.submitted / "cut").exists()


# Times -------------------------------------------------------------------------------------------


def test_late_is_late(course: Course, good: bytes, tmp_path: Path) -> None:
    files = {f"early/{UNIT}.ipynb": good, f"late/{UNIT}.ipynb": good}
    found = by_name(
        collect(course, UNIT, zipped(tmp_path / "c.zip", files, {f"late/{UNIT}.ipynb": LATE}))
    )
    assert (found["early"].late, found["late"].late) == (False, True)


def test_canvas_says_itself_what_is_late(course: Course, good: bytes, tmp_path: Path) -> None:
    files = {f"a_LATE_1_10_{UNIT}.ipynb": good, f"b_2_20_{UNIT}.ipynb": good}
    times = {f"b_2_20_{UNIT}.ipynb": LATE}  # the time of the download
    found = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files, times)))
    assert (found["1"].late, found["2"].late) == (True, False)


def test_times_can_be_told(course: Course, good: bytes, tmp_path: Path) -> None:
    times = table(
        tmp_path / "t.csv",
        "student,time",
        '1,"Monday, 1 March 2027, 6:00 PM"',
        "2,2027-03-01T11:00:00+01:00",
    )
    files = {f"a_1_10_{UNIT}.ipynb": good, f"b_LATE_2_20_{UNIT}.ipynb": good}
    found = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files), told=times))
    assert (found["1"].late, found["2"].late) == (True, False)
    assert found["2"].time == "2027-03-01 10:00:00 UTC"


def test_extensions_come_from_the_course_or_a_table_and_reach_the_gradebook(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    from nbgrader.api import Gradebook

    toml = course.root / "course.toml"
    toml.write_text(toml.read_text() + f'[extensions."{UNIT}"]\nanna = 2027-03-02T12:00:00Z\n')
    more = table(tmp_path / "e.csv", "student,due", "zoe,2027-03-01 16:00 UTC")
    names = [f"{student}/{UNIT}.ipynb" for student in ("anna", "zoe", "max")]
    source = zipped(tmp_path / "c.zip", dict.fromkeys(names, good), dict.fromkeys(names, LATE))
    found = by_name(collect(Course(course.root), UNIT, source, extensions=more))
    assert {name: each.late for name, each in found.items()} == {
        "anna": False,
        "zoe": False,
        "max": True,
    }
    with Gradebook(course.gradebook_url) as gradebook:
        assert gradebook.find_submission(UNIT, "anna").extension.total_seconds() == 24 * 3600
        assert gradebook.find_submission(UNIT, "zoe").extension.total_seconds() == 4 * 3600


# What must not get in ----------------------------------------------------------------------------


def test_names_that_point_out_of_the_archive_are_refused(
    course: Course, good: bytes, tmp_path: Path
) -> None:
    files = {
        f"../../{UNIT}.ipynb": good,
        f"anna/../../evil/{UNIT}.ipynb": good,
        f"/etc/{UNIT}.ipynb": good,
        f"C:\\x\\{UNIT}.ipynb": good,
    }
    result = collect(course, UNIT, zipped(tmp_path / "c.zip", files))
    assert not result.count("taken")
    assert not list(tmp_path.glob("evil*"))
    assert sorted(p.name for p in course.root.parent.iterdir()) == sorted(["c.zip", "course"])


def test_links_are_not_followed(course: Course, good: bytes, tmp_path: Path) -> None:
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(good)
    folder = tmp_path / "all" / "anna"
    folder.mkdir(parents=True)
    (folder / f"{UNIT}.ipynb").symlink_to(secret)
    (tmp_path / "all" / "zoe").symlink_to(tmp_path)
    result = collect(course, UNIT, tmp_path / "all")
    assert not result.count("taken")
    assert any("link" in note for note in by_name(result)["anna"].words)
    packed = tmp_path / "l.zip"
    with zipfile.ZipFile(packed, "w") as made:
        info = zipfile.ZipInfo(f"max/{UNIT}.ipynb")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(info, str(secret))
    assert by_name(collect(course, UNIT, packed))["max"].status == "refused"


def test_a_zip_bomb_does_not_go_off(course: Course, good: bytes, tmp_path: Path) -> None:
    files = {
        f"anna/{UNIT}.ipynb": b" " * (15 << 20),
        "anna/data.bin": b"\0" * (50 << 20),
        f"zoe/{UNIT}.ipynb": good,
    }
    found = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files)))
    assert found["anna"].status == "refused"
    assert any("bomb" in note for note in found["anna"].words)
    assert found["zoe"].status == "taken"


def test_a_zip_that_lies_about_its_sizes_is_read_no_further_than_allowed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(archive, "MAX_FILE", 1000)
    entry = archive.entries(zipped(tmp_path / "c.zip", {"a/b.ipynb": os.urandom(5000)}))[0]
    assert "larger" in entry.refused
    with pytest.raises(ValueError, match="larger"):
        entry.read()


def test_huge_and_hidden_files_are_left_out(
    course: Course, good: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(archive, "MAX_FILE", 1 << 20)
    files = {
        f"anna/{UNIT}.ipynb": good,
        "anna/model.bin": os.urandom(2 << 20),
        "anna/.bashrc": b"x",
        f"__MACOSX/anna/._{UNIT}.ipynb": b"x",
        f"anna/.ipynb_checkpoints/{UNIT}-checkpoint.ipynb": good,
    }
    one = by_name(collect(course, UNIT, zipped(tmp_path / "c.zip", files)))["anna"]
    assert one.status == "taken"
    assert sorted(p.name for p in (course.submitted / "anna" / UNIT).iterdir()) == [
        f"{UNIT}.ipynb",
        "timestamp.txt",
    ]
    assert any("model.bin" in note for note in one.words)


def test_a_broken_archive_is_one_clear_line(course: Course, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 not really")
    for source in (tmp_path / "x.zip", tmp_path / "nowhere"):
        with pytest.raises(UserError):
            collect(course, UNIT, source)


def test_personal_data_does_not_reach_the_course(course: Course, tmp_path: Path) -> None:
    notebook = simulator.executed(
        classroom.notebook(course, classroom.answers()), drive=True, widgets=True
    )
    collect(
        course,
        UNIT,
        zipped(
            tmp_path / "c.zip", {f"anna/{UNIT}.ipynb": simulator.written(notebook, minified=True)}
        ),
    )
    everything = "".join(
        p.read_text(errors="replace")
        for folder in ("submitted", "inbox")
        for p in (course.root / folder).rglob("*.*")
    )
    for word in simulator.PERSON.values():
        assert word not in everything


# What is said ------------------------------------------------------------------------------------


def test_what_was_guessed_is_passed_on_to_the_grader(course: Course, tmp_path: Path) -> None:
    notebook = classroom.notebook(course, classroom.answers())
    answer = classroom.named(notebook, "softmax")
    answer["metadata"], answer["id"] = {}, "mine"
    result = collect(
        course,
        UNIT,
        zipped(tmp_path / "c.zip", {f"anna/{UNIT}.ipynb": json.dumps(notebook).encode()}),
    )
    assert uncertain(by_name(result)["anna"].repairs)
    assert uncertain(notes_of(course, UNIT, "anna"))
    assert (
        json.loads((course.root / "inbox" / UNIT / "report.json").read_text())["students"][0][
            "student"
        ]
        == "anna"
    )


def test_the_command_reports_and_its_exit_code_says_whether_a_person_is_needed(
    autograder: Run, course: Course, good: bytes, tmp_path: Path
) -> None:
    source = zipped(tmp_path / "c.zip", {f"anna/{UNIT}.ipynb": good})
    code, out, _ = autograder("--course", course.root, "collect", "01", source)
    assert code == 0
    assert "1 taken" in out
    assert "anna" in out
    table(course.root / "students.csv", "student", "anna", "zoe")
    code, out, _ = autograder(
        "--course",
        course.root,
        "collect",
        "01",
        zipped(source, {f"bob/{UNIT}.ipynb": good}),
        "--json",
    )
    assert code == 1
    data = json.loads(out)
    assert {each["student"]: each["status"] for each in data["students"]} == {
        "anna": "missing",
        "zoe": "missing",
    }
    assert data["strays"]
    code, _, err = autograder("--course", course.root, "collect", "01", tmp_path / "nowhere")
    assert code == 2
    assert "nowhere" in err
