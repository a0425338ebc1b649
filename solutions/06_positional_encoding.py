# %% [markdown]
# # Assignment 06 · Positional encoding
#
# You tell attention where things stand, in three ways: by sines and cosines, by a
# learned table, and by rotations.
#
# - Expected time: about two hours.
# - Below each answer stands a cell that checks it at once. It says what is wrong, and
#   often which misunderstanding caused it. The grader uses the same checks with other
#   numbers.
# - Sizes: `B` batch, `T` length, `D` features of the model, `H` heads, `d` features of
#   a head.
# - Positions are counted from 0. Pairs of columns are $(2i, 2i + 1)$, and $i$ is
#   counted from 0 as well.
# - Functions must not change the tensors that they are given, and must let gradients
#   flow (no `.detach()`, no NumPy).

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, summary
from course_utils.plotting import curves, heatmap

# %% [markdown]
# ## 1. Sines and cosines
# *easy · 20 minutes · {{points sinusoidal_encoding}}*
#
# Write `sinusoidal_encoding(length, dim)`: → `(T, D)`, one row per position
# $t = 0, \dots, T - 1$, with, for $i = 0, \dots, D / 2 - 1$,
#
# $$p_t[2i] = \sin\left(\frac{t}{10000^{2i / D}}\right), \qquad
# p_t[2i + 1] = \cos\left(\frac{t}{10000^{2i / D}}\right)$$
#
# - Sine and cosine of the same angle stand side by side.
# - For an odd `dim` raise a `ValueError`: a sine would be left without its cosine.
#
# A small example, `sinusoidal_encoding(3, 4)`; the second pair turns a hundred times
# slower than the first:
#
# ```
# [[0.0000,  1.0000, 0.0000, 1.0000],
#  [0.8415,  0.5403, 0.0100, 0.9999],
#  [0.9093, -0.4161, 0.0200, 0.9998]]
# ```

# %% nbgrader={"grade_id": "sinusoidal_encoding"}
def sinusoidal_encoding(length, dim):
    """-> (T, D): sines in the even columns, cosines in the odd ones."""
    ### BEGIN SOLUTION
    if dim % 2:
        raise ValueError(f"sines and cosines come in pairs: {dim} columns are odd")
    frequencies = 10000.0 ** (-torch.arange(0, dim, 2) / dim)  # (D / 2,)
    angles = torch.arange(length)[:, None] * frequencies  # (T, D / 2)
    pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (T, D / 2, 2)
    return pairs.flatten(1)  # (T, D)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_sinusoidal_encoding"}
check(sinusoidal_encoding)

# %% [markdown]
# ## 2. Learned positions
# *easy · 15 minutes · {{points LearnedPositions}}*
#
# Complete `forward`. The constructor is given: `self.table` is an embedding with
# `max_len` rows of `dim` numbers.
#
# - `x` is `(B, T, D)`. Step $t$ of every sequence gets row $t$ of the table *added*;
#   the result is `(B, T, D)`.
# - The table must be able to learn: gradients have to reach it.
# - If the sequence is longer than the table, raise a `ValueError`. A sequence exactly
#   as long as the table is fine.

# %% nbgrader={"grade_id": "LearnedPositions"}
class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        """(B, T, D) -> (B, T, D)."""
        ### BEGIN SOLUTION
        length, max_len = x.shape[1], self.table.num_embeddings
        if length > max_len:
            raise ValueError(f"{length} steps, but positions for {max_len} only")
        return x + self.table.weight[:length]  # (B, T, D) + (T, D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "test_LearnedPositions"}
check(LearnedPositions)

