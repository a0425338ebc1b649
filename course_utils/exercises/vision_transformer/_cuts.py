"""Ways to cut an image that go wrong in one way, for the misconceptions about patchify."""

from collections.abc import Callable

from torch import Tensor

from course_utils import vision_transformer as ref

from ._shared import tiles

Cut = Callable[[Tensor, int], Tensor]


def in_order(*axes: int) -> Cut:
    """patchify with another order of the axes (B, C, rows, p, columns, p)."""
    return lambda images, patch: tiles(images, patch).permute(*axes).flatten(3).flatten(1, 2)


def gathered(grid: Tensor) -> Tensor:
    """(B, C, rows, p, columns, p) -> (B, N, C * p * p): the right end."""
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def sampled(images: Tensor, patch: int) -> Tensor:
    """(B, C, p, rows, p, columns): the two factors of each side in the wrong order."""
    rows, columns = tiles(images, patch).shape[2:5:2]
    return images.reshape(*images.shape[:2], patch, rows, patch, columns)


def cropped(images: Tensor, patch: int) -> Tensor:
    height, width = (size - size % patch for size in images.shape[-2:])
    return ref.patchify(images[..., :height, :width], patch)


def unchecked(images: Tensor, patch: int) -> Tensor:
    batch, channels, height, width = images.shape
    return gathered(images.reshape(batch, channels, height // patch, patch, width // patch, patch))


def checked_by(fails: Callable[[int, int, int], int], otherwise: Cut) -> Cut:
    """patchify with another check, and what happens to an image that slips through."""

    def variant(images: Tensor, patch: int) -> Tensor:
        height, width = images.shape[-2:]
        if fails(height, width, patch):
            raise ValueError
        return otherwise(images, patch)

    return variant
