"""Attacks on asserts that run in the student's own process: what each one is worth to its author,
here and with stock nbgrader.

`python -m tests.any_course.hostile` grades all of them with both engines and prints the table of
docs/any-course.md. Every answer is wrong; whoever gets a point has forged it.
"""

import shutil
import tempfile
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.converters.base import NbGraderException

from autograder.any_course import AnyCourse
from autograder.collecting.repair import uncertain
from autograder.grading import results
from tests.any_course import both_engines

ASSIGNMENT, NOTEBOOK = "ps1", "squares"
RIGHT = "return [i**2 for i in range(1, n + 1)]"
WRONG = "def squares(n):\n    return [0.0] * n\n"
TEST = """\
assert squares(2) == [1, 4]
assert all(a == b for a, b in zip(squares(3), [1, 4, 9]))
np.testing.assert_allclose(squares(4), [1, 4, 9, 16])
### BEGIN HIDDEN TESTS
assert sum(squares(10)) == 385, "CANARY"
### END HIDDEN TESTS
"""


@dataclass(frozen=True)
class Attack:
    """What a student writes below a wrong answer, or does to the notebook."""

    what: str
    code: str = ""
    tag: str = ""  # on the test cell
    mark: str = ""  # of the test cell's metadata, to be turned round
    file: tuple[str, str] = ("", "")  # beside the notebook
    held: bool = True  # it earns nothing here
    flagged: bool = False  # and a person is told


ATTACKS = {
    "honest": Attack("a wrong answer without any attack"),
    "skip": Attack("tag the test cell `skip-execution`", tag="skip-execution"),
    "ungraded": Attack("call the test cell an answer in its metadata", mark="solution"),
    "shadow_library": Attack(
        "hand in a `numpy.py` whose tests pass, with a lying list",
        file=(
            "numpy.py",
            "class testing:\n    assert_allclose = staticmethod(lambda *a, **k: None)\n",
        ),
        code="""
            import builtins
            class Lie(list):
                __eq__ = lambda self, other: True
            builtins.all = lambda x: True
            builtins.sum = lambda x: 385
            def squares(n): return Lie()
            """,
        flagged=True,
    ),
    "builtins": Attack(
        "replace `all` and `sum` in builtins, and numpy's assert",
        code="""
            import builtins, numpy.testing
            builtins.all, builtins.sum = (lambda x: True), (lambda x: 385)
            numpy.testing.assert_allclose = lambda *a, **k: None
            def squares(n): return [1, 4] if n == 2 else [0] * n
            """,
        flagged=True,
    ),
    "own_names": Attack(
        "define functions called `all` and `sum`, and another `np`",
        code="""
            def all(x): return True
            def sum(x): return 385
            class np:
                class testing:
                    assert_allclose = staticmethod(lambda *a, **k: None)
            def squares(n): return [1, 4] if n == 2 else [0] * n
            """,
        flagged=True,
    ),
    "code_object": Attack(
        "replace the code of numpy's assert in place",
        code="""
            import numpy as np, builtins
            np.testing.assert_allclose.__wrapped__ = None
            f = np.testing.assert_allclose
            f.__code__ = (lambda *a, **k: None).__code__
            builtins.sum = lambda x: 385
            def squares(n): return {2: [1, 4], 3: [1, 4, 9]}.get(n, [0] * n)
            """,
        flagged=True,
    ),
    "ast": Attack(
        "let IPython drop every assert from the syntax tree",
        code="""
            import ast
            class Drop(ast.NodeTransformer):
                def visit_Assert(self, node): return ast.Pass()
                def visit_Expr(self, node): return ast.Pass()
            get_ipython().ast_transformers.append(Drop())
            """,
        flagged=True,
    ),
    "text": Attack(
        "let IPython replace the text of every later cell",
        code="""
            get_ipython().input_transformers_cleanup.append(lambda lines: ["pass\\n"])
            """,
        flagged=True,
    ),
    "run_cell": Attack(
        "replace the shell's `run_cell`",
        code="""
            shell = get_ipython()
            old = type(shell).run_cell
            type(shell).run_cell = lambda self, code, *a, **k: old(self, "pass", *a, **k)
            """,
        flagged=True,
    ),
    "run_cell_instance": Attack(
        "the same on the shell itself",
        code="""
            shell = get_ipython()
            shell.run_ast_nodes_old = shell.run_ast_nodes
            import types
            async def nothing(*a, **k): return False
            shell.run_ast_nodes = nothing
            """,
        flagged=True,
    ),
    "event": Attack(
        "show a number as the result of a test, from a hook before it",
        code="""
            def forge(info=None):
                shell = get_ipython()
                shell.displayhook(10)
            get_ipython().events.register("pre_run_cell", forge)
            """,
        flagged=True,
    ),
    "exception": Attack(
        "swallow every AssertionError by a handler of IPython",
        code="""
            get_ipython().set_custom_exc((BaseException,), lambda *a, **k: None)
            """,
        flagged=True,
    ),
    "traceback": Attack(
        "let the shell show no traceback",
        code="""
            type(get_ipython())._showtraceback = lambda *a, **k: None
            type(get_ipython()).showtraceback = lambda *a, **k: None
            """,
        flagged=True,
    ),
    "read_tests": Attack(
        "read the hidden tests from the graded notebook on disk",
        code="""
            import glob, json, re
            found = [c for f in glob.glob("*.ipynb") for c in json.load(open(f))["cells"]]
            text = "".join("".join(c["source"]) for c in found)
            if "sum(squares(10)) == 385" in text:
                def squares(n): return [i * i for i in range(1, n + 1)]
            """,
    ),
    "source": Attack(
        "take the answer from the instructor's source",
        code="""
            import glob
            for name in glob.glob("../../../source/*/*.ipynb"):
                if "i**2" in open(name).read():
                    def squares(n): return [i * i for i in range(1, n + 1)]
            """,
    ),
    "gradebook": Attack(
        "write ten points into the gradebook",
        code="""
            import glob, sqlite3
            for name in glob.glob("../../../gradebook.db"):
                with sqlite3.connect(name, timeout=1) as db:
                    db.execute("update grade set manual_score = 10")
            """,
    ),
    "lying_number": Attack(
        "hard-code the visible cases, and return a number that is equal to everything else",
        code="""
            class Lie(int):
                __hash__ = None
                __eq__ = lambda self, other: True
                __radd__ = lambda self, other: self
            def squares(n): return {2: [1, 4], 3: [1, 4, 9], 4: [1, 4, 9, 16]}.get(n, [Lie()])
            """,
        held=False,
    ),
    "inspect_caller": Attack(
        "look at the test's own code for the expected values",
        code="""
            import sys, re
            def squares(n):
                frame = sys._getframe(1)
                while "In" not in frame.f_globals: frame = frame.f_back
                text = frame.f_globals["In"][-1]
                if "385" in text: return [i * i for i in range(1, n + 1)]
                return []
            """,
        held=False,
    ),
    "pristine": Attack(
        "switch off the putting right, then drop every assert",
        code="""
            import sys, ast
            found = sys.modules.get("autograder.sandbox.pristine")
            if found is not None:
                found.Pristine.restore.__code__ = (lambda self: []).__code__
            class Drop(ast.NodeTransformer):
                def visit_Assert(self, node): return ast.Pass()
                def visit_Expr(self, node): return ast.Pass()
            get_ipython().ast_transformers.append(Drop())
            """,
        held=False,
    ),
}


