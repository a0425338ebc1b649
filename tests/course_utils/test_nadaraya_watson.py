"""Unit 01's reference code: equal to torch's own where torch has it, and
lawful for random sizes."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from course_utils.exercises.nadaraya_watson.standardise import standardise
from course_utils.judging.draw import Draw
from course_utils.nadaraya_watson import (
    gaussian_weights,
    leave_one_out_error,
    nadaraya_watson,
    softmax,
)

seeds = st.integers(0, 2**32 - 1)
bandwidths = st.floats(0.05, 5.0)


def close(a: Tensor, b: Tensor, tolerance: float = 1e-5) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=tolerance, atol=tolerance)


@given(seeds, st.integers(-3, 2), st.sampled_from([1.0, 30.0, 1e4]))
def test_softmax_equals_torch_along_every_axis(seed: int, dim: int, scale: float) -> None:
    draw = Draw(seed)
    scores = draw.normal(*draw.sizes(3), scale=scale)
    assert close(softmax(scores, dim), torch.softmax(scores, dim))


@given(seeds, st.floats(-1e3, 1e3))
def test_softmax_does_not_see_a_shift(seed: int, shift: float) -> None:
    scores = Draw(seed).normal(4, 7)
    assert close(
        softmax(scores + shift), softmax(scores), 1e-3
    )  # a shift of 1000 costs digits of the scores themselves


def test_softmax_of_huge_scores_is_finite_and_has_a_gradient() -> None:
    scores = torch.tensor([1e4, -1e4, 0.0], requires_grad=True)
    weights = softmax(scores)
    assert weights.tolist() == [1, 0, 0]
    weights[0].backward()
    assert scores.grad is not None
    assert scores.grad.isfinite().all()


@given(seeds, bandwidths)
def test_rows_of_the_weights_are_distributions_and_fall_with_distance(
    seed: int, bandwidth: float
) -> None:
    draw = Draw(seed)
    q, k = draw.sizes(2)
    queries, keys = draw.normal(q), draw.normal(k)
    weights = gaussian_weights(queries, keys, bandwidth)
    assert weights.shape == (q, k)
    assert (weights >= 0).all()
    assert close(weights.sum(-1), torch.ones(q))
    by_distance = weights.gather(-1, (queries[:, None] - keys).abs().argsort(-1))
    assert (by_distance.diff(dim=-1) <= 1e-6).all()


@given(seeds, bandwidths)
def test_weights_follow_the_density_of_the_normal_distribution(seed: int, bandwidth: float) -> None:
    draw = Draw(seed)
    q, k = draw.sizes(2)
    queries, keys = draw.normal(q).double(), draw.normal(k).double()
    log_density = torch.distributions.Normal(keys, bandwidth).log_prob(queries[:, None])
    assert close(
        gaussian_weights(queries, keys, bandwidth),
        (log_density - log_density.logsumexp(-1, keepdim=True)).exp(),
        1e-8,
    )


@given(seeds, bandwidths, st.floats(0.01, 1000), st.floats(-10, 10))
def test_units_and_origin_do_not_matter_if_the_bandwidth_goes_along(
    seed: int, bandwidth: float, unit: float, origin: float
) -> None:
    draw = Draw(seed)
    queries, keys = draw.normal(3).double(), draw.normal(5).double()
    moved = gaussian_weights(queries * unit + origin, keys * unit + origin, bandwidth * unit)
    assert close(moved, gaussian_weights(queries, keys, bandwidth), 1e-6)


@given(seeds, bandwidths)
def test_predictions_lie_between_the_values(seed: int, bandwidth: float) -> None:
    draw = Draw(seed)
    q, k = draw.sizes(2)
    values = draw.normal(k)
    predictions, weights = nadaraya_watson(
        draw.normal(q, scale=3), draw.normal(k), values, bandwidth
    )
    assert predictions.shape == (q,)
    assert weights.shape == (q, k)
    assert (predictions >= values.min() - 1e-5).all()
    assert (predictions <= values.max() + 1e-5).all()


@given(seeds, bandwidths)
def test_equals_torchs_attention_on_lifted_points(seed: int, bandwidth: float) -> None:
    """-(q - k)^2 / 2 is q k - k^2 / 2 up to a term of the query alone: a dot product with one more
    feature."""
    draw = Draw(seed)
    q, k = draw.sizes(2)
    queries, keys, values = (
        draw.normal(q).double(),
        draw.normal(k).double(),
        draw.normal(k).double(),
    )
    lifted_queries = torch.stack([queries / bandwidth, torch.ones(q)], -1)
    lifted_keys = torch.stack([keys / bandwidth, -((keys / bandwidth) ** 2) / 2], -1)
    fused = scaled_dot_product_attention(
        lifted_queries[None], lifted_keys[None], values[None, :, None], scale=1.0
    )[0, :, 0]
    assert close(nadaraya_watson(queries, keys, values, bandwidth)[0], fused, 1e-6)


def test_limits_of_the_bandwidth() -> None:
    keys, values = torch.tensor([0.0, 1.0, 3.0]), torch.tensor([5.0, 7.0, 12.0])
    queries = torch.tensor([0.9, 2.5])
    assert close(
        nadaraya_watson(queries, keys, values, 1e-3)[0], torch.tensor([7.0, 12.0])
    )  # the nearest value
    assert close(
        nadaraya_watson(queries, keys, values, 1e5)[0], torch.tensor([8.0, 8.0])
    )  # the mean


@given(seeds, bandwidths)
def test_leave_one_out_equals_a_loop_over_the_points(seed: int, bandwidth: float) -> None:
    draw = Draw(seed)
    (count,) = draw.sizes(1, low=2)
    keys, values = draw.normal(count), draw.normal(count)
    errors = []
    for i in range(count):
        others = [j for j in range(count) if j != i]
        prediction, _ = nadaraya_watson(keys[i : i + 1], keys[others], values[others], bandwidth)
        errors.append((prediction[0] - values[i]) ** 2)
    assert close(leave_one_out_error(keys, values, bandwidth), torch.stack(errors).mean())


def test_leave_one_out_has_the_right_gradient_in_the_bandwidth() -> None:
    draw = Draw(0)
    keys, values = draw.normal(6).double(), draw.normal(6).double()
    bandwidth = torch.tensor(0.7, dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(lambda b: leave_one_out_error(keys, values, b), bandwidth)


@pytest.mark.parametrize(
    ("town", "weights"), [(65000.0, [0.5, 0.5, 0.0]), (64000.0, [1.0, 0.0, 0.0])]
)
def test_raw_units_make_a_hard_choice(town: float, weights: list[float]) -> None:
    population = torch.tensor([60000.0, 70000.0, 85000.0])
    assert gaussian_weights(torch.tensor([town]), population, math.sqrt(0.5)).tolist() == [weights]


@given(st.integers(2, 9), st.integers(1, 9), st.integers(1, 6), st.integers(0, 10_000))
def test_standardise_is_that_of_another_library(n: int, m: int, d: int, seed: int) -> None:
    draw = Draw(seed)
    train, test = 3 * draw.normal(n, d).double() + 5, draw.normal(m, d).double()
    train[:, 0] = 4.0  # a constant column
    theirs = StandardScaler().fit(train.numpy())
    # it divides by N where torch divides by N - 1
    sample = torch.full((d,), math.sqrt((n - 1) / n)).double()
    sample[0] = 1
    for ours, rows in zip(standardise(train, test), (train, test), strict=True):
        expected = torch.from_numpy(theirs.transform(rows.numpy())) * sample
        torch.testing.assert_close(ours, expected)
