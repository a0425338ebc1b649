"""Drawings of what the lectures build, from the top to the bottom, one function each."""

import itertools
import math
from collections.abc import Sequence

from drawings.canvas import Box, Drawing

FLOW = 167.5  # where scores, weights and output stand in units 01 to 03: between query and keys


def _softmax(scores: Sequence[float]) -> list[float]:
    """Shares of one, for the small matrices."""
    parts = [math.exp(score) for score in scores]
    return [part / sum(parts) for part in parts]


def _tones(rows: int, columns: int, start: int = 0) -> list[list[float]]:
    """Numbers for a matrix of which only the shape matters."""
    steps = [[5 * i + 3 * j + i * j + start for j in range(columns)] for i in range(rows)]
    return [[0.15 + 0.14 * (step % 6) for step in row] for row in steps]


# Units 01 to 03: one query, one attention -------------------------------------------------------


def nadaraya_watson() -> Drawing:
    """Unit 01: three towns are the memory, a fourth one asks."""
    keys, values, query, bandwidth = [60, 70, 85], [175, 200, 210], 64, 5
    scores = [-((query - key) ** 2) / (2 * bandwidth**2) for key in keys]
    weights = _softmax(scores)
    found = sum(w * v for w, v in zip(weights, values, strict=True))
    d = Drawing(
        "Nadaraya-Watson regression as attention",
        f"""A query, a town of 64 thousand people, is compared with three keys, towns of 60, 70 and
        85 thousand. The scores, minus the squared distance over twice the squared bandwidth, go
        through a softmax and become weights: {", ".join(f"{w:.2f}" for w in weights)}. The
        values, profits of 175, 200 and 210 thousand, are summed with these weights: the
        prediction is {found:.0f}.""",
        574,
    )

    def column(numbers: Sequence[float], x: float, y: float = 76) -> Box:
        texts = [[f"{number:.0f}"] for number in numbers]
        return d.cells([[0.16]] * len(texts), x, y, "data", 25, 56, texts)

    def row(numbers: Sequence[float], y: float) -> Box:
        texts = [[f"{number:.2f}".replace("-", "−") for number in numbers]]
        shades = [[0.75 * weight for weight in weights]]
        return d.cells(shades, FLOW, y, "attention", 25, 56, texts)

    _look_up(
        d,
        (column([query], 95), column(keys, 240), column(values, 385)),
        (row(scores, 252), row(weights, 374)),
        column([found], FLOW, 502),
        ("query x", "keys x_i", "values y_i", "prediction"),
        ("(Q,)", "(K,)", "(K,)", "(Q, K)", "(Q,)"),
        ("−(x − x_i)² / 2σ²", "sum of weight · value"),
    )
    d.label("in thousands, σ = 5", 212, 502, "small", "start")
    return d


def attention_flow() -> Drawing:
    """Unit 02: scaled dot-product attention, with the shapes of all matrices."""
    scores = [[2.6, 0.4, 0.9, -0.6, 0.2], [0.1, 1.6, 1.9, 0.0, -0.9], [-0.8, 0.3, -0.2, 0.6, 2.9]]
    d = Drawing(
        "Scaled dot-product attention",
        """Queries Q of shape (T, D) and keys K of shape (S, D) meet in the scores, Q times K
        transposed over the root of D, of shape (T, S). A softmax over the keys makes weights of
        them, whose rows sum to one. Weights times the values V, of shape (S, Dv), are the output,
        of shape (T, Dv).""",
        574,
    )
    shades = [[0.3 + 0.2 * score for score in row] for row in scores]
    _look_up(
        d,
        (d.cells(_tones(3, 4), 95, 76), *(d.cells(_tones(5, 4, x), x, 76) for x in (240, 385))),
        (
            d.cells(shades, FLOW, 252, "attention"),
            d.cells([_softmax(row) for row in scores], FLOW, 374, "attention"),
        ),
        d.cells(_tones(3, 4, 1), FLOW, 502),
        ("queries Q", "keys K", "values V", "output"),
        ("(T, D)", "(S, D)", "(S, D_v)", "(T, S)", "(T, D_v)"),
        ("Q K^T / √D", "weights · V"),
    )
    d.label("rows sum to 1", 212, 374, "small", "start")
    return d


