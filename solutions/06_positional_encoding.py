# %% [markdown]
# # Assignment 06 · Positional encoding
#
# You write a test that shows that a layer does not see order. Then you tell attention
# where things stand, in three ways: by sines and cosines, by a learned table, and by
# rotations. At the end a small model reads numbers with your encodings, and without.
#
# - Expected time: about three hours.
# - Below each answer stands a cell that checks it at once. It says what is wrong, and
#   often which misunderstanding caused it. The grader uses the same checks with other
#   numbers.
# - Sizes: `B` batch, `T` length, `D` features of the model, `H` heads, `d` features of
#   a head.
# - Positions are counted from 0. Pairs of columns are $(2i, 2i + 1)$, and $i$ is
#   counted from 0 as well.
# - Vectors are rows, as everywhere in this course; where a column is meant, it is
#   written with a transpose, $p_t^\top$.
# - Functions must not change the tensors that they are given, and must let gradients
#   flow (no `.detach()`, no NumPy).

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary
from course_utils.multi_head_attention import merge_heads, split_heads
from course_utils.plotting import heatmap

# %% [markdown]
# ## 1. A test for equivariance
# *medium · 25 minutes · {{points is_equivariant}}*
#
# Write `is_equivariant(layer, x)`: do the outputs of a layer follow its inputs, whenever
# the time steps change places? `layer` takes `(B, T, D)` and gives `(B, T, E)`, where
# `E` may differ from `D`; `x` is `(B, T, D)`, random numbers. Return True or False.
#
# - Equivariant means $f(Px) = P f(x)$ for **every** permutation $P$ of the steps. There
#   are layers that follow some permutations and not others, and the checks have many of
#   them. `T` is at most 6, so you can try all (`itertools.permutations(range(6))` has
#   720), or many at random, or few that you have thought about. One is not enough, and
#   two are enough only if every permutation can be made of them.
# - `x[:, order]` puts the steps of `x` into the order `order`, a list or a tensor of `T`
#   whole numbers.
# - Each step and each sentence has to follow, not only their mean. Differences of up to
#   1e-5 are rounding; the layers that are not equivariant differ by 1e-4 or more.
# - With a single step there is nothing to permute: True.
# - Call the layer; do not look inside it.

# %% nbgrader={"grade_id": "is_equivariant"}
def is_equivariant(layer, x):
    """layer: (B, T, D) -> (B, T, E); x (B, T, D) -> True or False."""
    ### BEGIN SOLUTION
    out = layer(x)  # (B, T, E)
    for t in range(x.shape[1] - 1):
        # swaps of neighbours are enough: every permutation is made of them
        order = torch.arange(x.shape[1])  # (T,)
        order[t], order[t + 1] = t + 1, t
        if not torch.allclose(layer(x[:, order]), out[:, order], atol=1e-5):
            return False
    return True
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_is_equivariant"}
check(is_equivariant)

# %% [markdown]
# ## 2. Sines and cosines
# *easy · 20 minutes · {{points sinusoidal_encoding}}*
#
# Write `sinusoidal_encoding(length, dim)`: → `(T, D)`, one row per position
# $t = 0, \dots, T - 1$. Pair $i$ of the columns is the hand of a clock:
#
# - It starts at angle 0 and turns by $\omega_i = 1 / 10000^{2i / D}$ per step,
#   $i = 0, \dots, D / 2 - 1$.
# - Its sine stands in column $2i$, its cosine in column $2i + 1$.
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
# ## 3. Learned positions
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
# ## 4. A step in time is a rotation
# *medium · 30 minutes · {{points shift_matrix}}*
#
# Write `shift_matrix(offset, dim)`: → the `(D, D)` matrix $M$ with
#
# $$M\, p_t^\top = p_{t + \text{offset}}^\top \qquad \text{for every } t,$$
#
# where $p_t$ is row $t$ of `sinusoidal_encoding`. $M$ stands on the left, so the row
# becomes a column. The matrix depends on the offset, not on $t$.
#
# - `offset` is a whole number; it may be negative (back in time) or 0. `dim` is even.
# - Derive it with pencil and paper. Take one pair, write its sine and its cosine at
#   $t + \text{offset}$, and let the addition theorems express them by the sine and the
#   cosine at $t$: the coefficients are a $2 \times 2$ block. Where does it stand in
#   $M$, and what stands everywhere else?

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
# ## 5. Rotary encoding
# *medium · 30 minutes · {{points rotary}}*
#
# Write `rotary(x, positions)`: `(B, H, T, d)`, `(T,)` → `(B, H, T, d)`. Step $t$ stands
# at `positions[t]`, a whole number (not always $t$ itself). Every pair of neighbouring
# features $(x_{2i}, x_{2i+1})$ is a vector in the plane, the first number to the right,
# the second one up. Turn it counterclockwise by the angle
# $\text{positions}[t] \cdot \omega_i$, with the speeds of exercise 2 for $d$ columns in
# the place of $D$.
#
# - The turned vector is a mixture of what becomes of $(1, 0)$ and of $(0, 1)$: find
#   these two first.
# - All sequences and all heads are turned in the same way. `d` is even.
# - Gradients must reach `x`.
#
# Example with $d = 2$: the vector $(1, 0)$ at position 1 becomes $(0.54, 0.84)$, and
# $(2, 1)$ at position 1 becomes $(0.24, 2.22)$.

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
# ## 6. Spot the mistake: the frequencies
# *5 minutes · {{points choice_frequencies}}*
#
# Somebody codes the frequencies of the sines and cosines for $D = 8$ columns:
#
# ```python
# i = torch.arange(0, D, 2)            # 0, 2, 4, 6
# omega = 10000.0 ** (-2 * i / D)      # one per pair of columns
# ```
#
# What comes out? {{options choice_frequencies}}

