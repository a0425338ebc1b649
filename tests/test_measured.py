"""The documentation states what was measured, and what was measured is of this repository."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import attempts as bank
from autograder.authoring import mutation
from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from autograder.pages import common
from course_utils import exercises
from tools import measure

AGAIN = "run `python -m tools.measure {}`"


def kept(step: str) -> dict[str, Any]:
    return json.loads((measure.FOLDER / f"{step}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("step", measure.STEPS)
def test_every_step_was_measured(step: str) -> None:
    assert kept(step)["command"].split()[0] == measure.STEPS[step].split()[0]
    assert kept(step)["output"], AGAIN.format(step)


@pytest.mark.parametrize("path", measure.marked(), ids=lambda path: path.name)
def test_a_page_says_what_was_measured(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == measure.written(path, measure.figures()), (
        AGAIN.format("write")
    )


def test_figures_are_marked_and_not_typed() -> None:
    audit = kept("audit")["output"]
    figures = re.compile(rf"\b({audit['wrong']}|{audit['right']}|{audit['named']})\b")
    for path in measure.sources():
        typed = figures.search(measure.MARKED.sub("", path.read_text(encoding="utf-8")))
        assert not typed, f"{path.name}: {typed and typed[0]} is measured: put it between marks"


def test_the_audit_is_of_this_bank() -> None:
    audit = kept("audit")["output"]
    measured = {
        (unit, exercise): (int(wrong), int(right))
        for unit, exercise, wrong, _, right, *_ in audit["table"][1:-1]
    }
    counted: dict[tuple[str, str], tuple[int, int]] = {}
    for attempt in [attempt for unit in exercises.units() for attempt in bank.attempts(unit)]:
        wrong, right = counted.get((attempt.unit, attempt.exercise), (0, 0))
        counted[attempt.unit, attempt.exercise] = (
            wrong + (not attempt.right),
            right + attempt.right,
        )
    assert measured == counted, AGAIN.format("audit")
    assert (audit["false_passes"], audit["false_fails"]) == ([], [])


def test_the_mutants_are_of_these_exercises_and_none_is_a_hole() -> None:
    found = kept("mutate")["output"]
    assert (found["holes"], found["idle"]) == ([], []), AGAIN.format("mutate")
    measured = {row["exercise"]: row for row in found["table"]}
    total = measured.pop("all")
    counted = Counter(
        f"{exercises.unit_of(job.exercise).name}/{job.exercise}"
        for job in mutation.jobs(list(exercises.units()))
    )
    assert {name: row["right"] for name, row in measured.items()} == counted, AGAIN.format("mutate")
    for row in measured.values():
        assert row["hole"] == 0
        assert 0 < row["killed"] == row["mutants"] - row["equivalent"], row
    for kind in mutation.KINDS:
        assert total[kind] == sum(row[kind] for row in measured.values())


def test_mutants_are_summed_by_unit() -> None:
    one = dict.fromkeys(mutation.KINDS, 0) | {"right": 2, "mutants": 10, "killed": 8}
    two = one | {"equivalent": 2}
    rows = {"01_a/x": one, "01_a/y": two, "02_b/z": two, "all": two}
    found = measure.mutants_by_unit([{"exercise": name, **row} for name, row in rows.items()])
    assert [row["unit"] for row in found] == ["01_a", "02_b", "all"]
    assert [row["exercises"] for row in found] == [2, 1, 3]
    assert [row["score"] for row in found] == [0.8888, 1.0, 1.0]


def test_the_attacks_are_those_of_the_suite() -> None:
    from tests.hostile import suite
    from tests.hostile.tampering import TAMPERINGS

    found = measure.figures()["attacks"]
    names = [program.name for program in suite.programs()] + [
        suite.student_of(each) for each in TAMPERINGS
    ]
    assert found["all"] == {"passed": len(names), "failed": 0}, AGAIN.format("hostile")
    for family in {name.split("-")[0] for name in names}:
        assert found[family]["passed"] == sum(name.startswith(f"{family}-") for name in names), (
            AGAIN.format("hostile")
        )


@pytest.mark.parametrize("step", ["hostile", "equality", "repair"])
def test_nothing_failed(step: str) -> None:
    assert {
        where: count for where, count in kept(step)["output"]["tests"].items() if count["failed"]
    } == {}


def test_the_damage_is_that_of_the_tests() -> None:
    from tests.colab import damage

    found = kept("repair")["output"]
    assert {name: found[name] for name in damage.counts()} == damage.counts(), AGAIN.format(
        "repair"
    )
    stock = [
        count["passed"]
        for where, count in found["tests"].items()
        if where.startswith("test_stock.")
    ]
    assert sum(stock) == len(damage.DAMAGES), "stock nbgrader was not measured on all of it"


def test_a_marked_figure_is_filled_in() -> None:
    found = {"audit": {"wrong": 7}, "table": "| a |\n|---|"}
    assert measure.filled(
        "of <!--= audit.wrong -->1<!--/--> and <!--= audit.wrong -->2<!--/-->", found
    ) == ("of <!--= audit.wrong -->7<!--/--> and <!--= audit.wrong -->7<!--/-->")
    assert (
        measure.filled("<!--= table --><!--/-->", found)
        == "<!--= table -->\n| a |\n|---|\n<!--/-->"
    )
    with pytest.raises(UserError, match="no figure"):
        measure.filled("<!--= audit.right -->1<!--/-->", found)


def test_a_test_that_did_not_run_is_no_measurement() -> None:
    from xml.etree import ElementTree

    passed = (
        '<testcase classname="tests.test_x" name="test_a[b-c]"><properties><property '
        'name="n" value="3"/></properties></testcase>'
    )
    failed = '<testcase classname="tests.test_x" name="test_a[b-d]"><failure/></testcase>'
    assert measure.of_tests(ElementTree.fromstring(f"<s>{passed}{failed}</s>")) == {
        "tests": {"test_x.test_a[b]": {"passed": 1, "failed": 1}},
        "n": 3,
    }
    for tag in ("error", "skipped"):
        broken = (
            f'<s><testcase classname="t" name="test_b"><{tag} message="no sandbox"/></testcase></s>'
        )
        with pytest.raises(UserError, match="no sandbox"):
            measure.of_tests(ElementTree.fromstring(broken))


def test_the_example_pages_look_as_pages_look_today() -> None:
    from tools import example

    pages = sorted(example.FOLDER.rglob("*.html"))
    assert [path.name for path in pages if path.parent == example.FOLDER] == ["report.html"]
    assert len(pages) > 20  # all of the class, since the report links to each
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert common.asset("page.css") in text, AGAIN.format("example")
        assert example.TITLE in text
        assert path.stat().st_size < 300_000


def test_the_example_pages_are_all_linked() -> None:
    page = SOURCE_TREE / "docs" / "examples.md"
    links = re.findall(r'href="(examples/[^"]+)"', page.read_text(encoding="utf-8"))
    from tools import example

    report = (example.FOLDER / "report.html").read_text(encoding="utf-8")
    links += re.findall(r'href="([^"#]+\.html)"', report)
    assert {Path(link).name for link in links} == {
        path.name for path in example.FOLDER.rglob("*.html")
    }
