"""What follows from what `autograder.bench_scale` measured: a course of 100,000, and tables for people and for docs/scale.md.

Everything here is arithmetic on the measured figures. Every assumption is a constant, or stands in the list that is printed with the figures.
"""

import math
from typing import Any

STUDENTS = 100_000  # of the course that is asked about
HOURS = 1.0  # in which a unit shall be graded
CORES = 16  # of a machine with workers
NETWORK = 125_000_000  # bytes per second that the network of the coordinator and of the scheduler carries: 1 Gbit/s
MARKS = (10, 25, 50, 75, 100)  # per cent of a run, at which the memory is looked at
CALLED = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "cluster": "SQLite, Dask"}
TICK = 0.01  # ms: less than this cannot be told from nothing


def extrapolate(found: dict[str, Any]) -> dict[str, Any]:
    """A course of STUDENTS, from what was measured: core-hours, machines, and which part is the first that cannot follow."""
    units, idle, of_course = found["units"], found["nothing"], found["course_units"]
    worker_seconds = (sum(each["local_cpu_ms"] for each in units) / len(units) + idle["cluster"]["worker_cpu_ms"]) / 1000
    gradebook = "postgresql" if "postgresql" in idle else "sqlite"
    client_ms = max(0.0, idle["cluster"]["coordinator_cpu_ms"] - idle["sqlite"]["coordinator_cpu_ms"])
    parts = {name: each["cpu_ms"] for name, each in idle[gradebook]["phases"].items()}
    parts["speaking with the cluster"] = client_ms
    carried = found["cluster"]["request_bytes"] + found["cluster"]["answer_bytes"]
    capacity = {
        "coordinator": 1000 / (idle[gradebook]["coordinator_cpu_ms"] + client_ms),
        "scheduler": 1000 / max(idle["cluster"]["scheduler_cpu_ms"], TICK),
        "network": NETWORK / carried,
    }
    stages = [
        {"stage": name, "per_second": rate, "feeds_cores": rate * worker_seconds, "hours": STUDENTS / rate / 3600}
        for name, rate in sorted(capacity.items(), key=lambda item: item[1])
    ]
    cores = STUDENTS * worker_seconds / 3600 / HOURS
    files = sum(size for name, size in found["kept_bytes"].items() if name != "submitted")

    def for_units(count: float) -> dict[str, float]:
        return {
            "submissions": STUDENTS * count,
            "core_hours": STUDENTS * count * worker_seconds / 3600,
            "machines": math.ceil(cores * count / CORES),
            "coordinator_hours": stages_by_name["coordinator"]["hours"] * count,
            "kept_gb": STUDENTS * count * files / 1e9,
            "database_gb": STUDENTS * count * found["kept_bytes"]["database"] / 1e9,
            "network_gb": STUDENTS * count * carried / 1e9,
        }

    stages_by_name = {str(each["stage"]): each for each in stages}
    half, end = idle[gradebook]["coordinator_mb"][-3], idle[gradebook]["coordinator_mb"][-1]
    growth = (end["mb"] - half["mb"]) / max(1, end["done"] - half["done"])
    return {
        "students": STUDENTS,
        "hours": HOURS,
        "cores_per_machine": CORES,
        "units": of_course,
        "worker_seconds": worker_seconds,
        "gradebook": gradebook,
        "coordinator_mb": end["mb"] + growth * (STUDENTS - end["done"]),
        "coordinator_growth_kb": 1024 * growth,  # per submission, in the second half of the run
        "one": for_units(1),
        "all": for_units(of_course),
        "stages": stages,
        "coordinator_parts_ms": parts,
        "with_waiting": 1000 / (idle[gradebook]["ms"] + client_ms),  # submissions per second that the coordinator recorded here
        "first": stages[0]["stage"],
        "largest_part": max(parts, key=lambda name: parts[name]),
        "bottleneck": "workers" if cores <= stages[0]["feeds_cores"] else stages[0]["stage"],
        "assumptions": [
            "a core of the workers' machines is as fast as one here, and so many workers do not slow each other",
            f"the units that were measured ({len(units)} of {of_course}) stand for all, and simulated answers for real ones",
            "what a worker of a cluster does once per unit (walls, expected values) is spread over so many submissions that it does not count",
            "nobody hands in endless loops, which cost their time limit each",
            "the coordinator and the scheduler are one process each and have a core of their own",
            f"the coordinator's network carries {NETWORK * 8 / 1e9:g} Gbit/s",
            f"the coordinator with a cluster takes what it takes with {CALLED[gradebook]} and workers that do nothing, and what Dask's client adds",
            "waiting for the disk and the database does not count",
        ],
    }


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
            "per core-hour": round(3_600_000 / sum(each[f"{part}_cpu_ms"] for part in ("worker", "coordinator", "scheduler"))),
            "coordinator, MB": round(each["coordinator_mb"][-1]["mb"]),
        }
        for name, each in kinds.items()
        if each is not None
    ]


