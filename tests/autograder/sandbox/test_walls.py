"""Every level is built, attacked from inside, and promises what it holds: as root and as an
ordinary user.
"""

import fcntl
import json
import os
import select
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import sandbox
from autograder.course import Limits
from autograder.errors import UserError
from autograder.grading import launch
from autograder.sandbox import proof as proving
from autograder.sandbox.attack import NEEDED, PROMISES
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import AnyChild, ChildDied, LimitHit, Order
from autograder.sandbox.plain_child import PlainChild
from autograder.sandbox.proof import Proof
from autograder.sandbox.warm import Warm
from tests.autograder.sandbox import ordinary
from tests.conftest import need

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the walls are Linux's"),
]

REPORT = """
import json
from autograder.sandbox import doctor
from autograder.sandbox.proof import prove_level
proofs = {level: prove_level(level) for level in (3, 2, 1)}
levels = {n: {"holds": p.holds, "held": p.held, "error": p.error} for n, p in proofs.items()}
print(json.dumps({"doctor": doctor(), "levels": levels}))
"""


@pytest.mark.parametrize("level", [3, 2, 1])
def test_a_level_holds_as_whoever_runs_the_tests(level: int) -> None:
    proof = proving.prove_level(level)
    assert proof.holds, (proof.error, proof.broken)


def test_levels_hold_as_an_ordinary_user() -> None:
    need(ordinary.possible(), "root, or unshare and setpriv")
    done = ordinary.run(REPORT)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["doctor"]["level"] == 3, report
    assert report["doctor"]["missing"] == []
    assert all(level["holds"] for level in report["levels"].values()), report["levels"]


def test_doctor_says_what_holds() -> None:
    report = sandbox.doctor()
    assert report["level"] == 3
    assert set(report["held"]) == set(PROMISES.values())
    assert report["missing"] == []


def test_what_does_not_hold_is_said_and_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = Proof(3, dict.fromkeys(PROMISES, True) | {"tcp": False})
    assert not broken.holds
    assert broken.broken == ["no TCP connection leaves the sandbox"]
    monkeypatch.setattr(
        proving,
        "prove_level",
        lambda level: broken if level == 3 else Proof(level, dict.fromkeys(PROMISES, True)),
    )
    report = sandbox.doctor()
    assert report["level"] == 2
    assert any("no TCP connection" in line and "level 3" in line for line in report["missing"])


def test_below_the_required_level_nothing_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        launch.Sandbox,
        "__init__",
        lambda self, *args: (_ for _ in ()).throw(OSError("unshare user: Operation not permitted")),
    )
    with pytest.raises((UserError, OSError)) as error:
        launch.open_sandbox("01_nadaraya_watson", 3)
    assert "--min-level 2" in str(error.value)
    assert "Operation not permitted" in str(error.value)


def test_promises_grow_with_the_level() -> None:
    assert set(NEEDED[0]) < set(NEEDED[1]) < set(NEEDED[2]) < set(NEEDED[3]) == set(PROMISES)


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm(3) as started:
        yield started


def cell(child: AnyChild, code: str, seconds: float = 10.0) -> str:
    texts: list[str] = []
    child.order(
        "cell",
        Order(seconds),
        {"code": code},
        lambda output: texts.append(
            str(output.get("text", output.get("evalue", output.get("data"))))
        ),
    )
    return "".join(texts)