def _look_up(
    d: Drawing,
    inputs: Sequence[Box],
    matrices: Sequence[Box],
    result: Box,
    names: Sequence[str],
    shapes: Sequence[str],
    acts: Sequence[str],
) -> None:
    """Query, keys, values -> scores -> softmax -> weighted sum, the same in units 01 and 02."""
    scores, weights = matrices
    compare = d.box(acts[0], FLOW, 190, 216, "attention")
    share = d.box("softmax over the keys", FLOW, 313, 216, "attention")
    gather = d.box(acts[1], 242, 438, 365, "attention")
    d.down(compare, scores, share, weights, gather, result)
    goals = (compare, compare, gather)
    for cells, name, shape, goal in zip(inputs, names, shapes, goals, strict=False):
        d.label(name, cells.x, 22, "strong")
        d.down(d.label(shape, cells.x, 128, "shape"), goal)
    d.named(scores, "scores", shapes[3])
    d.named(weights, "weights", shapes[3])
    d.named(result, names[3], shapes[4])
    d.legend("data", "attention")


def masked_attention_flow() -> Drawing:
    """Unit 03: the mask comes in between the scores and the softmax."""
    scores = [
        [1.6, 0.4, 1.2, 0.2],
        [0.3, 1.4, 0.6, 1.9],
        [1.1, 0.2, 1.5, 0.9],
        [0.4, 1.0, 0.1, 1.3],
    ]
    d = Drawing(
        "Where a mask comes in",
        """Scores of four queries and four keys, every cell filled. A causal mask, true on and below
        the diagonal, sets the scores above the diagonal to minus infinity. The softmax makes exact
        zeros of them, and the weights of each row still sum to one; then the values are summed.""",
        576,
    )

    def matrix(rows: Sequence[Sequence[float]], y: float, name: str, rest: str = "") -> Box:
        """Rows may be shorter than four: what is missing is masked."""
        filled = [[*row, *[None] * (4 - len(row))] for row in rows]
        texts = [[""] * len(row) + [rest] * (4 - len(row)) for row in rows]
        box = d.cells(filled, FLOW, y, "attention", 20, 30, texts)
        d.named(box, name, "(T, T)")
        return box

    halved = [[score / 2 for score in row] for row in scores]
    compare = d.box("Q K^T / √D", FLOW, 30, 216, "attention")
    first = matrix(halved, 108, "scores")
    fill = d.box("where False: −∞", 242, 188, 365, "attention")
    second = matrix([row[: i + 1] for i, row in enumerate(halved)], 268, "masked", "−∞")
    share = d.box("softmax over the keys", FLOW, 348, 216, "attention")
    third = matrix([_softmax(row[: i + 1]) for i, row in enumerate(scores)], 428, "weights", "0")
    gather = d.box("weights · V", FLOW, 508, 216, "attention")
    d.down(compare, first, fill, second, share, third, gather)

    mask = d.cells(_causal(4), 385, 108, "data", 20, 30)
    d.label("mask", mask.x, 36, "strong")
    d.label("True: may look", mask.x, 56, "small")
    d.down(mask, fill)
    d.legend("data", "attention")
    return d


def _causal(length: int) -> list[list[float | None]]:
    return [[0.8 if j <= i else None for j in range(length)] for i in range(length)]


# Unit 04: an encoder and a decoder --------------------------------------------------------------


def _encoder(d: Drawing, words: Sequence[str]) -> list[Box]:
    """A recurrent network reads words from left to right."""
    d.label("encoder", 10, 96, "strong", "start")
    cells = [d.box("GRU", 120 + 96 * i, 96, 62, "learned") for i in range(len(words))]
    for cell, word in zip(cells, words, strict=True):
        d.down(d.box(word, cell.x, 32, 74, "data", height=32), cell)
    d.along(*cells)
    return cells


