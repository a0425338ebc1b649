"""Writes digits.npz: scikit-learn's 1,797 handwritten digits (8x8 pixels, 0 to 16), a quarter of
each class held out for testing.

The images are from E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI
Machine Learning Repository (CC BY 4.0).
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

if __name__ == "__main__":
    digits = load_digits()
    images, labels = digits.images.astype(np.uint8), digits.target.astype(np.uint8)
    parts = train_test_split(images, labels, test_size=0.25, stratify=labels, random_state=0)
    names = ("train_images", "test_images", "train_labels", "test_labels")
    np.savez_compressed(
        Path(__file__).resolve().parents[2] / "course_utils" / "data" / "digits.npz",
        **dict(zip(names, parts, strict=True)),
    )
