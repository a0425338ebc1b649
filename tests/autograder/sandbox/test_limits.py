"""Ways around the limits that were found once, and what became of each."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.course import Limits
from autograder.grading.session import RESTARTS, Session
from autograder.sandbox import cgroups, limits
from autograder.sandbox.attack import NEEDED
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import AnyChild, ChildDied, LimitHit, Order, SandboxError, Spent
from autograder.sandbox.warm import Warm
from tests.autograder.sandbox import ordinary
from tests.conftest import need

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the walls are Linux's"),
]
FORK = "import os, signal, time\nfor _ in range({}):\n    if os.fork() == 0:\n"


@pytest.fixture(scope="module", params=[3, 2])
def warm(request: pytest.FixtureRequest) -> Iterator[Warm]:
    with Warm(request.param, modules=("IPython",)) as started:
        yield started


def child_of(warm: Warm, **limits: float) -> Child:
    return Child(warm.address, Confinement(level=warm.level, **limits))  # type: ignore[arg-type]


def cell(child: AnyChild, code: str, seconds: float = 20.0) -> str:
    texts: list[str] = []

    def keep(output: dict[str, str]) -> None:
        texts.append(output.get("text", output.get("evalue", "")))

    child.order("cell", Order(seconds), {"code": code}, keep)
    return "".join(texts)


def test_a_child_is_never_root(warm: Warm) -> None:
    with child_of(warm) as child:
        assert "0" not in cell(child, "import os\nprint(*os.getresuid())").split()
        told = cell(
            child,
            (
                "import subprocess\n"
                "print(subprocess.run('id -u', shell=True, text=True, capture_output=True).stdout)"
            ),
        )
        assert told.strip() != "0"


def test_libraries_in_a_private_home_are_found_without_being_root(warm: Warm) -> None:
    with child_of(warm) as child:
        assert cell(child, "import statistics, wave\nprint(wave.__name__)") == "wave\n"
        code = (
            "import subprocess\n"
            f"python = [{sys.executable!r}, '-c', 'import wave, uuid; print(7)']\n"
            "print(subprocess.run(python, text=True, capture_output=True))"
        )
        assert "7" in cell(child, code)


def test_memory_in_files_that_nobody_has_mapped(warm: Warm) -> None:
    with child_of(warm) as child:
        assert "not permitted" in cell(child, "import os\nos.memfd_create('hidden')")


def test_memory_in_segments_that_nobody_is_attached_to(warm: Warm) -> None:
    code = "import ctypes\nprint(ctypes.CDLL(None).shmget(0, ctypes.c_size_t(1 << 20), 0o1600))"
    with child_of(warm) as child:
        assert cell(child, code) == "-1\n"


def test_memory_of_children_while_the_grader_is_writing(warm: Warm) -> None:
    """Who does not read its orders is looked after all the same."""
    hoard = (
        "        time.sleep(0.5); hoard = os.urandom(1 << 20) * 100; time.sleep(60)\n"
        "        os._exit(0)\n"
    )
    deaf = (  # after this cell it reads no further order
        "import sys\nsys.modules['autograder.sandbox.wire'].read = lambda fd: time.sleep(60)"
    )
    with child_of(warm, memory_mb=400) as child:
        cell(child, FORK.format(6) + hoard + deaf)
        with pytest.raises(LimitHit) as hit:
            child.order("files", Order(50.0), {"files": []}, None, [bytes(32 << 20)])
        assert hit.value.limit == "memory_mb"


def test_processor_time_of_children_that_nobody_waits_for(warm: Warm) -> None:
    spin = (
        "        end = time.process_time() + 0.25\n"
        "        while time.process_time() < end: pass\n"
        "        os._exit(0)\n"
    )
    code = FORK.format(60) + spin + "    time.sleep(0.3)"
    with child_of(warm, cpu_seconds=1.5) as child, pytest.raises(LimitHit) as hit:
        cell(child, "import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n" + code, 60.0)
    assert hit.value.limit == "cpu_seconds"


NO_TEXT = "import ctypes\nctypes.CDLL(None).prctl(15, bytes([255, 254]), 0, 0, 0)\n"


@pytest.mark.parametrize("level", [3, 2, 1])
def test_a_name_that_is_no_text_hides_nothing(level: int) -> None:
    """Linux tells the name of a process, which it may choose, together with its times."""
    spin = "import time\nwhile time.process_time() < 0.5: pass"
    with Warm(level, modules=("IPython",)) as started:
        with Child(started.address, Confinement(level=level)) as child:
            cell(child, NO_TEXT + spin)
            child.tree.group = None  # which counts as well, where there is one
            child.tree.sample()
            assert child.tree.cpu > 0.4
        with Child(started.address, Confinement(level=level)) as child:
            assert cell(child, "print(6 * 7)") == "42\n", "the warm process goes on"


SHARED = """
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import Order
from autograder.sandbox.warm import Warm
TELL = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0])"
FORK = "import os, time\\nfor _ in range(30):\\n    if os.fork() == 0: time.sleep(60)"
def limit(warm):
    with Child(warm.address, Confinement(level=2, processes=40)) as child:
        child.order("cell", Order(20.0), {"code": TELL}, lambda output: print(output["text"]))
