"""The reference code of unit 02 against torch's own, and its laws over random sizes."""

import math
from collections.abc import Callable, Sequence

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course_utils import dot_product_attention as ref
from course_utils.training import seeded

LEADING = st.sampled_from([(), (2,), (3, 2)])
SIZES = st.permutations(range(1, 9)).map(lambda p: p[:4])  # T, S, D, Dv: all different
SEEDS = st.integers(0, 2**31)


def tensors(seed: int, *shapes: tuple[int, ...]) -> list[Tensor]:
    generator = seeded(seed)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def attention_inputs(seed: int, leading: tuple[int, ...], sizes: Sequence[int]) -> list[Tensor]:
    t, s, d, dv = sizes
    return tensors(seed, (*leading, t, d), (*leading, s, d), (*leading, s, dv))


@settings(deadline=None, max_examples=40)
@given(SEEDS, LEADING, SIZES)
def test_attention_equals_torchs_fused_kernel(
    seed: int, leading: tuple[int, ...], sizes: list[int]
) -> None:
    query, key, value = attention_inputs(seed, leading, sizes)
    output, weights = ref.scaled_dot_product_attention(query, key, value)
    torch.testing.assert_close(
        output, F.scaled_dot_product_attention(query, key, value), atol=1e-5, rtol=1e-5
    )
    torch.testing.assert_close(output, ref.fused_attention(query, key, value), atol=1e-5, rtol=1e-5)
    assert weights.shape == (*leading, sizes[0], sizes[1])
    torch.testing.assert_close(weights.sum(-1), torch.ones(*leading, sizes[0]))


@settings(deadline=None, max_examples=25)
@given(SEEDS, SIZES)
def test_the_order_of_the_keys_does_not_matter(seed: int, sizes: list[int]) -> None:
    query, key, value = attention_inputs(seed, (2,), sizes)
    order = torch.randperm(sizes[1], generator=seeded(seed))
    output, weights = ref.scaled_dot_product_attention(query, key, value)
    shuffled, moved = ref.scaled_dot_product_attention(query, key[:, order], value[:, order])
    torch.testing.assert_close(output, shuffled, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(weights[..., order], moved, atol=1e-5, rtol=1e-5)


def test_gradients_equal_those_of_the_fused_kernel() -> None:
    ours = [t.requires_grad_() for t in attention_inputs(0, (2,), (3, 5, 7, 6))]
    theirs = [t.detach().clone().requires_grad_() for t in ours]
    (projection,) = tensors(1, (2, 3, 6))
    (ref.scaled_dot_product_attention(*ours)[0] * projection).sum().backward()
    (ref.fused_attention(*theirs) * projection).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad, atol=1e-5, rtol=1e-5)


def test_large_scores_stay_finite() -> None:
    query, key, value = attention_inputs(2, (), (3, 4, 5, 6))
    output, weights = ref.scaled_dot_product_attention(1e3 * query, 1e3 * key, value)
    assert torch.isfinite(output).all()
    assert torch.isfinite(weights).all()


