"""Ways to take a head out of torch's attention, right and wrong, for `without_head`."""

import copy
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import MultiheadAttention

Torch = MultiheadAttention
Slice = Callable[[int, Torch], slice]  # a head -> its features


def size_of(mha: Torch) -> int:
    return mha.embed_dim // mha.num_heads


def block(head: int, mha: Torch) -> slice:
    """The features of a head."""
    return slice(head * size_of(mha), (head + 1) * size_of(mha))


def one_before(head: int, mha: Torch) -> slice:
    return block(max(head - 1, 0), mha)


def interleaved(head: int, mha: Torch) -> slice:
    return slice(head, None, mha.num_heads)


def wrong_size(head: int, mha: Torch) -> slice:
    return slice(head * mha.num_heads, (head + 1) * mha.num_heads)


def single(head: int, mha: Torch) -> slice:
    return slice(head, head + 1)


def columns(features: Slice) -> Callable[[Torch, int], Torch]:
    """These columns of W_O set to zero."""

    def change(made: Torch, head: int) -> None:
        made.out_proj.weight[:, features(head, made)] = 0

    return edited(change)


def edited(change: Callable[[Torch, int], None]) -> Callable[[Torch, int], Torch]:
    """A copy of the module, changed."""

    def without_head(mha: Torch, head: int) -> Torch:
        made = copy.deepcopy(mha)
        with torch.no_grad():
            change(made, head)
        return made

    return without_head


def thirds(packed: Tensor) -> tuple[Tensor, ...]:
    return packed.chunk(3)  # views: queries, keys, values


def rows_of(*which: int, bias: bool = True) -> Callable[[Torch, int], Torch]:
    """The head's rows of queries (0), keys (1) or values (2) set to zero."""

    def change(made: Torch, head: int) -> None:
        for third in which:
            thirds(made.in_proj_weight)[third][block(head, made)] = 0
            if bias:
                thirds(made.in_proj_bias)[third][block(head, made)] = 0

    return edited(change)


def rows_of_out(made: Torch, head: int) -> None:
    made.out_proj.weight[block(head, made)] = 0


def rows_and_bias_of_out(made: Torch, head: int) -> None:
    made.out_proj.weight[block(head, made)] = 0
    made.out_proj.bias[block(head, made)] = 0


def bias_as_well(made: Torch, head: int) -> None:
    made.out_proj.weight[:, block(head, made)] = 0
    made.out_proj.bias.zero_()


def part_of_the_bias(made: Torch, head: int) -> None:
    made.out_proj.weight[:, block(head, made)] = 0
    made.out_proj.bias[block(head, made)] = 0


def all_others(made: Torch, head: int) -> None:
    kept = made.out_proj.weight[:, block(head, made)].clone()
    made.out_proj.weight.zero_()
    made.out_proj.weight[:, block(head, made)] = kept


def louder(made: Torch, head: int) -> None:
    made.out_proj.weight[:, block(head, made)] = 0
    if made.num_heads > 1:
        made.out_proj.weight *= made.num_heads / (made.num_heads - 1)