with Warm(2, modules=("IPython",)) as warm:
    limit(warm)
    with Child(warm.address, Confinement(level=2, processes=40)) as bomb:
        bomb.order("cell", Order(20.0), {"code": FORK})
        limit(warm)
"""


REACH = """
import os, socket, tempfile
from pathlib import Path
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import Order
from autograder.sandbox.warm import Warm
folder = tempfile.mkdtemp()
os.chmod(folder, 0o755)
grades = Path(folder, "grades")
grades.write_text("precious")
listener = socket.socket(socket.AF_UNIX)
listener.bind(folder + "/listener")
listener.listen()
terminal = os.ttyname(os.openpty()[1])
TRIES = '''
import ctypes, os, resource, socket
libc = ctypes.CDLL(None)
tries = dict(
    connect=lambda: socket.socket(socket.AF_UNIX).connect(FOLDER + "/listener"),
    message=lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    raw_message=lambda: socket.socket(socket.AF_UNIX, socket.SOCK_RAW),
    pair_of_messages=lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    truncate=lambda: os.truncate(FOLDER + "/grades", 0),
    emptied=lambda: os.open(FOLDER + "/grades", os.O_RDONLY | os.O_TRUNC),
    chown=lambda: os.chown(FOLDER + "/grades", os.getuid(), os.getgid()),
    mark=lambda: os.setxattr(FOLDER + "/grades", "user.mark", b"mine"),
    limits=lambda: resource.prlimit(GRADER, resource.RLIMIT_CPU, (1, 1)),
    priority=lambda: os.setpriority(os.PRIO_PROCESS, GRADER, 19),
    priority_of_all=lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    scheduler=lambda: os.sched_setscheduler(GRADER, os.SCHED_IDLE, os.sched_param(0)),
    terminal=lambda: os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK),
)
for name, attempt in tries.items():
    try:
        attempt()
        print(name)
    except OSError:
        pass
if libc.semget(4711, 1, 0o1600) >= 0: print("semaphore")
if libc.mq_open(b"/left", 0o102, 0o600, None) >= 0: print("queue")
os.chmod(FOLDER + "/grades", 0)
os.utime(FOLDER + "/grades", (0, 0))
os.sched_setaffinity(GRADER, {0})
'''
cores, before = os.sched_getaffinity(0), grades.stat()
priority = os.getpriority(os.PRIO_PROCESS, 0)
told = f"FOLDER, GRADER, TERMINAL = {folder!r}, {os.getpid()}, {terminal!r}"
with Warm(2, modules=("IPython",)) as warm, Child(warm.address, Confinement(level=2)) as child:
    child.order("cell", Order(20.0), {"code": told + TRIES}, print)
after = grades.stat()
assert (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)
assert grades.read_text() == "precious"
assert os.sched_getaffinity(0) == cores
assert os.getpriority(os.PRIO_PROCESS, 0) == priority
"""


def test_level_two_reaches_nothing_that_belongs_to_the_same_user() -> None:
    """Without namespaces, an ordinary user's children are of the same user as the grader."""
    need(ordinary.possible(), "root and unshare")
    done = ordinary.run(REACH)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_nobody_outlives_the_grader_by_asking_for_it(warm: Warm) -> None:
    code = (
        "import ctypes\n"
        "libc, told = ctypes.CDLL(None), ctypes.c_int()\n"
        "libc.prctl(1, 0, 0, 0, 0)\n"
        "libc.prctl(2, ctypes.byref(told), 0, 0, 0)\n"
        "print(told.value)"
    )
    with child_of(warm) as child:
        assert cell(child, code) == "9\n"