def tables(found: dict[str, Any]) -> dict[str, str]:
    """What was measured, for people and for docs/scale.md."""
    idle, far = found["nothing"], found["extrapolation"]
    marks = [f"{mark} %" for mark in MARKS]
    kb = {name: f"{size / 1000:.0f} kB" for name, size in found["kept_bytes"].items()}
    return {
        "runs": _table(found["rows"]),
        "units": _table(
            [
                {
                    "unit": each["unit"],
                    "submissions": each["submissions"],
                    "processor ms, this machine": round(each["local_cpu_ms"]),
                    "processor ms, cluster": round(each["cluster_cpu_ms"]),
                    "job, kB": round(each["request_bytes"] / 1000),
                    "answer, kB": round(each["answer_bytes"] / 1000),
                }
                for each in found["units"]
            ]
        ),
        "memory": _table(
            [
                {"coordinator, MB": CALLED[name]} | {"first": round(each["coordinator_mb"][0]["mb"])}
                | dict(zip(marks, (round(sample["mb"]) for sample in each["coordinator_mb"][-len(MARKS) :]), strict=False))
                for name, each in idle.items()
            ]
        ),
        "phases": _table(
            [
                {"of the coordinator, ms per submission": part}
                | {CALLED[name]: f"{each['phases'][part]['ms']:.1f}" for name, each in idle.items() if name != "cluster"}
                | {f"processor, {CALLED[name]}": f"{each['phases'][part]['cpu_ms']:.1f}" for name, each in idle.items() if name != "cluster"}
                for part in idle["sqlite"]["phases"]
            ]
        ),
        "disk": _table(
            [
                {"per submission": "gradebook", "": kb["database"]},
                *({"per submission": f"{name}/", "": size} for name, size in kb.items() if name != "database"),
                *(
                    {"per submission": f"gradebook after {each['submissions']} submissions of one unit, {CALLED[name]}", "": f"{each['database_bytes'] / 1000:.0f} kB"}
                    for name, each in idle.items() if name != "cluster"
                ),
            ]
        ),
        "course": _table(
            [
                {"": text, "one unit": form.format(far["one"][name]), f"all {far['units']}": form.format(far["all"][name])}
                for name, text, form in (
                    ("submissions", "submissions", "{:,.0f}"),
                    ("core_hours", "core-hours of workers", "{:,.0f}"),
                    ("machines", f"machines of {far['cores_per_machine']} cores, to be done within {far['hours']:g} h", "{:,.0f}"),
                    ("coordinator_hours", "hours of one coordinator", "{:.1f}"),
                    ("kept_gb", "kept on disk, GB", "{:,.0f}"),
                    ("database_gb", "of it the gradebook, GB", "{:,.1f}"),
                    ("network_gb", "over the network, GB", "{:,.0f}"),
                )
            ]
        ),
        "stages": _table(
            [
                {"part": each["stage"], "submissions per second": f"{each['per_second']:,.0f}", "worker cores that it can feed": f"{each['feeds_cores']:,.0f}"}
                for each in far["stages"]
            ]
        ),
        "assumptions": "\n".join(f"- {each}" for each in far["assumptions"]),
    }  # fmt: skip


def _table(of: list[dict[str, Any]]) -> str:
    """Rows as Markdown; numbers stand to the right."""
    names = list(of[0])
    rule = ["---" if name == names[0] else "---:" for name in names]
    return "\n".join(f"| {' | '.join(str(cell) for cell in cells)} |" for cells in (names, rule, *(line.values() for line in of)))


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
        "runs": f"{found['submissions']} real submissions and {found['null']} for workers that do nothing; load before: {found['machine']['load_before']}",
        "units": "a submission of each unit",
        "memory": "memory of the coordinator over time",
        "phases": "what the coordinator does",
        "disk": "what is kept",
        "course": f"{far['students']:,} students",
        "stages": "what one coordinator, one scheduler and one network can carry",
        "assumptions": "assumed",
    }  # fmt: skip
    text = [line for name, title in titles.items() for line in (f"\n{title}\n", shown[name])]
    return [*text, "", f"bottleneck: {far['bottleneck']}; with more workers, first the {far['first']} ({far['largest_part']})",
            f"with all its waiting, for the disk, the database and neighbours, the coordinator recorded {far['with_waiting']:.0f} per second here"]  # fmt: skip
