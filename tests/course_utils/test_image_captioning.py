"""Captioning: regions, soft and hard attention, one LSTM step, coverage, and the scenes that are
described."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.data.scenes import (
    BOS,
    COLUMNS,
    EOS,
    HAND_VOCABULARY,
    IDS,
    LENGTH,
    NUMERALS,
    RELATIONS,
    ROWS,
    VOCABULARY,
    handwriting,
    relations,
    scenes,
    words,
)
from course_utils.dot_product_attention import additive_scores
from course_utils.image_captioning import (
    CaptionStep,
    LSTMCaptioner,
    TransformerCaptioner,
    coverage_penalty,
    describe,
    hard_attention,
    image_regions,
    look_effects,
    reinforce_loss,
    soft_attention,
)
from course_utils.training import seeded

SIZES = st.lists(st.integers(1, 7), min_size=5, max_size=5, unique=True)


@settings(max_examples=30, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_regions_keep_every_place(sizes: list[int], seed: int) -> None:
    batch, channels, height, width, _ = sizes
    features = torch.randn(batch, channels, height, width, generator=seeded(seed))
    regions = image_regions(features)
    assert regions.shape == (batch, height * width, channels)
    for row in range(height):
        for column in range(width):
            assert torch.equal(regions[:, row * width + column], features[:, :, row, column])


@settings(max_examples=30, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_soft_attention_is_the_additive_attention_of_unit_02(sizes: list[int], seed: int) -> None:
    batch, count, dim, state_dim, hidden = sizes
    draw = seeded(seed)
    regions, state = (
        torch.randn(batch, count, dim, generator=draw),
        torch.randn(batch, state_dim, generator=draw),
    )
    w_r, w_s = (
        torch.randn(dim, hidden, generator=draw),
        torch.randn(state_dim, hidden, generator=draw),
    )
    v = torch.randn(hidden, generator=draw)
    context, weights = soft_attention(regions, state, w_r, w_s, v)
    expected = additive_scores(state[:, None], regions, w_s, w_r, v).softmax(-1)  # (B, 1, R)
    assert torch.allclose(weights, expected[:, 0], atol=1e-5)
    assert torch.allclose(context, (expected @ regions)[:, 0], atol=1e-5)
    order = torch.randperm(count, generator=draw)  # a set of regions: their order does not matter
    shuffled, moved = soft_attention(regions[:, order], state, w_r, w_s, v)
    assert torch.allclose(shuffled, context, atol=1e-5)
    assert torch.allclose(moved, weights[:, order], atol=1e-5)


def test_a_step_is_attention_and_an_lstm_cell() -> None:
    torch.manual_seed(0)
    step = CaptionStep(11, 5, 6, 7, 8)
    token, regions = torch.randint(11, (3,)), torch.randn(3, 4, 6)
    h, c = torch.randn(3, 7), torch.randn(3, 7)
    logits, (new_h, new_c), weights = step(token, (h, c), regions)
    context, expected = soft_attention(regions, h, step.w_r, step.w_s, step.v)
    lstm = torch.nn.LSTM(11, 7, batch_first=True)
    lstm.load_state_dict({f"{name}_l0": value for name, value in step.cell.state_dict().items()})
    out, (last_h, last_c) = lstm(
        torch.cat([step.embed(token), context], -1)[:, None], (h[None], c[None])
    )
    assert torch.equal(weights, expected)
    assert torch.allclose(new_h, last_h[0], atol=1e-6)
    assert torch.allclose(new_c, last_c[0], atol=1e-6)
    assert torch.allclose(logits, step.out(out[:, 0]), atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_coverage_is_zero_only_where_every_region_is_seen_once(sizes: list[int], seed: int) -> None:
    batch, steps, regions, *_ = sizes
    weights = torch.randn(batch, steps, regions, generator=seeded(seed)).softmax(-1)
    squares = [(1 - weights[b, :, r].sum()) ** 2 for b in range(batch) for r in range(regions)]
    by_hand = sum(squares, torch.zeros(())) / batch
    assert torch.allclose(coverage_penalty(weights), by_hand, atol=1e-5)
    assert coverage_penalty(torch.eye(regions).expand(batch, -1, -1)) == 0
    assert (
        coverage_penalty(weights) >= (steps - regions) ** 2 / regions - 1e-4
    )  # attention spread evenly cannot be beaten


@settings(max_examples=20, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_hard_attention_brings_back_what_it_names(sizes: list[int], seed: int) -> None:
    batch, count, dim, *_ = sizes
    regions = torch.randn(batch, count, dim, generator=seeded(seed))
    weights = torch.randn(batch, count, generator=seeded(seed + 1)).softmax(-1)
    context, index, log_prob = hard_attention(regions, weights, seeded(seed))
    rows = torch.arange(batch)
    assert torch.equal(context, regions[rows, index])
    assert torch.allclose(log_prob, weights[rows, index].log())
    assert torch.equal(
        index, hard_attention(regions, weights, seeded(seed))[1]
    )  # the same generator, the same draw


def test_hard_attention_is_soft_attention_on_average() -> None:
    regions, weights = (
        torch.randn(1, 4, 3, generator=seeded(0)),
        torch.tensor([[0.5, 0.1, 0.3, 0.1]]),
    )
    context, _, _ = hard_attention(
        regions.expand(20_000, -1, -1), weights.expand(20_000, -1), seeded(1)
    )
    assert torch.allclose(context.mean(0), (weights @ regions[0])[0], atol=0.05)


@pytest.mark.parametrize("seed", [0, 1])
def test_scenes_and_captions_belong_together(seed: int) -> None:
    pictures, captions = scenes(50, seeded(seed))
    assert pictures.shape == (50, 3, 24, 24)
    assert captions.shape == (50, LENGTH)
    assert len(VOCABULARY) == len(IDS)
    for picture, caption in zip(pictures, captions, strict=True):
        assert caption[0] == BOS
        assert (caption == EOS).sum() == 1
        told = words(caption)
        places = {
            (ROWS.index(row), COLUMNS.index(column))
            for row, column in zip(told[2::5], told[3::5], strict=True)
        }
        cells = (
            picture.mean(0).reshape(3, 8, 3, 8).permute(0, 2, 1, 3).flatten(2).mean(-1)
        )  # (3, 3) brightness
        assert places == {(int(r), int(c)) for r, c in (cells < 0.93).nonzero()}


def test_relations_are_true() -> None:
    _, captions = relations(200, seeded(0))
    kinds = [words(caption)[2] for caption in captions]
    assert {kinds.count(kind) > 20 for kind in RELATIONS} == {True}


@pytest.mark.parametrize(
    "make",
    [lambda: LSTMCaptioner(len(VOCABULARY)), lambda: TransformerCaptioner(len(VOCABULARY), LENGTH)],
)
def test_captioners_do_not_read_ahead_and_describe(
    make: Callable[[], LSTMCaptioner | TransformerCaptioner],
) -> None:
    torch.manual_seed(0)
    model = make().eval()
    pictures, captions = scenes(3, seeded(0))
    with torch.no_grad():
        before = model(pictures, captions[:, :-1])
        changed = captions[:, :-1].clone()
        changed[:, 5:] = 3
        after = model(pictures, changed)
    assert torch.allclose(before[:, :5], after[:, :5], atol=1e-5)
    assert not torch.allclose(before[:, 5:], after[:, 5:], atol=1e-3)
    written = describe(model, pictures, LENGTH)
    assert written.shape == (3, LENGTH)
    assert (written[:, 0] == BOS).all()
    logits, weights = model.look(pictures, captions)
    assert logits.shape == (3, LENGTH, len(VOCABULARY))
    assert torch.allclose(weights.sum(-1), torch.ones(3, LENGTH), atol=1e-5)


@pytest.mark.parametrize("draws", [2, 3])
def test_the_loss_for_draws_has_the_gradient_of_the_expected_loss(draws: int) -> None:
    scores = torch.randn(3, generator=seeded(0)).requires_grad_()
    depth = torch.randn(3, generator=seeded(1)).requires_grad_()

    def loss_of() -> torch.Tensor:
        return 5 + depth**2  # the loss of each region depends on what reads it

    expected = torch.autograd.grad(scores.softmax(-1) @ loss_of(), (scores, depth))
    total = [torch.zeros(3), torch.zeros(3)]
    for drawn in torch.cartesian_prod(*[torch.arange(3)] * draws):
        weights = scores.softmax(-1)
        chance = weights[drawn].prod().detach()
        value = reinforce_loss(loss_of()[drawn][None], weights[drawn].log()[None])
        for part, gradient in zip(total, torch.autograd.grad(value, (scores, depth)), strict=True):
            part += chance * gradient
    for part, gradient in zip(total, expected, strict=True):
        torch.testing.assert_close(part, gradient, atol=1e-5, rtol=1e-5)


def test_a_look_has_no_effect_on_earlier_words_and_none_if_nothing_changes() -> None:
    draw, step = seeded(0), CaptionStep(9, 3, 4, 5, 6).eval()
    tokens, right = torch.randint(9, (2, 7, 4), generator=draw)
    state = torch.randn(7, 5, generator=draw), torch.randn(7, 5, generator=draw)
    regions, others = torch.randn(2, 7, 3, 4, generator=draw)
    effects = look_effects(step, tokens, right, state, regions, others)
    assert effects.shape == (4, 4)
    assert effects.tril(-1).abs().max() == 0  # row t, column p: nothing before the look
    assert effects.diagonal().abs().min() > 0
    assert look_effects(step, tokens, right, state, regions, regions).abs().max() == 0


def test_handwriting_holds_the_digits_that_its_caption_names() -> None:
    images = torch.arange(10.0)[:, None, None, None].expand(-1, 1, 8, 8) / 10  # (10, 1, 8, 8)
    pictures, captions = handwriting(40, images, torch.arange(10), seeded(0))
    assert pictures.shape == (40, 3, 24, 24)
    assert captions.shape == (40, 9)
    for picture, caption in zip(pictures, captions, strict=True):
        told = " ".join(words(caption, HAND_VOCABULARY)).split(" and ")
        assert len(told) in (1, 2)
        for part in told:
            numeral, row, column = part.split()
            top, left = 8 * ROWS.index(row), 8 * COLUMNS.index(column)
            cell = picture[:, top : top + 8, left : left + 8]  # (3, 8, 8)
            assert torch.allclose(cell, torch.tensor(1 - NUMERALS.index(numeral) / 10))
