# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Assignment 02 · Dot-product attention
#
# You write attention: first as an exact look-up, then as a soft one, then with
# everything that a Transformer needs. About two to three hours. The
# [lecture](../../lectures/02_dot_product_attention.ipynb) has the ideas; its section is
# named in each card that a test cell shows.
#
# **Conventions**, here and in all units:
#
# - vectors are *rows*: a sentence of $T$ words is a tensor of shape $(T, D)$, a batch
#   of $B$ sentences $(B, T, D)$. `...` in a shape stands for any number of leading
#   axes, none included, and they are the same for all arguments;
# - weights have one **row per query**, one **column per key**; softmax runs along the
#   last axis;
# - functions that attend return `(output, weights)`, in this order;
# - loops, `einsum`, `float64` inside: everything is allowed that is not forbidden in
#   the text. Results are compared to about five digits. Do not change the tensors that
#   you are given, and let gradients flow (no `.detach()`, no NumPy);
# - you may use your own answers further down, and `softmax` of unit 01.
#
# Replace each `...  # YOUR CODE HERE`, run the cell, then the test cell below it. The
# tests that you see are drawn from one seed; the grader uses others.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, summary
from course_utils.nadaraya_watson import softmax  # softmax(scores, dim=-1), stable

# %% [markdown]
# ## 1. A look-up by matrix product
# *easy · 10 minutes · {{points one_hot_lookup}}*
#
# Write `one_hot_lookup(ids, table)`: `ids` are $T$ whole numbers (dtype int64) from 0
# to $V - 1$, `table` has one row for each of the $V$ words. Return the $(T, D)$ rows
# that the ids name, **as a product of a one-hot matrix with the table**: one row per
# word of the sentence, as many columns as the *table* has rows, a single 1 in each row.
#
# ```
# ids = [2, 0]     table = [[10, 11],        [[0, 0, 1],   @  table  =  [[30, 31],
#                           [20, 21],         [1, 0, 0]]                 [10, 11]]
#                           [30, 31]]
# ```
#
# The result has the dtype of the table, and gradients reach the table. Not allowed:
# indexing the table, `nn.Embedding`, `F.embedding`, and their relatives
# (`index_select`, `gather`, `take`).

# %% nbgrader={"grade_id": "one_hot_lookup"}
def one_hot_lookup(ids, table):
    """(T,) int, (V, D) -> (T, D)."""
    ### BEGIN SOLUTION
    one_hot = F.one_hot(ids, len(table)).to(table.dtype)  # (T, V)
    return one_hot @ table  # (T, D)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_one_hot_lookup"}
check(one_hot_lookup)

# %% [markdown]
# ## 2. Context vectors
# *easy · 15 minutes · {{points context_vectors}}*
#
# Write `context_vectors(x)` for a single sentence `x` of shape $(T, D)$: every word
# becomes a mean of *all* words, itself included. How much a word counts for another is
# decided by the plain dot product of their vectors; the numbers that belong to one word
# go through a softmax together. No scale and no parameters. Return the new words and
# the weights, of which row $i$ says what word $i$ is made of.
#
# Scores may be in the hundreds; nothing may overflow.

# %% nbgrader={"grade_id": "context_vectors"}
def context_vectors(x):
    """(T, D) -> output (T, D), weights (T, T)."""
    ### BEGIN SOLUTION
    weights = softmax(x @ x.mT, dim=-1)  # (T, T)
    return weights @ x, weights
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_context_vectors"}
check(context_vectors)

# %% [markdown]
# ## 3. Read the table
# *easy · 5 minutes · {{points table_third_row}}*
#
# Three vectors are replaced by mixtures of all three. Somebody prints the weights and
# forgets to say which axis belongs to the word that looks:
#
# | | $x_1$ | $x_2$ | $x_3$ |
# |---|---|---|---|
# | $x_1$ | 0.7 | 0.2 | 0.1 |
# | $x_2$ | 0.3 | 0.4 | 0.6 |
# | $x_3$ | 0.0 | 0.4 | 0.3 |
#
# The numbers tell. What is $x_3$ replaced by? {{options table_third_row}}

# %% nbgrader={"grade_id": "table_third_row"}
table_third_row = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
table_third_row = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_table_third_row"}
check(table_third_row, "table_third_row")

# %% [markdown]
# ## 4. Scaled dot-product attention
# *medium · 25 minutes · {{points scaled_dot_product_attention}}*
#
# The heart of the course. Write `scaled_dot_product_attention(query, key, value)`:
#
# $$\mathrm{softmax}\!\left(\frac{Q K^\top}{\sqrt{D}}\right) V$$
#
# | argument | shape |
# |---|---|
# | `query` | $(..., T, D)$ |
# | `key` | $(..., S, D)$ |
# | `value` | $(..., S, D_v)$ |
# | → output | $(..., T, D_v)$ |
# | → weights | $(..., T, S)$ |
#
# $T$, $S$, $D$ and $D_v$ are all different in the tests, and there are none, one or two
# leading axes: count axes from the end. A useful thing to know: `x.mT` (or
# `x.transpose(-2, -1)`) swaps the last two axes; `x.T` reverses *all* of them. Scores
# may be in the hundreds. Not allowed: `F.scaled_dot_product_attention`,
# `nn.MultiheadAttention`.
#
# An example to try by hand: one query $(1, 0, 0, 0)$, two keys $(2\ln 3, 0, 0, 0)$ and
# $(0, 1, 0, 0)$. The scores are $\ln 3$ and $0$, the weights $3/4$ and $1/4$.

