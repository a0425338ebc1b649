# %% [markdown]
# # Assignment 08 · The Transformer decoder
#
# You write the half of the Transformer that writes: its block, its loss, its learning rate, two ways to decode, and the cache that makes it fast.
# Everything from earlier units comes from `course_utils`. In all about two and a half hours.
#
# Conventions, as in the whole course: batch first; `B` batch, `T` target length, `S` source length, `D` model size, `H` heads, `V` words; masks are boolean, True = *may attend*;
# no tensor that you are given may be changed, and gradients must flow (no `.detach()`, no NumPy).

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, summary
from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import MultiHeadAttention, merge_heads, split_heads
from course_utils.transformer_encoder import FeedForward

# %% [markdown]
# ## 1. The decoder block
# *medium · 25 minutes · {{points DecoderBlock}}*
#
# Write `forward` of a **post-norm** decoder block. It has three sub-layers, in this order:
#
# 1. self-attention of `x`, with `self_mask`;
# 2. cross-attention from the result to `memory`, with `memory_mask`;
# 3. the feed-forward layer.
#
# Around each of them: add what went in, then normalise the sum (`norm1`, `norm2`, `norm3`).
#
# - `x` is (B, T, D), `memory` is (B, S, D); the result is (B, T, D), and nothing else is returned.
# - `self_mask` can be broadcast to (B, H, T, T), `memory_mask` to (B, H, T, S). Either may be None: then nothing is hidden. The block uses the masks that it is given and makes none of its own.
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
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        ### BEGIN SOLUTION
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])  # (B, T, D)
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])  # (B, T, D)
        return self.norm3(x + self.feed_forward(x))  # (B, T, D)
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_DecoderBlock"}
check(DecoderBlock)

# %% [markdown]
# ## 2. Your turn: the row of *name*
# *5 minutes · {{points slide_your_turn}}*
#
# A slide explains cross-attention with the French *Salut, je suis Alex* and the English *Hello, my name*, written so far. “sim” is a dot product.
#
# | English word | is replaced by |
# |---|---|
# | Hello | sim(Hello, Salut) · Salut + sim(Hello, je) · je + sim(Hello, suis) · suis + sim(Hello, Alex) · Alex |
# | my | sim(my, Salut) · Salut + sim(my, je) · je + sim(my, suis) · suis + sim(my, Alex) · Alex |
# | name | *your turn* |
#
# What should stand in the last row, so that it is what a Transformer computes (leaving out projections and the scale)? {{options slide_your_turn}}

# %% nbgrader={"grade_id": "slide_your_turn"}
slide_your_turn = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_your_turn = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_your_turn"}
check(slide_your_turn, "slide_your_turn")

# %% [markdown]
# ## 3. Spot the bug: cross-attention on a slide
# *5 minutes · {{points slide_cross}}*
#
# A slide defines the cross-attention in layer $\ell$ as follows.
#
# - query: $q_l^\ell = W_q^\ell s_l^\ell$, with $s_l^\ell$ the output of the position-wise network in *decoder* layer $\ell$;
# - key: $k_t^\ell = W_k^\ell h_t^\ell$, with $h_t^\ell$ the output of the position-wise network in *encoder* layer $\ell$;
# - value: $v_t^\ell = W_k^\ell h_t^\ell$.
#
# What has to be changed to get the Transformer of 2017? (The scale is missing too; leave that aside.) {{options slide_cross}}

# %% nbgrader={"grade_id": "slide_cross"}
slide_cross = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_cross = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_cross"}
check(slide_cross, "slide_cross")

# %% [markdown]
# ## 4. Spot the bug: “the decoder is a sequential model”
# *5 minutes · {{points slide_sequential}}*
#
# A translation has 12 tokens, `<eos>` included. How many forward passes of the decoder does it take (no cache, greedy decoding) to *train* on it once, and how many to *write* it? {{options slide_sequential}}

# %% nbgrader={"grade_id": "slide_sequential"}
slide_sequential = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_sequential = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_sequential"}
check(slide_sequential, "slide_sequential")

