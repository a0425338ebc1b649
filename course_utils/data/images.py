"""Real images: the digits that ship with the course, Fashion-MNIST where it is at hand."""

import gzip
import os
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from torch import Tensor

# Train images (N, 1, H, W) in [0, 1], train labels (N,), test images, test labels
Split = tuple[Tensor, Tensor, Tensor, Tensor]

FASHION_CLASSES = (
    "T-shirt",
    "trouser",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "ankle boot",
)
FASHION_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
# Where Debian's package dataset-fashion-mnist puts the four files, gzipped
DEBIAN = Path("/usr/share/datasets/fashion-mnist")
CACHE = Path(os.environ.get("COURSE_DATA", Path.home() / ".cache" / "attention-course"))


def digits() -> Split:
    """1,347 handwritten digits to learn from and 450 to test with, 8x8 pixels each."""
    with np.load(Path(__file__).with_name("digits.npz")) as data:
        arrays = {name: torch.from_numpy(data[name]) for name in data.files}
    train, test = (
        (arrays[f"{name}_images"][:, None].float() / 16, arrays[f"{name}_labels"].long())
        for name in ("train", "test")
    )  # (N, 1, 8, 8), (N,) each
    return *train, *test


def fashion_mnist_is_here(root: Path = CACHE) -> bool:
    """Can Fashion-MNIST be read without a download?"""
    raw = root / "FashionMNIST" / "raw"
    return all((raw / name).exists() or (DEBIAN / f"{name}.gz").exists() for name in FASHION_FILES)


def fashion_mnist(root: Path = CACHE, download: bool = False) -> Split:
    """60,000 pieces of clothing to learn from and 10,000 to test with, 28x28 pixels each, through
    torchvision's data set."""
    from course_utils.data.vision import datasets

    raw = root / "FashionMNIST" / "raw"  # where torchvision looks for the files, unzipped
    for name in FASHION_FILES:
        if not (raw / name).exists() and (DEBIAN / f"{name}.gz").exists():
            raw.mkdir(parents=True, exist_ok=True)
            with (
                gzip.open(DEBIAN / f"{name}.gz") as packed,
                (raw / f"{name}.part").open("wb") as unpacked,
            ):
                shutil.copyfileobj(packed, unpacked)
            # In one step: an interrupted copy leaves no half file
            (raw / f"{name}.part").replace(raw / name)
    train, test = (
        datasets.FashionMNIST(root, train=train, download=download) for train in (True, False)
    )
    return train.data[:, None] / 255, train.targets, test.data[:, None] / 255, test.targets


def show(images: Tensor, columns: int = 8, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw (N, C, H, W) images in [0, 1] side by side, `columns` in a row."""
    from course_utils.data.vision import utils

    rows = -(-len(images) // columns)
    if ax is None:
        width = min(0.9 * min(columns, len(images)) + 0.3, 7.5)
        ax = plt.subplots(
            figsize=(
                width,
                width * rows * images.shape[2] / (min(columns, len(images)) * images.shape[3])
                + 0.4,
            )
        )[1]
    pad = max(images.shape[-1] // 8, 1)
    # (3, height, width)
    grid = utils.make_grid(images.clamp(0, 1), nrow=columns, padding=pad, pad_value=0.75)
    ax.imshow(grid.permute(1, 2, 0).numpy(), interpolation="nearest")
    ax.set_title(title)
    ax.axis("off")
    return ax
