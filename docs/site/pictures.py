"""One small picture per unit for the site, drawn as SVG from the course's own code: `pictures()`
gives unit -> (alternative text, SVG).

All are 160 x 100, without text and without a background, in colours that can be seen on light and
dark pages.
"""

import math
from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from course_utils.data.images import digits
from course_utils.data.scenes import paint
from course_utils.dot_product_attention import scaled_dot_product_attention
from course_utils.masking import causal_mask, masked_softmax
from course_utils.nadaraya_watson import nadaraya_watson
from course_utils.positional_encoding import sinusoidal_encoding
from course_utils.training import seeded

BLUE, ORANGE, GREEN, GREY = "#2c8fd0", "#e0752a", "#17a37c", "#8a97a6"


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    colour: str,
    opacity: float = 1.0,
    radius: float = 2.0,
) -> str:
    size = f'width="{width:.1f}" height="{height:.1f}" rx="{radius}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}" opacity="{opacity:.2f}"/>'


def dot(x: float, y: float, radius: float, colour: str, opacity: float = 1.0) -> str:
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    return f'<circle {place} fill="{colour}" opacity="{opacity:.2f}"/>'


def path(
    points: Iterable[tuple[float, float]], colour: str, width: float = 2.0, opacity: float = 1.0
) -> str:
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    pen = f'stroke="{colour}" stroke-width="{width:.1f}" opacity="{opacity:.2f}"'
    ends = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<polyline points="{line}" fill="none" {pen} {ends}/>'


def grid(matrix: Tensor, x: float, y: float, side: float, colour: str, gap: float = 1.5) -> str:
    """A heat map: every number between 0 and 1 is how solid its square is."""
    return "".join(
        rect(x + j * side, y + i * side, side - gap, side - gap, colour, 0.1 + 0.9 * float(value))
        for i, row in enumerate(matrix)
        for j, value in enumerate(row)
    )


def regression() -> str:
    """Noisy points and a curve of weighted means through them, with the query it is asked at."""
    generator = seeded(4)
    keys = torch.rand(26, generator=generator).sort().values  # (26,)
    values = torch.sin(5.5 * keys) + 0.25 * torch.randn(26, generator=generator)  # (26,)
    queries = torch.linspace(0, 1, 60)  # (60,)
    curve, _ = nadaraya_watson(queries, keys, values, 0.07)  # (60,)
    _, weights = nadaraya_watson(torch.tensor([0.3]), keys, values, 0.07)  # (1, 26)
    weights = weights[0] / weights.max()  # (26,)

    def place(x: Tensor, y: Tensor) -> tuple[float, float]:
        return 8 + 144 * float(x), 50 - 30 * float(y)

    dots = "".join(
        dot(*place(k, v), 2.5 + 3 * float(w), BLUE, 0.35 + 0.65 * float(w))
        for k, v, w in zip(keys, values, weights, strict=True)
    )
    return dots + path((place(q, c) for q, c in zip(queries, curve, strict=True)), ORANGE, 2.5)


def vectors() -> str:
    """One query and seven keys as arrows; the more alike, the more weight."""
    angles = torch.arange(7) * math.pi / 6  # (7,)
    keys = torch.stack([angles.cos(), angles.sin()], -1)  # (7, 2)
    query = torch.tensor([[math.cos(1.2), math.sin(1.2)]])  # (1, 2)
    _, weights = scaled_dot_product_attention(5 * query, keys, keys)  # (1, 7)
    arrows = "".join(
        path(
            [(80, 88), (80 + 66 * float(x), 88 - 66 * float(y))],
            BLUE,
            1.5 + 12 * float(w),
            0.35 + 0.65 * float(w / weights.max()),
        )
        for (x, y), w in zip(keys, weights[0], strict=True)
    )
    (x, y), size = query[0].tolist(), 80
    return (
        arrows
        + path([(80, 88), (80 + size * x, 88 - size * y)], ORANGE, 2.5)
        + dot(80 + size * x, 88 - size * y, 4, ORANGE)
    )


def mask() -> str:
    """A causal mask of eight steps: attention on and below the diagonal, empty squares above it."""
    scores = torch.randn(8, 8, generator=seeded(3))  # (8, 8)
    allowed = causal_mask(8)  # (8, 8)
    weights = masked_softmax(scores, allowed)  # (8, 8)
    return grid(allowed * (0.3 + 0.7 * weights), 36, 6, 11, BLUE)


def alignment() -> str:
    """Five words above, six below, and lines for how much each looks at which."""
    above, below = [28 + 26 * i for i in range(5)], [15 + 26 * j for j in range(6)]
    order = torch.tensor([0.0, 0.9, 2.6, 1.8, 3.1, 4.1])  # (6,): where each target word looks
    weights = torch.softmax(-2 * (order[:, None] - torch.arange(5.0)) ** 2, -1)  # (6, 5)
    lines = "".join(
        path(
            [(above[i], 26), (below[j], 74)],
            BLUE,
            0.5 + 3.5 * float(weights[j, i]),
            float(weights[j, i]),
        )
        for j in range(6)
        for i in range(5)
        if weights[j, i] > 0.04
    )
    words = "".join(rect(x - 10, 12, 20, 12, GREY) for x in above) + "".join(
        rect(x - 10, 76, 20, 12, ORANGE) for x in below
    )
    return lines + words


