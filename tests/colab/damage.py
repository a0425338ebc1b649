"""What happens to notebooks between release and collection, the score that each must still get, and
what stock nbgrader gives it.

This is the data of the tests and of docs/repair.md alike: `python -m tests.colab.damage` writes the
page, and `COURSE_ALL_STOCK=1 pytest tests/colab/test_stock.py` measures the column of stock
nbgrader again.
"""

import contextlib
import copy
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.course import SOURCE_TREE, Course
from tests.colab import simulator

UNIT = "01_nadaraya_watson"
PAGE = SOURCE_TREE / "docs" / "repair.md"
WRITTEN = "town_of_200000"
TEXT = (
    "Far outside the data the weights of the nearest town come close to one, so its value is "
    "predicted."
)
Notebook = dict[str, Any]
NOT_GRADED = "not graded"


@dataclass(frozen=True)
class Damage:
    """One kind of damage to a notebook in which everything was answered rightly."""

    group: str
    text: str
    do: Callable[[Notebook], Notebook | bytes]
    stock: (
        tuple[str, ...] | str
    ) = ()  # exercises that lose their points with stock nbgrader, or NOT_GRADED
    lost: tuple[str, ...] = ()  # exercises that cannot be saved
    check: bool = False  # the repair is a guess: a person is asked to look
    refused: bool = False
    written: bool = True  # the written answer is still where a person grades it
    file: str = f"{UNIT}.ipynb"

    @property
    def key(self) -> str:
        return "".join(c if c.isalnum() else "-" for c in self.text.lower())[:60].strip("-")


def answered(course: Course) -> Notebook:
    """The released notebook with the right answers in it."""
    made = json.loads(course.released(UNIT).read_text(encoding="utf-8"))
    source = json.loads((course.solutions / UNIT / f"{UNIT}.ipynb").read_text(encoding="utf-8"))
    right = {grade_id(cell): "".join(cell["source"]) for cell in source["cells"] if grade_id(cell)}
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
        if (cell["metadata"].get("nbgrader") or {}).get("solution"):
            cell["source"] = re.sub(
                r"^\s*### (BEGIN|END) SOLUTION\n?", "", right[grade_id(cell)], flags=re.M
            ).rstrip()
        if grade_id(cell) == WRITTEN:
            cell["source"] = TEXT
    return made


def grade_id(cell: dict[str, Any]) -> str:
    return str((cell["metadata"].get("nbgrader") or {}).get("grade_id", ""))


def cell(notebook: Notebook, name: str) -> dict[str, Any]:
    return next(each for each in notebook["cells"] if grade_id(each) == name)


def place(notebook: Notebook, name: str) -> int:
    return next(i for i, each in enumerate(notebook["cells"]) if grade_id(each) == name)


def plain(source: str, kind: str = "code", ident: str = "") -> dict[str, Any]:
    """A cell that the student made."""
    made = {
        "cell_type": kind,
        "metadata": {},
        "source": source,
        "id": ident or f"own{abs(hash(source)) % 10**8}",
    }
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def stub(name: str) -> str:
    path = SOURCE_TREE / "assignments" / UNIT / f"{UNIT}.ipynb"
    return "".join(cell(json.loads(path.read_text(encoding="utf-8")), name)["source"])


def rng() -> random.Random:
    return random.Random(0)


def without(notebook: Notebook, *names: str) -> Notebook:
    notebook["cells"] = [each for each in notebook["cells"] if grade_id(each) not in names]
    return notebook


def each(notebook: Notebook, change: Callable[[dict[str, Any]], object]) -> Notebook:
    for one in notebook["cells"]:
        change(one)
    return notebook


