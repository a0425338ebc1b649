"""How long the course's multi-head attention takes, compared with torch's own: `python -m
tools.bench.multihead [--json]`.
"""

import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from course_utils.masking import causal_mask
from course_utils.multi_head_attention import from_torch

SIZES = (
    (64, 32, 2, 12),
    (32, 64, 4, 16),
    (32, 64, 4, 65),
    (8, 512, 8, 256),
)  # (B, D, H, T): those of the course, and a large one


def rival_times(rivals: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """CPU seconds per call of each, the median of many rounds; taken in turns, so that a busy
    machine disturbs all alike.
    """
    times: dict[str, list[float]] = {name: [] for name in rivals}
    for number in range(rounds + 2):
        for name, call in rivals.items():
            began = time.process_time()
            call()
            if number >= 2:  # the first two warm up
                times[name].append(time.process_time() - began)
    return {name: statistics.median(values) for name, values in times.items()}


def compare(
    batch: int, dim: int, heads: int, length: int, need_weights: bool, causal: bool, rounds: int
) -> tuple[float, float]:
    """Seconds of torch's module and of the course's, one forward and backward pass of
    self-attention.
    """
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(dim, heads, batch_first=True)
    ours = from_torch(theirs)
    x = torch.randn(batch, length, dim, requires_grad=True)
    mask = causal_mask(length) if causal else None
    blocked = ~mask if mask is not None else None  # torch's module means True = may not attend

    def torch_step() -> None:
        theirs(x, x, x, attn_mask=blocked, need_weights=need_weights)[0].sum().backward()

    def our_step() -> None:
        ours(x, x, x, mask, need_weights=need_weights)[0].sum().backward()

    times = rival_times({"torch": torch_step, "ours": our_step}, rounds)
    return times["torch"], times["ours"]


def rows() -> Iterator[dict[str, Any]]:
    """One comparison after the other; milliseconds of processor time."""
    for batch, dim, heads, length in SIZES:
        rounds = 15 if dim >= 512 else 150
        for causal, weights in itertools.product((False, True), repeat=2):
            theirs, ours = compare(batch, dim, heads, length, weights, causal, rounds)
            yield {
                "B": batch, "D": dim, "H": heads, "T": length,
                "mask": "causal" if causal else "none", "weights": weights,
                "torch_ms": round(1e3 * theirs, 3), "ours_ms": round(1e3 * ours, 3),
                "ratio": round(ours / theirs, 2),
            }  # fmt: skip


def main(as_json: bool) -> None:
    torch.set_num_threads(1)
    if as_json:
        print(json.dumps({"rows": list(rows())}))
        return
    print("multi-head attention, forward and backward, CPU milliseconds on one thread")
    print(
        f"{'B':>4} {'D':>4} {'H':>3} {'T':>4}  {'mask':>6} {'weights':>7}  {'torch':>8} "
        f"{'ours':>8}  ratio"
    )
    for row in rows():
        words = f"{row['mask']:>6} {'yes' if row['weights'] else 'no':>7}"
        sizes = f"{row['B']:>4} {row['D']:>4} {row['H']:>3} {row['T']:>4}"
        print(f"{sizes}  {words}  {row['torch_ms']:8.2f} {row['ours_ms']:8.2f}  {row['ratio']:.2f}")


if __name__ == "__main__":
    main("--json" in sys.argv)
