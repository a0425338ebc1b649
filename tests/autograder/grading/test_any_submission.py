"""No submission ends a run: whatever is handed in, each student gets a result or one line.

More examples: COURSE_FUZZ=5000 pytest tests/autograder/grading/test_any_submission.py
"""

import copy
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder import outside
from autograder.course import Course
from autograder.grading import results, run
from autograder.grading.results import RunSummary
from tests.autograder import classroom
from tests.autograder.classroom import UNIT
from tests.autograder.grading.stand_in import Answer, ChildDied, Here, LimitHit, quiet

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("COURSE_FUZZ", "25"))
HONEST = "zz-honest"  # graded after the others

fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return classroom.make(tmp_path_factory.mktemp("any") / "course")


any_text = st.text(st.characters(exclude_categories=()), max_size=20)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | any_text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text, inner, max_size=4),
    max_leaves=12,
)
names = st.binary(min_size=1, max_size=254).map(
    lambda name: os.fsdecode(name.replace(b"/", b"_").replace(b"\0", b"_"))
)
known = st.sampled_from(["data", "timestamp.txt", f"{UNIT}.ipynb", "hw.ipynb", "a.py"])
trees = st.recursive(
    st.binary(max_size=60) | st.sampled_from([b"2026-01-01 10:00:00 UTC", b"{}"]),
    lambda inner: st.dictionaries(known | names, inner, max_size=4),
    max_leaves=6,
)


@st.composite
def notebooks(draw: st.DrawFn, honest: dict[str, Any]) -> bytes:
    """Random bytes, random JSON, or an honest notebook in which things were replaced."""
    kind = draw(st.sampled_from(["bytes", "json", "cells", "fields", "fields", "fields"]))
    if kind == "bytes":
        return draw(st.binary(max_size=200))
    if kind == "json":
        return json.dumps(draw(any_json)).encode("utf-8", "replace")
    made = copy.deepcopy(honest)
    if kind == "cells":
        made["cells"] = draw(st.lists(any_json | st.sampled_from(made["cells"]), max_size=6))
    else:
        places = [made, made["metadata"], *made["cells"]]
        places += [cell["metadata"] for cell in made["cells"]]
        for where in draw(st.lists(st.sampled_from(places), min_size=1, max_size=4)):
            name = draw(st.sampled_from(sorted(where)) | any_text if where else any_text)
            where[name] = draw(any_json | any_text)
    return json.dumps(made, ensure_ascii=True).encode()


def write(folder: Path, tree: dict[str, Any] | bytes) -> None:
    for name, inner in tree.items() if isinstance(tree, dict) else []:
        try:
            if isinstance(inner, dict):
                (folder / name).mkdir(exist_ok=True)
                write(folder / name, inner)
            else:
                (folder / name).write_bytes(inner)
        except OSError:
            pass  # there is no such file system


def graded(course: Course, student: str, pool: Here) -> RunSummary:
    """Grade one strange submission beside an honest one; only two things may come of it."""
    classroom.hand_in(course, HONEST, classroom.notebook(course, classroom.answers()))
    summary = run.grade(course, UNIT, pool=pool, force=True)
    assert results.read(course.root, UNIT, HONEST) is not None
    json.dumps(summary.as_json(), ensure_ascii=False).encode()
    shown = outside.line(student, 250)
    reasons = [each["reason"] for each in summary.problems if each["student"] == shown]
    stored = results.read(course.root, UNIT, student)
    assert (stored is None) <= bool(reasons), "a result, or one line about that student"
    assert summary.graded == 1 + (stored is not None)
    for reason in reasons:
        assert len(reason) <= 1000
        assert len(reason.encode().splitlines()) == 1
    return summary


def clear(course: Course) -> None:
    for folder in ("submitted", "autograded", "runs"):
        shutil.rmtree(course.root / folder, ignore_errors=True)


@fuzz
@given(data=st.data())
def test_any_files(course: Course, data: st.DataObject) -> None:
    student = data.draw(names.filter(lambda name: name not in (".", "..", HONEST)) | st.just("ann"))
    honest = classroom.notebook(course, classroom.answers())
    tree = data.draw(st.dictionaries(known | names, trees, max_size=5))
    name = data.draw(st.sampled_from([f"{UNIT}.ipynb", "hw.ipynb"]))
    content = data.draw(notebooks(honest))
    clear(course)
    folder = course.submitted / student / UNIT
    folder.mkdir(parents=True)
    write(folder, tree)
    if not (folder / name).is_dir():
        (folder / name).write_bytes(content)
    graded(course, student, Here(UNIT))


outputs = st.lists(
    any_json
    | st.fixed_dictionaries(
        {
            "output_type": st.sampled_from(["stream", "error", "display_data", "execute_result"]),
            "name": st.sampled_from(["stdout", "stderr"]),
            "text": any_text,
            "ename": any_text,
            "evalue": any_text,
            "traceback": st.lists(any_text, max_size=2) | any_json,
            "data": st.dictionaries(
                st.sampled_from(["text/plain", "text/html", "image/png"]) | any_text,
                any_json | any_text,
                max_size=3,
            ),
        }
    ),
    max_size=3,
)
outcomes = st.fixed_dictionaries(
    {
        "values": st.lists(any_json, max_size=2),
        "changed": st.lists(st.integers(0, 2), max_size=2) | any_json,
        "gradients": st.dictionaries(any_text, st.none(), max_size=1),
    }
) | st.fixed_dictionaries(
    {
        "failure": st.fixed_dictionaries(
            {
                "kind": st.sampled_from(["raised", "time", "missing", "parameters", "limit"]),
                "type": any_text,
                "message": any_text | st.just("MemoryError"),
                "line": st.none() | st.integers(),
                "code": any_text,
            }
        )
    }
)
ends = st.sampled_from(
    [
        ChildDied("the process ended itself with exit code 1"),
        LimitHit("memory_mb", "more than 600 MB of memory"),
        LimitHit("cell_seconds", "no end within 3 s"),
    ]
)


steps = (
    st.none()
    | ends
    | st.tuples(
        st.fixed_dictionaries({"done": any_json, "count": any_json, "value": any_json}),
        st.lists(outcomes | any_json, min_size=1, max_size=3) | any_json,
        st.binary(max_size=16),
        outputs.map(lambda said: [each for each in said if isinstance(each, dict)]),
    )
)


@fuzz
@given(script=st.lists(steps, max_size=20))
def test_any_answers_of_a_child(course: Course, script: list[Any]) -> None:
    left = iter(script)

    def say(op: str, fields: dict[str, Any]) -> Answer | Exception:
        step = next(left, None)
        if step is None:
            return quiet(op, fields)
        if isinstance(step, Exception):
            return step
        header, made, body, said = step
        if op == "play":
            count = len(fields["cases"])
            full = (made * count)[:count] if isinstance(made, list) else made
            header = {"outcomes": full}
        return header, body, said

    clear(course)
    classroom.hand_in(course, "ann", classroom.notebook(course, classroom.answers()))
    summary = graded(course, "ann", Here(UNIT, say))
    assert summary.graded == 2, summary.problems
