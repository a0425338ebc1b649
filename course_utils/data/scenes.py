"""Scenes to describe: coloured shapes on a 3 x 3 grid, drawn from a generator, each with the one
right caption.

pictures, captions = scenes(100, seeded(0))     # (100, 3, 24, 24), (100, 11)
words(captions[0])                              # ['blue', 'circle', 'top', 'left', 'and', ...]
"""

import torch
from torch import Tensor

COLOURS = {
    "red": (0.9, 0.2, 0.2),
    "green": (0.2, 0.7, 0.3),
    "blue": (0.2, 0.4, 0.9),
    "yellow": (0.95, 0.8, 0.2),
}
SHAPES = ("square", "circle", "cross")
ROWS, COLUMNS = ("top", "middle", "bottom"), ("left", "centre", "right")
RELATIONS = ("left-of", "right-of", "above", "below")

PAD, BOS, EOS = 0, 1, 2
VOCABULARY = ("<pad>", "<bos>", "<eos>", "and", *COLOURS, *SHAPES, *ROWS, *COLUMNS, *RELATIONS)
IDS = {word: number for number, word in enumerate(VOCABULARY)}
NUMERALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
HAND_VOCABULARY = ("<pad>", "<bos>", "<eos>", "and", *NUMERALS, *ROWS, *COLUMNS)  # handwriting
CELL, MOST = 8, 2  # pixels of a cell's side; most shapes in a scene
LENGTH = 5 * MOST + 1  # of a caption: <bos>, four words per shape, "and" between them, <eos>


def stamp(shape: str) -> Tensor:
    """A shape as a mask of (8, 8) pixels."""
    y, x = torch.meshgrid(torch.arange(CELL) - 3.5, torch.arange(CELL) - 3.5, indexing="ij")
    if shape == "square":
        return ((y.abs() < 3) & (x.abs() < 3)).float()
    if shape == "circle":
        return (y**2 + x**2 <= 11).float()
    return ((y.abs() < 1) | (x.abs() < 1)).float()


STAMPS = {shape: stamp(shape) for shape in SHAPES}


def paint(things: list[tuple[str, str, int]]) -> Tensor:
    """Things (colour, shape, cell 0 to 8) -> a picture (3, 24, 24) on white."""
    picture = torch.ones(3, 3 * CELL, 3 * CELL)
    for colour, shape, cell in things:
        row, column = divmod(cell, 3)
        # (3, 8, 8)
        corner = picture[:, row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
        ink = torch.tensor(COLOURS[colour])[:, None, None]  # (3, 1, 1)
        corner.copy_(torch.where(STAMPS[shape] > 0, ink, corner))
    return picture


def encode(
    words: list[str], length: int = LENGTH, vocabulary: tuple[str, ...] = VOCABULARY
) -> Tensor:
    """Words -> (length,) ids: <bos>, the words, <eos>, padding."""
    ids = [BOS, *(vocabulary.index(word) for word in words), EOS]
    return torch.tensor(ids + [PAD] * (length - len(ids)))


def words(ids: Tensor, vocabulary: tuple[str, ...] = VOCABULARY) -> list[str]:
    """(T,) ids -> the words up to <eos>, without <bos>."""
    found: list[str] = []
    for number in ids.tolist():
        if number == EOS:
            break
        if number not in (BOS, PAD):
            found.append(vocabulary[number])
    return found


def _thing(cell: int, generator: torch.Generator) -> tuple[str, str, int]:
    colour, shape = (
        int(torch.randint(n, (), generator=generator)) for n in (len(COLOURS), len(SHAPES))
    )
    return list(COLOURS)[colour], SHAPES[shape], cell


def noisy(pictures: list[Tensor], generator: torch.Generator) -> Tensor:
    """Pictures (3, 24, 24) each -> (N, 3, 24, 24), with the noise that all scenes have."""
    clean = torch.stack(pictures)  # (N, 3, 24, 24)
    return (clean + 0.05 * torch.randn(clean.shape, generator=generator)).clamp(0, 1)


def scenes(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures (N, 3, 24, 24) of one or two shapes and captions (N, 11) that name them in reading
    order, with their places."""
    pictures: list[Tensor] = []
    captions: list[Tensor] = []
    for _ in range(count):
        number = int(torch.randint(1, MOST + 1, (), generator=generator))
        cells = sorted(torch.randperm(9, generator=generator)[:number].tolist())
        things = [_thing(cell, generator) for cell in cells]
        told = [
            [colour, shape, ROWS[cell // 3], COLUMNS[cell % 3]] for colour, shape, cell in things
        ]
        pictures.append(paint(things))
        captions.append(
            encode([word for i, part in enumerate(told) for word in (["and"] if i else []) + part])
        )
    return noisy(pictures, generator), torch.stack(captions)


def relations(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Pictures (N, 3, 24, 24) of two different shapes in one row or column, and captions (N, 7)
    that relate the first in the alphabet to the other."""
    pictures: list[Tensor] = []
    captions: list[Tensor] = []
    while len(pictures) < count:
        first, second = sorted(
            _thing(cell, generator) for cell in torch.randperm(9, generator=generator)[:2].tolist()
        )
        rows, columns = (first[2] // 3, second[2] // 3), (first[2] % 3, second[2] % 3)
        if first[:2] == second[:2] or (rows[0] != rows[1] and columns[0] != columns[1]):
            continue  # nothing to tell them apart, or two relations at once
        across = rows[0] == rows[1]
        relation = RELATIONS[(columns[0] > columns[1]) if across else 2 + (rows[0] > rows[1])]
        pictures.append(paint([first, second]))
        captions.append(encode([*first[:2], relation, *second[:2]], 7))
    return noisy(pictures, generator), torch.stack(captions)


def handwriting(
    count: int, images: Tensor, labels: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Pictures (N, 3, 24, 24) with one or two of the digits (n, 1, 8, 8), dark on white, and
    captions (N, 9) that name them in reading order, with their places."""
    pictures: list[Tensor] = []
    captions: list[Tensor] = []
    for _ in range(count):
        number = int(torch.randint(1, MOST + 1, (), generator=generator))
        cells = sorted(torch.randperm(9, generator=generator)[:number].tolist())
        chosen = torch.randint(len(images), (number,), generator=generator).tolist()
        picture, told = torch.ones(3, 3 * CELL, 3 * CELL), []
        for i, cell in zip(chosen, cells, strict=True):
            row, column = divmod(cell, 3)
            # (3, 8, 8)
            corner = picture[:, row * CELL : (row + 1) * CELL, column * CELL : (column + 1) * CELL]
            corner.copy_(1 - images[i])
            told.append([NUMERALS[int(labels[i])], ROWS[row], COLUMNS[column]])
        pictures.append(picture)
        sentence = [word for i, part in enumerate(told) for word in (["and"] if i else []) + part]
        captions.append(encode(sentence, 4 * MOST + 1, HAND_VOCABULARY))
    return torch.stack(pictures), torch.stack(captions)
