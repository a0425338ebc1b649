# %% [markdown]
# # Assignment 08 · The Transformer decoder
#
# You write the half of the Transformer that writes: its block, its loss, its learning
# rate, three ways to decode, and the cache that makes it fast. At the end your parts
# are put together and write. Everything from earlier units comes from `course_utils`.
#
# In all a little more than three hours. You can do it in three sittings, beside the
# lecture: exercises 1 to 4 after its part 1 (40 minutes), 5 and 6 after part 2 (25
# minutes), 7 to 10 and 12 after part 3 (125 minutes). Exercise 11 (10 minutes) brings
# its own tables.
#
# Conventions, as in the whole course: batch first; `B` batch, `T` target length, `S`
# source length, `D` model size, `H` heads, `V` words; masks are boolean, True = *may
# attend*; no tensor that you are given may be changed, and gradients must flow (no
# `.detach()`, no NumPy).

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary
from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import MultiHeadAttention
from course_utils.multi_head_attention import merge_heads, split_heads
from course_utils.transformer_encoder import FeedForward

# %% [markdown]
# ## 1. The decoder block
# *medium · 25 minutes · {{points DecoderBlock}}*
#
# Write `forward` of a **post-norm** decoder block. It has three sub-layers, in this
# order:
#
# 1. self-attention of `x`, with `self_mask`;
# 2. cross-attention from the result to `memory`, with `memory_mask`;
# 3. the feed-forward layer.
#
# Around each of them: add what went in, then normalise the sum (`norm1`, `norm2`,
# `norm3`).
#
# - `x` is (B, T, D), `memory` is (B, S, D); the result is (B, T, D), and nothing else
#   is returned.
# - `self_mask` can be broadcast to (B, H, T, T), `memory_mask` to (B, H, T, S). Either
#   may be None: then nothing is hidden. The block uses the masks that it is given and
#   makes none of its own.
# - `MultiHeadAttention(query, key, value, mask)` returns a pair, (output, weights).
# - Not allowed: `nn.TransformerDecoderLayer` and other ready-made blocks.

# %% nbgrader={"grade_id": "DecoderBlock"}
class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        ### BEGIN SOLUTION
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])  # (B, T, D)
        found, _ = self.cross_attention(x, memory, memory, memory_mask)  # (B, T, D)
        x = self.norm2(x + found)  # (B, T, D)
        return self.norm3(x + self.feed_forward(x))  # (B, T, D)
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_DecoderBlock"}
check(DecoderBlock)

# %% [markdown]
# ## 2. Your turn: the row of *name*
# *5 minutes · {{points choice_your_turn}}*
#
# The source is the French *Salut, je suis Alex*; the English *Hello, my name* is
# written so far. These are the similarities of every English word with every French one
# (what attention has *before* the softmax; projections and scale are left out):
#
# | | Salut | je | suis | Alex |
# |---|---|---|---|---|
# | Hello | ln 6 | 0 | 0 | 0 |
# | my | 0 | ln 3 | 0 | 0 |
# | name | 0 | ln 2 | 0 | ln 4 |
#
# What does the cross-attention of a Transformer put in the place of *name*, as a sum of
# the values of the French words (weights rounded)? ($e^{\ln a}$ is $a$, so it can be
# done by hand.) {{options choice_your_turn}}

# %% nbgrader={"grade_id": "choice_your_turn"}
choice_your_turn = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_your_turn = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_your_turn"}
check(choice_your_turn, "choice_your_turn")

# %% [markdown]
# ## 3. Predict: how many sets of keys?
# *5 minutes · {{points choice_cross}}*
#
# A Transformer as in the paper, but with 6 layers in the encoder and 3 in the decoder,
# translates a sentence into 20 words, one by one. How many different sets of keys do
# its *cross*-attentions use on the way? (A set: the keys of all source words.)
# {{options choice_cross}}

# %% nbgrader={"grade_id": "choice_cross"}
choice_cross = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_cross = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_cross"}
check(choice_cross, "choice_cross")