def _decoder(d: Drawing, words: Sequence[str], y: float) -> list[Box]:
    """A second one writes words; every word is the next step's input."""
    d.label("decoder", 10, y, "strong", "start")
    steps = [d.box("GRU, out", 168 + 118 * i, y, 88, "learned") for i in range(len(words))]
    written = [d.box("<bos>", 62, y + 74, 66, "data", height=32)]
    for step, word in zip(steps, words, strict=True):
        d.arrow(written[-1].right, step.bottom.at(step.x - 32))
        written.append(d.box(word, step.x + 10, y + 74, 58, "data", height=32))
        d.down(step, written[-1])
    d.along(*steps)
    return steps


def encoder_decoder() -> Drawing:
    """Unit 04: all that the decoder learns of the source is one vector."""
    d = Drawing(
        "An encoder and a decoder with one vector between them",
        """A recurrent encoder reads she, reads, a, book, state by state. Its last state, one vector
        of shape (B, D), is all that the decoder is given at every step, whatever the length of the
        source. The decoder starts with a begin symbol and writes sie, liest, ein; every word that
        it writes is the input of its next step.""",
        404,
    )
    cells = _encoder(d, ["she", "reads", "a", "book"])
    for i, cell in enumerate(cells[:-1]):
        d.label(f"h_{i + 1}", cell.x + 48, 82, "small")
    vector = d.box("last state h_4: one vector", 286, 180, 300, "data", "(B, D)")
    d.down(cells[-1], vector)
    for step in _decoder(d, ["sie", "liest", "ein"], 262):
        d.down(vector, step)
    d.legend("data", "learned")
    return d


def encoder_decoder_with_attention() -> Drawing:
    """Unit 04: every step looks at all states of the encoder, with its own weights."""
    weights = [0.04, 0.86, 0.04, 0.06]
    d = Drawing(
        "An encoder and a decoder with attention",
        """The same encoder keeps all its states, the memory of shape (B, S, D). At its second step
        the decoder asks, and gets weights over the four states: 0.04, 0.86, 0.04 and 0.06, most of
        it on reads. The sum of the states with these weights, the context of shape (B, D), goes to
        that step, which writes liest. Every other step asks anew.""",
        492,
    )
    cells = _encoder(d, ["she", "reads", "a", "book"])
    texts, shades = [[f"{w:.2f}" for w in weights]], [[0.6 * w for w in weights]]
    shares = d.cells(shades, 264, 172, "attention", 28, 96, texts)
    context = d.box("context: sum of weight · h_i", 264, 244, 250, "attention", "(B, D)")
    for i, cell in enumerate(cells):
        d.down(cell, shares)
        d.label(f"h_{i + 1}", cell.x + 8, 134, "small", "start")
    d.label("weights", 64, 150, "small", "end")
    d.down(shares, context)
    _, step, _ = _decoder(d, ["sie", "liest", "ein"], 350)
    x = step.x + 24
    d.arrow(context.bottom.at(x), step.top.at(x), kind="attention")
    d.label("context", x + 8, 301, "small", "start")
    x = step.x - 24
    d.arrow(step.top.at(x), (x, 300), (40, 300), (40, shares.y), shares.left, kind="attention")
    d.label("asks", 46, 287, "small", "start")
    d.legend("data", "learned", "attention")
    return d