# %% [markdown]
# ## 3. A step in time is a rotation
# *medium · 30 minutes · {{points shift_matrix}}*
#
# Write `shift_matrix(offset, dim)`: → the `(D, D)` matrix $M$ with
#
# $$M\, p_t = p_{t + \text{offset}} \qquad \text{for every } t,$$
#
# where $p_t$ is row $t$ of `sinusoidal_encoding`, written as a column. The matrix
# depends on the offset, not on $t$.
#
# - `offset` is a whole number; it may be negative (back in time) or 0. `dim` is even.
# - Start from $\sin(a + b) = \sin a \cos b + \cos a \sin b$ and
#   $\cos(a + b) = \cos a \cos b - \sin a \sin b$, with $a = t\,\omega_i$ and
#   $b = \text{offset} \cdot \omega_i$.

# %% nbgrader={"grade_id": "shift_matrix"}
def shift_matrix(offset, dim):
    """-> (D, D) matrix M with M @ p(t) = p(t + offset) for every t."""
    ### BEGIN SOLUTION
    angles = offset * 10000.0 ** (-torch.arange(0, dim, 2) / dim)  # (D / 2,)
    matrix, even = torch.zeros(dim, dim), torch.arange(0, dim, 2)
    odd = even + 1
    matrix[even, even] = matrix[odd, odd] = angles.cos()
    matrix[even, odd] = angles.sin()
    matrix[odd, even] = -angles.sin()
    return matrix
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_shift_matrix"}
check(shift_matrix)

# %% [markdown]
# ## 4. Rotary encoding
# *medium · 30 minutes · {{points rotary}}*
#
# Write `rotary(x, positions)`: `(B, H, T, d)`, `(T,)` → `(B, H, T, d)`. Step $t$ stands
# at `positions[t]`, a whole number (not always $t$ itself). Turn each pair of
# neighbouring features $(x_{2i}, x_{2i+1})$ by the angle
# $a = \text{positions}[t] \,/\, 10000^{2i / d}$:
#
# $$x'_{2i} = x_{2i} \cos a - x_{2i+1} \sin a, \qquad
# x'_{2i+1} = x_{2i} \sin a + x_{2i+1} \cos a$$
#
# - All sequences and all heads are turned in the same way. `d` is even.
# - Gradients must reach `x`.
#
# Example with $d = 2$: the vector $(1, 0)$ at position 1 becomes
# $(\cos 1, \sin 1) = (0.54, 0.84)$.

# %% nbgrader={"grade_id": "rotary"}
def rotary(x, positions):
    """(B, H, T, d), (T,) -> (B, H, T, d)."""
    ### BEGIN SOLUTION
    size = x.shape[-1]
    frequencies = 10000.0 ** (-torch.arange(0, size, 2) / size)  # (d / 2,)
    angles = positions[:, None] * frequencies  # (T, d / 2)
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]  # (B, H, T, d / 2) each
    pairs = even * cos - odd * sin, even * sin + odd * cos  # (B, H, T, d / 2) each
    return torch.stack(pairs, dim=-1).flatten(-2)  # (B, H, T, d)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_rotary"}
check(rotary)

# %% [markdown]
# Look for yourself (not graded): the same query and the same key at all places. The
# scores must be equal along each diagonal.

# %%
q, k = torch.randn(2, 1, 1, 1, 8).expand(2, 1, 1, 12, 8)  # (1, 1, T, d) each
turned = rotary(q, torch.arange(12)), rotary(k, torch.arange(12))
if turned[0] is not None:
    heatmap((turned[0] @ turned[1].mT)[0, 0], title="scores by place", values=False)

# %% [markdown]
# ## 5. Spot the mistake: the frequencies
# *5 minutes · {{points slide_frequencies}}*
#
# Somebody codes the frequencies of the sines and cosines for $D = 8$ columns:
#
# ```python
# i = torch.arange(0, D, 2)            # 0, 2, 4, 6
# omega = 10000.0 ** (-2 * i / D)      # one per pair of columns
# ```
#
# What comes out? {{options slide_frequencies}}

# %% nbgrader={"grade_id": "slide_frequencies"}
slide_frequencies = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_frequencies = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_frequencies"}
check(slide_frequencies, "slide_frequencies")