def test_self_attention_equals_torchs_single_head() -> None:
    torch.manual_seed(0)
    mha = nn.MultiheadAttention(6, 1, bias=False, batch_first=True)
    (x,) = tensors(3, (2, 5, 6))
    w_q, w_k, w_v = (w.T for w in mha.in_proj_weight.chunk(3))
    output, weights = ref.self_attention(x, w_q, w_k, w_v)
    theirs, their_weights = mha(x, x, x)
    torch.testing.assert_close(output @ mha.out_proj.weight.T, theirs, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(weights, their_weights, atol=1e-5, rtol=1e-5)


@settings(deadline=None, max_examples=25)
@given(SEEDS, SIZES)
def test_self_attention_follows_a_permutation_of_its_tokens(seed: int, sizes: list[int]) -> None:
    t, d, dk, dv = sizes
    x, w_q, w_k, w_v = tensors(seed, (2, t, d), (d, dk), (d, dk), (d, dv))
    order = torch.randperm(t, generator=seeded(seed))
    output, _ = ref.self_attention(x, w_q, w_k, w_v)
    torch.testing.assert_close(
        ref.self_attention(x[:, order], w_q, w_k, w_v)[0], output[:, order], atol=1e-4, rtol=1e-4
    )


@settings(deadline=None, max_examples=25)
@given(SEEDS, SIZES)
def test_one_hot_lookup_is_indexing(seed: int, sizes: list[int]) -> None:
    t, v, d, _ = sizes
    (table,) = tensors(seed, (v, d))
    ids = torch.randint(v, (t,), generator=seeded(seed))
    torch.testing.assert_close(ref.one_hot_lookup(ids, table), F.embedding(ids, table))


def test_one_hot_lookup_sends_gradients_to_the_rows_that_were_used() -> None:
    (table,) = tensors(0, (5, 3))
    ref.one_hot_lookup(torch.tensor([1, 1, 4]), table.requires_grad_()).sum().backward()
    assert table.grad is not None
    assert table.grad[:, 0].tolist() == [0, 2, 0, 0, 1]


def test_context_vectors_are_attention_without_scale_and_projections() -> None:
    (x,) = tensors(4, (5, 7))
    output, weights = ref.context_vectors(x)
    expected, expected_weights = ref.scaled_dot_product_attention(math.sqrt(7) * x, x, x)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(weights, expected_weights, atol=1e-5, rtol=1e-5)


@settings(deadline=None, max_examples=25)
@given(SEEDS, LEADING, SIZES, st.floats(0.01, 100))
def test_cosine_scores_equal_torchs_and_ignore_length(
    seed: int, leading: tuple[int, ...], sizes: list[int], factor: float
) -> None:
    query, key, _ = attention_inputs(seed, leading, sizes)
    scores = ref.cosine_scores(query, key)
    expected = F.cosine_similarity(query[..., :, None, :], key[..., None, :, :], dim=-1)
    torch.testing.assert_close(scores, expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(ref.cosine_scores(factor * query, key), scores, atol=1e-5, rtol=1e-5)


def test_a_zero_vector_scores_zero() -> None:
    query, key, _ = attention_inputs(5, (), (3, 4, 5, 6))
    query[1], key[2] = 0.0, 0.0
    scores = ref.cosine_scores(query, key)
    assert scores[1].abs().max() == 0
    assert scores[:, 2].abs().max() == 0


@settings(deadline=None, max_examples=25)
@given(SEEDS, LEADING, SIZES, st.integers(1, 6))
def test_additive_scores_equal_the_concatenated_form(
    seed: int, leading: tuple[int, ...], sizes: list[int], hidden: int
) -> None:
    t, s, dq, dk = sizes
    query, key, w_q, w_k, v = tensors(
        seed, (*leading, t, dq), (*leading, s, dk), (dq, hidden), (dk, hidden), (hidden,)
    )
    pairs = torch.cat(
        [
            query[..., :, None, :].expand(*leading, t, s, dq),
            key[..., None, :, :].expand(*leading, t, s, dk),
        ],
        -1,
    )
    expected = torch.tanh(pairs @ torch.cat([w_q, w_k])) @ v
    torch.testing.assert_close(
        ref.additive_scores(query, key, w_q, w_k, v), expected, atol=1e-5, rtol=1e-5
    )


@settings(deadline=None, max_examples=25)
@given(SEEDS, SIZES)
def test_general_scores_equal_torchs_bilinear(seed: int, sizes: list[int]) -> None:
    t, s, dq, dk = sizes
    query, key, w = tensors(seed, (t, dq), (s, dk), (dq, dk))
    pairs = F.bilinear(
        query[:, None].expand(t, s, dq).contiguous(),
        key[None].expand(t, s, dk).contiguous(),
        w[None],
    )
    torch.testing.assert_close(
        ref.general_scores(query, key, w), pairs[..., 0], atol=1e-4, rtol=1e-4
    )


@pytest.mark.parametrize(
    "function", [ref.scaled_dot_product_attention, lambda q, k, v: ref.cosine_scores(q, k)]
)
def test_inputs_are_left_alone(function: Callable[..., object]) -> None:
    inputs = attention_inputs(6, (2,), (3, 4, 5, 6))
    copies = [t.clone() for t in inputs]
    function(*inputs)
    assert all(torch.equal(a, b) for a, b in zip(inputs, copies, strict=True))