def luong_and_bahdanau() -> Drawing:
    """Unit 04: one step of each, in the order in which things are computed."""
    d = Drawing(
        "Luong beside Bahdanau",
        """One decoder step of each. Luong: the last word and the last state go into the GRU; its
        new state s t asks the memory; context and new state together make the next word. Bahdanau:
        the last state s t minus 1 asks the memory first; last word, context and last state go into
        the GRU; then context and new state make the next word. So Luong can ask for all steps at
        once, Bahdanau one step after the other.""",
        606,
    )

    def ends(x: float, title: str, note: str) -> tuple[Box, Box]:
        d.label(title, x, 22, "strong")
        out = d.box("out", x, 454, 176, "learned")
        d.down(out, d.box("y_t", x, 520, 66, "data"))
        d.label(note, x, 560, "small")
        return d.box("y_{t−1}", x - 52, 66, 66, "data"), out

    x = 118
    word, out = ends(x, "Luong", "all steps at once")
    state = d.box("s_{t−1}", x + 52, 66, 66, "data")
    cell = d.box("GRU", x, 150, 176, "learned")
    new = d.box("s_t", x, 224, 66, "data")
    attention = d.box("attention", x, 304, 124, "attention", "over h_1…h_S")
    context = d.box("c_t", x, 384, 66, "data")
    d.down(word, cell, new, attention, context, out)
    d.down(state, cell)
    d.arrow(new.right, (x + 108, new.y), (x + 108, out.y), out.right)
    d.label("s_t asks", x + 10, 258, "small", "start")

    x = 354
    word, out = ends(x, "Bahdanau", "one step after the other")
    state = d.box("s_{t−1}", x + 32, 66, 66, "data")
    attention = d.box("attention", x + 32, 150, 116, "attention", "over h_1…h_S")
    context = d.box("c_t", x + 32, 224, 66, "data")
    cell = d.box("GRU", x, 304, 176, "learned")
    new = d.box("s_t", x, 384, 66, "data")
    d.down(state, attention, context, cell, new, out)
    d.arrow(word.bottom.at(x - 66), cell.top.at(x - 66))
    d.arrow(state.bottom.at(x + 12), (x + 12, 100), (x - 42, 100), cell.top.at(x - 42))
    d.arrow(context.right, (x + 108, context.y), (x + 108, out.y), out.right)
    d.label("s_{t−1} asks", x + 40, 105, "small", "start")
    d.legend("data", "learned", "attention")
    return d


# Units 05 to 08: the Transformer ----------------------------------------------------------------


def heads() -> Drawing:
    """Unit 05: project, split, attend in every head, merge, project."""
    d = Drawing(
        "Multi-head attention: split and merged heads",
        """The input x of shape (B, T, D) is projected by W Q, W K and W V. Each result is split
        along its features into H heads of shape (B, H, T, D/H): here nine columns become three
        heads of three columns. Each head attends by itself. The outputs of the heads are put side
        by side again, of shape (B, T, D), and the matrix W O mixes them.""",
        708,
    )
    shades = [0.2, 0.5, 0.85]
    striped = [[shade for shade in shades for _ in range(3)]] * 4
    x = d.cells(_tones(4, 9), 240, 36, side=12)
    projected = d.cells(striped, 240, 172, side=12)
    merged = d.cells(striped, 240, 498, "attention", 12)
    output = d.cells(_tones(4, 9, 3), 240, 634, side=12)
    d.down(x, d.box("W_Q, W_K, W_V", 240, 104, 230, "learned"), projected)
    d.down(merged, d.box("W_O", 240, 566, 230, "learned"), output)
    for i, shade in enumerate(shades):
        place, shift = 72 + 168 * i, 36 * (i - 1)
        part = d.cells([[shade] * 3] * 4, place, 262, side=12)
        head = d.box("attention", place, 335, 116, "attention", f"head {i}")
        seen = d.cells([[shade] * 3] * 4, place, 408, "attention", 12)
        d.arrow(projected.bottom.at(240 + shift), part.top)
        d.down(part, head, seen)
        d.arrow(seen.bottom, merged.top.at(240 + shift))
    for cells, name in ((x, "x"), (projected, "Q, K, V"), (merged, "merged"), (output, "output")):
        d.named(cells, name, "(B, T, D)")
    for y, name in ((262, "split"), (408, "outputs")):
        d.label(name, 156, y - 10)
        d.label("(B, H, T, D/H)", 156, y + 10, "shape")
    d.legend("data", "learned", "attention")
    return d