# %% [markdown]
# ## 4. Predict: one wrong word in training
# *5 minutes · {{points choice_sequential}}*
#
# In training, a target of 12 tokens $y_0, \dots, y_{11}$ goes into the decoder, shifted
# right by one place, under the causal mask; out come 12 predictions. You replace $y_5$
# by another word. How many of the 12 predicted distributions can change?
# {{options choice_sequential}}

# %% nbgrader={"grade_id": "choice_sequential"}
choice_sequential = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_sequential = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_sequential"}
check(choice_sequential, "choice_sequential")

# %% [markdown]
# ## 5. Label smoothing
# *medium · 20 minutes · {{points smoothed_loss}}*
#
# Write `smoothed_loss(logits, targets, pad, smoothing)`: (B, T, V) logits and (B, T)
# word ids give one number.
#
# - With $\varepsilon$ for `smoothing`, the target distribution of a position is $(1 -
#   \varepsilon)$ on the right word plus $\varepsilon / V$ on **each** of the $V$ words,
#   the right one and padding included. With $\varepsilon = 0$ that is plain cross
#   entropy.
# - Positions whose target is `pad` do not count at all: the result is the mean over the
#   other positions of all sentences together. There is always at least one.
# - It must be finite for logits of ±200, and gradients must arrive at the logits.
# - Not allowed: the argument `label_smoothing` of torch's loss. Everything else is.
#
# Example: $V = 4$ and $\varepsilon = 0.2$ give the target (0.05, 0.05, **0.85**, 0.05)
# where word 2 is right. If the model gives the four words the probabilities .1, .1, .7,
# .1, the loss of this position is .649.

# %% nbgrader={"grade_id": "smoothed_loss"}
def smoothed_loss(logits, targets, pad, smoothing):
    """(B, T, V), (B, T) -> scalar."""
    ### BEGIN SOLUTION
    log_probs = F.log_softmax(logits, dim=-1)  # (B, T, V)
    right = log_probs.gather(-1, targets[..., None]).squeeze(-1)  # (B, T)
    loss = -(1 - smoothing) * right - smoothing * log_probs.mean(-1)  # (B, T)
    return loss[targets != pad].mean()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_smoothed_loss"}
check(smoothed_loss)

# %% [markdown]
# ## 6. Warm-up
# *easy · 5 minutes · {{points warmup_rate}}*
#
# Write `warmup_rate(step, dim, warmup)`, the learning rate of the paper; `step` counts
# from 1, `warmup` is at least 1, and the result is a number.
#
# - From step `warmup` on, the rate falls with one over the square root of the step, and
#   wide models get smaller steps: it is one over the root of `dim` times one over the
#   root of `step`.
# - Before that it rises in a straight line that would be 0 at step 0.
# - The line and the curve meet at step `warmup`: no jump. How steep does that make the
#   line?
#
# Example: with `dim = 64` and `warmup = 100` the rate is 0.00625 at step 50, 0.0125 at
# its peak, step 100, and 0.00625 again at step 400.

# %% nbgrader={"grade_id": "warmup_rate"}
def warmup_rate(step, dim, warmup):
    """-> float."""
    ### BEGIN SOLUTION
    return dim**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_warmup_rate"}
check(warmup_rate)

# %% [markdown]
# ## 7. Greedy decoding
# *medium · 15 minutes · {{points greedy_decode}}*
#
# Write `greedy_decode(next_logits, bos, eos, max_len)`. `next_logits` is a model: give
# it everything so far as a tensor of ints of shape (1, t), `bos` first, and it returns
# (1, V) logits for the next token.
#
# - Take the token with the largest logit, again and again.
# - Stop when that token is `eos`, or when `max_len` tokens are written.
# - Return a list of ints, *without* `bos`, *with* `eos` if it came; so it has at most
#   `max_len` entries. `bos` and `eos` are different, and `max_len` is at least 1.
#
# A model to play with, which counts down and then says 0:

# %%
def countdown(tokens):  # (1, t) -> (1, 10)
    return F.one_hot((tokens[:, -1] - 1).clamp(min=0), 10).float()


