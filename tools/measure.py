"""Measures what the documentation states, and writes it there: `python -m tools.measure [STEP
...]`, `make measure` for everything.

A step runs one command of this repository and keeps what it printed in docs/measured/STEP.json,
with the day and the machine. From these files alone docs/measured.md is made, and every figure that
another page states between marks:

    of <!--= audit.wrong -->1083<!--/--> wrong answers none passes

What stands in the first mark is an expression of Jinja; it sees what each step printed, by the
step's name, and what `figures` adds. `python -m tools.measure write` only writes.
tests/test_measured.py fails while a page says something else than the files.

A further section: a line in STEPS, and its text in tools/measured.md.
"""

import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
from jinja2 import Environment, FileSystemLoader, StrictUndefined, UndefinedError

from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from tools.bench import extrapolate as scale

FOLDER = SOURCE_TREE / "docs" / "measured"
PAGE = SOURCE_TREE / "docs" / "measured.md"

STEPS = {
    "audit": "autograder audit --json",
    "written": "autograder audit --written --json",
    "mutate": "autograder mutate --json",
    "hostile": "pytest tests/hostile",
    "equality": "pytest tests/equality",
    "repair": "COURSE_ALL_STOCK=1 pytest tests/autograder/test_repair.py tests/colab/test_stock.py",
    "bench": "autograder bench --json",
    "pages": "python -m tools.bench.pages 100 --json",
    "otter": "python -m tools.bench.otter 30 --json",
    "attention": "python -m tools.bench.attention --json",
    "multihead": "python -m tools.bench.multihead --json",
    "example": "python -m tools.example",
    "scale": "python -m tools.bench.scale --json",
}
QUICK = {
    "bench": "autograder bench --json --students 4 --times 1 --times 3 --repeats 1",
    "pages": "python -m tools.bench.pages 10 --json",
    "otter": "python -m tools.bench.otter 30 --slow 3 --attacks 6 --json",
    "scale": "python -m tools.bench.scale --json --submissions 20 --null 1000 --unit 01 --unit 03",
}  # to try things with; the page shows the command, and so the size of the class

MARKED = re.compile(r"(<!--= (?P<expression>.+?) -->)(?P<text>.*?)(<!--/-->)", re.DOTALL)


# Measuring ----------------------------------------------------------------------------------------


