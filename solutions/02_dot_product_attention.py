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
#   the text. Results are compared to about five digits. They may come back as `float64`
#   where the text names no dtype (`float32` is handier further down). Do not change the tensors that
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

from course_utils import check, ready, summary
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
# Scores may be in the hundreds; nothing may overflow. An example: the words $(1, 0)$ and
# $(0, 1)$ have the weights .731, .269 and .269, .731, and become the vectors
# $(.731, .269)$ and $(.269, .731)$.

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
# The numbers tell (the name of the variable below does not). What is $x_3$ replaced by? {{options table_third_row}}

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
# everything, and no score is NaN. (A small number to protect a division, up to about
# $10^{-8}$, disturbs nobody; one of $10^{-2}$ would, since vectors can be short.) Gradients
# are tested with vectors other than zero only.

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
# *5 minutes · {{points choice_scale_twice}}*
#
# To be on the safe side somebody tames the scores twice, by length and by the root:
#
# ```python
# d = query.shape[-1]                               # 256
# query = F.normalize(query, dim=-1)                # every query has length 1
# key = F.normalize(key, dim=-1)                    # and so has every key
# weights = softmax(query @ key.mT / math.sqrt(d))  # (T, S), twenty keys
# ```
#
# Query and key come from layers that are trained. What do the weights look like at the
# start of the training, and at its end? {{options choice_scale_twice}}

# %% nbgrader={"grade_id": "choice_scale_twice"}
choice_scale_twice = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_scale_twice = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_scale_twice"}
check(choice_scale_twice, "choice_scale_twice")

# %% [markdown]
# ## 10. Spot the bug: moving the tanh
# *10 minutes · {{points choice_move_tanh}}*
#
# Additive attention needs a hidden layer for every pair of query and key. To save it,
# somebody moves the tanh to the outside:
#
# $$\mathrm{score}(q, k) = \tanh\big(u \cdot (q W_q) + u \cdot (k W_k)\big) = \tanh\big(a(q) + b(k)\big)$$
#
# with one number $a$ per query and one number $b$ per key. What becomes of the weights?
# {{options choice_move_tanh}}

# %% nbgrader={"grade_id": "choice_move_tanh"}
choice_move_tanh = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_move_tanh = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_move_tanh"}
check(choice_move_tanh, "choice_move_tanh")

# %% [markdown]
# ## 11. Predict: the five best
# *10 minutes · {{points choice_five_best}}*
#
# A model computes scores for fifty keys, keeps the five largest, and returns the mean
# of *their* values, weighted by the softmax of those five scores:
#
# ```python
# best = scores.topk(5)                                # of (50,)
# output = softmax(best.values) @ value[best.indices]  # (5,) @ (5, D)
# ```
#
# Can $W_q$ and $W_k$, which make the scores, be learned by plain gradients?
# {{options choice_five_best}}

# %% nbgrader={"grade_id": "choice_five_best"}
choice_five_best = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_five_best = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_five_best"}
check(choice_five_best, "choice_five_best")

# %% [markdown]
# ## A race of your scores
# *not graded · half a minute of computing*
#
# What are all these scores good for? Here your own functions learn to read phone books. A
# book has six entries; the vector of an entry is the sum of two random ones, for its name
# and for its digit. The query is a name, and the answer its digit. Only the score
# differs: softmax, weighted mean and a linear reader are the same for all. The cell runs
# as soon as your checks are green. Before you run it: which of the five will fall behind,
# and why? (Each runner gets other random books; the names and digits are the same.)
#
# <details><summary>Answer, for afterwards</summary>
#
# The plain cosine. The right entry is half name and half digit, so its cosine with the name
# is about .7, that of the others about 0: a factor of $\exp(.7) \approx 2$ between their
# weights, not far from a plain mean of all six. Ten times as sharp, the factor is
# $\exp(7) \approx 1000$.
#
# </details>