# %% [markdown]
# ## 6. Spot the mistake: where is the place?
# *10 minutes · {{points slide_position_table}}*
#
# Somebody adds learned positions to a batch of texts, `tokens` of shape (B, T):
#
# ```python
# word_table = nn.Embedding(2000, 100)
# position_table = nn.Embedding(50, 100)
#
# x = word_table(tokens)                            # (B, T, 100)
# places = torch.arange(len(x))
# x = x + position_table(places)[:, None]           # (B, T, 100)
# ```
#
# It runs with batches of up to 50 texts, of any length. What is added to a word?
# {{options slide_position_table}}

# %% nbgrader={"grade_id": "slide_position_table"}
slide_position_table = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_position_table = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_position_table"}
check(slide_position_table, "slide_position_table")

# %% [markdown]
# ## 7. Predict: who can tell?
# *5 minutes · {{points slide_insensitive}}*
#
# A self-attention layer without positions reads *dog bites man* and *man bites dog*.
# Somebody claims that nothing that comes after it can tell the two sentences apart.
# Which of these read-outs can? {{options slide_insensitive}}

# %% nbgrader={"grade_id": "slide_insensitive"}
slide_insensitive = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_insensitive = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_insensitive"}
check(slide_insensitive, "slide_insensitive")

# %% [markdown]
# ## 8. Written: walking the dog
# *medium · 20 minutes · 5 points, graded by hand*
#
# *I walk my dog every day* and *every single day I walk my dog*: in both sentences *my
# dog* comes right after *I walk*.
#
# 1. With rotary encoding in a single attention layer, show that the score between
#    *walk* (as query) and *dog* (as key) is the same in both sentences. Use
#    $R_s^\top R_t = R_{t-s}$.
# 2. With a *learned* table that is added to the input, is it the same? Write the score
#    as $(x + p_s)\, A\, (y + p_t)^\top$, with row vectors as in unit 02 ($q = x W_Q$,
#    $k = y W_K$), $A = W_Q W_K^\top$ (scale and biases left out) and $x$, $y$ for the
#    two words, and say which of its four terms can change.
# 3. A model with a learned table of 512 rows is to read texts of 600 words. Name the
#    problem, and one way out with its price.

# %% [markdown] nbgrader={"grade_id": "why_relative", "points": 5}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 2 points for part 1: the score is $(R_s q)^\top (R_t k) = q^\top R_{t-s}\, k$ (1
#   point); $q$ and $k$ depend on the words only, and $t - s = 2$ in both sentences, so
#   it is the same number (1 point).
# - 2 points for part 2: no. $x A y^\top$ stays; $x A p_t^\top$, $p_s A y^\top$ and
#   $p_s A p_t^\top$ depend on $s$ and $t$ one by one (1 point for the terms). Nothing
#   forces the table to make them depend on $t - s$ only, unlike the sines, where at
#   least $p_s p_t^\top$ does (1 point for the reason).
# - 1 point for part 3: there are no rows for the positions 512 … 599. Any way out with
#   its price counts: cut the text (loses words); train a longer table (more parameters,
#   rarely seen positions are badly trained); sines or rotary (defined everywhere, but
#   not trained there); windows of 512 (no attention across windows).
# ### END SOLUTION

# %% [markdown]
# ## Your points so far

# %%
summary("06")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
#   (2017), section 3.5: one paragraph, in which the rotation is given as the reason for
#   the sines.
# - Su et al., [RoFormer](https://arxiv.org/abs/2104.09864) (2021): rotary encoding,
#   which most large language models use today.
# - Press, Smith, Lewis, [Train Short, Test Long](https://arxiv.org/abs/2108.12409)
#   (2021): the experiment on longer inputs from the lecture, at scale, and a still
#   simpler encoding that survives it.
# - Haviv et al., [Transformer Language Models without Positional Encodings Still Learn
#   Positional Information](https://arxiv.org/abs/2203.16634) (2022): what a causal mask
#   alone gives away.
