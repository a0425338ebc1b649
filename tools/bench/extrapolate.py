"""What follows from what `tools.bench.scale` measured: a course of 100,000, and tables for people
and for docs/scale.md.

Everything here is arithmetic on the measured figures. Every assumption is a constant, or stands in
the list that is printed with the figures.
"""

import math
from typing import Any

STUDENTS = 100_000  # of the course that is asked about
HOURS = 1.0  # in which a unit shall be graded
CORES = 16  # of a machine with workers
# bytes per second that the network of the coordinator and of the scheduler carries: 1 Gbit/s
NETWORK = 125_000_000
MARKS = (10, 25, 50, 75, 100)  # per cent of a run, at which the memory is looked at
CALLED = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "cluster": "SQLite, Dask"}
TICK = 0.01  # ms: less than this cannot be told from nothing


def extrapolate(found: dict[str, Any]) -> dict[str, Any]:
    """A course of STUDENTS, from what was measured: core-hours, machines, and the part that cannot
    follow first.
    """
    units, idle, of_course = found["units"], found["nothing"], found["course_units"]
    mean_ms = sum(each["local_cpu_ms"] for each in units) / len(units)
    worker_seconds = (mean_ms + idle["cluster"]["worker_cpu_ms"]) / 1000
    gradebook = "postgresql" if "postgresql" in idle else "sqlite"
    coordinator = idle[gradebook]
    client_ms = idle["cluster"]["coordinator_cpu_ms"] - idle["sqlite"]["coordinator_cpu_ms"]
    client_ms = max(0.0, client_ms)
    parts = {name: each["cpu_ms"] for name, each in coordinator["phases"].items()}
    parts["speaking with the cluster"] = client_ms
    stages = _stages(found, worker_seconds, coordinator["coordinator_cpu_ms"] + client_ms)
    cores = STUDENTS * worker_seconds / 3600 / HOURS
    growth, end_mb = _growth(coordinator["coordinator_mb"])
    return {
        "students": STUDENTS,
        "hours": HOURS,
        "cores_per_machine": CORES,
        "units": of_course,
        "worker_seconds": worker_seconds,
        "gradebook": gradebook,
        "coordinator_mb": end_mb,
        "coordinator_growth_kb": 1024 * growth,  # per submission, in the second half of the run
        "one": _course(found, 1, worker_seconds, stages),
        "all": _course(found, of_course, worker_seconds, stages),
        "stages": stages,
        "coordinator_parts_ms": parts,
        # submissions per second that the coordinator recorded here
        "with_waiting": 1000 / (coordinator["ms"] + client_ms),
        "first": stages[0]["stage"],
        "largest_part": max(parts, key=lambda name: parts[name]),
        "bottleneck": "workers" if cores <= stages[0]["feeds_cores"] else stages[0]["stage"],
        "assumptions": _assumptions(len(units), of_course, gradebook),
    }


def _carried(found: dict[str, Any]) -> float:
    """Bytes of one submission on the network."""
    return float(found["cluster"]["request_bytes"] + found["cluster"]["answer_bytes"])


def _stages(
    found: dict[str, Any], worker_seconds: float, coordinator_ms: float
) -> list[dict[str, Any]]:
    """What each part that there is only once can carry, the weakest first."""
    capacity = {
        "coordinator": 1000 / coordinator_ms,
        "scheduler": 1000 / max(found["nothing"]["cluster"]["scheduler_cpu_ms"], TICK),
        "network": NETWORK / _carried(found),
    }
    return [
        {
            "stage": name,
            "per_second": rate,
            "feeds_cores": rate * worker_seconds,
            "hours": STUDENTS / rate / 3600,
        }
        for name, rate in sorted(capacity.items(), key=lambda item: item[1])
    ]


def _growth(samples: list[dict[str, float]]) -> tuple[float, float]:
    """MB that the coordinator grew per submission in the second half, and what it would reach."""
    half, end = samples[-3], samples[-1]
    growth = (end["mb"] - half["mb"]) / max(1, end["done"] - half["done"])
    return growth, end["mb"] + growth * (STUDENTS - end["done"])


