"""A gate that fails is seen, and gates that run beside each other do not talk at the same time."""

import sys
from pathlib import Path

import pytest

from tests import gates
from tests.gates import Gate

MEET = """
import pathlib, sys, time
mine, other = (pathlib.Path(sys.argv[1]) / name for name in sys.argv[2:])
print("first line of", mine.name, flush=True)
mine.touch()
for _ in range(6000):
    if other.exists():
        break
    time.sleep(0.02)
else:
    sys.exit(3)
print("last line of", mine.name, flush=True)
"""


def says(name: str, code: str, *arguments: str) -> Gate:
    return Gate(name, [[sys.executable, "-c", code, *arguments]])


def outcome(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], *made: Gate
) -> tuple[int, str]:
    monkeypatch.setitem(gates.SETS, "test", list(made))
    return gates.main([]), capfd.readouterr().out


def test_every_gate_runs_and_one_that_fails_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bad, beside = "raise SystemExit(1)", "print('a reason'); raise SystemExit(2)"
    code, out = outcome(
        monkeypatch,
        capfd,
        says("broken", bad),
        says("also broken", beside),
        says("whole", "print('fine')"),
    )
    assert code == 1
    assert "=== broken: FAILED" in out
    assert "a reason\n=== also broken: FAILED" in out
    assert "fine\n=== whole: passed" in out
    assert "failed: broken, also broken\ngates: 1 passed, 2 failed" in out.replace(
        "also broken, broken", "broken, also broken"
    )


def test_the_second_of_several_commands_counts(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    good, bad = [sys.executable, "-c", ""], [sys.executable, "-c", "raise SystemExit(1)"]
    for commands in ([good, bad], [bad, good]):
        assert outcome(monkeypatch, capfd, Gate("two", commands))[0] == 1
        pair = Gate("two", commands), Gate("other", [good])
        assert outcome(monkeypatch, capfd, *pair)[0] == 1
    assert outcome(monkeypatch, capfd, Gate("two", [good, good]))[0] == 0


def test_two_gates_run_at_once_and_speak_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Each waits for the other: one after the other they would both fail."""
    monkeypatch.setattr(gates, "CORES", 4)
    code, out = outcome(
        monkeypatch,
        capfd,
        says("a", MEET, str(tmp_path), "a", "b"),
        says("b", MEET, str(tmp_path), "b", "a"),
    )
    assert code == 0, out
    for name in "ab":
        whole = f"=== {name} ===\nfirst line of {name}\nlast line of {name}\n=== {name}: passed"
        assert whole in out


ALONE = """
import pathlib, sys, time
mark = pathlib.Path(sys.argv[1])
sys.exit(4) if mark.exists() else mark.touch()
time.sleep(0.3)
mark.unlink()
"""


def test_gates_wait_for_cores(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Whoever meets another one fails."""
    monkeypatch.setattr(gates, "CORES", 2)
    made = [says(name, ALONE, str(tmp_path / "mark")) for name in "abc"]
    code, out = outcome(monkeypatch, capfd, *made)
    assert code == 0, out
