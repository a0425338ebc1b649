"""Unit 04's reference code: equal to torch's own where torch has it, lawful for random sizes, and
models that keep their promises."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course_utils.data.sequences import read_rows, spell
from course_utils.judging.draw import Draw
from course_utils.seq2seq_attention import (
    BOS,
    PAD,
    Bahdanau,
    Luong,
    Seq2Seq,
    bahdanau_context,
    exact_match,
    luong_context,
    sequence_loss,
    shift_right,
)

seeds = st.integers(0, 2**32 - 1)
MODELS = [Seq2Seq, Luong, Bahdanau]


def close(a: Tensor, b: Tensor, tolerance: float = 1e-5) -> bool:
    return a.shape == b.shape and torch.allclose(a, b, rtol=tolerance, atol=tolerance)


@given(seeds)
def test_shift_right_keeps_everything_but_the_last(seed: int) -> None:
    draw = Draw(seed)
    targets = draw.integers(2, 50, *draw.sizes(2))
    shifted = shift_right(targets, bos=1)
    assert shifted.dtype == targets.dtype
    assert (shifted[:, 0] == 1).all()
    assert torch.equal(shifted[:, 1:], targets[:, :-1])


@given(seeds)
def test_sequence_loss_is_the_mean_over_real_tokens(seed: int) -> None:
    draw = Draw(seed)
    b, t, v = draw.sizes(3, low=3)
    logits, targets = draw.normal(b, t, v), draw.integers(1, v - 1, b, t)
    targets = targets.masked_fill(~draw.mask(b, t), 0)
    real = targets != 0
    assert close(
        sequence_loss(logits, targets, 0), nn.CrossEntropyLoss()(logits[real], targets[real])
    )


@given(seeds)
def test_sequence_loss_does_not_see_more_padding(seed: int) -> None:
    draw = Draw(seed)
    b, t, v, more = draw.sizes(4, low=3)
    logits, targets = draw.normal(b, t, v), draw.integers(1, v - 1, b, t)
    longer = torch.cat([logits, draw.normal(b, more, v)], dim=1), F.pad(targets, (0, more), value=0)
    assert close(sequence_loss(*longer, 0), sequence_loss(logits, targets, 0))


@given(seeds)
def test_luong_context_equals_torchs_attention_without_its_scale(seed: int) -> None:
    draw = Draw(seed)
    b, s, d = draw.sizes(3)
    state, memory, mask = draw.normal(b, d), draw.normal(b, s, d), draw.mask(b, s)
    context, weights = luong_context(state, memory, mask)
    expected = F.scaled_dot_product_attention(
        state[:, None], memory, memory, attn_mask=mask[:, None], scale=1.0
    )[:, 0]
    assert close(context, expected)
    assert close(weights.sum(-1), torch.ones(b))
    assert (weights[~mask] == 0).all()


@given(seeds)
def test_bahdanau_context_equals_the_concatenated_form(seed: int) -> None:
    draw = Draw(seed)
    b, s, ds, dm, a = draw.sizes(5)
    state, memory, mask = draw.normal(b, ds), draw.normal(b, s, dm), draw.mask(b, s)
    w_s, w_h, v = draw.normal(ds, a), draw.normal(dm, a), draw.normal(a)
    context, weights = bahdanau_context(state, memory, w_s, w_h, v, mask)
    hidden = F.linear(
        torch.cat([state[:, None].expand(b, s, ds), memory], -1), torch.cat([w_s, w_h]).T
    ).tanh()  # (B, S, A)
    expected = (hidden @ v).masked_fill(~mask, -torch.inf).softmax(-1)
    assert close(weights, expected)
    assert close(context, (expected[..., None] * memory).sum(1))


@pytest.mark.parametrize("row", [0, 2])
def test_a_row_with_nothing_to_look_at_gives_zeros(row: int) -> None:
    draw = Draw(0)
    mask = draw.mask(3, 5)
    mask[row] = False
    dot = luong_context(draw.normal(3, 4), draw.normal(3, 5, 4), mask)
    additive = bahdanau_context(
        draw.normal(3, 2),
        draw.normal(3, 5, 4),
        draw.normal(2, 7),
        draw.normal(4, 7),
        draw.normal(7),
        mask,
    )
    for context, weights in (dot, additive):
        assert (context[row] == 0).all()
        assert (weights[row] == 0).all()


@given(seeds)
def test_exact_match_counts_sentences_as_a_loop_does(seed: int) -> None:
    draw = Draw(seed)
    b, t = draw.sizes(2)
    target, predicted = draw.integers(0, 1, b, t), draw.integers(0, 1, b, t)
    by_hand = [
        all(p == w or w == 0 for p, w in zip(*rows, strict=True))
        for rows in zip(predicted.tolist(), target.tolist(), strict=True)
    ]
    assert float(exact_match(predicted, target, pad=0)) == pytest.approx(sum(by_hand) / b)


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Seq2Seq:
    torch.manual_seed(0)
    return request.param(9, 8, dim=6).eval()


@settings(max_examples=10)
@given(seeds, st.sampled_from(MODELS))
def test_teacher_forcing_with_its_own_words_is_generation(seed: int, kind: type[Seq2Seq]) -> None:
    torch.manual_seed(seed)
    draw = Draw(seed)
    b, s, t = draw.sizes(3)
    model, source = kind(9, 8, dim=5), draw.integers(2, 8, b, s)
    words, looks = model.generate(source, t)
    logits, weights = model(source, words)
    assert torch.equal(logits.argmax(-1), words)
    assert close(weights, looks)


def test_padding_of_the_source_changes_nothing(model: Seq2Seq) -> None:
    source, targets = Draw(1).integers(2, 8, 3, 5), Draw(2).integers(2, 7, 3, 4)
    logits, weights = model(source, targets)
    padded_logits, padded_weights = model(F.pad(source, (0, 3), value=PAD), targets)
    assert close(padded_logits, logits)
    assert close(padded_weights[..., :5], weights)
    assert (padded_weights[..., 5:] == 0).all()


def test_no_step_sees_its_own_target(model: Seq2Seq) -> None:
    source, targets = Draw(1).integers(2, 8, 3, 5), Draw(2).integers(2, 7, 3, 4)
    other = targets.clone()
    other[:, 2] = 9 - other[:, 2]
    before, after = model(source, targets)[0], model(source, other)[0]
    assert close(before[:, :3], after[:, :3])
    assert not close(before[:, 3], after[:, 3])


def test_luong_attends_with_the_current_state_and_bahdanau_with_the_previous_one() -> None:
    torch.manual_seed(0)
    luong, bahdanau = Luong(9, 8, dim=6), Bahdanau(9, 8, dim=6)
    source = Draw(1).integers(2, 8, 3, 5)
    first, other = torch.full((3, 1), BOS), torch.full((3, 1), 5)
    for model, depends in ((luong, True), (bahdanau, False)):
        memory, last, mask = model.encode(source)
        one, two = (model.decode(token, last, memory, mask, last)[2] for token in (first, other))
        assert close(one, two) != depends  # the first input makes the first state


def test_luong_at_all_steps_at_once_is_luong_context_step_by_step() -> None:
    torch.manual_seed(0)
    model, source, targets = (
        Luong(9, 8, dim=6),
        Draw(1).integers(2, 8, 3, 5),
        Draw(2).integers(2, 7, 3, 4),
    )
    memory, last, mask = model.encode(source)
    states, _ = model.decoder(model.embed_target(shift_right(targets, BOS)), last[None])
    by_step = [luong_context(model.query(states[:, t]), memory, mask)[1] for t in range(4)]
    assert close(model(source, targets)[1], torch.stack(by_step, dim=1))


def test_the_data_is_what_the_lecture_says() -> None:
    numbers, dates = read_rows("number_words"), read_rows("dates")
    assert ["0025", "fünf und zwanzig"] in numbers
    assert len({digits for digits, _ in numbers}) == len(numbers) == 4000
    assert len({tuple(row) for row in dates}) == len(dates) == 5000
    assert len({language for _, language, _ in dates}) == 6
    assert spell("3 may") == "3 ␣ m a y"