# %% nbgrader={"grade_id": "choice_frequencies"}
choice_frequencies = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_frequencies = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_frequencies"}
check(choice_frequencies, "choice_frequencies")

# %% [markdown]
# ## 7. Spot the mistake: where is the place?
# *10 minutes · {{points choice_position_table}}*
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
# {{options choice_position_table}}

# %% nbgrader={"grade_id": "choice_position_table"}
choice_position_table = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_position_table = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_position_table"}
check(choice_position_table, "choice_position_table")

# %% [markdown]
# ## 8. Predict: who can tell?
# *5 minutes · {{points choice_insensitive}}*
#
# A self-attention layer without positions reads *dog bites man* and *man bites dog*.
# Somebody claims that nothing that comes after it can tell the two sentences apart.
# Which of these read-outs can? {{options choice_insensitive}}

# %% nbgrader={"grade_id": "choice_insensitive"}
choice_insensitive = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_insensitive = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_insensitive"}
check(choice_insensitive, "choice_insensitive")

# %% [markdown]
# ## 9. Written: build a head
# *medium · 30 minutes · 5 points, graded by hand*
#
# In all parts step $t$ asks and step $s$ is looked at; vectors are rows, as in unit 02
# ($q = x W_Q$, $k = x W_K$), and the scale and the biases are left out.
#
# 1. *Sines and cosines, concatenated.* The input of step $t$ is $[x_t;\, p_t]$, with
#    $D$ features for the word and $D$ for its place. Build $W_Q$ and $W_K$, each of
#    $2D \times D$, so that every step (but the last two, which have no such key) looks
#    *two steps ahead*, whatever the words are, and so that the weight of that step can
#    be brought as close to 1 as one likes. Write them as blocks, with the matrices
#    $M_\Delta$ of the lecture (exercise 4) and, if you need it, a number $\beta$ that
#    you may choose as large as you like, and write the score of $t$ and $s$ as a
#    function of $s - t$.
# 2. *Rotary, one pair* ($d = 2$, $\omega = 1$). All words have the same query $q$ and
#    the same key $k$, both of length 1, and no factor besides. Choose them so that the
#    score is largest for the key *one step back*, and show that it is. At some other
#    distances the score is nearly as large, above .9: why? Name the nearest such
#    distance on either side: one behind step $t$ and one ahead of it.
# 3. *A learned table, added.* *I walk my dog every day* and *every single day I walk my
#    dog*: *dog* stands two steps after *walk* in both. Is the score of *walk* (as
#    query) and *dog* (as key) the same in both? Write it as
#    $(x + p_t)\, A\, (y + p_s)^\top$ with $A = W_Q W_K^\top$, and say which of the four
#    terms can change.

# %% [markdown] nbgrader={"grade_id": "why_relative", "points": 5}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 2 points for part 1. Zeros in the upper blocks, which meet the words; below, for
#   example, $\beta\, M_2^\top$ in $W_Q$ and $I$ in $W_K$ (or $\beta\, I$ and $M_{-2}^\top$): 1
#   point, also without the transpose if the text says that $p_t$ is meant as a column.
#   The score is $\beta\, p_{t+2} \cdot p_s = \beta \sum_i \cos((s - t - 2)\,\omega_i)$, largest
#   at $s = t + 2$, and a large factor $\beta$ makes softmax as sharp as one likes: 1 point.
# - 2 points for part 2. With the angle $\varphi$ from $q$ to $k$ the score is
#   $q \cdot R_{s-t}\, k = \cos(s - t + \varphi)$ (1 point). It is largest at
#   $s - t = -1$ for $\varphi = 1$, e.g. $q = (1, 0)$, $k = (\cos 1, \sin 1)$. One full
#   turn takes $2\pi \approx 6.28$ steps, so about 6 steps further away, seven back or
#   five ahead, the score is nearly as large, $\cos 6 = .96$ (1 point).
# - 1 point for part 3: no. $x A y^\top$ stays; $x A p_s^\top$, $p_t A y^\top$ and
#   $p_t A p_s^\top$ change with the places, and nothing forces a learned table to make
#   them depend on $s - t$ only.
# ### END SOLUTION

