"""In every surrounding the walls reach a known level, and what that level promises holds against
the denial family.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from autograder.sandbox.limits import NEIGHBOUR
from tests.conftest import need
from tests.matrix import surroundings
from tests.matrix.inside import AT_ONCE, PROCESSES
from tests.matrix.surroundings import Surroundings

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
# an ordinary user without namespaces shares its number with what it runs besides, and each
# neighbour (the attacks at the same time, the one that is asked) has a share
SLACK, SHARES = 24, NEIGHBOUR * (AT_ONCE + 1)
MATRIX = {  # surroundings -> level
    Surroundings("root", "allowed", "private", "writable"): 3,
    Surroundings("root", "allowed", "public", "none"): 3,
    Surroundings("ordinary", "allowed", "public", "none"): 3,
    Surroundings("root", "seccomp", "private", "writable"): 2,
    Surroundings("root", "seccomp", "private", "none"): 2,
    Surroundings("root", "chroot", "private", "none"): 2,
    Surroundings("root", "Docker", "public", "none"): 2,
    Surroundings("ordinary", "seccomp", "private", "writable"): 2,
    Surroundings("ordinary", "seccomp", "public", "none"): 2,
    Surroundings("ordinary", "chroot", "public", "none"): 2,
    Surroundings("root", "allowed", "private", "none", "hidden"): 1,
    Surroundings("root", "seccomp", "private", "none", "hidden"): 1,
    Surroundings("ordinary", "seccomp", "public", "none", "hidden"): 1,
    Surroundings("root", "Docker", "private", "none"): 0,
}


@pytest.fixture(scope="module")
def table() -> Iterator[list[str]]:
    rows = ["| user | namespaces | Python | cgroups | Landlock | level | attacks | survivors |"]
    rows.append("|---|---|---|---|---|---:|---:|---:|")
    yield rows
    print("\n" + "\n".join(rows))


@pytest.mark.parametrize("row", MATRIX, ids=str)
def test_surroundings(row: Surroundings, table: list[str]) -> None:
    need(surroundings.possible(), "root and unshare")
    report = surroundings.run(row)
    groups = ", ".join(report["groups"]) or row.cgroups
    outcomes = report.get("outcomes", {})
    table.append(
        f"| {row.user} | {row.namespaces} | {row.python} | {groups} | {row.landlock} "
        f"| {report['level']} | {len(outcomes)} | {len(report.get('survivors', []))} |"
    )
    assert report["level"] == MATRIX[row], report["reasons"]
    if report["level"] == 0:
        assert any("chmod o+x" in reason for reason in report["reasons"]), report["reasons"]
    if (row.user, row.namespaces) == ("root", "chroot"):
        assert any("is no mount point" in reason for reason in report["reasons"]), report["reasons"]
    assert report["survivors"] == report["left"] == [], outcomes
    assert not [name for name, outcome in outcomes.items() if outcome.startswith("SANDBOX")], (
        outcomes
    )
    if report["level"] > 0:
        _is_limited(row, report)
    assert len(outcomes) >= (30 if report["level"] > 0 else 20)
    assert report["answers"] > 0, "neighbours and bystanders get their processor time"


def _is_limited(row: Surroundings, report: dict[str, Any]) -> None:
    """Fork bombs and memory in children are stopped by their limit."""
    shared = row.user == "ordinary" and report["level"] < 3
    outcomes = report["outcomes"]
    assert report["most_tasks"] <= PROCESSES + SLACK + (SHARES if shared else 0)
    assert outcomes["fork_bomb"] in ("processes", "cpu_seconds", "cell_seconds"), outcomes
    assert outcomes["memory_in_children"] in ("memory_mb", "cell_seconds"), outcomes