def positions() -> Drawing:
    """Unit 06: positions added once to the embeddings, or turned into q and k in every block."""
    d = Drawing(
        "Where positions come in",
        """Left: a table of positions of shape (T, D) is added to the embeddings of the tokens,
        once, before the first block; queries, keys and values are made of the sum. Right: rotary
        positions add nothing to the embeddings; in every block the queries and the keys are turned
        by angles that grow with their position, and the values stay as they are.""",
        520,
    )

    def column(x: float, title: str, note: str) -> tuple[Box, Box, Box]:
        d.label(title, x, 22, "strong")
        embed = d.box("embedding", x - 40, 130, 110, "learned")
        d.down(d.box("tokens", x - 40, 66, 90, "data", height=34), embed)
        d.frame(x - 108, 220, x + 108, 440)
        project = d.box("W_Q, W_K, W_V", x, 262, 188, "learned")
        for name, shift in (("q", -64), ("k", 0), ("v", 64)):
            d.label(name, x + shift + 12, 300, "small")
        d.label(note, x, 462, "small")
        return embed, project, d.box("attention", x, 404, 188, "attention")

    embed, project, attention = column(120, "added to the embeddings", "once, before N blocks")
    plus, table = d.node("+", embed.x, 190), d.box("p_t", 184, 190, 70, "position", height=34)
    d.label("(T, D)", table.x, 160, "shape")
    d.down(embed, plus, project)
    d.arrow(table.left, plus.right)
    for x in (56, 120, 184):
        d.arrow(project.bottom.at(x), attention.top.at(x))

    embed, project, attention = column(360, "rotary: inside q and k", "in each of N blocks")
    turn = d.box("turn by t · ω_i", project.x - 32, 336, 124, "position")
    d.down(embed, project)
    for x in (296, 360):
        d.arrow(project.bottom.at(x), turn.top.at(x))
        d.arrow(turn.bottom.at(x), attention.top.at(x))
    d.arrow(project.bottom.at(424), attention.top.at(424))
    d.legend("data", "learned", "position", "attention")
    return d


def _sublayer(d: Drawing, before: Box, parts: Sequence[str], width: float, side: int) -> list[Box]:
    """Parts below each other ("layer" or "layer: mask"), and an arrow around to the sum."""
    tap, boxes = before.bottom.y + 14, [before]
    for part in parts:
        text, _, mask = part.partition(": ")
        kind = "attention" if "attention" in text else "learned"
        height = 24 if text == "+" else 50 if mask else 36
        x, y = before.x, boxes[-1].bottom.y + (20 if boxes[1:] else 34) + height / 2
        box = d.node(text, x, y) if text == "+" else d.box(text, x, y, width, kind, mask)
        d.down(boxes[-1], box)
        boxes.append(box)
        if text in ("+", "add & norm"):
            away = x + side * (width / 2 + 17)
            end = box.right if side > 0 else box.left
            d.arrow((x, tap), (away, tap), (away, y), end, kind="data")
    return boxes[1:]


def encoder_block() -> Drawing:
    """Unit 07: the same parts in two orders."""
    d = Drawing(
        "An encoder block, post-norm beside pre-norm",
        """Post-norm: x goes through self-attention and around it, both are added, and the sum is
        normed; then the same with the feed-forward network. Pre-norm: the norm stands before
        self-attention and before the feed-forward network, inside the detour, so that the residual
        line from x to the output passes two sums and no norm.""",
        570,
    )
    orders = {
        "post-norm": (["self-attention", "+", "norm"], ["feed-forward", "+", "norm"]),
        "pre-norm": (["norm", "self-attention", "+"], ["norm", "feed-forward", "+"]),
    }
    for x, (title, sublayers) in zip((122, 346), orders.items(), strict=True):
        d.label(title, x, 22, "strong")
        last = d.box("x", x, 66, 110, "data", "(B, T, D)")
        for parts in sublayers:
            last = _sublayer(d, last, parts, 144, side=1)[-1]
        d.down(last, d.box("output", x, last.bottom.y + 54, 110, "data", "(B, T, D)"))
    d.legend("data", "learned", "attention")
    return d