# greedy_decode(countdown, bos=4, eos=0, max_len=9) should be [3, 2, 1, 0],
# and with max_len=2 it should be [3, 2].

# %% nbgrader={"grade_id": "greedy_decode"}
def greedy_decode(next_logits, bos, eos, max_len):
    """next_logits: (1, t) int -> (1, V). -> list of ints."""
    ### BEGIN SOLUTION
    tokens = []
    while len(tokens) < max_len and eos not in tokens:
        tokens.append(int(next_logits(torch.tensor([[bos, *tokens]])).argmax(-1)))
    return tokens
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_greedy_decode"}
check(greedy_decode)

# %% [markdown]
# ## 8. Beam search
# *hard · 35 minutes · {{points beam_search}}*
#
# Write `beam_search(next_logits, bos, eos, max_len, beams)`, with `next_logits` as
# above. Start with one hypothesis, nothing written, of log probability 0. Then
# `max_len` times:
#
# 1. extend every unfinished hypothesis by every one of the $V$ words; its score is the
#    sum of the **log probabilities** (log softmax of the logits) of all its tokens;
# 2. hypotheses that end in `eos` are finished: they are not extended, and compete as
#    they are;
# 3. of all these keep the `beams` best (there may be fewer than `beams` of them).
#
# Return a pair: the tokens of the best one, as in `greedy_decode`, and its total log
# probability. There is no length normalisation. One that was cut off at `max_len`
# counts like any other. With `beams=1` this is greedy decoding.
#
# Other sound ways to treat finished hypotheses, such as setting them aside and
# comparing at the end, are accepted as well.
#
# A model to play with: six words, and what comes next depends on the last word alone.
# Word 0 is `bos`, word 1 is `eos`. Follow both searches on paper first: where does the
# one with two beams overtake?

# %%
CHANCES = {0: {2: 0.6, 3: 0.4}, 2: {4: 0.5, 5: 0.5}, 3: {4: 0.9, 5: 0.1}}


def six_words(tokens):  # (1, t) -> (1, 6)
    chances = CHANCES.get(int(tokens[0, -1]), {1: 1.0})  # after words 4 and 5: eos
    return torch.tensor([[math.log(chances.get(word, 1e-9)) for word in range(6)]])


# beam_search(six_words, bos=0, eos=1, max_len=4, beams=2) should be [3, 4, 1] with a
# log probability of -1.02, that is ln(.4 · .9); with beams=1 it is -1.20, ln(.6 · .5).

# %% [markdown]
# <details><summary>A hint, if you do not know how to begin</summary>
#
# A hypothesis is a pair: its score and its list of tokens. Keep a list of them. In each
# of the `max_len` rounds make a new, empty list of candidates; go through the
# hypotheses, and ask of each whether it is finished. At the end of the round, sort.
# </details>

# %% nbgrader={"grade_id": "beam_search"}
def beam_search(next_logits, bos, eos, max_len, beams):
    """-> (list of ints, log probability)."""
    ### BEGIN SOLUTION
    hypotheses = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))
            else:
                logits = next_logits(torch.tensor([[bos, *tokens]]))  # (1, V)
                log_probs = F.log_softmax(logits, dim=-1)[0]  # (V,)
                for token, value in enumerate(log_probs.tolist()):
                    candidates.append((score + value, [*tokens, token]))
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_beam_search"}
check(beam_search)