def _course(
    found: dict[str, Any], units: float, worker_seconds: float, stages: list[dict[str, Any]]
) -> dict[str, float]:
    """What so many units of a course of STUDENTS take."""
    kept = found["kept_bytes"]
    files = sum(size for name, size in kept.items() if name != "submitted")
    submissions = STUDENTS * units
    core_hours = submissions * worker_seconds / 3600
    coordinator = next(each for each in stages if each["stage"] == "coordinator")
    return {
        "submissions": submissions,
        "core_hours": core_hours,
        "machines": math.ceil(core_hours / HOURS / CORES),
        "coordinator_hours": coordinator["hours"] * units,
        "kept_gb": submissions * files / 1e9,
        "database_gb": submissions * kept["database"] / 1e9,
        "network_gb": submissions * _carried(found) / 1e9,
    }


def _assumptions(measured: int, of_course: int, gradebook: str) -> list[str]:
    return [
        "a core of the workers' machines is as fast as one here, and so many workers do not slow "
        "each other",
        f"the units that were measured ({measured} of {of_course}) stand for all, and simulated "
        "answers for real ones",
        "what a worker of a cluster does once per unit (walls, expected values) is spread over so "
        "many submissions that it does not count",
        "nobody hands in endless loops, which cost their time limit each",
        "the coordinator and the scheduler are one process each and have a core each",
        f"the coordinator's network carries {NETWORK * 8 / 1e9:g} Gbit/s",
        f"the coordinator with a cluster takes what it takes with {CALLED[gradebook]} and workers "
        "that do nothing, and what Dask's client adds",
        "waiting for the disk and the database does not count",
    ]


def rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The table of docs/measured.md."""
    kinds = {
        f"{found['workers']} workers of this machine": found["local"],
        f"{found['workers']} workers of a Dask cluster on it": found["cluster"],
        "workers that do nothing, gradebook in SQLite": found["nothing"]["sqlite"],
        "the same, in PostgreSQL": found["nothing"].get("postgresql"),
        "the same, SQLite, through a Dask cluster": found["nothing"]["cluster"],
    }
    return [
        {
            "graded by": name,
            "submissions": each["submissions"],
            "per second": round(each["per_second"], 1),
            "workers, ms": round(each["worker_cpu_ms"]),
            "coordinator, ms": round(each["coordinator_cpu_ms"], 1),
            "scheduler, ms": round(each["scheduler_cpu_ms"], 1),
            "per core-hour": round(
                3_600_000
                / sum(each[f"{part}_cpu_ms"] for part in ("worker", "coordinator", "scheduler"))
            ),
            "coordinator, MB": round(each["coordinator_mb"][-1]["mb"]),
        }
        for name, each in kinds.items()
        if each is not None
    ]


def tables(found: dict[str, Any]) -> dict[str, str]:
    """What was measured, for people and for docs/scale.md."""
    return {
        "runs": _table(found["rows"]),
        "units": _table([_unit_row(each) for each in found["units"]]),
        "memory": _table(_memory_rows(found["nothing"])),
        "phases": _table(_phase_rows(found["nothing"])),
        "disk": _table(_disk_rows(found)),
        "course": _table(_course_rows(found["extrapolation"])),
        "stages": _table([_stage_row(each) for each in found["extrapolation"]["stages"]]),
        "assumptions": "\n".join(f"- {each}" for each in found["extrapolation"]["assumptions"]),
    }


def _unit_row(each: dict[str, Any]) -> dict[str, Any]:
    return {
        "unit": each["unit"],
        "submissions": each["submissions"],
        "processor ms, this machine": round(each["local_cpu_ms"]),
        "processor ms, cluster": round(each["cluster_cpu_ms"]),
        "job, kB": round(each["request_bytes"] / 1000),
        "answer, kB": round(each["answer_bytes"] / 1000),
    }


def _memory_rows(idle: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name, each in idle.items():
        first, *marked = (round(sample["mb"]) for sample in each["coordinator_mb"])
        at_marks = {f"{mark} %": mb for mark, mb in zip(MARKS, marked, strict=False)}
        found.append({"coordinator, MB": CALLED[name], "first": first} | at_marks)
    return found


def _phase_rows(idle: dict[str, Any]) -> list[dict[str, Any]]:
    local = {CALLED[name]: each["phases"] for name, each in idle.items() if name != "cluster"}
    return [
        {"of the coordinator, ms per submission": part}
        | {name: f"{phases[part]['ms']:.1f}" for name, phases in local.items()}
        | {f"processor, {name}": f"{phases[part]['cpu_ms']:.1f}" for name, phases in local.items()}
        for part in idle["sqlite"]["phases"]
    ]


def _disk_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    kept = {"gradebook" if n == "database" else f"{n}/": s for n, s in found["kept_bytes"].items()}
    for name, each in found["nothing"].items():
        if name != "cluster":
            count = each["submissions"]
            what = f"gradebook after {count} submissions of one unit, {CALLED[name]}"
            kept[what] = each["database_bytes"]
    return [{"per submission": what, "": f"{size / 1000:.0f} kB"} for what, size in kept.items()]


def _course_rows(far: dict[str, Any]) -> list[dict[str, Any]]:
    machines = f"machines of {far['cores_per_machine']} cores, to be done within {far['hours']:g} h"
    shown = {
        "submissions": ("submissions", "{:,.0f}"),
        "core_hours": ("core-hours of workers", "{:,.0f}"),
        "machines": (machines, "{:,.0f}"),
        "coordinator_hours": ("hours of one coordinator", "{:.1f}"),
        "kept_gb": ("kept on disk, GB", "{:,.0f}"),
        "database_gb": ("of it the gradebook, GB", "{:,.1f}"),
        "network_gb": ("over the network, GB", "{:,.0f}"),
    }
    return [
        {
            "": text,
            "one unit": form.format(far["one"][name]),
            f"all {far['units']}": form.format(far["all"][name]),
        }
        for name, (text, form) in shown.items()
    ]


def _stage_row(each: dict[str, Any]) -> dict[str, Any]:
    return {
        "part": each["stage"],
        "submissions per second": f"{each['per_second']:,.0f}",
        "worker cores that it can feed": f"{each['feeds_cores']:,.0f}",
    }


def _table(of: list[dict[str, Any]]) -> str:
    """Rows as Markdown; numbers stand to the right."""
    names = list(of[0])
    rule = ["---" if name == names[0] else "---:" for name in names]
    return "\n".join(
        f"| {' | '.join(str(cell) for cell in cells)} |"
        for cells in (names, rule, *(line.values() for line in of))
    )


def rounded(value: Any) -> Any:
    """Four digits are more than was measured."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def lines(found: dict[str, Any]) -> list[str]:
    far = found["extrapolation"]
    shown = tables(found)
    titles = {
        "runs": f"{found['submissions']} real submissions and {found['null']} for workers that do "
        f"nothing; load before: {found['machine']['load_before']}",
        "units": "a submission of each unit",
        "memory": "memory of the coordinator over time",
        "phases": "what the coordinator does",
        "disk": "what is kept",
        "course": f"{far['students']:,} students",
        "stages": "what one coordinator, one scheduler and one network can carry",
        "assumptions": "assumed",
    }
    text = [line for name, title in titles.items() for line in (f"\n{title}\n", shown[name])]
    return [
        *text,
        "",
        f"bottleneck: {far['bottleneck']}; with more workers, first the {far['first']} "
        f"({far['largest_part']})",
        "with all its waiting, for the disk, the database and neighbours, the coordinator recorded "
        f"{far['with_waiting']:.0f} per second here",
    ]
