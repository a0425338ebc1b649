"""What several exercises of this unit have in common."""

from torch import Tensor


def view(x: Tensor, heads: int, *sizes: int) -> Tensor:
    """x.view(sizes), after the check that the exercise asks for."""
    if x.shape[-1] % heads:
        raise ValueError("not divisible")
    return x.reshape(sizes)


def split_interleaved(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return view(x, heads, batch, length, dim // heads, heads).permute(0, 3, 1, 2)


def merge_by_view(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.reshape(batch, length, heads * size)