# %% [markdown]
# ## 9. Sampling
# *medium · 30 minutes · {{points sampling_weights}}*
#
# Greedy decoding always says the same. Write
# `sampling_weights(logits, temperature, top_k, top_p)`: the probabilities from which
# the next word is drawn, `(B, V)` → `(B, V)`. In this order:
#
# 1. divide the logits by `temperature` (larger than 0);
# 2. if `top_k` is given, only the `top_k` likeliest words of each row stay (all of
#    them, if there are no more);
# 3. if `top_p` is given: with the probabilities that the words have *now*, and counted
#    from the likeliest one, the fewest words stay whose probabilities sum to at least
#    `top_p`. One always stays.
#
# What does not stay has probability 0, the rest of a row sums to one, and each number
# stands at the place of its word. `top_k` is at least 1; `top_p` is larger than 0 and
# smaller than 1. Logits of ±1000 must not overflow. No two words of a row are equally
# likely.
#
# Two examples, with the probabilities .4, .1, .3, .2. With `top_p = 0.6` they become
# .57, 0, .43, 0: the likeliest word alone has less than .6, together with the next it
# has .7. With `top_k = 2` and `top_p = 0.5` they become 1, 0, 0, 0: once two words are
# left, the likeliest has .57 and is enough.

# %% nbgrader={"grade_id": "sampling_weights"}
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    """(B, V) -> (B, V)."""
    ### BEGIN SOLUTION
    ordered, order = (logits / temperature).sort(-1, descending=True)  # (B, V) each
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    weights = ordered.softmax(-1)  # (B, V), the likeliest first
    if top_p is not None:
        likelier = weights.cumsum(-1) - weights  # (B, V), what stands before a word
        weights = weights.masked_fill(likelier >= top_p, 0)  # (B, V)
    weights = weights / weights.sum(-1, keepdim=True)  # (B, V)
    return torch.zeros_like(weights).scatter(-1, order, weights)  # (B, V)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_sampling_weights"}
check(sampling_weights)

# %% [markdown]
# ## 10. The KV cache
# *medium · 25 minutes · {{points CachedAttention}}*
#
# Write `reset` and `step` of an attention that is called once per token. `step(x)` gets
# the newest token alone, (B, 1, D), and returns (B, 1, D): what causal multi-head
# self-attention over all tokens since the last `reset()` gives at the newest position.
#
# - Each key and value is computed once, in the step of its token, and kept, even if the
#   weights change between two steps. (This is how the check sees that nothing is
#   computed twice.) Keep those of earlier steps on the object (under names of your
#   choice; they are not parameters, and must not become part of the `state_dict`). Join
#   them by `torch.cat`: writing into a ready-made tensor breaks the gradient.
# - The newest token sees itself.
# - `reset()` forgets everything and returns nothing; the next sequence may have another
#   batch size. It is called by `__init__`, and may be called twice in a row.
# - `split_heads(x, heads)`, `merge_heads(x)` and `masked_attention(query, key, value)`
#   from earlier units help. The scale is that of one head. Not allowed:
#   `nn.MultiheadAttention`.
#
# A test of your own, before the check below: a plain `MultiHeadAttention` with the same
# weights and a causal mask must give the same, all steps at once.
#
# ```python
# cached, plain = CachedAttention(12, 3), MultiHeadAttention(12, 3)
# plain.load_state_dict(cached.state_dict())
# x = torch.randn(2, 5, 12)
# steps = torch.cat([cached.step(x[:, t : t + 1]) for t in range(5)], dim=1)
# (steps - plain(x, x, x, causal_mask(5))[0]).abs().max()  # about 1e-7
# ```

# %% nbgrader={"grade_id": "CachedAttention"}
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.value, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.reset()

    def reset(self):
        """A new sequence begins."""
        ### BEGIN SOLUTION
        self.keys = None  # (B, H, t, d)
        self.values = None  # (B, H, t, d)
        ### END SOLUTION

    def step(self, x):
        """(B, 1, D) -> (B, 1, D)."""
        ### BEGIN SOLUTION
        query = split_heads(self.query(x), self.heads)  # (B, H, 1, d)
        key = split_heads(self.key(x), self.heads)  # (B, H, 1, d)
        value = split_heads(self.value(x), self.heads)  # (B, H, 1, d)
        if self.keys is not None:
            key = torch.cat([self.keys, key], dim=2)  # (B, H, t, d)
            value = torch.cat([self.values, value], dim=2)  # (B, H, t, d)
        self.keys, self.values = key, value
        output, _ = masked_attention(query, self.keys, self.values)  # (B, H, 1, d)
        return self.out(merge_heads(output))
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_CachedAttention"}
check(CachedAttention)

