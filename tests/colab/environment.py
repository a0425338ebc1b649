"""An environment with the versions that Colab has, as far as they install: built once in
build/colab, used again while the list is the same.

Colab's own torch (2.11) is not on every package index; torch is the version of this project's
constraints instead. Everything else is what Colab had on 2026-08-19.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.course import SOURCE_TREE

COLAB = (
    "IPython==7.34.0",
    "ipywidgets==7.7.1",
    "ipykernel==6.17.1",
    "matplotlib==3.10.0",
    "numpy==2.1.3",
)
TORCH = tuple(
    line
    for line in (SOURCE_TREE / "constraints.txt").read_text().split()
    if line.startswith("torch")
)
TOOLS = ("nbclient", "pip")  # what runs the notebooks; Colab has both
FOLDER = Path(os.environ.get("COURSE_COLAB", SOURCE_TREE / "build" / "colab"))
RUNNER = Path(__file__).with_name("run_notebook.py")
STUB = Path(__file__).with_name("stub")


def python() -> Path:
    return FOLDER / "bin" / "python"


def reachable() -> bool:
    """Is there a package index?"""
    target = FOLDER.parent / "probe"
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--dest",
        str(target),
        COLAB[0],
    ]
    done = subprocess.run(command, capture_output=True, check=False, timeout=900)
    shutil.rmtree(target, ignore_errors=True)
    return done.returncode == 0


def ready() -> bool:
    """Build the environment if need be; False if no package index can be reached."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    marker, wanted = FOLDER / "versions.json", json.dumps([*COLAB, *TORCH, *TOOLS])
    with open(FOLDER.parent / "colab.lock", "w") as lock:  # two test processes want it
        fcntl.flock(lock, fcntl.LOCK_EX)
        if marker.is_file() and marker.read_text() == wanted:
            return True
        if not reachable():
            return False
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        subprocess.run(
            [str(python()), "-m", "pip", "install", "-q", *COLAB, *TORCH, *TOOLS], check=True
        )
        marker.write_text(wanted)
    return True


def frozen() -> set[str]:
    """What is installed."""
    done = subprocess.run(
        [str(python()), "-m", "pip", "list", "--format=freeze"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def run(notebook: Path, repository: Path, folder: Path, *options: str) -> dict[str, object]:
    """Run a notebook there as Colab would, with `repository` in place of the one on GitHub; what it
    displayed.
    """
    profile = folder / "ipython" / "profile_default" / "startup"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "00-colab.py").write_text(
        "import google.colab\n"
    )  # Colab has it imported before the first cell
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "COURSE", "VIRTUAL_ENV"))
    }
    environment |= {
        "PYTHONPATH": str(STUB),
        "IPYTHONDIR": str(folder / "ipython"),
        "COURSE_FAST": "1",
        "OMP_NUM_THREADS": "1",
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_PATH": "",
        "PATH": f"{FOLDER / 'bin'}:{os.environ['PATH']}",
    }
    command = [str(python()), str(RUNNER), str(notebook), str(repository), *options]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))