def test_commands_need_no_terminal(warm: Warm) -> None:
    with child_of(warm) as child:
        assert cell(child, "print('first')\n!echo hello").split() == ["first", "hello"]
        assert cell(child, "found = !echo hello\nprint(found[0])") == "hello\n"


def test_many_processes_of_a_neighbour_raise_nobodys_limit() -> None:
    """Without a user number of its own, a child's limit must not follow what others have."""
    need(ordinary.possible(), "root and unshare")
    done = ordinary.run(SHARED)
    assert done.returncode == 0, done.stderr
    alone, beside_many = map(int, done.stdout.split())
    assert alone >= 40
    assert beside_many <= alone + limits.NEIGHBOUR


def test_waiting_of_many_at_once_counts_once() -> None:
    """Thirty processes that wanted a processor for a second have not waited for thirty seconds."""
    spin = (
        "import os, time\n"
        "for _ in range(20):\n"
        "    if os.fork() == 0:\n"
        "        end = time.monotonic() + 1\n"
        "        while time.monotonic() < end: pass\n"
        "        time.sleep(30)\n"
        "time.sleep(30)"
    )
    process = subprocess.Popen([sys.executable, "-c", spin], start_new_session=True)
    try:
        watch = limits.Stopwatch(limits.Tree(process.pid))
        while watch.wall() < 3.0:
            watch.mark()
            time.sleep(0.1)
        assert 0.0 <= watch.waited <= 3.0
    finally:
        limits.end_tree(process.pid)
        process.wait()
    assert watch.used() >= watch.cpu > 0


def test_no_order_lasts_for_ever_however_busy_the_machine_is() -> None:
    assert Order(30.0).wall < 300
    tree = limits.Tree(os.getpid())
    child = _Waiting(Confinement(level=1))
    child.watch = limits.Stopwatch(tree)
    child.watch.mark()
    tree.waited = 1000.0
    child.watch.began -= 1000.0
    with pytest.raises(LimitHit) as hit:
        child.left(Order(3.0))
    assert hit.value.idle
    assert hit.value.hindered


class _Waiting(AnyChild):
    """A child that only its watch is wanted of."""

    def write(self, *_: object) -> None: ...
    def receive(self, *_: object) -> None: ...
    def kill(self) -> None: ...
    def how_it_ended(self) -> Exception:
        return ChildDied()

    def close(self) -> Spent:
        return self.spent


def test_who_just_sleeps_was_not_hindered(warm: Warm) -> None:
    for _ in range(3):  # a busy moment hinders even those who sleep
        with child_of(warm) as child, pytest.raises(LimitHit) as hit:
            cell(child, "import time\ntime.sleep(30)", 2.0)
        assert hit.value.idle
        if not hit.value.hindered:
            break
    assert not hit.value.hindered or os.getloadavg()[0] > 1, "only a busy machine hinders"


@pytest.mark.parametrize("lock", ["flock", "lockf"])
def test_locks_on_libraries_tell_a_neighbour_nothing(warm: Warm, lock: str) -> None:
    code = (
        "import fcntl, os\n"
        "f = open(os.__file__)\n"
        f"fcntl.{lock}(f, fcntl.LOCK_{{}} | fcntl.LOCK_NB)\n"
        "print('locked')"
    )
    kind = "EX" if lock == "flock" else "SH"
    with child_of(warm) as one, child_of(warm) as two:
        assert cell(one, code.format(kind)) == "locked\n"
        assert cell(two, code.format(kind)) == "locked\n"
    with open(os.__file__) as file:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody holds it


def test_reading_a_library_tells_a_neighbour_nothing(warm: Warm) -> None:
    code = (
        "import ctypes, os\n"
        "libc = ctypes.CDLL(None)\n"
        "print(libc.inotify_add_watch(libc.inotify_init(), os.__file__.encode(), 1))"
    )
    with child_of(warm) as child:
        assert cell(child, code) == "-1\n"


def test_a_signal_without_a_name_ends_a_child_and_not_the_grader() -> None:
    with (
        Warm(2, modules=("IPython",)) as started,
        Child(started.address, Confinement(level=2)) as child,
        pytest.raises(ChildDied, match="ended by signal 40"),
    ):
        cell(child, "import os\nos.kill(os.getpid(), 40)")


CHAINS = Path(__file__).parents[2] / "hostile" / "programs" / "denial" / "fork_chains.py"