# %% [markdown]
# ## 11. Spot the mistake: two tables and their headlines
# *10 minutes · {{points choice_tables}}*
#
# Translation, BLEU (higher is better), operations of training:
#
# | model | EN-DE | EN-FR | operations EN-DE | operations EN-FR |
# |---|---|---|---|---|
# | ConvS2S | 25.16 | 40.46 | 9.6·10¹⁸ | 1.5·10²⁰ |
# | ConvS2S, ensemble | 26.36 | 41.29 | 7.7·10¹⁹ | 1.2·10²¹ |
# | Transformer, base | 27.3 | 38.1 | 3.3·10¹⁸ | 3.3·10¹⁸ |
# | Transformer, big | 28.4 | 41.8 | 2.3·10¹⁹ | 2.3·10¹⁹ |
#
# Summaries, perplexity (lower is better) and ROUGE-L (higher is better); $L$ is the
# length of the input:
#
# | model | perplexity | ROUGE-L |
# |---|---|---|
# | seq2seq with attention, L = 500 | 5.05 | 12.7 |
# | Transformer-ED, L = 500 | 2.47 | 34.2 |
# | Transformer-D, L = 4000 | 2.22 | 33.6 |
# | Transformer-DMCA, L = 11000 | 2.05 | 36.2 |
#
# Which sentence do the tables **contradict**? {{options choice_tables}}

# %% nbgrader={"grade_id": "choice_tables"}
choice_tables = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_tables = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_tables"}
check(choice_tables, "choice_tables")

# %% [markdown]
# ## 12. In your own words: one pass or many
# *20 minutes · 4 points, graded by hand*
#
# Somebody wants to halve the time of writing: the decoder gets *two* output layers. At
# every position one predicts the next token and the other the token after it, both from
# the same vector, and in writing both are taken. Explain in six to ten sentences:
# (1) Can it still be trained on all positions in one pass, and what has to change in
# the shift and in the causal mask? (2) How many passes does it take to write $n$
# tokens, and why not one? (3) The two tokens of a pass are chosen without knowing of
# each other. What can go wrong? Give an example in words. (4) With a KV cache (the two
# tokens are read together in the next pass), what enters the cache in a pass, is a mask
# needed now, and what does the cache not save?

# %% [markdown] nbgrader={"grade_id": "one_pass_or_many", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 1 point: yes, one pass, since in training the right tokens are known; shift and mask
#   stay as they are, because both answers of a position already lie in its future. (The
#   last position has no second answer: it is left out of the loss.)
# - 1 point: $n / 2$ passes; each pair is an input of the next pass and must be chosen
#   first, so the chain over time is in the task, not in the architecture.
# - 1 point: two tokens that are each likely may not fit together, with an example:
#   where *la letra* and *una carta* are both likely, *la carta*, or where *un libro*
#   and *una carta* are, *un carta*.
# - 1 point, half for two of the three: keys and values of the two newest tokens enter;
#   they come in together, so the first must not see the second, and a small causal mask
#   is needed between them; not saved are the passes that wait for one another, and the
#   look back over all keys.
# ### END SOLUTION

# %% [markdown]
# ## Let it write
#
# Not graded: your parts, put together, translate. The cell below builds a Transformer
# with *your* `DecoderBlock`, trains it for about half a minute with *your* loss and
# learning rate, and lets it write by *your* `greedy_decode`. Both sentences ask for
# *letter*; one needs *carta*, the other *letra*. (Both were in the training; the lecture
# tests on new ones.) The picture shows where the last block
# looked in the source while it wrote the first one. Then the same model draws 20
# translations of that sentence at each of three temperatures, with *your*
# `sampling_weights`, and counts how many are right. Before you run it, guess the three
# numbers. (Even at 1 an odd word may come up: label smoothing has taught the model to
# leave a tenth of the probability to all the others.) Then change `top_p` and see which
# temperatures it can save.

