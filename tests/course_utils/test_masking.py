"""The reference code of unit 03 against torch's own, and its laws over random sizes."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course_utils import masking as ref
from course_utils.dot_product_attention import scaled_dot_product_attention
from course_utils.judging.properties import rows_sum_to_one, zero_where_masked
from course_utils.judging.runner import Case, Outcome
from course_utils.judging.toys import Toy, build
from course_utils.training import seeded

SIZES = st.permutations(range(1, 9)).map(lambda p: p[:4])  # T, S, D, Dv: all different
SEEDS = st.integers(0, 2**31)


def tensors(seed: int, *shapes: tuple[int, ...]) -> list[Tensor]:
    generator = seeded(seed)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def mask_of(seed: int, *shape: int, keep: float = 0.5) -> Tensor:
    return torch.rand(shape, generator=seeded(seed)) < keep


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=5))
def test_padding_mask_counts_the_real_tokens(lengths: list[int]) -> None:
    mask = ref.padding_mask(torch.tensor(lengths), 7)
    assert mask.dtype == torch.bool
    assert mask.sum(1).tolist() == lengths
    assert (mask[:, 1:] <= mask[:, :-1]).all()  # real tokens first


@given(st.integers(1, 9))
def test_causal_mask_is_the_negation_of_torchs(length: int) -> None:
    theirs = nn.Transformer.generate_square_subsequent_mask(length)
    assert torch.equal(ref.causal_mask(length), theirs == 0)


@settings(deadline=None, max_examples=40)
@given(SEEDS, SIZES, st.sampled_from([(), (2,), (3, 2)]))
def test_masked_attention_equals_torchs_fused_kernel(
    seed: int, sizes: list[int], leading: tuple[int, ...]
) -> None:
    t, s, d, dv = sizes
    query, key, value = tensors(seed, (*leading, t, d), (*leading, s, d), (*leading, s, dv))
    mask = mask_of(seed, *leading, t, s)
    output, weights = ref.masked_attention(query, key, value, mask)
    theirs = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    torch.testing.assert_close(output, theirs, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(
        output, ref.fused_masked_attention(query, key, value, mask), atol=1e-5, rtol=1e-5
    )
    assert not weights[~mask].any()
    torch.testing.assert_close(weights.sum(-1), mask.any(-1).float())


@settings(deadline=None, max_examples=25)
@given(SEEDS, SIZES)
def test_masked_keys_have_no_influence(seed: int, sizes: list[int]) -> None:
    t, s, d, dv = sizes
    query, key, value = tensors(seed, (2, t, d), (2, s, d), (2, s, dv))
    mask = mask_of(seed, 2, 1, s)
    other_key, other_value = tensors(seed + 1, (2, s, d), (2, s, dv))
    hidden = ~mask.mT  # (B, S, 1)
    changed = ref.masked_attention(
        query,
        torch.where(hidden, 50 * other_key, key),
        torch.where(hidden, 50 * other_value, value),
        mask,
    )
    for a, b in zip(ref.masked_attention(query, key, value, mask), changed, strict=True):
        torch.testing.assert_close(a, b)


def test_without_a_mask_it_is_plain_attention() -> None:
    inputs = tensors(0, (2, 3, 5), (2, 4, 5), (2, 4, 6))
    for a, b in zip(
        ref.masked_attention(*inputs), scaled_dot_product_attention(*inputs), strict=True
    ):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("level", [-50.0, -300.0, 300.0])
def test_the_level_of_the_scores_does_not_matter(level: float) -> None:
    (scores,) = tensors(1, (2, 4, 6))
    mask = mask_of(1, 2, 4, 6)
    torch.testing.assert_close(
        ref.masked_softmax(scores + level, mask),
        ref.masked_softmax(scores, mask),
        atol=1e-4,
        rtol=1e-4,
    )


def test_an_empty_row_is_zero_and_so_is_its_gradient() -> None:
    (scores,) = tensors(2, (3, 5))
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[1] = False
    weights = ref.masked_softmax(scores.requires_grad_(), mask)
    assert not weights[1].any()
    (weights * torch.arange(5)).sum().backward()
    assert scores.grad is not None
    assert torch.isfinite(scores.grad).all()
    assert not scores.grad[1].any()


def mixer(time: Tensor) -> Callable[[Tensor], Tensor]:
    features = torch.randn(4, 3, generator=seeded(0))
    mix: Callable[[Tensor], Tensor] = build(Toy("time_mix", {"time": time, "features": features}))
    return mix


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(2, 8), st.data())
def test_sees_the_future_finds_every_single_leak(
    seed: int, steps: int, data: st.DataObject
) -> None:
    (x, time) = tensors(seed, (2, steps, 4), (steps, steps))
    time = 0.2 * time.tril()  # larger sums drive its tanh to one, where a leak cannot be seen
    assert not ref.sees_the_future(mixer(time), x)
    row = data.draw(st.integers(0, steps - 2))
    column = data.draw(st.integers(row + 1, steps - 1))
    time[row, column] = 0.05
    assert ref.sees_the_future(mixer(time), x)


def test_sees_the_future_judges_attention() -> None:
    torch.manual_seed(0)
    (x,) = tensors(3, (2, 5, 8))
    mha = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    blocked = ~ref.causal_mask(5)
    assert ref.sees_the_future(lambda x: mha(x, x, x)[0], x)
    assert not ref.sees_the_future(lambda x: mha(x, x, x, attn_mask=blocked)[0], x)
    assert not ref.sees_the_future(lambda x: x.cumsum(1), x)
    assert not ref.sees_the_future(nn.LayerNorm(8), x)


def test_sees_the_future_leaves_x_alone() -> None:
    (x,) = tensors(4, (2, 5, 4))
    copy = x.clone()
    ref.sees_the_future(mixer(torch.ones(5, 5)), x)
    assert torch.equal(x, copy)


def test_a_row_of_zeros_is_a_row_only_where_the_mask_allows_nothing() -> None:
    law = rows_sum_to_one(0, zero_rows=True)
    case = Case("", args=(torch.zeros(2, 2), torch.tensor([[True, False], [False, False]])))
    told = [
        law.broken(case, Outcome((torch.tensor([first, second]),)))
        for first, second in (([1.0, 0.0], [0.0, 0.0]), ([0.0, 0.0], [0.0, 0.0]))
    ]
    assert told == [None, "a row of the weights sums to 0, not to 1"]
    without_mask = Case("", args=(torch.zeros(1, 2),))
    assert law.broken(without_mask, Outcome((torch.zeros(1, 2),))) is not None
    weighed = Outcome((torch.tensor([[1.0, torch.nan], [0.0, 0.0]]),))
    assert zero_where_masked(0).broken(case, weighed) == "a masked entry is NaN"