# %% [markdown]
# ## Read numbers, with and without order
#
# Not graded: *your* encodings on words that need them. *drei hundert fünf* and *fünf
# hundert drei* are the same bag of words, and two numbers. A small model reads German
# number words: one attention layer, a sum over the words, four digits. Four such models
# are trained (about five seconds each): without positions, with *your*
# `sinusoidal_encoding`, *your* `LearnedPositions` and *your* `rotary`. *Your*
# `is_equivariant` tests what comes out of the attention layer.
#
# Decide first: which digit can a model read that only knows the bag? The table has the
# four digits one by one. (*zwanzig* means 2 tens wherever it stands.) And if a model
# reads nearly all numbers and still misreads one of the two in the last columns: how many
# of the 4000 have no thousands?


# %%
class NumberReader(nn.Module):
    def __init__(self, words, kind, dim=64):
        super().__init__()
        self.kind, self.word = kind, nn.Embedding(words, dim)
        self.learned = LearnedPositions(7, dim)
        self.project, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.answer = nn.Linear(dim, 4 * 10)

    def mix(self, x, mask=None):  # (N, T, D) -> (N, T, D)
        if self.kind == "sines and cosines":
            x = x + sinusoidal_encoding(x.shape[1], x.shape[2])  # (N, T, D)
        if self.kind == "learned table":
            x = self.learned(x)  # (N, T, D)
        q, k, v = (split_heads(part, 4) for part in self.project(x).chunk(3, dim=-1))
        if self.kind == "rotary":
            places = torch.arange(x.shape[1])  # (T,)
            q, k = rotary(q, places), rotary(k, places)  # (N, 4, T, d) each
        found = F.scaled_dot_product_attention(q, k, v, mask)  # (N, 4, T, d)
        return x + self.out(merge_heads(found))  # (N, T, D)

    def forward(self, tokens):  # (N, T) -> (N, 4, 10)
        real = tokens != 0  # (N, T)
        x = self.mix(self.word(tokens), real[:, None, None])  # (N, T, D)
        x = (x.relu() * real[..., None]).sum(1)  # (N, D)
        return self.answer(x).view(-1, 4, 10)


# %%
if ready("is_equivariant", "sinusoidal_encoding", "LearnedPositions", "rotary"):
    from IPython.display import display

    from course_utils.data.letters import Vocabulary
    from course_utils.data.sequences import read_rows
    from course_utils.plotting import Table
    from course_utils.training import fit, seeded, steps

    numbers, texts = zip(*read_rows("number_words"))  # "0025", "fünf und zwanzig"
    words = Vocabulary(texts)
    tokens = words.encode(texts)  # (4000, T)
    digits = torch.tensor([[int(digit) for digit in number] for number in numbers])

    def train(kind):
        torch.manual_seed(0)
        model, draw = NumberReader(len(words), kind), seeded(0)

        def loss(step):
            batch = torch.randint(500, len(tokens), (64,), generator=draw)  # (64,)
            return F.cross_entropy(model(tokens[batch]).mT, digits[batch])

        fit(loss, model.parameters(), steps(400), lr=5e-3, label=kind)
        return model

    rows, pair = [], words.encode(["drei hundert fünf", "fünf hundert drei"])  # (2, 3)
    for kind in ("no positions", "sines and cosines", "learned table", "rotary"):
        model = train(kind)
        with torch.no_grad():
            right = (model(tokens[:500]).argmax(-1) == digits[:500]).float()  # (500, 4)
            said = ["".join(map(str, row)) for row in model(pair).argmax(-1).tolist()]
            follows = is_equivariant(model.mix, torch.randn(2, 5, 64))
        rows.append((kind, follows, *right.mean(0), right.prod(1).mean(), *said))
    columns = ["thousands", "hundreds", "tens", "units", "all four"]
    columns += ["drei hundert fünf", "fünf hundert drei"]
    display(Table(rows, ["positions", "equivariant", *columns]))

# %% [markdown]
# <details><summary>How to read the table</summary>
#
# - The bag tells the *tens*: among these 4000 numbers, none with the same words differ in
#   them. *vier*, *sieben* and *fünf* may be thousands, hundreds or units, so these three
#   digits are partly guesses. (Partly: *elf* or *eins* also tells the units.)
# - Without positions the layer is equivariant, and the sum over the words then forgets
#   their order. So the two texts of the last columns get the same answer, and at least
#   one is wrong. That is certain before any training.
# - 387 of the 4000 numbers have no thousands, and 337 of the 3500 in training. A model
#   with positions that misreads *drei hundert fünf* need not be blind to order: it has
#   seen few such texts.
# </details>

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
#   (2021): the experiment on longer inputs from the lecture, at scale; ALiBi, the bias
#   with a fixed slope, survives it.
# - Raffel et al., [Exploring the Limits of Transfer
#   Learning](https://arxiv.org/abs/1910.10683) (2019): T5; section 2.1 has the learned
#   bias of the lecture, in one paragraph.
# - Haviv et al., [Transformer Language Models without Positional Encodings Still Learn
#   Positional Information](https://arxiv.org/abs/2203.16634) (2022): what a causal mask
#   alone gives away.
