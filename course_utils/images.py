"""Real images: the digits that ship with the course, and Fashion-MNIST where it is installed or may be downloaded."""

import gzip
import os
import shutil
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

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