# %%
needed = "DecoderBlock", "smoothed_loss", "warmup_rate", "greedy_decode"
if ready(*needed, "sampling_weights"):
    from course_utils.data.letters import Vocabulary, sentences
    from course_utils.multi_head_attention import recorded_weights
    from course_utils.plotting import heatmap
    from course_utils.seq2seq_attention import shift_right
    from course_utils.training import progress, seeded, steps
    from course_utils.transformer_decoder import Transformer

    english, spanish = (Vocabulary(texts) for texts in zip(*sentences()))
    bos, eos, pad = spanish.bos, spanish.eos, spanish.pad
    source = english.encode([e for e, _ in sentences()])  # (N, S)
    target = spanish.encode([s for _, s in sentences()], end=True)  # (N, T)
    torch.manual_seed(0)
    model = Transformer(len(english), len(spanish), 64, heads=4, hidden=128, depth=2)
    model.decoder.blocks = nn.ModuleList(DecoderBlock(64, 4, 128) for _ in range(2))
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    draw, count = seeded(0), steps(250)
    for step in progress(range(1, count + 1), count, "training"):
        batch = torch.randint(len(source), (64,), generator=draw)  # (64,)
        x, y = source[batch], target[batch]  # (64, S), (64, T)
        loss = smoothed_loss(model(x, shift_right(y, bos)), y, pad, 0.1)
        optimiser.param_groups[0]["lr"] = 0.25 * warmup_rate(step, 64, 100)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    @torch.no_grad()
    def writer(text):  # -> a function of everything so far: (1, t) -> (1, V)
        memory, mask = model.encode(english.encode([text]))  # (1, S, D), (1, 1, 1, S)
        return lambda tokens: model.decode(tokens, memory, mask)[:, -1]

    texts = "she is writing a long letter to my friend", sentences()[-1][0]
    with torch.no_grad():
        for text in texts:
            written = greedy_decode(writer(text), bos, eos, 12)
            print(text, "→", spanish.decode(written))
        next_logits, right = writer(texts[0]), dict(sentences())[texts[0]]
        for temperature in (0.5, 1.0, 3.0):
            drawn = []
            for _ in range(20):
                tokens = [bos]
                while len(tokens) <= 12 and eos not in tokens:
                    logits = next_logits(torch.tensor([tokens]))  # (1, V)
                    weights = sampling_weights(logits, temperature, top_p=0.95)  # (1, V)
                    tokens.append(int(torch.multinomial(weights, 1, generator=draw)))
                drawn.append(spanish.decode(tokens))
            print(f"temperature {temperature}: {drawn.count(right)} of 20 are right;")
            print("   the last one:", drawn[-1])
        written = greedy_decode(writer(texts[0]), bos, eos, 12)
        with recorded_weights(model) as weights:
            writer(texts[0])(torch.tensor([[bos, *written[:-1]]]))
    said = [spanish.words[i] for i in written]
    heatmap(weights[-1][0].mean(0), said, texts[0].split(), "mean of the heads")

# %% [markdown]
# ## How far are you?

# %%
summary("08")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
#   (2017): the paper itself; sections 3 and 5 are this unit, and its tables reward a
#   critical look.
# - [The Annotated Transformer](https://nlp.seas.harvard.edu/annotated-transformer/),
#   Harvard NLP, edition of 2022: the same paper as running code, with another label
#   smoothing to compare yours with.
# - Holtzman et al., [The Curious Case of Neural Text
#   Degeneration](https://arxiv.org/abs/1904.09751) (2020): why the likeliest text is
#   not the best one, and what to sample instead.
# - Liu et al., [Generating Wikipedia by Summarizing Long
#   Sequences](https://arxiv.org/abs/1801.10198) (2018): where the table of summaries
#   comes from, and an early decoder without an encoder.
# - Xiong et al., [On Layer Normalization in the Transformer
#   Architecture](https://arxiv.org/abs/2002.04745) (2020): why post-norm is touchy in
#   its first steps and pre-norm is not.