# %% nbgrader={"grade_id": "scaled_dot_product_attention"}
def scaled_dot_product_attention(query, key, value):
    """(..., T, D), (..., S, D), (..., S, Dv) -> (..., T, Dv), weights (..., T, S)."""
    ### BEGIN SOLUTION
    scores = query @ key.mT / math.sqrt(key.shape[-1])  # (..., T, S)
    weights = softmax(scores, dim=-1)  # (..., T, S)
    return weights @ value, weights
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_scaled_dot_product_attention"}
check(scaled_dot_product_attention)

# %% [markdown]
# ## 5. Self-attention
# *medium · 15 minutes · {{points self_attention}}*
#
# Write `self_attention(x, w_q, w_k, w_v)` for a batch of sentences. Queries, keys and
# values are three projections of the same `x`; the matrices are
# $(\text{in}, \text{out})$, so `x @ w_q` projects (no transpose, no bias). Then scaled
# dot-product attention; the scale is the size of the *keys*, $\sqrt{D_k}$. The
# sentences of a batch never see each other.
#
# | argument | shape |
# |---|---|
# | `x` | $(B, T, D)$ |
# | `w_q`, `w_k` | $(D, D_k)$ |
# | `w_v` | $(D, D_v)$ |
# | → output, weights | $(B, T, D_v)$, $(B, T, T)$ |
#
# The same things are not allowed as above; your own function is.

# %% nbgrader={"grade_id": "self_attention"}
def self_attention(x, w_q, w_k, w_v):
    """(B, T, D), (D, Dk), (D, Dk), (D, Dv) -> output (B, T, Dv), weights (B, T, T)."""
    ### BEGIN SOLUTION
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_self_attention"}
check(self_attention)

# %% [markdown]
# ## 6. Cosine scores
# *easy · 15 minutes · {{points cosine_scores}}*
#
# Three relatives of the dot product follow. They return **scores**: no softmax, no
# scale.
#
# `cosine_scores(query, key)`: the cosine of the angle between every query and every
# key. Length does not count. A zero vector has no angle: it scores **0** with
# everything, and there is no NaN. (A small number to protect a division, up to about
# $10^{-8}$, disturbs nobody; one of $10^{-2}$ would, since vectors can be short.)

# %% nbgrader={"grade_id": "cosine_scores"}
def cosine_scores(query, key):
    """(..., T, D), (..., S, D) -> (..., T, S)."""
    ### BEGIN SOLUTION
    return F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_cosine_scores"}
check(cosine_scores)

# %% [markdown]
# ## 7. Additive scores
# *harder · 30 minutes · {{points additive_scores}}*
#
# `additive_scores(query, key, w_q, w_k, v)`: for every query $q$ and every key $k$ a
# small network with one hidden layer of $A$ neurons,
#
# $$\mathrm{score}(q, k) = u \cdot \tanh(q\,W_q + k\,W_k), \qquad u: \text{the argument } \mathtt{v}$$
#
# | argument | shape |
# |---|---|
# | `query` | $(..., T, D_q)$ |
# | `key` | $(..., S, D_k)$ |
# | `w_q`, `w_k`, `v` | $(D_q, A)$, $(D_k, A)$, $(A,)$ |
# | → scores | $(..., T, S)$ |
#
# All pairs are needed: think of the hidden layer as a tensor of shape $(..., T, S, A)$.
# An axis of length 1 is stretched by broadcasting, and `x.unsqueeze(-2)` or
# `x[..., :, None, :]` makes one.

# %% nbgrader={"grade_id": "additive_scores"}
def additive_scores(query, key, w_q, w_k, v):
    """(..., T, Dq), (..., S, Dk), (Dq, A), (Dk, A), (A,) -> (..., T, S)."""
    ### BEGIN SOLUTION
    q, k = query @ w_q, key @ w_k  # (..., T, A), (..., S, A)
    every_pair = q[..., :, None, :] + k[..., None, :, :]  # (..., T, S, A)
    return torch.tanh(every_pair) @ v  # (..., T, S)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_additive_scores"}
check(additive_scores)

# %% [markdown]
# ## 8. General scores
# *easy · 10 minutes · {{points general_scores}}*
#
# `general_scores(query, key, w)`: $\mathrm{score}(q, k) = q\,W\,k^\top$ for every pair,
# with one matrix between query and key, which may differ in size.