def transformer() -> Drawing:
    """Unit 08: the encoder-decoder of 2017; the masks say who may look at whom."""
    d = Drawing(
        "The Transformer",
        """Encoder, left: source tokens are embedded and positions are added; N blocks of
        self-attention with a padding mask, add and norm, feed-forward, add and norm make the memory
        of shape (B, S, D). Decoder, right: the target so far is embedded in the same way; each of N
        blocks has self-attention with a causal mask, then cross-attention, whose queries come from
        the decoder and whose keys and values are the memory, under the padding mask of the source,
        then feed-forward, each followed by add and norm. A linear layer makes logits of shape
        (B, T, V). Below: a padding mask leaves out the columns of padding, a causal mask all that
        is above the diagonal.""",
        906,
    )

    def embedded(x: float, y: float, title: str, tokens: str, shape: str, side: int) -> Box:
        d.label(title, x, y - 44, "strong")
        plus = d.node("+", x, y + 117)
        place = d.box("p_t", x + side * 64, plus.y, 46, "position", height=26)
        d.arrow(*((place.right, plus.left) if side < 0 else (place.left, plus.right)))
        words = d.box(tokens, x, y, 124, "data", shape)
        d.down(words, d.box("embedding", x, y + 65, 124, "learned"), plus)
        return plus

    def repeated(first: Box, last: Box, side: int) -> None:
        top = first.bottom.y + 7
        d.frame(first.x - 108, top, first.x + 108, last.bottom.y + 12)
        d.label("× N", first.x + side * 86, top + 15, "small")

    plus = embedded(122, 66, "encoder", "source", "(B, S)", side=1)
    _, norm = _sublayer(d, plus, ["self-attention: padding mask", "add & norm"], 166, side=-1)
    _, encoded = _sublayer(d, norm, ["feed-forward", "add & norm"], 166, side=-1)
    repeated(plus, encoded, side=1)

    plus = embedded(358, 191, "decoder", "target so far", "(B, T)", side=-1)
    _, norm = _sublayer(d, plus, ["self-attention: causal mask", "add & norm"], 166, side=1)
    cross, norm = _sublayer(d, norm, ["cross-attention: padding mask", "add & norm"], 166, side=1)
    _, norm = _sublayer(d, norm, ["feed-forward", "add & norm"], 166, side=1)
    repeated(plus, norm, side=-1)
    linear = d.box("linear", 358, norm.bottom.y + 48, 124, "learned")
    d.down(norm, linear, d.box("logits", 358, linear.bottom.y + 45, 124, "data", "(B, T, V)"))

    memory = d.box("memory", 122, cross.y, 124, "data", "(B, S, D)")
    d.down(encoded, memory)
    d.arrow(memory.right, cross.left)
    d.label("K, V", 216, memory.y - 12, "small")
    d.label("Q", cross.x - 10, cross.top.y - 14, "small", "end")
    d.label("padding mask", 122, 628)
    d.cells([[0.8, 0.8, 0.8, None, None]] * 4, 122, 676, side=17)
    d.label("causal mask", 122, 752)
    d.cells(_causal(4), 122, 800, side=17)
    d.label("filled: may look", 122, 852, "small")
    d.legend("data", "learned", "position", "attention")
    return d


# Units 09 and 10: pictures ----------------------------------------------------------------------

THREE = (  # 12 x 12 pixels
    "............",
    "...######...",
    "..##....##..",
    "........##..",
    ".......##...",
    "....####....",
    ".......##...",
    "........##..",
    "........##..",
    "..##....##..",
    "...######...",
    "............",
)


def _patch(d: Drawing, ink: Sequence[str], x: float, y: float) -> Box:
    """A square of 4 x 4 pixels."""
    d.rect(Box(x, y, 32, 32), "cell data pixel", 2, 0.14)
    for i, j in itertools.product(range(4), range(4)):
        if ink[i][j] == "#":
            d.rect(Box(x + 8 * j - 12, y + 8 * i - 12, 8, 8), "cell data pixel", 1, 0.9)
    return Box(x, y, 32, 32)


