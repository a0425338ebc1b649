"""How fast the readable attention of the course is beside torch's fused kernel: `python -m
tools.bench.attention [--json]`.
"""

import json
import sys

import torch
from torch.utils.benchmark import Timer

from course_utils.masking import causal_mask, fused_masked_attention, masked_attention
from course_utils.training import seeded

SIZES = [
    (8, 4, 64, 32),
    (8, 4, 256, 32),
    (1, 8, 1024, 64),
    (1, 8, 2048, 64),
]  # batch, heads, length, size of a head


def speed_rows(seconds: float = 0.3) -> list[tuple[str, float, float, float]]:
    """(what, readable ms, fused ms, ratio), with and without a causal mask; an error if the two
    disagree.
    """
    rows = []
    for batch, heads, length, size in SIZES:
        query, key, value = torch.randn(
            3, batch, heads, length, size, generator=seeded(0)
        )  # (B, H, T, d) each
        for name, mask in {"no mask": None, "causal": causal_mask(length)}.items():
            names = {
                "readable": masked_attention,
                "fused": fused_masked_attention,
                "inputs": (query, key, value, mask),
            }
            torch.testing.assert_close(
                masked_attention(query, key, value, mask)[0],
                fused_masked_attention(query, key, value, mask),
            )
            readable, fused = (
                1e3
                * Timer(f"{which}(*inputs)", globals=names, num_threads=torch.get_num_threads())
                .blocked_autorange(min_run_time=seconds)
                .median
                for which in ("readable", "fused")
            )
            rows.append(
                (
                    f"{batch} × {heads} × {length} × {size}, {name}",
                    readable,
                    fused,
                    readable / fused,
                )
            )
    return rows


def main(as_json: bool) -> None:
    rows = speed_rows()
    if as_json:
        names = ("inputs", "readable_ms", "fused_ms", "ratio")
        print(
            json.dumps(
                {
                    "rows": [
                        dict(zip(names, (row[0], *(round(v, 3) for v in row[1:])), strict=True))
                        for row in rows
                    ]
                }
            )
        )
        return
    print(f"{'batch × heads × length × size':<30} {'readable':>10} {'fused':>10} {'ratio':>7}")
    for what, readable, fused, ratio in rows:
        print(f"{what:<30} {readable:>7.2f} ms {fused:>7.2f} ms {ratio:>6.1f}x")


if __name__ == "__main__":
    main("--json" in sys.argv)
