"""What every experiment needs: seeded generators, a training loop with a progress bar, and the
switch for fewer steps."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

# Environment variable: any value but "" and "0" shortens every training of the lectures.
FAST = "COURSE_FAST"


def steps(full: int, fast: int | None = None) -> int:
    """The number of training steps: `full`, or a few where COURSE_FAST is set (the tests of the
    notebooks do that)."""
    if os.environ.get(FAST, "0") in ("", "0"):
        return full
    return fast if fast is not None else max(2, full // 50)


def seeded(seed: int) -> torch.Generator:
    """A generator of its own, so that no experiment depends on what ran before it."""
    return torch.Generator().manual_seed(seed)


def device() -> torch.device:
    """A GPU where there is one; nothing in the course needs it."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Progress:
    """A bar that redraws itself in place in a notebook and keeps silent elsewhere; `note` is shown
    beside it."""

    def __init__(self, total: int, label: str) -> None:
        self.total, self.label, self.note = total, label, ""
        self.done, self.began, self.drawn = 0, time.perf_counter(), 0.0
        self.handle: Any = None
        try:
            from IPython import get_ipython
            from IPython.display import display

            if get_ipython() is not None:
                self.handle = display(self, display_id=True)
        except ImportError:
            pass

    def _repr_html_(self) -> str:
        from html import escape

        parts, bar = [f"{self.label} {self.done}/{self.total}", self.note], ""
        if self.done < self.total:  # what is stored in a notebook says nothing of the machine
            parts.insert(1, f"{time.perf_counter() - self.began:.1f} s")
            bar = f"<progress value='{self.done}' max='{self.total}'></progress> "
        text = escape(" · ".join(part for part in parts if part))
        return f"<div style='font-family:monospace'>{bar}{text}</div>"

    def __repr__(self) -> str:
        return f"{self.label} {self.done}/{self.total} {self.note}".strip()

    def advance(self, note: str = "") -> None:
        self.done += 1
        self.note = note or self.note
        now = time.perf_counter()
        if self.handle is not None and (now - self.drawn > 0.2 or self.done == self.total):
            self.drawn = now
            self.handle.update(self)


def progress(items: Iterable[Any], total: int, label: str = "") -> Iterator[Any]:
    """Go through `items` with a bar."""
    bar = Progress(total, label)
    for item in items:
        yield item
        bar.advance()


def fit(
    loss: Callable[[int], torch.Tensor],
    parameters: Iterable[torch.nn.Parameter | torch.Tensor],
    steps: int,
    lr: float = 1e-3,
    label: str = "training",
    clip: float | None = None,
    decay: bool = False,
) -> list[float]:
    """Minimise `loss(step)` with Adam for a number of steps, if `decay` with a rate that falls
    linearly to 0; returns the losses."""
    parameters = list(parameters)
    optimiser = torch.optim.Adam(parameters, lr=lr)
    bar, losses = Progress(steps, label), []
    for step in range(steps):
        if decay:
            optimiser.param_groups[0]["lr"] = lr * (1 - step / steps)
        value = loss(step)
        optimiser.zero_grad()
        value.backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(parameters, clip)
        optimiser.step()
        losses.append(value.item())
        bar.advance(f"loss {losses[-1]:.4f}")
    return losses
