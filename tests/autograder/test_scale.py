"""The benchmark of a large course works from end to end; how fast anything was is nobody's business
here.
"""

import json
import re
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograder.course import Limits
from autograder.errors import UserError
from autograder.grading.prepare import Template
from autograder.grading.results import Result
from autograder.grading.worker import Answer, Job, Sheet
from tools.bench import extrapolate as scale
from tools.bench import scale as bench_scale
from tools.bench.scale import Load, Ready, Sample

RUN = {
    "submissions",
    "graded",
    "problems",
    "seconds",
    "ms",
    "per_second",
    "worker_cpu_ms",
    "coordinator_cpu_ms",
    "scheduler_cpu_ms",
    "worker_mb",
    "scheduler_mb",
    "coordinator_mb",
    "request_bytes",
    "answer_bytes",
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    found = bench_scale.measure(4, 30, ["01"])
    left = [
        process.cmdline()
        for process in psutil.Process().children(recursive=True)
        if process.pid not in before
    ]
    assert not [command for command in left if "resource_tracker" not in " ".join(command)], (
        "something was left running"
    )
    return json.loads(json.dumps(found))


@pytest.mark.slow
@pytest.mark.long
def test_everything_is_measured(measured: dict[str, Any]) -> None:
    for name, count in (("local", 4), ("cluster", 4)):
        assert set(measured[name]) == RUN
        assert (
            measured[name]["submissions"],
            measured[name]["graded"],
            measured[name]["problems"],
        ) == (count, count, 0)
        assert measured[name]["worker_cpu_ms"] > 0
        assert measured[name]["worker_mb"] > 0
    assert measured["cluster"]["request_bytes"] > 1000
    assert measured["compared"]["submissions"] == 4
    assert measured["compared"]["cells"] > 4
    assert {"sqlite", "cluster"} <= set(measured["nothing"])
    for each in measured["nothing"].values():
        assert RUN | {"phases", "database_bytes", "again_ms"} == set(each)
        assert (each["graded"], each["problems"]) == (30, 0)
        assert [sample["done"] for sample in each["coordinator_mb"]] == [1, 3, 8, 15, 23, 30]
        assert set(each["phases"]["recording in the gradebook"]) == {"ms", "cpu_ms"}
    assert set(measured["machine"]) == {"cores", "memory_gb", "load_before"}


@pytest.mark.slow
@pytest.mark.long
def test_what_follows_is_shown_with_its_assumptions(measured: dict[str, Any]) -> None:
    far = measured["extrapolation"]
    assert far["bottleneck"] in {"workers", "coordinator", "scheduler", "network"}
    assert far["all"]["core_hours"] == pytest.approx(10 * far["one"]["core_hours"], rel=1e-3)
    printed = "\n".join(scale.lines(measured))
    assert all(text in printed for text in far["assumptions"])
    assert "None" not in printed
    assert "nan" not in printed


def figures(worker_ms: float, coordinator_ms: float, scheduler_ms: float) -> dict[str, Any]:
    """What `extrapolate` reads, with such measurements in it."""
    run = {
        "ms": coordinator_ms,
        "coordinator_cpu_ms": coordinator_ms,
        "scheduler_cpu_ms": scheduler_ms,
        "worker_cpu_ms": 0.0,
        "phases": {"work": {"ms": 1, "cpu_ms": 1}},
    }
    run["coordinator_mb"] = [
        {"done": done, "mb": 300 + done / 1000} for done in (1, 100, 250, 500, 750, 1000)
    ]
    return {
        "course_units": 10,
        "units": [{"local_cpu_ms": worker_ms, "cluster_cpu_ms": 2 * worker_ms}],
        "nothing": {"sqlite": run, "cluster": run},
        "cluster": {"request_bytes": 50_000, "answer_bytes": 75_000},
        "kept_bytes": {
            "database": 10_000,
            "submitted": 20_000,
            "autograded": 40_000,
            "runs/results": 50_000,
        },
    }


def test_the_bottleneck_is_what_cannot_follow() -> None:
    far = scale.extrapolate(figures(worker_ms=720, coordinator_ms=10, scheduler_ms=1))
    assert far["one"]["core_hours"] == pytest.approx(20)  # 100,000 · 0.72 s
    assert far["one"]["machines"] == 2  # of 16 cores, for one hour
    assert far["one"]["kept_gb"] == pytest.approx(10)
    assert far["coordinator_mb"] == pytest.approx(400)
    assert far["stages"][0] == {
        "stage": "coordinator",
        "per_second": 100,
        "feeds_cores": 72,
        "hours": pytest.approx(100_000 / 100 / 3600),
    }
    assert (far["bottleneck"], far["first"]) == ("workers", "coordinator")
    assert (
        scale.extrapolate(figures(worker_ms=720, coordinator_ms=100, scheduler_ms=1))["bottleneck"]
        == "coordinator"
    )
    assert (
        scale.extrapolate(figures(worker_ms=720, coordinator_ms=10, scheduler_ms=50))["bottleneck"]
        == "scheduler"
    )


def test_starting_does_not_count() -> None:
    load = Load("01", 11, samples=[Sample(1, 40.0, 9.0, 300), Sample(11, 45.0, 9.5, 301)])
    assert load.between("seconds") == pytest.approx(0.5)
    assert load.between("coordinator_cpu") == pytest.approx(0.05)


def test_a_ready_answer_is_for_whoever_asks(tmp_path: Path) -> None:
    answer = Answer(bench_scale.WHO, Result(bench_scale.WHO, "01", bench_scale.WHAT, 3), (b"{}",))
    (tmp_path / "0").write_bytes(answer.to_bytes())
    job = Job(
        "s00000042",
        "01",
        (Sheet(Template("01", (), None, b"{}"), b"{}"),),
        (),
        "seed",
        Limits(),
        3,
        "ab" * 32,
    )
    got = Answer.from_bytes(Ready(tmp_path).carry(job.to_bytes(), 1.0))
    assert got.result is not None
    assert (got.student, got.result.student, got.result.fingerprint, got.notebooks) == (
        "s00000042",
        "s00000042",
        "ab" * 32,
        (b"{}",),
    )


def test_too_few_submissions_are_refused() -> None:
    with pytest.raises(UserError, match=re.escape("at least 4 --submissions")):
        bench_scale.measure(3, 30, ["01", "02"])