# %%
if ready(
    "scaled_dot_product_attention", "cosine_scores", "additive_scores", "general_scores"
):
    from IPython.display import display

    from course_utils.plotting import Table, heatmap
    from course_utils.training import fit, seeded, steps

    draw = seeded(0)
    names = torch.randn(30, 32, generator=draw)  # (30, D)
    digits = torch.randn(10, 32, generator=draw)  # (10, D)

    def books(count):
        """-> names that are asked for (N, 6, D), books (N, 6, D), digits (N, 6)."""
        who = torch.rand(count, 30, generator=draw).argsort(1)[:, :6]  # (N, 6)
        digit = torch.randint(10, (count, 6), generator=draw)  # (N, 6)
        return names[who], names[who] + digits[digit], digit

    def race(weigh, *shapes):
        """Train the parameters of `weigh` and a reader -> share of right digits."""
        sizes = (*shapes, (32, 10))
        drawn = [torch.randn(size, generator=draw) / 8 for size in sizes]
        *inside, reader = learned = [matrix.requires_grad_() for matrix in drawn]

        def read(ask, book):
            weights = weigh(ask, book, *inside)  # (N, 6, 6)
            return weights @ book @ reader, weights  # (N, 6, 10)

        def loss(step):
            ask, book, digit = books(32)
            return F.cross_entropy(read(ask, book)[0].mT, digit)

        fit(loss, learned, steps(400), lr=0.01)
        with torch.no_grad():
            ask, book, digit = books(500)
            found, weights = read(ask, book)
        return (found.argmax(-1) == digit).float().mean(), weights[0]  # (6, 6)

    def projected(ask, book, w_q, w_k):
        return scaled_dot_product_attention(ask @ w_q, book @ w_k, book)[1]

    def general(ask, book, w):
        return softmax(general_scores(ask, book, w))

    def additive(ask, book, w_q, w_k, v):
        return softmax(additive_scores(ask, book, w_q, w_k, v))

    runners = {
        "cosine": (lambda ask, book: softmax(cosine_scores(ask, book)),),
        "10 × cosine": (lambda ask, book: softmax(10 * cosine_scores(ask, book)),),
        "general": (general, (32, 32)),
        "scaled dot of projections": (projected, (32, 16), (32, 16)),
        "additive": (additive, (32, 16), (32, 16), (16,)),
    }
    results = {name: race(*runner) for name, runner in runners.items()}
    rows = [(name, share, w.amax(-1).mean()) for name, (share, w) in results.items()]
    entries = [f"entry {i}" for i in range(6)]
    asked = [f"name {i}" for i in range(6)]
    title = "who is found, with projections"
    heatmap(results["scaled dot of projections"][1], asked, entries, title)
    display(Table(rows, ["score", "right digits", "largest weight, first book"]))

# %% [markdown]
# ## 12. In your own words: which matrix can go?
# *20 minutes · 3 points, graded by hand*
#
# Self-attention computes $\mathrm{softmax}\big(XW_q (XW_k)^\top / \sqrt{d_k}\big)\, XW_v$.
# A colleague wants to save matrices and makes three proposals, one at a time:
#
# - (a) drop $W_q$: the queries are $X$ itself, and the keys $XM$ with a learned $(D, D)$
#   matrix $M$ (still divided by the old $\sqrt{d_k}$);
# - (b) drop $W_v$, since a learned linear layer $W_o$ follows directly: the output is
#   $A X W_o$ instead of $A X W_v W_o$, where $A$ are the weights and $W_v$ and $W_o$ are
#   $(D, D)$;
# - (c) keep $W_v$, but use one matrix for queries and keys, $W_q = W_k$.
#
# For (a) and (b) say whether something is lost: can the new form compute everything that
# the old one could? Show it with one line of algebra. For (a) say also whether it saves
# parameters when $D = 512$ and $d_k = 64$. For (c) name two relations between words, one
# for which such scores are good enough and one for which they are not, and say why. (Not
# *blue* and *sky*, and no game.) Six or seven sentences; a small experiment is welcome.

# %% [markdown] nbgrader={"grade_id": "why_three_matrices", "points": 3}
# ### BEGIN SOLUTION
# **Rubric**, one point for each part; half a point where the answer is right and the
# reason is missing.
#
# - (a) Nothing is lost: $XW_q(XW_k)^\top = X (X W_k W_q^\top)^\top$, so
#   $M = W_k W_q^\top$ gives the same scores. It does not save here: $M$ has
#   $512^2 = 262144$ numbers, $W_q$ and $W_k$ together have $2\cdot 512\cdot 64 = 65536$.
#   (It can do more, since $M$ need not be of rank 64.)
# - (b) Nothing is lost: the weights mix rows and the matrices mix columns, so
#   $(AXW_v)W_o = AX(W_vW_o)$, and one matrix takes the place of the product. (Accept the
#   remark that this holds only while nothing stands in between, and while both are
#   full-sized: with several heads it does not.)
# - (c) Scores are symmetric, $e_{ij} = e_{ji}$, and $e_{ii} + e_{jj} \ge 2e_{ij}$. Good
#   enough for words that look for their like, themselves included: words of one topic,
#   words with the same stem. Not good enough for two that look for each other and not at
#   themselves (the brackets of a pair, a verb and its subject), nor for a circle (a pronoun
#   looks for its noun, the noun for its verb, the verb for the pronoun). The reason has to
#   be what one of the two forbids, not "fewer parameters". Half a point for "a directed relation"
#   alone: rows are normalised one by one, so $i$ may look at $j$ while $j$ does not at $i$.
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
#   family of scores as a table.
# - [`torch.nn.functional.scaled_dot_product_attention`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html):
#   the documentation contains a readable version in Python, to compare with yours.
