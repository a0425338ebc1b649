# %% [markdown]
# # Assignment 04 · Sequence to sequence with attention
#
# You write what a decoder needs: its inputs, its loss, its measure of success, and the two classic ways of looking back at the source.
# Then you find what is wrong on three printed slides.
#
# - Expected time: about two and a half hours.
# - Below each answer stands a cell that checks it at once. It says what is wrong, and often which misunderstanding is behind it. The
#   grader uses the same checks with other numbers and other sizes.
# - Sizes: `B` batch, `S` length of the source, `T` length of the target, `D` size of a state, `V` number of words in the vocabulary.
# - Batch first, always. Masks are boolean and True means *may attend*.
# - Functions must not change the tensors that they are given, and must let gradients flow (no `.detach()`, no NumPy).
# - Anything of torch may be used here. From earlier units you have `masked_softmax(scores, mask)`, which gives a row without any True
#   zeros instead of NaN, `additive_scores(query, key, w_q, w_k, v)` and `padding_mask(lengths, max_len)`.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, summary
from course_utils.dot_product_attention import additive_scores
from course_utils.masking import masked_softmax, padding_mask

# %% [markdown]
# ## 1. What the decoder is given
# *easy · 10 minutes · {{points shift_right}}*
#
# With teacher forcing the decoder's input at step `t` is the true token of step `t - 1`; its first input is the go symbol, whose id is `bos`.
# Write `shift_right(targets, bos)`: `(B, T)` whole numbers → `(B, T)` whole numbers: first `bos`, then all targets but the last. Padding is
# moved like any other token. With `bos = 1`:
#
# ```
# targets = [[7, 8, 9],      shift_right(targets, 1) = [[1, 7, 8],
#            [4, 5, 0]]                                 [1, 4, 5]]
# ```

# %% nbgrader={"grade_id": "shift_right"}
def shift_right(targets, bos):
    """(B, T) int -> (B, T) int: bos, then all targets but the last."""
    ### BEGIN SOLUTION
    first = torch.full_like(targets[:, :1], bos)  # (B, 1)
    return torch.cat([first, targets[:, :-1]], dim=1)  # (B, T)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_shift_right"}
check(shift_right)

# %% [markdown]
# ## 2. A table to fill in
# *easy · 15 minutes · 4 points, graded by hand*
#
# A model translates *je suis Alex* into *I am Alex*, and each target ends in STOP. One deck trains such a model with *I am* as the decoder's input
# and *am Alex* as its target, without a go symbol.
#
# Copy the table into the cell below and fill it in. The last column is for test time, when the model has by mistake written *is* in its second step.
#
# | step | input in training | target | input at test time |
# |---|---|---|---|
# | 1 | | | |
# | 2 | | | |
# | 3 | | | |
# | 4 | | | |
#
# Then answer in one or two sentences each: What can the deck's model not do, for want of a go symbol? And why may step 3 go wrong at test time although it never does in training?

# %% [markdown] nbgrader={"grade_id": "decoder_table", "points": 4}
# ### BEGIN SOLUTION
# | step | input in training | target | input at test time |
# |---|---|---|---|
# | 1 | GO | I | GO |
# | 2 | I | am | I |
# | 3 | am | Alex | is |
# | 4 | Alex | STOP | whatever was written in step 3 |
#
# **Rubric.**
#
# - 1 point: the columns of the training are right (inputs are the targets shifted by one, GO first, STOP is never an input).
# - 1 point: the column of the test time has *is* in step 3, and in step 4 what the model itself wrote.
# - 1 point: without a go symbol the first word can never be produced; it would have to be given.
# - 1 point: exposure bias. In training only true prefixes are seen; after its own mistake the model is in a situation that it was never trained for.
# ### END SOLUTION

# %% [markdown]
# ## 3. A loss without padding
# *medium · 25 minutes · {{points sequence_loss}}*
#
# Write `sequence_loss(logits, targets, pad)`: logits `(B, T, V)` and targets `(B, T)` → a scalar: the mean cross entropy over all tokens of the batch that are not
# `pad`.
#
# - The logits are raw: no softmax has been applied. They may be as large as ±300 or more, and the loss must stay finite.
# - Logits and targets belong together position by position; the shift has already been made.
# - It is *one* mean over all real tokens of the batch, not a mean of the sentences' means.
# - `pad` can be any id of the vocabulary, can stand anywhere in a sentence, and a sentence may consist of nothing else; at least one token of the batch is real.
# - Gradients must reach the logits.
#
# A number to compare with: if all logits are equal, every word has probability $1/V$, and the loss is $\log V$, however much padding there is.