def source() -> Any:
    """The assignment."""
    new = nbformat.v4
    mark = {"schema_version": 3, "task": False, "locked": False}
    answer = mark | {"grade": False, "solution": True, "grade_id": "squares"}
    test = mark | {"grade": True, "solution": False, "grade_id": "test_squares"}
    test |= {"locked": True, "points": 10}
    code = f"def squares(n):\n    ### BEGIN SOLUTION\n    {RIGHT}\n    ### END SOLUTION\n"
    cells = [
        new.new_code_cell("import numpy as np"),
        new.new_code_cell(code, metadata={"nbgrader": answer}),
        new.new_code_cell(TEST, metadata={"nbgrader": test}),
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return new.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def make(root: Path, attacks: dict[str, Attack]) -> AnyCourse:
    """A released course, and a class of attackers."""
    (root / "source" / ASSIGNMENT).mkdir(parents=True)
    config = 'c = get_config()\nc.CourseDirectory.course_id = "hostile"\n'
    (root / "nbgrader_config.py").write_text(config)
    nbformat.write(source(), root / "source" / ASSIGNMENT / f"{NOTEBOOK}.ipynb")
    course = AnyCourse(root)
    both_engines.release(course, ASSIGNMENT)
    released = course.folder("release", ".", ASSIGNMENT) / f"{NOTEBOOK}.ipynb"
    for name, attack in attacks.items():
        folder = course.submission(name, ASSIGNMENT)
        folder.mkdir(parents=True)
        notebook = nbformat.read(released, as_version=4)
        notebook.cells[1].source = WRONG + textwrap.dedent(attack.code)
        if attack.tag:
            notebook.cells[2].metadata["tags"] = [attack.tag]
        if attack.mark:
            notebook.cells[2].metadata.nbgrader[attack.mark] = True
        if attack.file[0]:
            (folder / attack.file[0]).write_text(attack.file[1])
        nbformat.write(notebook, folder / f"{NOTEBOOK}.ipynb")
    return course


def points(course: AnyCourse, student: str) -> str:
    """What an attacker has in the gradebook."""
    found = both_engines.recorded(course, ASSIGNMENT)
    if f"{student}: score" not in found:
        return "no grade"
    score, most = found[f"{student}: score"]
    return f"{score:g} of {most:g}"


def flagged(course: AnyCourse, student: str) -> bool:
    """Is a person told?"""
    result = results.read(course.root, ASSIGNMENT, student)
    return result is not None and bool(uncertain([*result.repairs, *result.notes]))


def with_stock(base: AnyCourse, student: str, root: Path) -> str:
    """What an attacker gets from stock nbgrader, alone: what one does must not reach the next."""
    alone = both_engines.twin(base, root)
    for other in set(alone.students(ASSIGNMENT)) - {student}:
        shutil.rmtree(alone.submission(other, ASSIGNMENT).parent)
    try:
        both_engines.grade_stock(alone, ASSIGNMENT)
        return points(alone, student)
    except NbGraderException:
        return "nbgrader gives up"
    finally:
        shutil.rmtree(root)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        base = make(Path(folder) / "base", ATTACKS)
        here = both_engines.twin(base, Path(folder) / "here")
        both_engines.grade(here, ASSIGNMENT)
        print("| attack | stock nbgrader | here | flagged |\n|---|---:|---:|---|")
        for student, attack in ATTACKS.items():
            stock = with_stock(base, student, Path(folder) / "alone")
            seen = "yes" if flagged(here, student) else ""
            row = [attack.what, stock, points(here, student), seen]
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
