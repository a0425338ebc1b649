"""Every notebook in an environment with Colab's versions, with nothing but what its set-up cell
installs.

torch is this project's own version: Colab's is not on every package index. There is no GPU here;
nothing needs one.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring import student_repository
from autograder.authoring.release import releasable
from autograder.course import SOURCE_TREE, Course
from course_utils import exercises
from tests.colab import damage, environment
from tests.conftest import need

COURSE = Course(SOURCE_TREE)
LECTURES = sorted(path.stem for path in SOURCE_TREE.glob("lectures/*.ipynb"))
ASSIGNMENTS = releasable(COURSE)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is on GitHub."""
    need(environment.ready(), "a package index with Colab's versions")
    target = tmp_path_factory.mktemp("github") / "student_repository"
    student_repository.build(COURSE, target)
    return target


@pytest.fixture(scope="module")
def set_up(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The set-up cell of a lecture, run where the course is not installed; what it changed."""
    python = str(environment.python())
    subprocess.run(
        [python, "-m", "pip", "uninstall", "-q", "-y", "attention-course-student"],
        check=True,
        capture_output=True,
    )
    before = environment.frozen()
    said = environment.run(
        repository / "lectures" / f"{LECTURES[0]}.ipynb",
        repository,
        tmp_path_factory.mktemp("setup"),
        "--set-up",
    )
    after = environment.frozen()
    return said | {"new": {name.split("==")[0] for name in after - before}, "gone": before - after}


@pytest.fixture(scope="module")
def runs(
    set_up: dict[str, Any], repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """Every lecture with few training steps, every assignment solved, and one untouched, two at a
    time."""
    folder = tmp_path_factory.mktemp("runs")
    paths = {f"lecture {name}": repository / "lectures" / f"{name}.ipynb" for name in LECTURES}
    paths |= {
        f"solved {name}": student_repository.write_solution(COURSE, name, folder)
        for name in ASSIGNMENTS
    }
    paths |= {"untouched": repository / "assignments" / damage.UNIT / f"{damage.UNIT}.ipynb"}
    places = {name: folder / f"place{number}" for number, name in enumerate(paths)}
    for place in places.values():
        place.mkdir()
    with ThreadPoolExecutor(2) as pool:
        done = {
            name: pool.submit(environment.run, path, repository, places[name])
            for name, path in paths.items()
        }
    return {name: each.result() for name, each in done.items()}


def test_the_set_up_cell_installs_the_course_and_touches_nothing_else(
    set_up: dict[str, Any],
) -> None:
    assert set_up["replaced"] == 1
    assert set_up["errors"] == []
    assert set_up["new"] == {"attention-course-student"}
    assert set_up["gone"] == set()
    assert set_up["text"].split()[-2:] == ["colab", "True"]


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_runs_and_its_figures_move(name: str, runs: dict[str, dict[str, Any]]) -> None:
    found = runs[f"lecture {name}"]
    assert found["errors"] == []
    assert found["stderr"] == ""
    assert found["pictures"] >= 1
    assert found["sliders"] >= 1, "frames that work without a kernel"
    assert found["widgets"] >= 1, "and live ones"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_solved_assignment_runs_and_shows_its_cards(
    name: str, runs: dict[str, dict[str, Any]]
) -> None:
    found = runs[f"solved {name}"]
    assert found["errors"] == []
    cards = next((len(unit.exercises) for unit in exercises.units() if unit.name == name), 0)
    assert found["html"] >= cards


def test_an_untouched_assignment_shows_cards_too(runs: dict[str, dict[str, Any]]) -> None:
    found = runs["untouched"]
    assert all("AssertionError" in error for error in found["errors"]), (
        "only the classic assert cells fail loudly"
    )
    assert found["html"] >= 5


def test_the_set_up_cell_does_nothing_elsewhere(tmp_path: Path) -> None:
    from autograder.authoring import notebooks

    code = notebooks.SET_UP.format(url="nowhere")
    script = tmp_path / "set_up.py"
    script.write_text(code.replace("%pip", "raise SystemExit('installed something') #"))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