def heads() -> str:
    """Four small heat maps in four colours: each head looks in its own way."""
    offset = torch.arange(5.0)[:, None] - torch.arange(5.0)  # (5, 5): how far back a key is
    scores = [
        -4 * offset.abs(),
        -4 * (offset - 1).abs(),
        -4 * (offset + 1).abs(),
        torch.randn(5, 5, generator=seeded(0)),
    ]
    corners = [(28, 4), (86, 4), (28, 53), (86, 53)]
    return "".join(
        grid(score.softmax(-1), x, y, 9, colour)
        for score, (x, y), colour in zip(
            scores, corners, (BLUE, ORANGE, GREEN, "#b77bb0"), strict=True
        )
    )


def waves() -> str:
    """Sine waves of five frequencies, one below the other: the address of every position."""
    table = sinusoidal_encoding(72, 64)[:, :40:8]  # (72, 5)
    return "".join(
        path(
            ((8 + 2 * t, 14 + 18 * i - 7 * float(value)) for t, value in enumerate(column)),
            BLUE,
            2.0,
            1 - 0.14 * i,
        )
        for i, column in enumerate(table.T)
    ) + "".join(
        dot(8 + 2 * 25, 14 + 18 * i - 7 * float(table[25, i]), 3.2, ORANGE) for i in range(5)
    )


def encoder() -> str:
    """Three layers stacked, each a wide and a narrow block, with a residual path beside them."""
    blocks = "".join(
        rect(48, 72 - 28 * i, 72, 11, BLUE, 1 - 0.2 * i, 3)
        + rect(58, 86 - 28 * i, 52, 7, ORANGE, 1 - 0.2 * i, 3)
        for i in range(3)
    )
    loops = "".join(
        path(
            [(48, 89 - 28 * i), (34, 89 - 28 * i), (34, 70 - 28 * i), (48, 70 - 28 * i)], GREY, 1.8
        )
        for i in range(3)
    )
    return loops + blocks


def beams() -> str:
    """A tree that grows from left to right: a beam search keeps the two best beginnings at every
    step.
    """
    x = [14, 46, 80, 114, 146]
    kept = [[50], [28, 70], [18, 44], [30, 54], [22, 62]]
    parents = [[], [0, 0], [0, 0], [1, 1], [0, 1]]
    dropped = [(1, 1, 64), (1, 1, 84), (2, 0, 8), (2, 0, 24), (3, 0, 12), (3, 1, 84)]
    lost = "".join(
        path([(x[s], kept[s][i]), (x[s + 1], y)], GREY, 1.4, 0.6) + dot(x[s + 1], y, 3, GREY, 0.6)
        for s, i, y in dropped
    )
    lines = "".join(
        path([(x[s - 1], kept[s - 1][p]), (x[s], y)], BLUE, 2.2)
        for s in range(1, 5)
        for y, p in zip(kept[s], parents[s], strict=True)
    )
    best = path([(x[0], 50), (x[1], 28), (x[2], 44), (x[3], 30), (x[4], 22)], ORANGE, 3)
    return lost + lines + best + "".join(dot(x[s], y, 4, BLUE) for s in range(5) for y in kept[s])


def patches() -> str:
    """A handwritten four, cut into sixteen patches that are pulled apart."""
    images, labels, _, _ = digits()
    image = images[labels == 4][0, 0]  # (8, 8)
    side, gap = 9.5, 4.0
    return "".join(
        rect(
            35.5 + j * side + (j // 2) * gap,
            6 + i * side + (i // 2) * gap,
            side,
            side,
            BLUE,
            0.1 + 0.9 * float(value),
            0,
        )
        for i, row in enumerate(image)
        for j, value in enumerate(row)
    )


def caption() -> str:
    """A picture of a red circle, a green square and a blue cross, with three lines of a caption
    beside it.
    """
    picture = paint(
        [("red", "circle", 0), ("green", "square", 4), ("blue", "cross", 8)]
    )  # (3, 24, 24)
    side = 3.5
    pixels = "".join(
        rect(
            8 + j * side,
            8 + i * side,
            side,
            side,
            f"rgb({','.join(str(int(255 * float(c))) for c in picture[:, i, j])})",
            1,
            0,
        )
        for i in range(24)
        for j in range(24)
        if float(picture[:, i, j].min()) < 0.9
    )
    frame = (
        '<rect x="6" y="6" width="88" height="88" rx="6" fill="#ffffff" '
        f'stroke="{GREY}" stroke-width="1.5"/>'
    )
    lines = "".join(
        rect(104, y, width, 7, colour, 0.9, 3.5)
        for y, width, colour in ((20, 46, "#d1495b"), (46, 34, GREEN), (72, 42, BLUE))
    )
    return f'{frame}<g shape-rendering="crispEdges">{pixels}</g>{lines}'


PICTURES: dict[str, Callable[[], str]] = {
    "01_nadaraya_watson": regression,
    "02_dot_product_attention": vectors,
    "03_masking": mask,
    "04_seq2seq_attention": alignment,
    "05_multi_head_attention": heads,
    "06_positional_encoding": waves,
    "07_transformer_encoder": encoder,
    "08_transformer_decoder": beams,
    "09_vision_transformer": patches,
    "10_image_captioning": caption,
}


def pictures() -> dict[str, tuple[str, str]]:
    """Unit -> its alternative text (the docstring of the function that draws it) and its SVG."""
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 100">{}</svg>\n'
    return {
        unit: ((draw.__doc__ or "").rstrip("."), frame.format(draw()))
        for unit, draw in PICTURES.items()
    }