# %% [markdown]
# ## 5. Label smoothing
# *medium · 20 minutes · {{points smoothed_loss}}*
#
# Write `smoothed_loss(logits, targets, pad, smoothing)`: (B, T, V) logits and (B, T) word ids give one number.
#
# - The target distribution of a position is $(1 - s)$ on the right word plus $s / V$ on **each** of the $V$ words, the right one and padding included. With $s = 0$ that is plain cross entropy.
# - Positions whose target is `pad` do not count at all: the result is the mean over the other positions of all sentences together. There is always at least one.
# - It must be finite for logits of ±200, and gradients must arrive at the logits.
# - Not allowed: the argument `label_smoothing` of torch's loss. Everything else is.
#
# Example: $V = 4$ and $s = 0.2$ give the target (0.05, 0.05, **0.85**, 0.05) where word 2 is right.

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
# Write `warmup_rate(step, dim, warmup)`, the learning rate of the paper; `step` counts from 1, and the result is a number:
#
# $$\mathrm{dim}^{-0.5} \cdot \min\!\big(\mathrm{step}^{-0.5},\ \mathrm{step} \cdot \mathrm{warmup}^{-1.5}\big)$$

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
# Write `greedy_decode(next_logits, bos, eos, max_len)`. `next_logits` is a model: give it everything so far as a tensor of ints of shape (1, t), `bos` first, and it returns (1, V) logits for the next token.
#
# - Take the token with the largest logit, again and again.
# - Stop when that token is `eos`, or when `max_len` tokens are written.
# - Return a list of ints, *without* `bos`, *with* `eos` if it came; so it has at most `max_len` entries. `bos` and `eos` are different, and `max_len` is at least 1.
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
# Write `beam_search(next_logits, bos, eos, max_len, beams)`, with `next_logits` as above. Start with one hypothesis, nothing written, of log probability 0. Then `max_len` times:
#
# 1. extend every unfinished hypothesis by every one of the $V$ words; its score is the sum of the **log probabilities** (log softmax of the logits) of all its tokens;
# 2. hypotheses that end in `eos` are finished: they are not extended, and compete as they are;
# 3. of all these keep the `beams` best (there may be fewer than `beams` of them).
#
# Return a pair: the tokens of the best one, as in `greedy_decode`, and its total log probability. There is no length normalisation. One that was cut off at `max_len` counts like any other. With `beams=1` this is greedy decoding.
#
# Other sound ways to treat finished hypotheses, such as setting them aside and comparing at the end, are accepted as well.

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
                log_probs = F.log_softmax(next_logits(torch.tensor([[bos, *tokens]])), dim=-1)[0]  # (V,)
                candidates += [(score + value, [*tokens, token]) for token, value in enumerate(log_probs.tolist())]
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_beam_search"}
check(beam_search)

# %% [markdown]
# ## 9. The KV cache
# *medium · 25 minutes · {{points CachedAttention}}*
#
# Write `reset` and `step` of an attention that is called once per token. `step(x)` gets the newest token alone, (B, 1, D), and returns (B, 1, D): what causal multi-head self-attention over all tokens since the last `reset()` gives at the newest position.
#
# - Keep keys and values of earlier steps on the object (under names of your choice; they are not parameters, and must not become part of the `state_dict`).
# - The newest token sees itself.
# - `reset()` forgets everything and returns nothing; the next sequence may have another batch size. It is called by `__init__`, and may be called twice in a row.
# - `split_heads(x, heads)`, `merge_heads(x)` and `masked_attention(query, key, value)` from earlier units help. The scale is that of one head. Not allowed: `nn.MultiheadAttention`.

# %% nbgrader={"grade_id": "CachedAttention"}
class CachedAttention(nn.Module):
    """Causal self-attention, one step at a time."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dim, dim) for _ in range(4))
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
        query, key, value = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))  # (B, H, 1, d)
        self.keys = key if self.keys is None else torch.cat([self.keys, key], dim=2)  # (B, H, t, d)
        self.values = value if self.values is None else torch.cat([self.values, value], dim=2)  # (B, H, t, d)
        output, _ = masked_attention(query, self.keys, self.values)  # (B, H, 1, d)
        return self.out(merge_heads(output))
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_CachedAttention"}
check(CachedAttention)

# %% [markdown]
# ## 10. Spot the bug: two tables and their headlines
# *10 minutes · {{points slide_tables}}*
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
# Summaries, perplexity (lower is better) and ROUGE-L (higher is better); $L$ is the length of the input:
#
# | model | perplexity | ROUGE-L |
# |---|---|---|
# | seq2seq with attention, L = 500 | 5.05 | 12.7 |
# | Transformer-ED, L = 500 | 2.47 | 34.2 |
# | Transformer-D, L = 4000 | 2.22 | 33.6 |
# | Transformer-DMCA, L = 11000 | 2.05 | 36.2 |
#
# Which sentence do the tables **contradict**? {{options slide_tables}}

# %% nbgrader={"grade_id": "slide_tables"}
slide_tables = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_tables = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_tables"}
check(slide_tables, "slide_tables")

# %% [markdown]
# ## 11. In your own words: one pass or many
# *10 minutes · 4 points, graded by hand*
#
# Explain to someone who knows recurrent networks (six to ten sentences): why can a Transformer decoder be trained on all positions of a sentence in one pass, which two things make that honest, and why does it still
# write one token at a time? What does the KV cache change about that, and what does it not change?

# %% [markdown] nbgrader={"grade_id": "one_pass_or_many", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 1 point: in training the right tokens are known, so they can all be fed in at once (teacher forcing); no state is passed from step to step.
# - 1 point: both things that make it honest: the shift to the right (the answer of a position is not its own input) and the causal mask (it is not visible at later positions). Half a point for one of them.
# - 1 point: in writing, each token is an input of the next step and must be chosen first, so the chain over time is in the task, not in the architecture.
# - 1 point: the cache saves computing keys and values of old tokens again, so each token costs one step instead of a whole pass; the number of steps that wait for one another stays the same, and so does the look back over all keys.
# ### END SOLUTION

# %% [markdown]
# ## How far are you?

# %%
summary("08")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., *Attention Is All You Need* (2017): the paper itself; sections 3 and 5 are this unit, and its tables reward a critical look.
# - *The Annotated Transformer*, Harvard NLP, edition of 2022: the same paper as running code, with another label smoothing to compare yours with.
# - Holtzman et al., *The Curious Case of Neural Text Degeneration* (2020): why the likeliest text is not the best one, and what to sample instead.
# - Xiong et al., *On Layer Normalization in the Transformer Architecture* (2020): why post-norm needs a warm-up and pre-norm does not.
