"""Real images (the digits that ship with the course, Fashion-MNIST where it is at hand), and how to show where a model looks."""

import gzip
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from torch import Tensor

from course_utils.plotting import COLOURS

Split = tuple[Tensor, Tensor, Tensor, Tensor]  # train images (N, 1, H, W) in [0, 1], train labels (N,), test images, test labels

FASHION_CLASSES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
FASHION_FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
DEBIAN = Path("/usr/share/datasets/fashion-mnist")  # where Debian's package dataset-fashion-mnist puts the four files, gzipped
CACHE = Path(os.environ.get("COURSE_DATA", Path.home() / ".cache" / "attention-course"))


def digits() -> Split:
    """1,347 handwritten digits to learn from and 450 to test with, 8x8 pixels each."""
    with np.load(Path(__file__).parent / "data" / "digits.npz") as data:
        arrays = {name: torch.from_numpy(data[name]) for name in data.files}
    images = {name: arrays[f"{name}_images"][:, None].float() / 16 for name in ("train", "test")}  # (N, 1, 8, 8)
    return images["train"], arrays["train_labels"].long(), images["test"], arrays["test_labels"].long()


def fashion_mnist_is_here(root: Path = CACHE) -> bool:
    """Can Fashion-MNIST be read without a download?"""
    raw = root / "FashionMNIST" / "raw"
    return all((raw / name).exists() or (DEBIAN / f"{name}.gz").exists() for name in FASHION_FILES)


def fashion_mnist(root: Path = CACHE, download: bool = False) -> Split:
    """60,000 pieces of clothing to learn from and 10,000 to test with, 28x28 pixels each, through torchvision's data set."""
    from course_utils.vision import datasets

    raw = root / "FashionMNIST" / "raw"  # where torchvision looks for the files, unzipped
    for name in FASHION_FILES:
        if not (raw / name).exists() and (DEBIAN / f"{name}.gz").exists():
            raw.mkdir(parents=True, exist_ok=True)
            with gzip.open(DEBIAN / f"{name}.gz") as packed, (raw / f"{name}.part").open("wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
            (raw / f"{name}.part").replace(raw / name)  # in one step: an interrupted copy leaves no half file
    train, test = (datasets.FashionMNIST(root, train=train, download=download) for train in (True, False))
    return train.data[:, None] / 255, train.targets, test.data[:, None] / 255, test.targets


def show(images: Tensor, columns: int = 8, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw (N, C, H, W) images in [0, 1] side by side, `columns` in a row."""
    from course_utils.vision import utils

    rows = -(-len(images) // columns)
    if ax is None:
        width = min(0.9 * min(columns, len(images)) + 0.3, 7.5)
        ax = plt.subplots(figsize=(width, width * rows * images.shape[2] / (min(columns, len(images)) * images.shape[3]) + 0.4))[1]
    pad = max(images.shape[-1] // 8, 1)
    grid = utils.make_grid(images.clamp(0, 1), nrow=columns, padding=pad, pad_value=0.75)  # (3, height, width)
    ax.imshow(grid.permute(1, 2, 0), interpolation="nearest")
    ax.set_title(title)
    ax.axis("off")
    return ax


def look(image: Tensor, weights: Tensor, title: str = "", ax: Axes | None = None, top: float | None = None) -> Axes:
    """Draw an image (C, H, W) with weights (rows, columns) over it: orange over a grey image, dark over a coloured one."""
    ax = ax or plt.subplots(figsize=(2, 2.2))[1]
    height, width = image.shape[1:]
    grey = len(image) == 1
    ax.imshow(1 - 0.7 * image.expand(3, -1, -1).permute(1, 2, 0) if grey else image.permute(1, 2, 0), interpolation="nearest")
    top = top if top is not None else float(weights.max())
    alpha = 0.8 * (weights / max(top, 1e-9)).clamp(0, 1)  # (rows, columns)
    ink = torch.tensor(to_rgb(COLOURS[1]) if grey else (0.1, 0.1, 0.1)).expand(*weights.shape, 3)
    box = (-0.5, width - 0.5, height - 0.5, -0.5)
    ax.imshow(torch.cat([ink, alpha[..., None]], -1), extent=box, interpolation="nearest")
    ax.set_title(title, fontsize=9)
    ax.set(xticks=[], yticks=[])
    ax.grid(False)
    for side in ax.spines.values():
        side.set(visible=True, color="0.7")
    return ax


def looks(image: Tensor, panels: Sequence[tuple[str, Tensor]], columns: int = 6, top: float | None = None) -> None:
    """Draw one image several times, each time with other weights (rows, columns) over it, under a title."""
    rows = -(-len(panels) // columns)
    _, axes = plt.subplots(rows, columns, figsize=(1.5 * columns, 1.75 * rows), squeeze=False)
    for ax in axes.flat:
        ax.axis("off")
    for ax, (title, weights) in zip(axes.flat, panels, strict=False):
        ax.axis("on")
        look(image, weights, title, ax, top)