# %% nbgrader={"grade_id": "sequence_loss"}
def sequence_loss(logits, targets, pad):
    """(B, T, V), (B, T) -> scalar."""
    ### BEGIN SOLUTION
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_sequence_loss"}
check(sequence_loss)

# %% [markdown]
# ## 4. All or nothing
# *easy · 15 minutes · {{points exact_match}}*
#
# Write `exact_match(predicted, target, pad)`: two `(B, T)` tensors of ids → the share of sentences, between 0 and 1, that are right at *every* position where the
# *target* is not `pad`.
#
# - What the model writes where the target is `pad` does not matter.
# - A prediction that stops too early, and has `pad` where the target has a word, is wrong.
# - A target of nothing but padding counts as right.
# - A number or a tensor without axes, either is fine.
#
# ```
# predicted = [[5, 6, 7],    target = [[5, 6, 0],    pad = 0    →    0.5
#              [5, 0, 0]]              [5, 6, 0]]
# ```
#
# The first sentence is right, the second one stopped too early.

# %% nbgrader={"grade_id": "exact_match"}
def exact_match(predicted, target, pad):
    """(B, T), (B, T) -> a share in [0, 1]."""
    ### BEGIN SOLUTION
    right = (predicted == target) | (target == pad)  # (B, T)
    return right.all(dim=1).float().mean()
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_exact_match"}
check(exact_match)

# %% [markdown]
# ## 5. Luong: the current state asks
# *medium · 30 minutes · {{points luong_context}}*
#
# Write `luong_context(state, memory, mask)`: the decoder's state `(B, D)`, the encoder's states `(B, S, D)` and a mask `(B, S)` → `(context (B, D), weights (B, S))`.
#
# - Score of place `i`: the dot product of the state with `memory[:, i]`, **without a scale**.
# - Weights: softmax over the places where the mask is True; all others get exactly 0.
# - Context: the sum of the memory's places, weighted.
# - A row whose mask is False everywhere gets weights 0 and context 0, not NaN.
# - Each state looks at its own sentence only. Scores may be very low (around -50) or very high.
#
# ```
# state  = [[0.2, 1.0]]
# memory = [[[1, 0], [0, 4], [5, 5]]]
# mask   = [[True, True, False]]
#
# scores 0.2, 4.0, (6.0)    weights [[0.02, 0.98, 0]]    context [[0.02, 3.91]]
# ```

# %% nbgrader={"grade_id": "luong_context"}
def luong_context(state, memory, mask):
    """(B, D), (B, S, D), (B, S) bool -> context (B, D), weights (B, S)."""
    ### BEGIN SOLUTION
    scores = (memory @ state[:, :, None])[:, :, 0]  # (B, S)
    weights = masked_softmax(scores, mask)  # (B, S)
    return (weights[:, None, :] @ memory)[:, 0], weights
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_luong_context"}
check(luong_context)

# %% [markdown]
# ## 6. Bahdanau: the previous state asks
# *medium · 30 minutes · {{points bahdanau_context}}*
#
# The same with the additive score. Encoder and decoder may now have different sizes, because each is projected first:
#
# $$e_i = v \cdot \tanh(s\,W_s + h_i\,W_h)$$
#
# Write `bahdanau_context(state, memory, w_s, w_h, v, mask)`: `(B, Ds)`, `(B, S, Dm)`, `(Ds, A)`, `(Dm, A)`, `(A,)`, `(B, S)` → `(context (B, Dm), weights (B, S))`.
# `Ds` and `Dm` are the sizes of the decoder's and the encoder's states, `A` is the size in which they meet.
#
# - No scale, no bias.
# - The context is the weighted sum of the memory *itself*: the projection serves the score alone.
# - Mask, and rows with nothing to look at: as in exercise 5.
#
# The function does not care whether `state` is the previous or the current one. The caller decides that: Bahdanau's decoder passes the previous state.

# %% nbgrader={"grade_id": "bahdanau_context"}
def bahdanau_context(state, memory, w_s, w_h, v, mask):
    """(B, Ds), (B, S, Dm), (Ds, A), (Dm, A), (A,), (B, S) bool -> context (B, Dm), weights (B, S)."""
    ### BEGIN SOLUTION
    scores = additive_scores(state[:, None, :], memory, w_s, w_h, v)[:, 0]  # (B, S)
    weights = masked_softmax(scores, mask)  # (B, S)
    return (weights[:, None, :] @ memory)[:, 0], weights
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_bahdanau_context"}
check(bahdanau_context)