def test_a_notebooks_usual_cells_work(warm: Warm) -> None:
    with Child(warm.address, Confinement()) as child:
        assert (
            cell(
                child,
                (
                    "import torch\n"
                    "x = torch.randn(30, 30, requires_grad=True)\n"
                    "(x @ x).sum().backward()\n"
                    "print(x.grad.shape)"
                ),
            )
            == "torch.Size([30, 30])\n"
        )
        assert "image/png" in cell(child, "import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
        assert cell(child, "!echo hello").strip() == "hello"
        assert (
            cell(child, "import asyncio\nawait asyncio.sleep(0.01)\nprint('waited')") == "waited\n"
        )
        assert "division" in cell(child, "1 / 0")
        assert (
            cell(
                child,
                (
                    "from torch.utils.data import DataLoader, TensorDataset\n"
                    "data = TensorDataset(torch.ones(8))\n"
                    "print(len(list(DataLoader(data, batch_size=2, num_workers=2))))"
                ),
            )
            == "4\n"
        )
        assert (
            cell(
                child,
                (
                    "torch.set_num_threads(2)\n"
                    "print((torch.ones(400, 400) @ torch.ones(400, 400)).shape)"
                ),
            )
            == "torch.Size([400, 400])\n"
        )
        assert (
            cell(child, "open('kept.txt', 'w').write('x')\nimport os\nprint(os.listdir('.'))")
            == "['kept.txt']\n"
        )
        assert "not available" in cell(child, "input()")


def test_children_share_nothing(warm: Warm) -> None:
    numbers = "import random, numpy\nprint(random.random(), numpy.random.rand())"
    with Child(warm.address, Confinement()) as one, Child(warm.address, Confinement()) as two:
        assert cell(one, numbers) != cell(two, numbers)
        assert cell(one, "import torch\nprint(torch.rand(1))") == cell(
            two, "import torch\nprint(torch.rand(1))"
        ), "torch starts as in a fresh process"
        cell(one, "secret = 'mine'\nopen('/tmp/secret', 'w').write(secret)")
        assert "not defined" in cell(two, "secret")
        assert "No such file" in cell(two, "open('/tmp/secret')")


@pytest.mark.parametrize(
    ("code", "limit"),
    [
        ("while True: pass", "cell_seconds"),
        (
            (
                "import os, time\n"
                "for _ in range(5):\n"
                "    if os.fork() == 0:\n"
                "        hoard = bytearray(b'x' * (1 << 20)) * 120\n"
                "        break\n"
                "time.sleep(60)"
            ),
            "memory_mb",
        ),
        (
            (
                "import os\n"
                "for _ in range(60):\n"
                "    if os.fork() == 0:\n"
                "        import time; time.sleep(60)\n"
                "import time; time.sleep(60)"
            ),
            "processes",
        ),
        ("while True: print('x' * 1000)", "output_kb"),
    ],
)
def test_limits_are_named(warm: Warm, code: str, limit: str) -> None:
    # forked children share libraries, whose size differs between builds of torch
    memory_mb = 300 if limit == "memory_mb" else 1000
    confinement = Confinement(memory_mb=memory_mb, processes=32, disk_mb=8, cpu_seconds=30)
    with Child(warm.address, confinement, output_kb=64) as child:
        with pytest.raises(LimitHit) as hit:
            cell(child, code, seconds=2.0 if limit == "cell_seconds" else 30.0)
        assert hit.value.limit == limit


def test_disk_is_limited(warm: Warm) -> None:
    with Child(warm.address, Confinement(disk_mb=8)) as child:
        code = (
            "n = 0\n"
            "try:\n"
            "    for i in range(99):\n"
            "        open(f'/tmp/{i}', 'wb').write(b'x' * (1 << 20)); n += 1\n"
            "except OSError as e:\n"
            "    print(n, e.strerror)"
        )
        assert cell(child, code).startswith(("7 ", "8 "))


def test_processor_time_of_children_counts(warm: Warm) -> None:
    code = (
        "import os, time\n"
        "for _ in range(2):\n"
        "    if os.fork() == 0:\n"
        "        while True: pass\n"
        "time.sleep(30)"
    )
    with (
        Child(warm.address, Confinement(cpu_seconds=1)) as child,
        pytest.raises((LimitHit, ChildDied)) as hit,
    ):
        cell(child, code, seconds=20.0)
    assert not isinstance(hit.value, LimitHit) or hit.value.limit == "cpu_seconds"


def test_when_a_child_ends_everything_that_it_started_ends(warm: Warm) -> None:
    mark = "86398.5"
    child = Child(warm.address, Confinement())
    cell(child, f"import subprocess\nsubprocess.Popen(['sleep', '{mark}'], start_new_session=True)")

    def alive() -> list[str]:
        return [
            pid for pid in os.listdir("/proc") if pid.isdigit() and mark.encode() in _command(pid)
        ]

    def comes_to_be(wanted: bool) -> bool:
        deadline = time.monotonic() + 30  # a command line is there a moment after its process
        while bool(alive()) != wanted and time.monotonic() < deadline:
            time.sleep(0.01)
        return bool(alive()) == wanted

    assert comes_to_be(True)
    child.close()
    assert comes_to_be(False)


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_both_words_of_the_warm_process_may_come_at_once() -> None:
    warm = Warm(3, modules=())
    try:
        assert warm.process.stdin is not None
        assert warm.process.stdout is not None
        warm.process.stdin.write(b"-\n")
        deadline, waiting = time.monotonic() + 60, bytearray(4)
        while int.from_bytes(waiting, sys.byteorder) < len(b"ready\nwarm\n"):
            assert time.monotonic() < deadline
            time.sleep(0.01)
            fcntl.ioctl(warm.process.stdout, termios.FIONREAD, waiting)
        warm.wait()
        assert select.select([warm.process.stdout], [], [], 0)[0], "nothing was read ahead"
        warm.wait_until_warm()
    finally:
        warm.close()


def test_the_warm_process_knows_nothing_of_the_course(warm: Warm) -> None:
    with Child(warm.address, Confinement()) as child:
        told = cell(
            child,
            (
                "import sys\n"
                "ours = [m for m in sys.modules if m.startswith(('course_utils', 'autograder'))]\n"
                "print([m for m in ours if not m.startswith('autograder.sandbox')])"
            ),
        )
    assert told == "['autograder']\n"


def test_of_the_course_it_knows_how_to_play_and_nothing_else() -> None:
    with launch.Sandbox("02_dot_product_attention", 3) as sandbox:
        assert sandbox.proven().holds
        with sandbox.launcher.launch(Limits()) as child:
            told = cell(
                child,
                "import sys\nprint(sorted(m for m in sys.modules if m.startswith('course_utils')))",
            )
            assert (
                told == "['course_utils', 'course_utils.judging', 'course_utils.judging.runner', "
                "'course_utils.judging.toys']\n"
            )
            assert (
                cell(child, "import course_utils.nadaraya_watson as m\nprint(m.__file__)")
                == "/course/course_utils/nadaraya_watson.py\n"
            )
            assert "No module" in cell(child, "import course_utils.dot_product_attention")


def test_orphans_without_namespaces_are_swept() -> None:
    mark = "86397.5"
    with Warm(2, modules=("IPython",)) as started:
        child = Child(started.address, Confinement(level=2))
        cell(
            child,
            (
                "import os\n"
                "if os.fork() == 0:\n"
                "    os.setsid()\n"
                f"    os.execvp('sleep', ['sleep', '{mark}'])"
            ),
        )
        child.close()
        time.sleep(0.3)
        assert not [
            pid for pid in os.listdir("/proc") if pid.isdigit() and mark.encode() in _command(pid)
        ]


def test_a_cold_child_takes_the_same_orders() -> None:
    with PlainChild(Confinement(level=0)) as child:
        assert (
            cell(child, "import os, torch\nprint(torch.ones(2))\nos.system('echo past Python');")
            == "tensor([1., 1.])\npast Python\n"
        )
        assert "course" not in cell(
            child, "import sys\nprint([p for p in sys.path if 'course_utils' in p])"
        )
        with pytest.raises(LimitHit):
            cell(child, "while True: pass", seconds=1.0)
        assert child.process.poll() is not None


def test_a_cold_child_that_does_not_read_its_orders_has_a_time_limit() -> None:
    deaf = (
        "import sys, time\nsys.modules['autograder.sandbox.wire'].read = lambda fd: time.sleep(60)"
    )
    with PlainChild(Confinement(level=0)) as child:
        cell(child, deaf)
        with pytest.raises(LimitHit):
            child.order("files", Order(1.0), {"files": []}, None, [bytes(4 << 20)])


def test_levels_without_walls_promise_little() -> None:
    cold = proving.prove(PlainChild, Confinement(level=1))
    assert cold.holds
    assert not cold.held["files"]
    assert proving.prove_level(0).holds


@pytest.mark.parametrize("level", [3, 2])
def test_a_child_cannot_order_children_of_its_own(level: int) -> None:
    with (
        Warm(level, modules=("IPython",)) as started,
        Child(started.address, Confinement(level=level)) as child,
    ):
        told = cell(child, CONNECT.format(address=started.address))
    assert told in ("refused\n", "nothing\n"), told


CONNECT = """
import socket, json
ours, theirs = socket.socketpair()
connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
connection.settimeout(2)
try:
    connection.connect({address!r})
    told = dict(level=1, uid=0, reads_all=False, groups=[], shown=[], work="/", memory_mb=100,
                cpu_seconds=9, processes=9, disk_mb=9, path=[])
    socket.send_fds(connection, [json.dumps(told).encode()], [theirs.fileno()])
    print("FORKED" if connection.recv(100) else "nothing")
except OSError as error:
    print("refused")
"""