def vision_transformer() -> Drawing:
    """Unit 09: a picture as a sentence of patches."""
    d = Drawing(
        "The Vision Transformer",
        """A picture of a three, of shape (B, C, H, W), is cut into nine patches, which one linear
        layer turns into nine tokens. A learned CLS token is put before them, and a learned position
        is added to each of the ten. They go through a Transformer encoder of L blocks, of shape
        (B, N + 1, D). The head, a linear layer, makes logits of the first output alone, that of
        CLS.""",
        622,
    )
    columns = [36 + 45.5 * i for i in range(10)]
    linear = d.box("linear", 263.5, 226, 400, "learned")
    encoder = d.box("Transformer encoder × L", 240, 408, 446, "attention", "(B, N + 1, D)")
    for i, x in enumerate(columns):
        name, width, kind = ("", 32, "data") if i else ("CLS", 42, "learned")
        token = d.box(name, x, 284, width, kind, height=28)
        d.label("+", x, 313)
        d.down(d.box(str(i), x, 340, 36, "position", height=28), encoder)
        output = d.box(name, x, 478, width, "data", height=28)
        d.down(encoder, output)
        if i == 0:
            head = d.box("head", 62, 548, 88, "learned")
            d.down(output, head)
            continue
        row, column = divmod(i - 1, 3)
        ink = [line[4 * column : 4 * column + 4] for line in THREE[4 * row : 4 * row + 4]]
        _patch(d, ink, 240 + 34.5 * (column - 1), 62 + 34.5 * (row - 1))
        d.down(_patch(d, ink, x, 168), linear, token)
    d.named(Box(240, 62, 101, 101), "picture", "(B, C, H, W)")
    d.arrow((240, 113), (240, 146))
    d.label("N patches", 256, 130, anchor="start")
    d.label("(B, N, C·p·p)", 338, 130, "shape", "start")
    d.arrow(head.right, d.box("logits", 216, 548, 124, "data", "(B, classes)").left)
    d.label("only CLS is read", 300, 548, "small", "start")
    d.legend("data", "learned", "position", "attention")
    return d


def captioner() -> Drawing:
    """Unit 10: look, read the last word, name the next one; again and again."""
    d = Drawing(
        "The captioner",
        """A CNN turns a picture, a circle and a square, into regions of shape (B, R, D), once. At
        every step the last state h of the LSTM asks: attention over the regions gives weights of
        shape (B, R), here high on the circle, and a context z. The LSTM reads the context and the
        last word, keeps a cell c beside its state, and its new state names the next word, circle.
        Word, state and cell go into the next step.""",
        670,
    )
    d.cells([[0.04] * 6] * 6, 88, 60)
    d.rect(Box(60, 32, 24, 24), "cell position", 12)
    d.rect(Box(102, 88, 24, 24), "cell plain", 1)
    regions = d.box("regions", 88, 256, 110, "data", "(B, R, D)")
    d.down(d.label("picture", 88, 118), d.box("CNN", 88, 178, 110, "learned"), regions)

    state, word = d.box("h_{t−1}", 246, 150, 66, "data"), d.box("y_{t−1}", 412, 150, 66, "data")
    kept = d.box("c_{t−1}", 334, 150, 66, "data")
    attention = d.box("attention", 246, 256, 116, "attention", "over regions")
    context = d.box("z_t", 246, 336, 66, "data")
    cell = d.box("LSTM", 318, 408, 252, "learned")
    new, out = d.box("h_t", 270, 476, 66, "data"), d.box("out", 270, 540, 124, "learned")
    keeps = d.box("c_t", 366, 476, 66, "data")
    said = d.box("y_t: circle", 270, 604, 124, "data")
    d.down(state, attention, context, cell, new, out, said)
    d.down(kept, cell, keeps)
    d.down(word, cell)
    d.arrow(regions.right, attention.left)
    d.arrow(state.bottom.at(266), (266, 188), (316, 188), cell.top.at(316))
    d.arrow(said.right, (462, said.y), (462, word.y), word.right)
    d.label("asks", 238, 208, "small", "end")
    d.label("next step:", 454, 536, "small", "end")
    d.label("y_t, h_t and c_t", 454, 556, "small", "end")

    looks = [[0.95 if i < 2 and j < 2 else 0.06 for j in range(6)] for i in range(6)]
    weights = d.cells(looks, 88, 350, "attention")
    d.label("weights", 88, 408)
    d.label("(B, R)", 88, 428, "shape")
    d.arrow(attention.bottom.at(200), (200, weights.y), weights.right, kind="attention")
    d.legend("data", "learned", "attention")
    return d
