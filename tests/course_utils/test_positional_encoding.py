"""Positions: the laws behind the formulas, over random sizes."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_utils.multi_head_attention import MultiHeadAttention
from course_utils.positional_encoding import (
    LearnedPositions,
    frequencies,
    is_equivariant,
    rotary,
    shift_matrix,
    sinusoidal_encoding,
)
from course_utils.training import seeded

lengths, pairs, offsets = st.integers(1, 40), st.integers(1, 12), st.integers(-30, 30)
sizes = st.lists(
    st.integers(2, 7), min_size=4, max_size=4, unique=True
)  # B, H, T, d / 2: all different


@given(lengths, pairs)
def test_encoding_is_the_formula(length: int, half: int) -> None:
    table = sinusoidal_encoding(length, 2 * half)
    assert table.shape == (length, 2 * half)
    for t in {0, length // 2, length - 1}:
        for i in range(half):
            angle = t / 10000 ** (2 * i / (2 * half))
            assert table[t, 2 * i].item() == pytest.approx(math.sin(angle), abs=2e-5)
            assert table[t, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=2e-5)


@given(st.integers(2, 40), pairs)
def test_dot_product_depends_on_the_distance_alone(length: int, half: int) -> None:
    table = sinusoidal_encoding(length, 2 * half).double()
    products = table @ table.mT  # (T, T)
    for k in range(length):
        diagonal = products.diagonal(k)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-4, rtol=0.0)
    torch.testing.assert_close(
        products.diagonal(), torch.full((length,), half, dtype=torch.double), atol=1e-4, rtol=0.0
    )


def test_fastest_and_slowest_hand() -> None:
    assert frequencies(512)[0] == 1.0
    assert frequencies(512)[-1].item() == pytest.approx(10000 ** (-510 / 512), rel=1e-5)


@pytest.mark.parametrize("dim", [1, 7])
def test_odd_sizes_are_refused(dim: int) -> None:
    with pytest.raises(ValueError, match="pairs"):
        sinusoidal_encoding(4, dim)


@given(offsets, pairs)
def test_shift_matrix_moves_every_position(offset: int, half: int) -> None:
    table = sinusoidal_encoding(70, 2 * half)
    begin, end = max(0, -offset), 70 - max(0, offset)
    moved = table[begin:end] @ shift_matrix(offset, 2 * half).mT
    torch.testing.assert_close(moved, table[begin + offset : end + offset], atol=2e-5, rtol=0.0)


@given(offsets, offsets, pairs)
def test_shift_matrices_are_rotations_and_add_up(a: int, b: int, half: int) -> None:
    m, n = shift_matrix(a, 2 * half), shift_matrix(b, 2 * half)
    torch.testing.assert_close(m @ m.mT, torch.eye(2 * half), atol=1e-5, rtol=0.0)
    torch.testing.assert_close(m @ n, shift_matrix(a + b, 2 * half), atol=2e-5, rtol=0.0)


@given(sizes, st.integers(0, 50))
def test_rotary_scores_depend_on_the_distance_alone(sizes: list[int], start: int) -> None:
    batch, heads, length, half = sizes
    q, k = torch.randn(2, batch, heads, length, 2 * half, generator=seeded(start))
    positions = torch.arange(length)
    here = rotary(q, positions) @ rotary(k, positions).mT
    there = rotary(q, positions + start) @ rotary(k, positions + start).mT
    torch.testing.assert_close(here, there, atol=2e-4, rtol=1e-4)
    torch.testing.assert_close(
        rotary(q, positions).norm(dim=-1), q.norm(dim=-1), atol=1e-5, rtol=1e-5
    )


@given(pairs, st.integers(0, 30))
def test_rotary_equals_a_product_of_complex_numbers(half: int, position: int) -> None:
    x = torch.randn(2, 3, 1, 2 * half, generator=seeded(half))
    turn = torch.polar(torch.ones(half), position * frequencies(2 * half))
    expected = torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (half, 2))) * turn).flatten(
        -2
    )
    torch.testing.assert_close(rotary(x, torch.tensor([position])), expected, atol=1e-5, rtol=1e-5)


def test_learned_positions_are_rows_of_an_embedding() -> None:
    layer = LearnedPositions(9, 4)
    x = torch.randn(3, 7, 4, generator=seeded(0))
    torch.testing.assert_close(layer(x), x + layer.table(torch.arange(7)))
    with pytest.raises(ValueError, match="10 steps"):
        layer(torch.zeros(1, 10, 4))


@given(st.integers(2, 9), st.integers(0, 1000))
def test_attention_is_equivariant_and_positions_end_that(length: int, seed: int) -> None:
    torch.manual_seed(seed)
    attention = MultiHeadAttention(8, 2)
    x = torch.randn(2, length, 8, generator=seeded(seed))
    order = torch.arange(length).roll(1)  # every step stands elsewhere
    permuted = x[:, order]
    torch.testing.assert_close(
        attention(permuted, permuted, permuted)[0],
        attention(x, x, x)[0][:, order],
        atol=1e-5,
        rtol=1e-4,
    )

    p = sinusoidal_encoding(length, 8)
    with_positions = attention(x + p, x + p, x + p)[0][:, order]
    moved = attention(permuted + p, permuted + p, permuted + p)[0]
    assert not torch.allclose(moved, with_positions, atol=1e-3)


@given(st.integers(3, 7))
def test_only_layers_that_treat_all_steps_alike_are_equivariant(length: int) -> None:
    x = torch.randn(2, length, 5, generator=seeded(length))

    def mixing(time: torch.Tensor) -> bool:
        return is_equivariant(lambda x: time @ x, x)

    alike = 2 * torch.eye(length) - torch.ones(length, length)
    assert mixing(alike)
    assert is_equivariant(lambda x: x[:, :1], x[:, :1])  # one step
    assert not mixing(alike.tril())
    assert not mixing(alike.roll(1, 0))  # follows every turn in a circle
    band = torch.ones(length, length).tril(1).triu(-1)
    assert not mixing(band)  # follows the reversed order
    for step in range(length):
        special = alike.clone()
        special[step, step] += 1e-2
        assert not mixing(special)