@pytest.mark.parametrize("level", [3, 2, 1])
def test_chains_of_processes_end_with_their_submission(level: int) -> None:
    with Warm(level, modules=("IPython",)) as started:
        for _ in range(2):
            child = Child(started.address, Confinement(level=level, processes=40))
            cell(child, CHAINS.read_text())
            child.close()  # raises if something is left
            assert set(limits.tree(started.process.pid)) <= _servers(started)
        with Child(started.address, Confinement(level=level)) as child:
            assert cell(child, "print(6 * 7)") == "42\n", "the warm process goes on"


def _servers(warm: Warm) -> set[int]:
    """The warm process, and as an ordinary user also the one that waits for it outside."""
    return set(limits.tree(warm.process.pid)[: 2 if os.geteuid() else 1])


def test_a_tree_without_a_bound_stops_the_run(warm: Warm) -> None:
    """If the kernel does not refuse, the trusted side ends all; simulated by a lower number."""
    with Warm(warm.level, modules=("IPython",)) as started:
        child = Child(started.address, Confinement(level=warm.level, processes=60))
        cell(child, FORK.format(40) + "        time.sleep(20); os._exit(0)")
        child.confinement = replace(child.confinement, processes=2)
        with pytest.raises(SandboxError, match="the walls do not hold"):
            child.look(closely=True)
        child.close()
        assert started.process.wait(10) is not None
        with pytest.raises(SandboxError):
            Child(started.address, Confinement(level=warm.level))


def test_the_tree_is_frozen_before_it_is_killed() -> None:
    chains = (
        "import os, time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        for _ in range(300):\n"
        "            if os.fork():\n"
        "                time.sleep(0.002); os._exit(0)\n"
        "        os._exit(0)\n"
        "time.sleep(30)"
    )
    code = f"import ctypes\nctypes.CDLL(None).prctl(36, 1, 0, 0, 0)\n{chains}"  # orphans stay below
    process = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    time.sleep(0.3)
    limits.end_tree(process.pid)
    assert process.wait(10) == -9


def test_a_trusted_process_fails_instead_of_eating_the_machine() -> None:
    code = (
        "from autograder.sandbox.limits import limit_own_memory\n"
        "limit_own_memory(64)\n"
        "x = bytearray(32 << 20)\n"
        "try:\n"
        "    y = bytearray(64 << 20)\n"
        "except MemoryError:\n"
        "    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def test_restarts_are_counted() -> None:
    """Two thousand cells that crash do not start two thousand processes."""
    started = []

    class Crashing(_Waiting):
        def order(self, *_: object) -> tuple[dict[str, object], bytearray]:
            raise ChildDied("it crashed")

    def launch() -> AnyChild:
        started.append(Crashing(Confinement()))
        started[-1].start_seconds = 0.25
        return started[-1]

    session = Session(launch, Limits())
    for number in range(2000):
        assert session.run(f"cell {number}", "crash").stopped is not None
    assert len(started) <= RESTARTS + 1
    assert session.used >= 0.25 * (len(started) - 1)


def test_every_level_with_limits_needs_them_to_bind() -> None:
    for level in (1, 2, 3):
        assert {"processes", "space", "time", "sleep", "file_size", "end", "user"} <= {
            *NEEDED[level]
        }


def test_groups_of_graders_that_were_killed_are_removed() -> None:
    group = cgroups.make(Confinement())
    need(group is not None, "a control group that can be written")
    assert group is not None
    cgroups.forget_old()
    assert all(map(os.path.isdir, group.folders)), "it is not old"
    cgroups.forget_old(seconds=-1.0)
    assert not any(map(os.path.isdir, group.folders))


def test_a_control_group_counts_and_ends_all() -> None:
    group = cgroups.make(Confinement(processes=12))
    need(group is not None, "a control group that can be written")
    assert group is not None
    code = (
        "import os, time\n"
        "from autograder.sandbox import cgroups\n"
        f"cgroups.join({tuple(group.folders)!r})\n"
        "for _ in range(4):\n"
        "    os.fork()\n"
        "    os.setsid() if os.getpid() % 2 else None\n"
        "while time.process_time() < 20: pass"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        while group.cpu() < 1.0:
            time.sleep(0.05)
    finally:
        group.kill()
        process.kill()
    process.wait()
    group.remove()
    assert not any(map(os.path.isdir, group.folders)), "only an empty group can be removed"
