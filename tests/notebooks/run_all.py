"""Runs a notebook from top to bottom in this process, as "Run all" does, but goes on after an
error; prints a JSON object: what failed, and what was printed."""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib
from IPython.core.interactiveshell import InteractiveShell

matplotlib.use("agg")


def run(path: Path) -> dict[str, Any]:
    shell, printed = InteractiveShell.instance(), io.StringIO()
    failed = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(printed):
                done = shell.run_cell("".join(cell["source"]), store_history=True)
            error = done.error_before_exec or done.error_in_exec
            failed += [f"{cell['id']}: {error!r}"] if error is not None else []
    return {"failed": failed, "printed": printed.getvalue()}


if __name__ == "__main__":
    print(json.dumps(run(Path(sys.argv[1]))))