# %% nbgrader={"grade_id": "general_scores"}
def general_scores(query, key, w):
    """(..., T, Dq), (..., S, Dk), (Dq, Dk) -> (..., T, S)."""
    ### BEGIN SOLUTION
    return query @ w @ key.mT  # (..., T, S)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_general_scores"}
check(general_scores)

# %% [markdown]
# ## 9. Spot the bug: the scale
# *5 minutes · {{points slide_scale_outside}}*
#
# To be on the safe side somebody scales twice:
#
# ```python
# d = query.shape[-1]                    # 256
# query = query / math.sqrt(d)
# key = key / math.sqrt(d)
# weights = softmax(query @ key.mT)      # (T, S)
# ```
#
# The entries of query and key were independent, of mean 0 and variance 1. What do the
# weights look like? {{options slide_scale_outside}}

# %% nbgrader={"grade_id": "slide_scale_outside"}
slide_scale_outside = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_scale_outside = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_scale_outside"}
check(slide_scale_outside, "slide_scale_outside")

# %% [markdown]
# ## 10. Spot the bug: moving the tanh
# *10 minutes · {{points slide_drop_tanh}}*
#
# Additive attention needs a hidden layer for every pair of query and key. To save it,
# somebody moves the tanh to the outside:
#
# $$\mathrm{score}(q, k) = \tanh\big(u \cdot (q W_q) + u \cdot (k W_k)\big) = \tanh\big(a(q) + b(k)\big)$$
#
# with one number $a$ per query and one number $b$ per key. What becomes of the weights?
# {{options slide_drop_tanh}}

# %% nbgrader={"grade_id": "slide_drop_tanh"}
slide_drop_tanh = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_drop_tanh = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_drop_tanh"}
check(slide_drop_tanh, "slide_drop_tanh")

# %% [markdown]
# ## 11. Predict: the five best
# *10 minutes · {{points slide_local_hard}}*
#
# A model computes scores for fifty keys, keeps the five largest, and returns the mean
# of *their* values, weighted by the softmax of those five scores:
#
# ```python
# best = scores.topk(5)                                # of (50,)
# output = softmax(best.values) @ value[best.indices]  # (5,) @ (5, D)
# ```
#
# Is that local or global, soft or hard? More to the point: can $W_q$ and $W_k$, which
# make the scores, be learned by plain gradients? {{options slide_local_hard}}

# %% nbgrader={"grade_id": "slide_local_hard"}
slide_local_hard = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_local_hard = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_local_hard"}
check(slide_local_hard, "slide_local_hard")

# %% [markdown]
# ## 12. In your own words: why three matrices?
# *15 minutes · 3 points, graded by hand*
#
# A colleague suggests to save two thirds of the parameters of self-attention: one
# matrix $W$, used for queries, keys and values alike. Say (a) what is then special
# about the matrix of *scores*, (b) what that means for *who looks at whom*, with an
# example from language, and (c) whether at least queries and keys could keep one matrix
# if the values had their own. Five sentences are enough; a small experiment is welcome.

# %% [markdown] nbgrader={"grade_id": "why_three_matrices", "points": 3}
# ### BEGIN SOLUTION
# **Rubric.** *1 point*: the scores $XW(XW)^\top$ are symmetric, with large positive
# numbers (squared lengths) on the diagonal. *1 point*: so looking becomes mutual: if
# *sky* looks for *blue*, *blue* looks for *sky* just as much (up to the softmax's row
# sums), and every word mostly looks at itself; an example in which the relation has a
# direction (adjective and noun, pronoun and its noun, *letter* and *writing*). *1
# point*: separate values do not repair it, since the scores stay symmetric and
# self-centred; a shared matrix for queries and keys is possible (it has been tried),
# but gives up directed relations. Full points also for a good experiment that shows two
# of the three.
# ### END SOLUTION

# %% [markdown]
# ## How far are you?
#
# The cell below adds up what the test cells found. Run all of them first.

# %%
summary("02")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., [*Attention is all you need*](https://arxiv.org/abs/1706.03762)
#   (2017), section 3.2: the scale and its reason in one footnote.
# - Bahdanau, Cho, Bengio, [*Neural machine translation by jointly learning to align and
#   translate*](https://arxiv.org/abs/1409.0473) (2014): where additive attention comes
#   from.
# - Luong, Pham, Manning, [*Effective approaches to attention-based neural machine
#   translation*](https://arxiv.org/abs/1508.04025) (2015): dot, general, concatenation,
#   and local attention, compared by experiment.
# - Graves, Wayne, Danihelka, [*Neural Turing
#   machines*](https://arxiv.org/abs/1410.5401) (2014), section 3.3: content-based
#   addressing with cosine and sharpness.
# - Lilian Weng, [*Attention?
#   Attention!*](https://lilianweng.github.io/posts/2018-06-24-attention/) (2018): the
#   family as a table; read its last two lines critically.
# - [`torch.nn.functional.scaled_dot_product_attention`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html):
#   the documentation contains a readable version in Python, to compare with yours.
