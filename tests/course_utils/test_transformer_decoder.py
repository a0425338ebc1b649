"""The Transformer decoder: equal to torch's own, blind to the future, and decoding that finds what
it should."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course_utils.data import letters
from course_utils.judging.toys import TableModel
from course_utils.masking import causal_mask, sees_the_future
from course_utils.multi_head_attention import MultiHeadAttention, from_torch
from course_utils.transformer_decoder import (
    CachedAttention,
    DecoderBlock,
    DecoderOnly,
    Transformer,
    beam_search,
    copy_from_torch,
    greedy_decode,
    sampling_weights,
    smoothed_loss,
    warmup_rate,
)

sizes = st.lists(
    st.integers(2, 7), min_size=5, max_size=5, unique=True
)  # B, T, S, H, d: all different
few = settings(max_examples=15, deadline=None)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def shake(module: nn.Module) -> None:
    """Random weights everywhere, also where torch starts with ones and zeros."""
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.add_(0.2 * normal(*parameter.shape, seed=number))


@few
@given(sizes)
def test_block_equals_torch(sizes: list[int]) -> None:
    batch, length, source, heads, size = sizes
    dim = heads * size
    theirs = nn.TransformerDecoderLayer(dim, heads, 3 * dim, dropout=0.0, batch_first=True).eval()
    shake(theirs)
    ours = DecoderBlock(dim, heads, 3 * dim)
    ours.self_attention, ours.cross_attention = (
        from_torch(theirs.self_attn),
        from_torch(theirs.multihead_attn),
    )
    ours.feed_forward.inner, ours.feed_forward.outer = theirs.linear1, theirs.linear2
    ours.norm1, ours.norm2, ours.norm3 = theirs.norm1, theirs.norm2, theirs.norm3
    x, memory = normal(batch, length, dim, seed=1), normal(batch, source, dim, seed=2)
    real = (
        torch.arange(source) < torch.arange(1, batch + 1)[:, None]
    )  # (B, S): sources of different lengths
    want = theirs(x, memory, tgt_mask=~causal_mask(length), memory_key_padding_mask=~real)
    torch.testing.assert_close(
        ours(x, memory, causal_mask(length), real[:, None, None]), want, atol=1e-5, rtol=1e-5
    )


def torch_transformer(dim: int, heads: int, hidden: int, depth: int) -> nn.Transformer:
    """torch's model as in the paper: without the extra norms that it puts after a post-norm stack
    by default."""
    encoder = nn.TransformerEncoderLayer(dim, heads, hidden, dropout=0.0, batch_first=True)
    decoder = nn.TransformerDecoderLayer(dim, heads, hidden, dropout=0.0, batch_first=True)
    model = nn.Transformer(
        dim,
        heads,
        batch_first=True,
        custom_encoder=nn.TransformerEncoder(encoder, depth, enable_nested_tensor=False),
        custom_decoder=nn.TransformerDecoder(decoder, depth),
    )
    shake(model)
    return model.train()  # dropout is 0; in eval() torch takes another path for padded sources


@few
@given(sizes, st.integers(1, 3))
def test_transformer_equals_torch(sizes: list[int], depth: int) -> None:
    batch, length, source, heads, size = sizes
    dim = 2 * heads * size
    theirs = torch_transformer(dim, heads, 2 * dim, depth)
    ours = Transformer(11, 13, dim, heads, 2 * dim, depth)
    copy_from_torch(ours, theirs)
    tokens = torch.randint(1, 11, (batch, source), generator=torch.Generator().manual_seed(3))
    tokens[0, -1] = 0  # padding
    target = torch.randint(1, 13, (batch, length), generator=torch.Generator().manual_seed(4))
    hidden = theirs(
        ours.place(ours.embed_source(tokens)),
        ours.place(ours.embed_target(target)),
        tgt_mask=~causal_mask(length),
        src_key_padding_mask=tokens == 0,
        memory_key_padding_mask=tokens == 0,
    )
    torch.testing.assert_close(ours(tokens, target), ours.out(hidden), atol=1e-5, rtol=1e-5)


@few
@given(sizes)
def test_transformer_ignores_padding_and_the_future(sizes: list[int]) -> None:
    batch, length, source, heads, size = sizes
    model = Transformer(9, 9, 2 * heads * size, heads, 8, 2).eval()
    tokens = torch.randint(1, 9, (batch, source), generator=torch.Generator().manual_seed(1))
    target = torch.randint(1, 9, (batch, length), generator=torch.Generator().manual_seed(2))
    padded = F.pad(tokens, (0, 3))
    logits = model(tokens, target)
    torch.testing.assert_close(model(padded, target), logits, atol=1e-5, rtol=1e-5)
    for t in range(1, length + 1):  # one parallel pass is as good as a pass per position
        torch.testing.assert_close(
            model(tokens, target[:, :t])[:, -1], logits[:, t - 1], atol=1e-5, rtol=1e-5
        )


def test_masked_block_does_not_see_the_future_and_unmasked_does() -> None:
    block, memory = DecoderBlock(12, 3, 20).eval(), normal(2, 5, 12, seed=1)
    x = normal(2, 7, 12, seed=2)
    assert not sees_the_future(lambda x: block(x, memory, causal_mask(7)), x)
    assert sees_the_future(lambda x: block(x, memory), x)


def test_decoder_only_does_not_see_the_future() -> None:
    model = DecoderOnly(11, 12, 3, 24, 2, 9).eval()
    tokens = torch.randint(0, 11, (3, 8), generator=torch.Generator().manual_seed(0))
    changed = tokens.clone()
    changed[:, 5:] = (changed[:, 5:] + 1) % 11
    assert torch.allclose(model(tokens)[:, :5], model(changed)[:, :5], atol=1e-6)
    assert not torch.allclose(model(tokens)[:, 5:], model(changed)[:, 5:], atol=1e-3)
    with pytest.raises(ValueError, match="positions"):
        model(torch.zeros(1, 10, dtype=torch.long))


@given(
    st.lists(st.integers(2, 9), min_size=3, max_size=3, unique=True),
    st.floats(0, 1),
    st.integers(0, 1),
)
def test_smoothed_loss_equals_torch(sizes: list[int], smoothing: float, pad: int) -> None:
    batch, length, words = sizes
    logits = 3 * normal(batch, length, words)
    targets = torch.randint(0, words, (batch, length), generator=torch.Generator().manual_seed(1))
    targets[0, 0] = 1 - pad  # at least one real token
    want = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad, label_smoothing=smoothing
    )
    torch.testing.assert_close(
        smoothed_loss(logits, targets, pad, smoothing), want, atol=1e-5, rtol=1e-5
    )


@given(st.integers(1, 1024), st.integers(1, 500))
def test_warmup_is_highest_at_its_end(dim: int, warmup: int) -> None:
    rates = [warmup_rate(step, dim, warmup) for step in range(1, 2 * warmup + 2)]
    assert max(rates) == pytest.approx(rates[warmup - 1])
    assert rates[warmup - 1] == pytest.approx(1 / math.sqrt(dim * warmup))
    assert rates[: warmup - 1] == sorted(rates[: warmup - 1])


def table_model(words: int, length: int, seed: int) -> tuple[TableModel, Tensor]:
    table = 1.5 * normal(length, words, words, seed=seed)
    return TableModel({"table": table}, {}), table.log_softmax(-1)


def log_probability(logs: Tensor, bos: int, tokens: list[int]) -> float:
    return sum(
        float(logs[i, previous, token])
        for i, (previous, token) in enumerate(zip([bos, *tokens], tokens, strict=False))
    )


@settings(deadline=None)
@given(st.integers(3, 6), st.integers(1, 5), st.integers(0, 10**6), st.integers(1, 4))
def test_beam_search(words: int, length: int, seed: int, beams: int) -> None:
    model, logs = table_model(words, length, seed)
    tokens, score = beam_search(model, 1, 0, length, beams)
    assert 1 <= len(tokens) <= length
    assert 0 not in tokens[:-1]
    assert score == pytest.approx(log_probability(logs, 1, tokens), abs=1e-4)
    if beams == 1:
        assert tokens == greedy_decode(model, 1, 0, length)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_wide_beam_finds_the_best_of_all(seed: int) -> None:
    words, length = 3, 4
    model, logs = table_model(words, length, seed)
    endings = [
        list(s)
        for n in range(1, length + 1)
        for s in itertools.product(range(words), repeat=n)
        if 0 not in s[:-1]
    ]
    complete = [s for s in endings if s[-1] == 0 or len(s) == length]
    _, score = beam_search(model, 1, 0, length, 200)
    assert score == pytest.approx(max(log_probability(logs, 1, s) for s in complete), abs=1e-4)


def test_greedy_stops_at_eos_and_at_max_len() -> None:
    table = torch.full((5, 4, 4), 0.0)
    table[:, :, 3] = 1.0
    table[2, :, 0] = 2.0  # the third token is eos
    model = TableModel({"table": table}, {})
    assert greedy_decode(model, 1, 0, 9) == [3, 3, 0]
    assert greedy_decode(model, 1, 0, 2) == [3, 3]


@few
@given(sizes)
def test_cache_equals_no_cache(sizes: list[int]) -> None:
    batch, length, other, heads, size = sizes
    cached, plain = CachedAttention(heads * size, heads), MultiHeadAttention(heads * size, heads)
    plain.load_state_dict(cached.state_dict())
    for count, seed in ((length, 1), (other, 2)):  # the second sequence starts afresh
        x = normal(batch + seed, count, heads * size, seed=seed)
        cached.reset()
        steps = torch.cat([cached.step(x[:, t : t + 1]) for t in range(count)], dim=1)
        torch.testing.assert_close(
            steps, plain(x, x, x, causal_mask(count))[0], atol=1e-5, rtol=1e-5
        )


@given(sizes, st.floats(0.3, 3.0), st.floats(0.05, 0.95))
def test_sampling_keeps_the_likeliest(sizes: list[int], temperature: float, top_p: float) -> None:
    batch, words, top_k = sizes[0], sizes[1] + sizes[2], sizes[2]
    logits = normal(batch, words)
    weights = sampling_weights(logits, temperature, top_k, top_p)
    torch.testing.assert_close(weights.sum(-1), torch.ones(batch))
    for row, kept in zip((logits / temperature).tolist(), weights.tolist(), strict=True):
        best = sorted(row, reverse=True)[:top_k]
        shares = [math.exp(z) / sum(map(math.exp, best)) for z in best]
        count = next(n for n in range(1, top_k + 1) if n == top_k or sum(shares[:n]) >= top_p)
        assert sum(w > 0 for w in kept) == count
        assert min(row[i] for i, w in enumerate(kept) if w > 0) >= best[count - 1] - 1e-6


def test_the_grammar_has_one_translation_per_sentence() -> None:
    pairs = letters.sentences()
    assert len({english for english, _ in pairs}) == len(pairs) == 1200
    assert ("I am writing a letter to her", "yo estoy escribiendo una carta para ella") in pairs
    assert (
        "she is reading the old letter of the alphabet",
        "ella está leyendo la letra vieja del alfabeto",
    ) in pairs


def test_vocabulary_there_and_back() -> None:
    texts = ["la carta", "una letra vieja"]
    words = letters.Vocabulary(texts)
    ids = words.encode(texts, end=True)
    assert ids.shape == (2, 4)
    assert [words.decode(row) for row in ids] == texts
    assert ids[0, 2] == words.eos
    assert ids[0, 3] == words.pad