# %% [markdown]
# ## 7. Spot the bug: who looked at whom?
# *5 minutes · {{points slide_alignment}}*
#
# A model translates English into French. A slide shows its alignment matrix: the English words stand along the top, the French words that the model wrote stand down the side,
# one row per written word, and it is bright where *Area* meets *la* and *zone* (below: ■ a large weight, □ a smaller one). The slide concludes that the model, in order to generate *Area*, looked at *la* and *zone*.
#
# ```
#              The   agreement   on   the   European   Economic   Area
#   L'          ■
#   accord             ■
#   sur                          ■
#   la                                 ■                            □
#   zone                                                            ■
#   économique                                            ■
#   européenne                                ■
# ```
#
# What is wrong?
#
# {{options slide_alignment}}

# %% nbgrader={"grade_id": "slide_alignment"}
slide_alignment = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_alignment = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_alignment"}
check(slide_alignment, "slide_alignment")

# %% [markdown]
# ## 8. Spot the bug: who asks?
# *5 minutes · {{points slide_who_asks}}*
#
# A slide explains translation with the general form of attention like this: the words of the source are the *values*, the words generated so far are the *keys*.
# What has to be changed?
#
# {{options slide_who_asks}}

# %% nbgrader={"grade_id": "slide_who_asks"}
slide_who_asks = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_who_asks = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_who_asks"}
check(slide_who_asks, "slide_who_asks")

# %% [markdown]
# ## 9. Spot the bug: a program that runs
# *10 minutes · {{points slide_two_bugs}}*
#
# A slide classifies texts with a vocabulary of 2000 words, vectors of 100 numbers and an LSTM of 20 units. Rewritten in torch, its program is:
#
# ```python
# embedding = nn.Embedding(100, 2000)                # nn.Embedding(num_embeddings, embedding_dim)
# lstm = nn.LSTM(100, 20, batch_first=True)
#
# x = embedding(words)                               # words: (B, T, 1), ids
# x = x.reshape(len(words), -1, 100)
# x, _ = lstm(x)                                     # then attention, a mean over time, a classifier
# ```
#
# It runs on the author's test sentence, the result has the right shape, and the embedding has 200,000 weights, as expected. What is wrong?
#
# {{options slide_two_bugs}}

# %% nbgrader={"grade_id": "slide_two_bugs"}
slide_two_bugs = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_two_bugs = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_two_bugs"}
check(slide_two_bugs, "slide_two_bugs")

# %% [markdown]
# ## 10. In your own words: the bottleneck
# *15 minutes · 4 points, graded by hand*
#
# A GRU with 512 units reads a source of `S` tokens; a decoder writes `T` tokens.
#
# 1. How many numbers does the decoder get from the encoder without attention, for `S = 10` and for `S = 1000`? How many with attention?
# 2. In the lecture the model without attention reverses four letters nearly always and sixteen never. Someone proposes a GRU with 5120 units instead of attention. What would that change, and what
#    would it not change?
# 3. What does attention cost in exchange? Name the quantity that grows, and how it grows with `S` and `T`.

# %% [markdown] nbgrader={"grade_id": "why_bottleneck", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 1 point: without attention 512 numbers in both cases, the size of the state does not depend on the length.
# - 1 point: with attention the whole memory, 512 · S numbers: 5,120 and 512,000.
# - 1 point: a larger state moves the cliff to longer strings, but its size is still fixed: there is always a length that is too long (and the cost of every step grows with the square of the size).
# - 1 point: T · S scores (and weights) have to be computed, S per written token, and the memory of S states has to be kept.
# ### END SOLUTION

# %% [markdown]
# ## What you have
#
# The sum of what the checks above gave; the written answers come on top.

# %%
summary("04")

# %% [markdown]
# ## Further reading
#
# - Bahdanau, Cho, Bengio, [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473) (2014): the paper that began it; figure 3 is the matrix of
#   exercise 7, and figure 2 shows the score no longer falling with the length of the sentence.
# - Luong, Pham, Manning, [Effective Approaches to Attention-based Neural Machine Translation](https://arxiv.org/abs/1508.04025) (2015): dot, general and local attention, compared fairly in one place.
# - Sutskever, Vinyals, Le, [Sequence to Sequence Learning with Neural Networks](https://arxiv.org/abs/1409.3215) (2014): how far one gets *without* attention, and why they reversed the source.
# - Bengio et al., [Scheduled Sampling](https://arxiv.org/abs/1506.03099) (2015): a remedy for exposure bias, described by those who named the problem's cause.
# - Chan et al., [Listen, Attend and Spell](https://arxiv.org/abs/1508.01211) (2015): the same model with sound as its source; its alignments run strictly from left to right.
# - Olah and Carter, [Attention and Augmented Recurrent Neural Networks](https://distill.pub/2016/augmented-rnns/) (2016): the best pictures of an RNN that looks back.
