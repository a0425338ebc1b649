"""A class of simulated students: answers from the bank in the released notebook, and the accidents
that happen."""

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from autograder.authoring import attempts as bank
from autograder.course import Course
from autograder.errors import UserError
from course_utils.judging.exercise import Unit

Notebook = dict[str, Any]
LATE = timedelta(hours=30)


@dataclass(frozen=True)
class Simulated:
    """One simulated student: what kind of submission it is, and where its answers come from."""

    student: str
    kind: str  # "honest", "late", or the name of an accident or attack
    answers: dict[str, str]  # exercise -> attempt of the bank, "solution" or "untouched"


def simulate(
    course: Course,
    unit_name: str,
    students: int,
    seed: int = 0,
    accidents: bool = True,
    hostile: bool = False,
    level: int = 3,
) -> list[Simulated]:
    """Write submitted/STUDENT/UNIT for a class; one of each accident (and attack) if the class is
    large enough, of the attacks only those that walls of this level hold."""
    unit = course.unit(unit_name)
    if students < 1:
        raise UserError("a class needs at least one student: --students 30")
    release = json.loads(course.released(unit.name).read_text(encoding="utf-8"))
    solved = json.loads(
        (course.solutions / unit.name / f"{unit.name}.ipynb").read_text(encoding="utf-8")
    )
    taken = set(course.students(unit.name))
    wanted = [f"student{number:03d}" for number in range(1, students + 1)]
    if clash := sorted(taken & set(wanted)):
        raise UserError(
            f"{clash[0]} has handed in {unit.name} already: simulate in another course "
            "(--course DIR)"
        )
    random_ = random.Random(f"{seed}/{unit.name}")
    kinds: list[str] = ["untouched", "perfect"]
    kinds += list(ACCIDENTS) if accidents and students >= 2 * len(ACCIDENTS) else []
    held = [name for name in ATTACKS if LEAST_LEVEL[name] <= level]
    kinds += held if hostile and students >= 2 * len(ATTACKS) else []
    kinds = (kinds + ["late"] * (students // 10))[:students]
    kinds += ["honest"] * (students - len(kinds))
    random_.shuffle(kinds)
    due = course.settings.due.get(unit.name)
    made = []
    for student, kind in zip(wanted, kinds, strict=True):
        notebook, answers = answered(unit, release, solved, kind, random_)
        folder = course.submitted / student / unit.name
        folder.mkdir(parents=True)
        handed_in = _hand_in(due, kind == "late", random_)
        if kind == "late" and (due is None or handed_in <= due):
            kind = "honest"  # nobody is late before a due date
        (folder / "timestamp.txt").write_text(
            handed_in.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        )
        path = folder / f"{unit.name}.ipynb"
        (ACCIDENTS | ATTACKS).get(kind, _save)(notebook, path)
        made.append(Simulated(student, kind, answers))
    return made


def _hand_in(due: datetime | None, late: bool, random_: random.Random) -> datetime:
    """When a simulated student handed in: about the due date, and never after now."""
    now = datetime.now(UTC)
    if late:
        return min(now, due + LATE) if due is not None else now
    return min(now, due or now) - timedelta(hours=random_.randint(1, 90))


def answered(
    unit: Unit, release: Notebook, solved: Notebook, kind: str, random_: random.Random
) -> tuple[Notebook, dict[str, str]]:
    """The released notebook with answers of one student in it."""
    notebook = copy.deepcopy(release)
    solutions = {
        cell["metadata"]["nbgrader"]["grade_id"]: cell
        for cell in solved["cells"]
        if "nbgrader" in cell["metadata"]
    }
    found = bank.attempts(unit)
    skill = 1.0 if kind == "perfect" else random_.betavariate(5, 2)
    answers = {}
    for cell in notebook["cells"]:
        meta = cell["metadata"].get("nbgrader", {})
        name = meta.get("grade_id", "")
        if not meta.get("solution") or kind == "untouched":
            if meta.get("solution"):
                answers[name] = "untouched"
            continue
        right = [a for a in found if a.exercise == name and a.right]
        wrong = [a for a in found if a.exercise == name and not a.right]
        if cell["cell_type"] == "markdown":
            cell["source"] = random_.choice(ESSAYS)
            answers[name] = "written"
        elif kind != "perfect" and random_.random() < 0.08:
            answers[name] = "untouched"
        elif not right or kind == "perfect":
            cell["source"] = solutions[name]["source"]
            answers[name] = "solution"
        else:
            chosen = random_.choice(right if random_.random() < skill or not wrong else wrong)
            cell["source"] = code_of(chosen)
            answers[name] = chosen.label
    return notebook, answers


def code_of(attempt: bank.Attempt) -> str:
    """An attempt as a student would hand it in."""
    code = attempt.source.strip()
    return f"import einops\n\n{code}" if "einops." in code and "import einops" not in code else code


ESSAYS = (
    "Because the weights have to sum to one.",
    "The scores are in the exponent, so their unit decides how sharp the weights are. "
    "Standardising makes it comparable.",
    "I am not sure.",
)


# Accidents: what goes wrong without any bad intention ---------------------------------------------


def _save(notebook: Notebook, path: Path) -> None:
    path.write_text(json.dumps(notebook, ensure_ascii=False), encoding="utf-8")


def _not_json(notebook: Notebook, path: Path) -> None:
    text = json.dumps(notebook)
    path.write_text(text[: len(text) // 2], encoding="utf-8")


def _no_notebook(notebook: Notebook, path: Path) -> None:
    path.with_name("answers.txt").write_text("I could not find the notebook.\n", encoding="utf-8")


def _wrong_name(notebook: Notebook, path: Path) -> None:
    _save(notebook, path.with_name("my homework.ipynb"))


def _tests(notebook: Notebook) -> list[int]:
    return [
        i
        for i, cell in enumerate(notebook["cells"])
        if cell["metadata"].get("nbgrader", {}).get("grade") and cell["cell_type"] == "code"
    ]


def _duplicated_test(notebook: Notebook, path: Path) -> None:
    place = _tests(notebook)[0]
    notebook["cells"].insert(place, copy.deepcopy(notebook["cells"][place]))
    _save(notebook, path)


def _deleted_test(notebook: Notebook, path: Path) -> None:
    del notebook["cells"][_tests(notebook)[0]]
    _save(notebook, path)


def _in_first_answer(notebook: Notebook, path: Path, code: str) -> None:
    cell = next(
        c
        for c in notebook["cells"]
        if c["metadata"].get("nbgrader", {}).get("solution") and c["cell_type"] == "code"
    )
    cell["source"] = code
    _save(notebook, path)


def _dying_kernel(notebook: Notebook, path: Path) -> None:
    _in_first_answer(notebook, path, "import os\nos._exit(1)")


def _endless_loop(notebook: Notebook, path: Path) -> None:
    _in_first_answer(notebook, path, "while True:\n    pass")


ACCIDENTS: dict[str, Callable[[Notebook, Path], None]] = {
    "not JSON": _not_json,
    "no notebook": _no_notebook,
    "wrong name": _wrong_name,
    "duplicated test cell": _duplicated_test,
    "deleted test cell": _deleted_test,
    "dying kernel": _dying_kernel,
    "endless loop": _endless_loop,
}


# Attacks: what somebody might try who wants points for nothing; only for an engine with walls


def _attack(code: str) -> Callable[[Notebook, Path], None]:
    return lambda notebook, path: _in_first_answer(notebook, path, code)


ATTACKS: dict[str, Callable[[Notebook, Path], None]] = {
    "forges the comparison": _attack(
        "import torch, builtins\n"
        "torch.allclose = torch.equal = builtins.all = lambda *a, **k: True\n"
        "softmax = lambda scores, dim=-1: scores"
    ),
    "looks for the solution": _attack(
        "import glob\n"
        "found = glob.glob('/**/solutions/*', recursive=True)\n"
        "found += glob.glob('/**/gradebook.db', recursive=True)\n"
        "print(found)\n"
        "softmax = lambda scores, dim=-1: scores"
    ),
    "imports the reference": _attack("from course_utils.nadaraya_watson import softmax"),
    "fork bomb": _attack(  # at most 300 processes, should no wall stop it
        "import os, time\n"
        "tokens, fill = os.pipe()\n"
        "os.write(fill, b'x' * 300)\n"
        "os.close(fill)\n"
        "while os.read(tokens, 1):\n"
        "    os.fork()\n"
        "time.sleep(60)"
    ),
    "calls home": _attack("import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=2)"),
}
LEAST_LEVEL = {  # attack -> the lowest level whose walls hold it
    "forges the comparison": 0,
    "looks for the solution": 2,
    "imports the reference": 2,
    "fork bomb": 1,
    "calls home": 2,
}