def measure(step: str, command: str) -> None:
    """Run a command and keep what it printed; if it fails, what was kept before stays."""
    load = os.getloadavg()[0]
    kept = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": round(
            load, 1
        ),  # processes that wanted the processor before it began: near 0 on an idle machine
        "output": run(command),
    }
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{step}.json").write_text(
        json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def run(command: str) -> Any:
    """What a command of this repository prints as JSON, or the outcomes of its tests."""
    words = shlex.split(command)
    environment = {**os.environ, "COURSE_STRICT": "1"}  # nothing may be skipped
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    programs = {"autograder": ["-m", "autograder.cli"], "pytest": ["-m", "pytest"], "python": []}
    arguments = [sys.executable, *programs[words[0]], *words[1:]]
    with tempfile.TemporaryDirectory() as folder:
        outcomes = Path(folder) / "outcomes.xml"
        tests = words[0] == "pytest"
        arguments += [f"--junitxml={outcomes}"] if tests else []
        done = subprocess.run(
            arguments,
            cwd=SOURCE_TREE,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        # 1: some tests failed, or mutants passed, which is a result
        if done.returncode not in ((0, 1) if tests or "mutate" in words else (0,)):
            raise UserError(f"{command} failed (exit code {done.returncode}): {done.stdout[-500:]}")
        if tests:
            return of_tests(ElementTree.parse(outcomes).getroot())
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        return json.loads(lines[-1] if lines else done.stdout)  # libraries in C write there, too


def of_tests(root: ElementTree.Element) -> dict[str, Any]:
    """How many tests of each kind passed, from pytest's own record, and the properties that they
    noted.
    """
    counts: dict[str, Counter[str]] = {}
    properties: dict[str, int] = {}
    for case in root.iter("testcase"):
        kind = re.sub(
            r"\[([^]-]+)-.*\]$", r"[\1]", case.get("name", "")
        )  # test_program[leaks-tcp] -> test_program[leaks]
        where = f"{case.get('classname', '').rsplit('.', 1)[-1]}.{kind}"
        for broken in (case.find("error"), case.find("skipped")):
            if broken is not None:
                raise UserError(f"{where} did not run: {broken.get('message')}")
        counts.setdefault(where, Counter(passed=0, failed=0))[
            "passed" if case.find("failure") is None else "failed"
        ] += 1
        properties |= {str(p.get("name")): int(p.get("value", 0)) for p in case.iter("property")}
    return {"tests": {where: dict(count) for where, count in counts.items()}, **properties}


# Writing ------------------------------------------------------------------------------------------


def figures() -> dict[str, Any]:
    """What the pages may state: the output of every step, how it was made, and what follows from
    it.
    """
    from autograder.authoring.attempts import as_markdown
    from autograder.bench import Report

    kept = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
    }
    found: dict[str, Any] = {step: kept.get(step, {}).get("output") for step in [*STEPS, *kept]}
    found["about"] = kept
    found["coverage"] = coverage()
    if found["audit"]:
        found["audit_table"] = as_markdown(found["audit"]["table"])
        found["audit_by_unit"] = by_unit(found["audit"]["table"])
    if found["mutate"]:
        found["mutate_by_unit"] = mutants_by_unit(found["mutate"]["table"])
    if found["bench"]:
        found["bench_lines"] = "\n".join(Report.from_json(found["bench"]).lines())
    if found["hostile"]:
        found |= attacks(found["hostile"]["tests"])
    if found["example"]:
        found["example_pages"] = example_pages(found["example"]["shown"])
    if found["otter"]:
        from tools.bench import otter

        found["otter_table"] = "\n".join(otter.table(found["otter"]))
    if found["scale"]:
        found["scale_tables"] = scale.tables(found["scale"])
    # Another command than the step's own; what was measured once only has no step
    found["small"] = [
        s for s, each in kept.items() if each["command"] != STEPS.get(s, each["command"])
    ]
    return found


def attacks(tests: dict[str, dict[str, int]]) -> dict[str, Any]:
    """The tests of tests/hostile: by family of attacks, and what was checked for the class as a
    whole.
    """
    families, checks = {}, {}
    for where, count in tests.items():
        if family := re.search(r"\.test_(?:program|tampering)\[(.+)\]", where):
            families[family[1]] = count
        else:
            checks[where.split(".test_")[1].replace("_", " ")] = count
    everything = {
        outcome: sum(count[outcome] for count in families.values())
        for outcome in ("passed", "failed")
    }
    held = {
        outcome: [name for name, count in checks.items() if count[outcome]]
        for outcome in ("passed", "failed")
    }
    return {"attacks": families | {"all": everything}, "checks": held}


def example_pages(shown: list[dict[str, Any]]) -> str:
    """The list of docs/examples.md, and the first page of it in a frame."""
    lines = []
    for each in shown:
        named = ", ".join(f"*{title.rstrip('.')}*" for title in each["named"]) or "no misconception"
        lines.append(
            f'- <a href="examples/{each["page"]}">{each["student"]}</a>, {each["points"]:g} of '
            f"{each['of']:g} points: {named}"
        )
    frame = (
        f'<iframe src="examples/{shown[0]["page"]}" title="Feedback for a simulated student" '
        'style="width: 100%; height: 40rem" loading="lazy"></iframe>'
    )
    return "\n".join([*lines, "", frame])


