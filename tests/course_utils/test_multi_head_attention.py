"""Multi-head attention: equal to torch's own, and the laws that it must obey."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course_utils.masking import causal_mask, padding_mask, sees_the_future
from course_utils.multi_head_attention import (
    MultiHeadAttention,
    from_torch,
    merge_heads,
    recorded_weights,
    split_heads,
    switched_off,
)

sizes = st.lists(
    st.integers(2, 9), min_size=5, max_size=5, unique=True
)  # B, T, S, H, d: all different


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def pair(dim: int, heads: int) -> tuple[nn.MultiheadAttention, MultiHeadAttention]:
    """torch's module with random weights and biases, and ours with the same."""
    theirs = nn.MultiheadAttention(dim, heads, batch_first=True)
    state = {
        name: normal(*value.shape, seed=i) / dim**0.5
        for i, (name, value) in enumerate(theirs.state_dict().items())
    }
    theirs.load_state_dict(state)
    return theirs, from_torch(theirs)


@given(sizes)
def test_split_gives_every_head_its_slice(sizes: list[int]) -> None:
    batch, length, _, heads, size = sizes
    x = normal(batch, length, heads * size)
    split = split_heads(x, heads)
    assert split.shape == (batch, heads, length, size)
    for head in range(heads):
        assert torch.equal(split[:, head], x[:, :, head * size : (head + 1) * size])


@given(sizes)
def test_merge_undoes_split(sizes: list[int]) -> None:
    batch, length, _, heads, size = sizes
    x = normal(batch, length, heads * size)
    assert torch.equal(merge_heads(split_heads(x, heads)), x)


def test_heads_must_divide_the_features() -> None:
    with pytest.raises(ValueError, match="3 heads"):
        split_heads(normal(2, 5, 7), 3)


@settings(deadline=None)
@given(sizes, st.sampled_from(["none", "causal-like", "padding", "per head"]))
def test_equals_torch(sizes: list[int], kind: str) -> None:
    batch, queries, keys, heads, size = sizes
    theirs, ours = pair(heads * size, heads)
    query, key, value = (
        normal(batch, n, heads * size, seed=s) for s, n in enumerate((queries, keys, keys))
    )
    mask = {
        "none": None,
        "causal-like": torch.ones(queries, keys, dtype=torch.bool).tril(keys - 1),
        "padding": padding_mask(torch.arange(batch) % keys + 1, keys)[:, None, None, :],
        "per head": normal(batch, heads, queries, keys, seed=9)
        > normal(batch, heads, queries, 1, seed=10).clamp(max=-1),
    }[kind]
    if mask is not None:
        mask = mask | (torch.arange(keys) == 0)  # torch gives NaN where nothing may be attended to
    blocked = None if mask is None else ~mask.expand(batch, heads, queries, keys).flatten(0, 1)
    output, weights = theirs(query, key, value, attn_mask=blocked, average_attn_weights=False)
    mine, my_weights = ours(query, key, value, mask)
    torch.testing.assert_close(mine, output, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(my_weights, weights, atol=1e-5, rtol=1e-5)


@settings(deadline=None)
@given(sizes, st.booleans())
def test_fused_path_agrees_forward_and_backward(sizes: list[int], masked: bool) -> None:
    batch, queries, keys, heads, size = sizes
    _, attention = pair(heads * size, heads)
    mask = None
    if masked:
        mask = normal(batch, 1, queries, keys, seed=5) > 0
        mask[0, 0, 0] = False  # nothing to look at
    results, gradients = [], []
    for need_weights in (True, False):
        query, key = (
            normal(batch, queries, heads * size).requires_grad_(),
            normal(batch, keys, heads * size, seed=1).requires_grad_(),
        )
        output, weights = attention(query, key, key, mask, need_weights=need_weights)
        assert (weights is None) == (not need_weights)
        results.append(output)
        gradients.append(
            torch.autograd.grad((output * normal(*output.shape, seed=2)).sum(), (query, key))
        )
    torch.testing.assert_close(*results, atol=1e-5, rtol=1e-5)
    for slow, fast in zip(*gradients, strict=True):
        assert torch.isfinite(slow).all()
        torch.testing.assert_close(slow, fast, atol=1e-4, rtol=1e-4)


@settings(deadline=None)
@given(sizes)
def test_output_projection_is_a_sum_over_heads(sizes: list[int]) -> None:
    batch, queries, keys, heads, size = sizes
    _, attention = pair(heads * size, heads)
    query, key = normal(batch, queries, heads * size), normal(batch, keys, heads * size, seed=1)
    output, weights = attention(query, key, key)
    values = split_heads(attention.value(key), heads)
    parts = [
        weights[:, h] @ values[:, h] @ w.mT
        for h, w in enumerate(attention.out.weight.chunk(heads, dim=1))
    ]
    torch.testing.assert_close(sum(parts) + attention.out.bias, output, atol=1e-5, rtol=1e-5)


def test_query_with_nothing_to_look_at_gets_zeros() -> None:
    _, attention = pair(6, 2)
    mask = torch.ones(3, 5, dtype=torch.bool)
    mask[1] = False
    output, weights = attention(normal(4, 3, 6), normal(4, 5, 6), normal(4, 5, 6), mask)
    assert not weights[:, :, 1].any()
    torch.testing.assert_close(output[:, 1], attention.out.bias.expand(4, 6))


def test_key_bias_has_no_effect() -> None:
    _, attention = pair(12, 3)
    inputs = normal(2, 5, 12), normal(2, 7, 12, seed=1), normal(2, 7, 12, seed=2)
    before, _ = attention(*inputs)
    attention.key.bias.data += 3.0
    torch.testing.assert_close(attention(*inputs)[0], before, atol=1e-5, rtol=1e-5)


def test_causal_mask_holds_in_every_head() -> None:
    _, attention = pair(12, 3)
    x = normal(2, 6, 12)
    assert not sees_the_future(lambda x: attention(x, x, x, causal_mask(6))[0], x)
    assert sees_the_future(lambda x: attention(x, x, x)[0], x)


def test_recorded_weights_are_those_of_every_attention_in_order() -> None:
    class Two(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = MultiHeadAttention(6, 2), MultiHeadAttention(6, 3)

        def forward(self, x: Tensor) -> Tensor:
            x, _ = self.first(x, x, x, need_weights=False)
            return self.second(x, x, x, need_weights=False)[0]

    model, x = Two(), normal(4, 5, 6)
    with recorded_weights(model) as weights:
        output = model(x)
    assert [tuple(w.shape) for w in weights] == [(4, 2, 5, 5), (4, 3, 5, 5)]
    torch.testing.assert_close(weights[0], model.first(x, x, x)[1])
    torch.testing.assert_close(model(x), output)
    assert len(weights) == 2  # what comes after the block is not recorded


@settings(deadline=None)
@given(sizes)
def test_what_the_heads_write_sums_to_the_output(sizes: list[int]) -> None:
    batch, length, keys, heads, size = sizes
    _, attention = pair(heads * size, heads)
    x, memory = normal(batch, length, heads * size), normal(batch, keys, heads * size, seed=1)
    before = {name: value.clone() for name, value in attention.state_dict().items()}
    output, weights = attention(x, memory, memory)
    total = attention.out.bias
    for head in range(heads):
        silent, same = switched_off(attention, head)(x, memory, memory)
        assert torch.equal(same, weights)  # it still looks
        assert not torch.allclose(silent, output, atol=1e-4)
        total = total + output - silent
    assert torch.allclose(total.expand_as(output), output, atol=1e-4)
    assert all(torch.equal(before[name], value) for name, value in attention.state_dict().items())
