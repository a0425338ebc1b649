"""A notebook kernel without the kernel: IPython runs cells in this process, and hands every output
to a function.
"""

import ast
import base64
import re
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

TOUCHED = re.compile(r"^\s*(In \[|>>>|\.\.\.)|^[^\S\n]+$", re.MULTILINE)  # prompts, lines of blanks
Emit = Callable[[dict[str, Any]], None]


class Stream:
    """A standard stream that becomes outputs; buffered, because every output is a message."""

    encoding, errors, closed = "utf-8", "replace", False

    def __init__(self, name: str, emit: Emit) -> None:
        self.name, self.emit = name, emit
        self.parts: list[str] = []
        self.length, self.sent = 0, 0.0

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.parts.append(text)
        self.length += len(text)
        if self.length > 1 << 16 or time.monotonic() - self.sent > 0.2:
            self.flush()
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self.sent = time.monotonic()
        if self.parts:
            text = "".join(self.parts)
            self.parts, self.length = [], 0
            self.emit({"output_type": "stream", "name": self.name, "text": text})

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return 1 if self.name == "stdout" else 2

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True


def flush() -> None:
    """Everything printed so far becomes outputs before the next one."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # a student may have put anything there
            continue


def _bundle(data: dict[str, Any]) -> dict[str, Any]:
    return {
        mime: base64.b64encode(value).decode() if isinstance(value, bytes) else value
        for mime, value in data.items()
    }


def _results(emit: Emit) -> Any:
    """What IPython calls with the value of a cell's last line."""
    from IPython.core.displayhook import DisplayHook

    class Results(DisplayHook):
        message: tuple[Any, Any] | None = None

        def start_displayhook(self) -> None:
            self.message = None

        def write_output_prompt(self) -> None:
            pass

        def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
            self.message = (format_dict, md_dict or {})

        def finish_displayhook(self) -> None:
            if self.message:
                flush()
                data, metadata = self.message
                emit(
                    {
                        "output_type": "execute_result",
                        "execution_count": self.prompt_count,
                        "data": _bundle(data),
                        "metadata": metadata,
                    }
                )

    return Results


def _displays(emit: Emit) -> Any:
    """What IPython calls to display something, or to clear what was displayed."""
    from IPython.core.displaypub import DisplayPublisher

    class Displays(DisplayPublisher):
        def publish(
            self,
            data: Any,
            metadata: Any = None,
            *args: Any,
            transient: Any = None,
            update: bool = False,
            **kwargs: Any,
        ) -> None:
            flush()
            shown = (transient or {}).get("display_id")
            emit(
                {
                    "output_type": "display_data",
                    "data": _bundle(data),
                    "metadata": metadata or {},
                    "display_id": shown,
                    "update": update,
                }
            )

        def clear_output(self, wait: bool = False) -> None:
            flush()
            emit({"output_type": "clear", "wait": wait})

    return Displays


def is_python(code: str) -> bool:
    """Is a cell plain Python that IPython would leave alone? From one that begins with a blank, or
    has prompts or lines of blanks, it takes something away; a single line may be a command."""
    if "\n" not in code.strip() or code[0].isspace() or TOUCHED.search(code):
        return False
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def make_shell(emit: Emit) -> Any:
    """An IPython shell whose results, displays and errors go to `emit` in the notebook's format."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets import Type
    from traitlets.config import Config

    class Shell(InteractiveShell):
        displayhook_class = Type(_results(emit))
        display_pub_class = Type(_displays(emit))

        def system(self, cmd: str) -> None:
            """`!command`, without a terminal, which level 2 does not have; what it writes past
            Python becomes an output like everything else.
            """
            flush()
            command = self.var_expand(cmd, depth=1)
            self.user_ns["_exit_code"] = subprocess.call(command, shell=True)

        def transform_cell(self, raw_cell: str) -> str:
            """Several lines of Python mean the same to IPython, which takes milliseconds to find
            that out token by token; a student's own transformer may mean something else."""
            if self.input_transformers_post or not is_python(raw_cell):
                return str(super().transform_cell(raw_cell))
            return raw_cell

        def init_io(self) -> None:
            pass

        def enable_gui(self, gui: Any = None) -> None:
            pass

        def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
            flush()
            emit(
                {
                    "output_type": "error",
                    "ename": str(etype.__name__),
                    "evalue": str(evalue),
                    "traceback": [str(line) for line in stb],
                }
            )

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.autoawait = True
    config.InteractiveShell.xmode = (
        "Plain"  # the line that failed, without its surroundings: twenty times faster
    )
    shell = Shell.instance(config=config)
    return shell


def inline_figures(shell: Any) -> None:
    """Figures become outputs at the end of a cell, as in a notebook. Where pyplot is imported after
    the shell was made, it sees to that by itself.
    """
    if "matplotlib" not in sys.modules:
        return
    try:
        from IPython.core.pylabtools import activate_matplotlib
        from matplotlib_inline import backend_inline
    except ImportError:
        return
    activate_matplotlib("module://matplotlib_inline.backend_inline")
    backend_inline.configure_inline_support(shell, "module://matplotlib_inline.backend_inline")


def rehearse(shell: Any) -> None:
    """Do once what nearly every notebook does, so that caches and late imports are inherited: show
    an error.
    """
    shell.run_cell("1 / 0", store_history=False)
    shell.user_ns.pop("_", None)


def rehearse_figure() -> None:
    """Draw a figure, if notebooks draw any."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    import io

    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, layout="constrained")
    left.plot([1, 2], label="line")
    left.set(title="title", xlabel="x", ylabel="y")
    left.legend()
    figure.colorbar(right.imshow([[1, 2], [3, 4]]))
    figure.savefig(io.BytesIO(), format="png")
    pyplot.close("all")


def rehearse_tensors() -> None:
    """Call what every answer calls, once and small: what torch sets up at a first call is then
    inherited. One thread, no gradients.
    """
    import torch

    with torch.no_grad():
        x = torch.linspace(-1, 1, 24).reshape(2, 3, 4)
        weights = (x @ x.mT).softmax(-1).masked_fill(torch.eye(3, dtype=torch.bool), 0.0)
        mixed = (
            torch.einsum("bts,bsd->btd", weights, x)
            + torch.nn.Linear(4, 4)(x)
            + torch.nn.LayerNorm(4)(x)
        )
        parts = [
            mixed.exp(),
            mixed.amax(-1, keepdim=True),
            mixed.std(),
            mixed.sum(0),
            mixed.log1p(),
            torch.where(mixed > 0, mixed, -mixed),
        ]
        torch.cat([part.reshape(-1) for part in parts]).nan_to_num().double().sort()
        torch.randn(3, generator=torch.Generator().manual_seed(0)).clone().tolist()
        repr(mixed[0, 1:])