def by_unit(table: list[list[str]]) -> list[dict[str, Any]]:
    """The table of an audit, summed over the exercises of each unit."""
    units: dict[str, Counter[str]] = {}
    for unit, _, wrong, passes, right, fails, named in table[1:]:
        good, of = named.split(" of ")
        row = {
            "wrong": wrong,
            "passes": passes,
            "right": right,
            "fails": fails,
            "good": good,
            "of": of,
        }
        units.setdefault(unit, Counter(exercises=0)).update(
            {key: int(value) for key, value in row.items()} | {"exercises": 1}
        )
    units["all"]["exercises"] = sum(
        row["exercises"] for unit, row in units.items() if unit != "all"
    )
    return [{"unit": unit, **row} for unit, row in units.items()]


def mutants_by_unit(table: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The table of `autograder mutate`, summed over the exercises of each unit."""
    from autograder.authoring.mutation import KINDS, score

    units: dict[str, Counter[str]] = {}
    for row in table:
        found = units.setdefault(row["exercise"].split("/")[0], Counter(exercises=0))
        found.update({kind: row[kind] for kind in KINDS} | {"exercises": 1})
    units["all"]["exercises"] = len(table) - 1
    return [{"unit": unit, **row, "score": score(row)} for unit, row in units.items()]


def coverage() -> dict[str, int]:
    """How many topics, mistakes and questions of the source decks the lectures deal with, and how
    many are left out.
    """
    entries = tomllib.loads((SOURCE_TREE / "docs" / "coverage.toml").read_text(encoding="utf-8"))
    counts = {
        kind: len({entry["id"] for entry in found if "skip" not in entry})
        for kind, found in entries.items()
    }
    return counts | {
        "skipped": sum("skip" in entry for found in entries.values() for entry in found)
    }


def templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def page(found: dict[str, Any]) -> str:
    """docs/measured.md."""
    return templates().get_template("measured.md").render(**found)


def filled(text: str, found: dict[str, Any]) -> str:
    """A page with its marked figures as they were measured; a value of several lines gets lines of
    its own.
    """
    environment = templates()

    def replace(match: re.Match[str]) -> str:
        try:
            value = str(
                environment.compile_expression(match["expression"], undefined_to_none=False)(
                    **found
                )
            )
        except UndefinedError as error:
            raise UserError(
                f"there is no figure {match['expression']!r} ({error}): was it measured?"
            ) from None
        return (
            f"{match[1]}\n{value}\n{match[4]}" if "\n" in value else f"{match[1]}{value}{match[4]}"
        )

    return MARKED.sub(replace, text)


def sources() -> list[Path]:
    """Every page that somebody writes."""
    return [
        SOURCE_TREE / "README.md",
        *sorted(path for path in (SOURCE_TREE / "docs").rglob("*.md") if path != PAGE),
    ]


def marked() -> list[Path]:
    """Every page that states measured figures."""
    return [PAGE, *(path for path in sources() if MARKED.search(path.read_text(encoding="utf-8")))]


def written(path: Path, found: dict[str, Any]) -> str:
    """A page as it should be."""
    return page(found) if path == PAGE else filled(path.read_text(encoding="utf-8"), found)


def write() -> None:
    """Write all pages whose figures are there, then say which are not."""
    found, missing = figures(), []
    for path in marked():
        try:
            path.write_text(written(path, found), encoding="utf-8")
        except UserError as error:
            missing.append(f"{path.name}: {error}")
    if missing:
        raise UserError("; ".join(missing))


@click.command()
@click.argument("steps", nargs=-1, type=click.Choice([*STEPS, "write"]), metavar="[STEP]...")
@click.option("--quick", is_flag=True, help="Small classes, to try things with.")
def main(steps: tuple[str, ...], quick: bool) -> None:
    """Measure (everything, or the STEPs named), and write the figures into the documentation.

    `write` only writes.
    """
    try:
        for step in steps or STEPS:
            if step != "write":
                command = (QUICK if quick else STEPS).get(step, STEPS[step])
                click.echo(command)
                measure(step, command)
            write()
    except UserError as error:
        raise click.ClickException(str(error)) from None


if __name__ == "__main__":
    main()