def tests() -> tuple[str, ...]:
    path = SOURCE_TREE / "assignments" / UNIT / f"{UNIT}.ipynb"
    found = [grade_id(one) for one in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    return tuple(name for name in found if name.startswith("test_"))


# Colab --------------------------------------------------------------------------------------------


def colab(notebook: Notebook) -> Notebook:
    return simulator.executed(simulator.opened(notebook, rng()))


def drive_copy(notebook: Notebook) -> bytes:
    return simulator.written(
        simulator.executed(simulator.opened(notebook, rng()), drive=True), minified=True
    )


def to_github(notebook: Notebook) -> Notebook:
    return simulator.saved_to_github(colab(notebook))


def old_format(notebook: Notebook) -> Notebook:
    notebook["nbformat_minor"] = 4
    return simulator.opened(notebook, rng())


def widgets(notebook: Notebook) -> Notebook:
    return simulator.executed(simulator.opened(notebook, rng()), widgets=True)


def no_outputs(notebook: Notebook) -> Notebook:
    return each(
        colab(notebook), lambda one: (one.pop("outputs", None), one.pop("execution_count", None))
    )


def mounted(notebook: Notebook) -> Notebook:
    answer = cell(notebook, "softmax")
    answer["source"] = "from google.colab import drive\n\n" + answer["source"]
    return notebook


def installed(notebook: Notebook) -> Notebook:
    notebook["cells"].insert(3, plain("!pip install -q einops\n%load_ext autoreload"))
    return notebook


# Ids and metadata ---------------------------------------------------------------------------------


def no_ids(notebook: Notebook) -> Notebook:
    notebook["nbformat_minor"] = 4
    return each(notebook, lambda one: one.pop("id"))


def new_ids(notebook: Notebook) -> Notebook:
    for number, one in enumerate(notebook["cells"]):
        one["id"] = f"fresh{number}"
    return notebook


def no_metadata(notebook: Notebook) -> Notebook:
    return each(notebook, lambda one: one.update(metadata={}))


def only_text(notebook: Notebook) -> Notebook:
    return no_metadata(new_ids(notebook))


def forged(notebook: Notebook) -> Notebook:
    for one in notebook["cells"]:
        if one["metadata"].get("nbgrader"):
            one["metadata"]["nbgrader"] |= {"points": 100, "locked": False, "schema_version": 1}
    return notebook


def skipped(notebook: Notebook) -> Notebook:
    cell(notebook, "leave_one_out_error")["source"] = (
        "def leave_one_out_error(keys, values, bandwidth):\n    return 0 * bandwidth"
    )
    cell(notebook, "test_leave_one_out_error")["metadata"]["tags"] = ["skip-execution"]
    return notebook


def same_id_twice(notebook: Notebook) -> Notebook:
    notebook["cells"].insert(
        place(notebook, "softmax"), plain("notes = 'my draft'", ident="softmax")
    )
    return notebook


# Cells that were retyped, copied, split, merged, moved, deleted -----------------------------------


def retyped(notebook: Notebook, name: str = "softmax") -> Notebook:
    at = place(notebook, name)
    notebook["cells"][at] = plain(
        notebook["cells"][at]["source"], notebook["cells"][at]["cell_type"]
    )
    return notebook


def retyped_beside_the_stub(notebook: Notebook) -> Notebook:
    at = place(notebook, "softmax")
    notebook["cells"].insert(at + 2, plain(notebook["cells"][at]["source"]))
    notebook["cells"][at]["source"] = stub("softmax")
    return notebook


def retyped_above_the_stub(notebook: Notebook) -> Notebook:
    at = place(notebook, "softmax")
    notebook["cells"].insert(at, plain(notebook["cells"][at]["source"]))
    notebook["cells"][at + 1]["source"] = stub("softmax")
    return notebook


def copied(notebook: Notebook, source: str, after: bool) -> Notebook:
    at = place(notebook, "softmax")
    twin = copy.deepcopy(notebook["cells"][at]) | {"source": source, "id": "twin"}
    notebook["cells"].insert(at + 1 if after else at, twin)
    return notebook


def older_copy(notebook: Notebook) -> Notebook:
    return copied(notebook, "def softmax(scores, dim=-1):\n    return scores.exp()", after=False)


def stub_copy(notebook: Notebook) -> Notebook:
    return copied(notebook, stub("softmax"), after=True)


def exact_copy(notebook: Notebook) -> Notebook:
    return copied(notebook, cell(notebook, "softmax")["source"], after=True)


def test_copy(notebook: Notebook) -> Notebook:
    at = place(notebook, "test_softmax")
    notebook["cells"].insert(at, copy.deepcopy(notebook["cells"][at]))
    return notebook


def halves(notebook: Notebook, marked: bool) -> Notebook:
    at = place(notebook, "leave_one_out_error")
    lines = notebook["cells"][at]["source"].splitlines()
    cut = next(i for i, line in enumerate(lines) if line.startswith("def ")) + 2
    first, second = "\n".join(lines[:cut]), "\n".join(lines[cut:])
    notebook["cells"][at]["source"] = first
    rest = (
        copy.deepcopy(notebook["cells"][at]) | {"source": second, "id": "rest"}
        if marked
        else plain(second)
    )
    notebook["cells"].insert(at + 1, rest)
    return notebook


def merged(notebook: Notebook) -> Notebook:
    cell(notebook, "softmax")["source"] += "\n\ncheck(softmax)"
    return without(notebook, "test_softmax")


def one_cell(notebook: Notebook) -> Notebook:
    names = ("softmax", "gaussian_weights", "nadaraya_watson", "leave_one_out_error")
    everything = "\n\n\n".join(cell(notebook, name)["source"] for name in names)
    at = place(notebook, "softmax")
    without(notebook, *names)
    notebook["cells"].insert(at, plain(everything))
    return notebook


def swapped(notebook: Notebook) -> Notebook:
    one, two = cell(notebook, "softmax"), cell(notebook, "gaussian_weights")
    one["source"], two["source"] = two["source"], one["source"]
    return notebook


def in_the_test(notebook: Notebook) -> Notebook:
    answer, test = cell(notebook, "softmax"), cell(notebook, "test_softmax")
    test["source"] = answer["source"] + "\n\ncheck(softmax)"
    answer["source"] = stub("softmax")
    return notebook


def edited_test(notebook: Notebook) -> Notebook:
    cell(notebook, "test_softmax")["source"] = "print('looks good')"
    return notebook


def broken_test(notebook: Notebook) -> Notebook:
    cell(notebook, "test_softmax")["source"] = "chekc(softmax)"
    return notebook


def moved(notebook: Notebook, name: str, to: int) -> Notebook:
    one = cell(notebook, name)
    notebook["cells"].remove(one)
    notebook["cells"].insert(to if to >= 0 else len(notebook["cells"]), one)
    return notebook


def upside_down(notebook: Notebook) -> Notebook:
    notebook["cells"].reverse()
    return notebook


def turned(notebook: Notebook, name: str, kind: str) -> Notebook:
    one = cell(notebook, name)
    one["cell_type"] = kind
    for key in ("outputs", "execution_count"):
        one.pop(key, None)
    return notebook


def written_below(notebook: Notebook) -> Notebook:
    at = place(notebook, WRITTEN)
    notebook["cells"][at]["source"] = "YOUR ANSWER HERE"
    notebook["cells"].insert(at + 1, plain(TEXT, "markdown"))
    return notebook


def no_imports(notebook: Notebook) -> Notebook:
    notebook["cells"] = [
        one for one in notebook["cells"] if not one["source"].startswith("import math")
    ]
    return notebook


def no_prose(notebook: Notebook) -> Notebook:
    notebook["cells"] = [
        one for one in notebook["cells"] if one["cell_type"] == "code" or grade_id(one)
    ]
    return notebook


def scratch(notebook: Notebook) -> Notebook:
    cells = []
    for number, one in enumerate(notebook["cells"]):
        cells += [
            one,
            plain(f"x{number} = {number}\nx{number}"),
            plain(f"thoughts, part {number}", "markdown"),
        ]
    notebook["cells"] = cells
    return notebook


# The file -----------------------------------------------------------------------------------------


def windows_lines(notebook: Notebook) -> Notebook:
    return each(notebook, lambda one: one.update(source=one["source"].replace("\n", "\r\n")))


def byte_order_mark(notebook: Notebook) -> bytes:
    return b"\xef\xbb\xbf" + json.dumps(notebook).encode()


def format_3(notebook: Notebook) -> bytes:
    import nbformat

    old = nbformat.v4.downgrade(nbformat.from_dict(copy.deepcopy(notebook)))
    return nbformat.v3.writes_json(old).encode()


def other_kernel(notebook: Notebook) -> Notebook:
    notebook["metadata"]["kernelspec"] = {
        "name": "my-env",
        "display_name": "My environment",
        "language": "python",
    }
    return notebook


def no_notebook_metadata(notebook: Notebook) -> Notebook:
    notebook["metadata"] = {}
    return notebook


def cut_off(notebook: Notebook) -> bytes:
    text = json.dumps(notebook).encode()
    return text[: len(text) // 2]


def same(notebook: Notebook) -> Notebook:
    return notebook


ALL = tests()
DAMAGES = [
    Damage("Colab", "saved and downloaded from Colab", colab),
    Damage(
        "Colab", "a copy in Drive: one line, with the student's name in `executionInfo`", drive_copy
    ),
    Damage("Colab", "“Save to GitHub”: a badge cell without an id in front", to_github),
    Damage(
        "Colab", "format 4.4, which Colab turns into 4.0 with the ids in the metadata", old_format
    ),
    Damage("Colab", "widget state without its wrapper", widgets),
    Damage("Colab", "code cells without `outputs` and `execution_count`", no_outputs),
    Damage(
        "Colab", "`from google.colab import drive` in an answer", mounted, stock=("test_softmax",)
    ),
    Damage("Colab", "`!pip install` and `%load_ext` in a cell of the student's", installed),
    Damage(
        "Colab",
        "“Copy of”, and a number after the name",
        same,
        file=f"Copy of {UNIT} (1).ipynb",
        stock=NOT_GRADED,
    ),
    Damage("ids and metadata", "all ids lost", no_ids),
    Damage("ids and metadata", "all ids new", new_ids),
    Damage("ids and metadata", "all metadata lost", no_metadata, stock=ALL),
    Damage(
        "ids and metadata",
        "ids and metadata lost: only the text is left",
        only_text,
        check=True,
        stock=ALL,
    ),
    Damage("ids and metadata", "forged points, locks and schema", forged, stock=NOT_GRADED),
    Damage(
        "ids and metadata",
        "a wrong answer whose test is tagged `skip-execution`",
        skipped,
        lost=("test_leave_one_out_error",),
    ),
    Damage("ids and metadata", "two cells with one id", same_id_twice),
    Damage("answers", "retyped in a new cell", retyped, check=True),
    Damage(
        "answers",
        "retyped in a new cell below the test, the stub left where it was",
        retyped_beside_the_stub,
        check=True,
        stock=("test_softmax",),
    ),
    Damage(
        "answers",
        "retyped in a new cell above the stub",
        retyped_above_the_stub,
        check=True,
        stock=("test_softmax",),
    ),
    Damage(
        "answers",
        "a choice retyped in a new cell",
        lambda n: retyped(n, "choice_units"),
        check=True,
    ),
    Damage(
        "answers",
        "an older draft in a copy of the cell above",
        older_copy,
        check=True,
        stock=NOT_GRADED,
    ),
    Damage("answers", "a copy of the cell below, with the stub in it", stub_copy, stock=NOT_GRADED),
    Damage("answers", "an exact copy of the cell below", exact_copy, stock=NOT_GRADED),
    Damage(
        "answers",
        "split in the middle of a function",
        lambda n: halves(n, marked=False),
        check=True,
        stock=("test_leave_one_out_error",),
    ),
    Damage(
        "answers",
        "split, with the metadata on both halves",
        lambda n: halves(n, marked=True),
        check=True,
        stock=NOT_GRADED,
    ),
    Damage("answers", "merged with the test", merged, stock=("test_softmax",)),
    Damage(
        "answers", "four answers in one new cell, their own cells deleted", one_cell, check=True
    ),
    Damage(
        "answers", "two answers in each other's cells", swapped, check=True, stock=("test_softmax",)
    ),
    Damage(
        "answers", "written into the test cell", in_the_test, check=True, stock=("test_softmax",)
    ),
    Damage(
        "answers", "moved to the end", lambda n: moved(n, "softmax", -1), stock=("test_softmax",)
    ),
    Damage(
        "answers",
        "deleted",
        lambda n: without(n, "choice_units"),
        lost=("test_choice_units",),
        stock=("test_choice_units",),
    ),
    Damage("answers", "turned into a markdown cell", lambda n: turned(n, "softmax", "markdown")),
    Damage("answers", "turned into a raw cell", lambda n: turned(n, "softmax", "raw")),
    Damage("written answers", "turned into a code cell", lambda n: turned(n, WRITTEN, "code")),
    Damage("written answers", "retyped in a new cell", lambda n: retyped(n, WRITTEN), check=True),
    Damage("written answers", "written into a new cell below", written_below, check=True),
    Damage("tests", "deleted", lambda n: without(n, "test_softmax"), stock=("test_softmax",)),
    Damage("tests", "all deleted", lambda n: without(n, *ALL), stock=ALL),
    Damage("tests", "there twice", test_copy, stock=NOT_GRADED),
    Damage(
        "tests",
        "retyped in a new cell",
        lambda n: retyped(n, "test_softmax"),
        stock=("test_softmax",),
    ),
    Damage("tests", "replaced by something that always passes", edited_test),
    Damage("tests", "damaged by a slip of the hand", broken_test),
    Damage(
        "tests", "moved to the top", lambda n: moved(n, "test_softmax", 1), stock=("test_softmax",)
    ),
    Damage("tests", "turned into markdown", lambda n: turned(n, "test_softmax", "markdown")),
    Damage("the rest", "all cells upside down", upside_down, stock=ALL),
    Damage("the rest", "the cell with the imports deleted", no_imports, stock=ALL),
    Damage("the rest", "all explanations deleted", no_prose),
    Damage("the rest", "two cells of the student's after every cell", scratch),
    Damage("the file", "line ends of Windows", windows_lines),
    Damage("the file", "a byte order mark", byte_order_mark, stock=NOT_GRADED),
    Damage("the file", "format 3", format_3),
    Damage("the file", "a kernel that only the student has", other_kernel),
    Damage("the file", "no metadata", no_notebook_metadata),
    Damage("the file", "another name", same, file="homework Zoë.ipynb", stock=NOT_GRADED),
    Damage(
        "the file", "cut off in the middle", cut_off, refused=True, written=False, stock=NOT_GRADED
    ),
]


def damaged(damage: Damage, course: Course) -> bytes:
    made = damage.do(answered(course))
    return made if isinstance(made, bytes) else json.dumps(made).encode()


def hand_in(course: Course, damages: list[Damage]) -> dict[str, Damage]:
    """One student per kind of damage."""
    made = {}
    for number, damage in enumerate(damages):
        student = f"damage{number:02d}"
        folder = course.submitted / student / UNIT
        folder.mkdir(parents=True)
        (folder / damage.file).write_bytes(damaged(damage, course))
        made[student] = damage
    return made


def points(lost: tuple[str, ...]) -> str:
    most = {test: value(test) for test in ALL}
    return f"{sum(most.values()) - sum(most[name] for name in lost):g}"


def value(test: str) -> float:
    path = SOURCE_TREE / "assignments" / UNIT / f"{UNIT}.ipynb"
    return float(
        cell(json.loads(path.read_text(encoding="utf-8")), test)["metadata"]["nbgrader"]["points"]
    )


# Measuring and writing down -----------------------------------------------------------------------


def stock_losses(course: Course, student: str) -> tuple[str, ...] | str:
    """Which tests give no points with stock nbgrader, or NOT_GRADED."""
    from nbgrader.converters import Autograde
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory

    from autograder import nbgrader_bridge
    from autograder.points.scores import cell_scores

    config = nbgrader_bridge.settings(course, student_id=student, assignment_id=UNIT)
    config.Autograde.create_student = config.Autograde.force = True
    converter = Autograde(coursedir=CourseDirectory(config=config), config=config)
    with contextlib.suppress(NbGraderException, SystemExit):
        converter.start()
    if not (course.autograded / student / UNIT / f"{UNIT}.ipynb").is_file():
        return NOT_GRADED
    found = cell_scores(course, UNIT).get(student, {})
    return tuple(test for test in ALL if (found.get(test) or 0.0) < value(test))


ABOUT = """\
# What happens to notebooks, and what they still score

<!-- written by `python -m tests.colab.damage` from the data of the tests; a test fails if it is out of date -->

Between release and collection a notebook goes through Colab, browsers, learning platforms and hands. Before it is graded it is repaired
(`autograder/collecting/repair.py`): every cell of the release is looked for, in this order,

1. by its id, which is its grade id; Colab keeps a second copy of it in the cell's metadata,
2. by nbgrader's grade id,
3. by its exact text,
4. for an answer, by the name that it defines,
5. for an answer, by its place between the cells that surround it in the release.

What is found gets its type, its metadata and, if it was locked, its text from the release; what is missing is put back; a test never
stands before an answer that it may need. Answers and the student's own cells are kept. Outputs, widget state, Colab's `executionInfo`
with the student's name, and every other metadata of the file are dropped. The file is read as plain JSON: nbformat would rename double ids
by itself. Steps 4 and 5, two versions of one answer, and halves that were joined are **guesses**: they are marked *please check* in the
report of `autograder collect`, in the summary of `autograder grade`, and in the result. A repaired notebook is repaired no further: the
same again changes nothing.

## {count} kinds of damage

Unit 01 with every question answered rightly is worth {most} points by tests (and {written} by hand). Each row is one kind of damage to it:
what stock nbgrader {version} gives, and what it gets here. *Not graded* means that nbgrader skips the notebook or stops with an error.
**?** marks the guesses that a person is asked to check. Both columns are run by the tests.

| damage | stock nbgrader | here | |
|---|---:|---:|---|
"""


def counts() -> dict[str, int]:
    """Kinds of damage: all, those whose points stock nbgrader loses and this engine keeps, those
    that a person is asked to check, refused ones.
    """
    kept = [
        d.stock == NOT_GRADED or float(points(tuple(d.stock))) < float(points(d.lost))
        for d in DAMAGES
        if not d.refused
    ]
    return {
        "kinds": len(DAMAGES),
        "kept": sum(kept),
        "guesses": sum(d.check for d in DAMAGES),
        "refused": sum(d.refused for d in DAMAGES),
    }


def page() -> str:
    """docs/repair.md."""
    import importlib.metadata

    total = points(())
    version = importlib.metadata.version("nbgrader")
    lines = [
        ABOUT.format(
            count=len(DAMAGES), most=total, written=f"{value(WRITTEN):g}", version=version
        ).rstrip("\n")
    ]
    group = ""
    for damage in DAMAGES:
        if damage.group != group:
            group = damage.group
            lines.append(f"| **{group}** | | | |")
        stock = damage.stock if isinstance(damage.stock, str) else points(damage.stock)
        here = "refused" if damage.refused else points(damage.lost)
        lines.append(f"| {damage.text} | {stock} | {here} | {'?' if damage.check else ''} |")
    lines += [
        "",
        f"In {counts()['kept']} of {len(DAMAGES)} kinds the points that stock nbgrader loses are "
        "kept. What cannot be saved is a file that is cut",
    ]
    lines += [
        "off, which is refused with that reason, and an answer that was deleted. The wrong "
        "answer with a test that is never run gets no",
        "points here, and full marks there.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
