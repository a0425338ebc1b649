# %% [markdown]
# # Assignment 05 · Multi-head attention
#
# You build multi-head attention from its parts, prove that it equals torch's, switch
# single heads off, find two bugs that no error message reports, and predict what heads
# cost. At the end your functions take a trained model apart: which head reads which digit?
#
# - Expected time: a little less than three hours.
# - Below each answer stands a cell that checks it at once. It tells what is wrong, and
#   often which misunderstanding is behind it. The grader uses the same checks with
#   other numbers.
# - Sizes: `B` batch, `T` queries, `S` keys, `D` features of the model, `H` heads,
#   `d = D / H` features of a head.
# - Masks are boolean and True means *may attend*.
# - Functions must not change the tensors that they are given, and must let gradients
#   flow (no `.detach()`, no NumPy).

# %%
import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary
from course_utils.masking import causal_mask, masked_attention, masked_softmax

# %% [markdown]
# ## 1. Split the features into heads
# *easy · 15 minutes · {{points split_heads}}*
#
# Write `split_heads(x, heads)`: `(B, T, D)` → `(B, H, T, d)` with `d = D / H`.
#
# - Head `h` gets the `h`-th *contiguous* slice of the features: head 0 the features
#   `0 … d - 1` of every time step, head 1 the features `d … 2d - 1`, and so on.
# - If the number of heads does not divide `D`, raise a `ValueError`.
#
# A small example, one sequence of two steps with four features, two heads:
#
# ```
# x = [[1, 2, 3, 4],     head 0: [[1, 2],     head 1: [[3, 4],
#      [5, 6, 7, 8]]              [5, 6]]              [7, 8]]
# ```

# %% nbgrader={"grade_id": "split_heads"}
def split_heads(x, heads):
    """(B, T, D) -> (B, H, T, D / H)."""
    ### BEGIN SOLUTION
    batch, length, dim = x.shape
    if dim % heads:
        raise ValueError(f"{heads} heads cannot share {dim} features evenly")
    pieces = x.view(batch, length, heads, dim // heads)  # (B, T, H, d)
    return pieces.transpose(1, 2)  # (B, H, T, d)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_split_heads"}
check(split_heads)

# %% [markdown]
# ## 2. Merge the heads again
# *easy · 10 minutes · {{points merge_heads}}*
#
# Write `merge_heads(x)`: `(B, H, T, d)` → `(B, T, H * d)`, the inverse of
# `split_heads`: each time step gets the features of all its heads, head 0 first.

# %% nbgrader={"grade_id": "merge_heads"}
def merge_heads(x):
    """(B, H, T, d) -> (B, T, H * d)."""
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)  # (B, T, H, d) -> (B, T, H * d)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_merge_heads"}
check(merge_heads)

# %% [markdown]
# ## 3. Multi-head attention
# *medium · 30 minutes · {{points MultiHeadAttention}}*
#
# Complete `forward`. The constructor is given; do not change it, the checks copy
# weights into these four layers.
#
# 1. Send `query`, `key` and `value` each through the layer of its name, and split the
#    results into heads.
# 2. Let every head attend, scaled by the root of a head's size. You may use
#    `masked_attention(query, key, value, mask)` of unit 03, which works on the last two
#    axes, scales by itself and returns `(output, weights)`; or write it out. (Then note
#    that `masked_softmax` needs a mask; with `mask=None` use `softmax`.)
# 3. Merge the heads and send them through `self.out`.
#
# Return the pair `(output (B, T, D), weights (B, H, T, S))`: the weights of *every*
# head, not their mean.
#
# - `query` has length `T`, `key` and `value` have length `S`; they may be three
#   different tensors.
# - `mask` is `None` or boolean, broadcastable to `(B, H, T, S)`: e.g. `(T, S)`, or
#   `(B, 1, 1, S)`.
# - A query that may attend to nothing gets weights that are all zero
#   (`masked_attention` does that).
# - Not allowed: `nn.MultiheadAttention`, `F.multi_head_attention_forward`.

# %% nbgrader={"grade_id": "MultiHeadAttention"}
class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        """(B, T, D), (B, S, D), (B, S, D), mask -> (B, T, D), weights (B, H, T, S)."""
        ### BEGIN SOLUTION
        q = split_heads(self.query(query), self.heads)  # (B, H, T, d)
        k = split_heads(self.key(key), self.heads)  # (B, H, S, d)
        v = split_heads(self.value(value), self.heads)  # (B, H, S, d)
        output, weights = masked_attention(q, k, v, mask)  # (B, H, T, d), (B, H, T, S)
        return self.out(merge_heads(output)), weights  # (B, T, D), (B, H, T, S)
        ### END SOLUTION

# %% nbgrader={"grade_id": "test_MultiHeadAttention"}
check(MultiHeadAttention)

# %% [markdown]
# ## 4. Weights from torch
# *medium · 25 minutes · {{points from_torch}}*
#
# Write `from_torch(mha)`: it takes an `nn.MultiheadAttention` (batch first, no dropout,
# with biases) and returns one of *your* `MultiHeadAttention` with the same weights, so
# that both give the same output and the same weights per head. Your module gets its own
# copies: whatever is trained or changed in one of the two later, the other stays as it
# is.
#
# What is inside `mha`:
#
# | attribute | shape | what it is |
# |---|---|---|
# | `mha.embed_dim`, `mha.num_heads` | numbers | $D$ and $H$ |
# | `mha.in_proj_weight` | `(3 D, D)` | weights of query, key, value, on top of one another |
# | `mha.in_proj_bias` | `(3 D,)` | their biases, in the same order |
# | `mha.out_proj` | an `nn.Linear` | the output projection |
#
# Both torch's packed matrix and an `nn.Linear` store weights as `(out, in)`. To set a
# parameter, use `with torch.no_grad():` and `parameter.copy_(tensor)`, or
# `load_state_dict`. This exercise uses your class of exercise 3, so solve that one
# first. The cell below the answer lets you look at the difference yourself.

# %% nbgrader={"grade_id": "from_torch"}
def from_torch(mha):
    """nn.MultiheadAttention -> MultiHeadAttention with the same weights."""
    ### BEGIN SOLUTION
    attention = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    layers = (attention.query, attention.key, attention.value)
    with torch.no_grad():
        for i, layer in enumerate(layers):
            layer.weight.copy_(mha.in_proj_weight.chunk(3)[i])  # (D, D)
            layer.bias.copy_(mha.in_proj_bias.chunk(3)[i])  # (D,)
    attention.out.load_state_dict(mha.out_proj.state_dict())
    return attention
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_from_torch"}
check(from_torch)

# %% [markdown]
# Look for yourself (not graded): the largest differences should be `1e-6` or less.

# %%
theirs = nn.MultiheadAttention(12, 3, batch_first=True)
ours = from_torch(theirs)
x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)  # (B, T, D), (B, S, D)
got = None if ours is None else ours(x, memory, memory)  # (B, T, D), (B, H, T, S)
if got is not None:  # else exercise 3 or 4 is still to be solved
    expected = theirs(x, memory, memory, average_attn_weights=False)
    print([f"{(a - b).abs().max():.1e}" for a, b in zip(got, expected)])

# %% [markdown]
# ## 5. Switch a head off
# *medium · 25 minutes · {{points without_head}}*
#
# Which heads of a trained layer are needed? To find out, one switches them off. Write
# `without_head(mha, head)`: it takes an `nn.MultiheadAttention` as in exercise 4
# (`head` counts from 0) and returns another `nn.MultiheadAttention` that computes the
# same, except that this head *writes nothing*: what it would have added to the output is
# missing, and nothing else.
#
# - All other heads write what they wrote before, neither more nor less. The bias of
#   `out_proj` stays.
# - The head still looks: the attention weights that the layer returns stay as they were.
# - `mha` itself must not change. `copy.deepcopy` makes a copy of a module with all its
#   parameters.
# - Head `h` has the features `h d … (h + 1) d - 1` of queries, keys and values, as in
#   exercise 1. You find its numbers in the attributes of the table above; there is more
#   than one right place to change.
# - With one head, and that one off, nothing is left but the bias of `out_proj`.
#
# Think before you code: what does a head write whose queries are all zero?

# %% nbgrader={"grade_id": "without_head"}
def without_head(mha, head):
    """nn.MultiheadAttention, int -> nn.MultiheadAttention in which one head is off."""
    ### BEGIN SOLUTION
    silent = copy.deepcopy(mha)
    size = mha.embed_dim // mha.num_heads
    with torch.no_grad():  # stored as (out, in): what a head writes is in its columns
        silent.out_proj.weight[:, head * size : (head + 1) * size] = 0
    return silent
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_without_head"}
check(without_head)

# %% [markdown]
# Look for yourself (not graded). A layer minus the same layer without head `h` is what
# head `h` writes. Written by all heads, plus the bias, that must be the whole output:
# the difference should be `1e-6` or less.

# %%
less = [without_head(theirs, h) for h in range(3)]
if None not in less:  # else exercise 5 is still to be solved
    whole = theirs(x, memory, memory)[0]  # (B, T, D)
    written = [whole - layer(x, memory, memory)[0] for layer in less]  # 3 times (B, T, D)
    print(f"{(sum(written) + theirs.out_proj.bias - whole).abs().max():.1e}")

# %% [markdown]
# ## 6. Heads that share keys and values
# *medium · 25 minutes · {{points grouped_query_attention}}*
#
# A model that writes keeps the keys and values of everything so far. To save memory,
# large language models let several heads of queries share one head of keys and values.
# Write `grouped_query_attention(query, key, value, mask=None)`:
#
# - `query` is `(B, H, T, d)`, `key` and `value` are `(B, G, S, d)`: already projected
#   and split, `H` heads of queries and `G` heads of keys and values.
# - Neighbours share: with `H = 6` and `G = 2` the queries of heads 0, 1 and 2 use keys
#   and values 0, those of heads 3, 4 and 5 use keys and values 1. If `G` does not
#   divide `H`, raise a `ValueError`.
# - Scores, scale (that of one head) and softmax as always. The mask, if there is one,
#   is broadcastable to `(B, H, T, S)`; every row allows at least one key.
#   (`masked_softmax` needs a mask; with `mask=None` use `softmax`.)
# - Return `(output (B, H, T, d), weights (B, H, T, S))`.
#
# With `G = H` this is ordinary multi-head attention. Four heads with the queries 0, 1,
# 2, 3 (`d = 1`, one step), group 0 with the keys 0, 1 and group 1 with the keys 1, 0:
# the weights of the four heads are (.50, .50), (.27, .73), (.88, .12), (.95, .05).

# %% nbgrader={"grade_id": "grouped_query_attention"}
def grouped_query_attention(query, key, value, mask=None):
    """(B, H, T, d), (B, G, S, d) twice -> (B, H, T, d), (B, H, T, S)."""
    ### BEGIN SOLUTION
    heads, groups = query.shape[1], key.shape[1]
    if heads % groups:
        raise ValueError(f"{heads} heads cannot share {groups} evenly")
    key = key.repeat_interleave(heads // groups, dim=1)  # (B, H, S, d)
    value = value.repeat_interleave(heads // groups, dim=1)  # (B, H, S, d)
    return masked_attention(query, key, value, mask)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_grouped_query_attention"}
check(grouped_query_attention)

# %% [markdown]
# ## 7. Spot the bug: split first
# *5 minutes · {{points choice_pieces}}*
#
# With $D = 512$ and 8 heads somebody splits *before* projecting:
#
# ```python
# self.query = nn.Linear(64, 64, bias=False)   # likewise self.key, self.value
# ...
# x = split_heads(x, 8)                        # (B, 8, T, 64)
# q, k, v = self.query(x), self.key(x), self.value(x)
# ```
#
# How many weights do the three projections have, and what is wrong, if anything?
# {{options choice_pieces}}

# %% nbgrader={"grade_id": "choice_pieces"}
choice_pieces = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_pieces = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_pieces"}
check(choice_pieces, "choice_pieces")

# %% [markdown]
# ## 8. Spot the bug: one letter
# *5 minutes · {{points choice_index}}*
#
# The scores of all heads at once, by `einsum`. Queries and keys have the shape (B, H,
# T, d); $d$ is the size of a head:
#
# ```python
# scores = torch.einsum("bhtd,bgsd->bhts", q, k) / math.sqrt(d)
# ```
#
# Letters that do not occur after the arrow are summed over. What does this compute?
# {{options choice_index}}

# %% nbgrader={"grade_id": "choice_index"}
choice_index = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_index = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_index"}
check(choice_index, "choice_index")

# %% [markdown]
# ## 9. Predict: more heads of the same size
# *5 minutes · {{points choice_speed}}*
#
# A layer with $D = 512$, without biases, has 8 heads of 64 features. Somebody wants 16
# heads, but keeps their size at 64; $W_O$ brings the result back to 512. What happens to
# the number of parameters, and to the multiplications for the scores?
# {{options choice_speed}}

# %% nbgrader={"grade_id": "choice_speed"}
choice_speed = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_speed = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_speed"}
check(choice_speed, "choice_speed")

# %% [markdown]
# ## 10. Written: the bias that does nothing
# *medium · 15 minutes · 4 points, graded by hand*
#
# In the lecture, 5 was added to the bias of the *key* layer, and the output stayed the
# same.
#
# 1. Show in two or three lines why, for every query and every head, a bias $b$ added to
#    all keys does not change the attention weights.
# 2. Is the same true for a bias on the *queries*? Give the reason, not only yes or no.
# 3. Is it true for a bias on the *values*? What does such a bias do to the output, when
#    every row of weights sums to one?

# %% [markdown] nbgrader={"grade_id": "why_no_key_bias", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 2 points for part 1: the score becomes
#   $q \cdot (k_s + b) = q \cdot k_s + q \cdot b$; the second term is the same for all
#   $s$ (1 point); softmax over $s$ does not change when the same number is added to all
#   scores (1 point).
# - 1 point for part 2: no. $(q + b) \cdot k_s = q \cdot k_s + b \cdot k_s$, and
#   $b \cdot k_s$ differs from key to key: it is a preference for some keys whatever the
#   query.
# - 1 point for part 3: no. As the weights sum to one,
#   $\sum_s \alpha_s (v_s + b) = \sum_s \alpha_s v_s + b$: the same vector is added to
#   every output of the head (and goes through $W_O$; the bias of the output layer could
#   do the same).
# ### END SOLUTION

# %% [markdown]
# ## Which head reads which digit?
#
# Not graded: *your* functions take a trained layer apart. A small model reads German
# number words, *vier tausend sieben hundert fünf und zwanzig* → 4725. It has one learned
# question, one `nn.MultiheadAttention` with four heads, and must read all four digits
# from the one vector that comes back. (Every word gets the vector of the word after it
# added, so that *vier* before *tausend* differs from *vier* before *hundert*. Order is the
# matter of unit 06.) It trains for about five seconds. Then *your* `without_head`
# switches off one head after the other, on 500 numbers that the model never saw, and
# *your* `from_torch` shows where the heads look.
#
# Decide first what you expect: one head for each digit? Then look whether the two
# figures agree. Does a digit suffer without a head that does not look at its word? Change
# `seed`, or `heads` to 1 or 8: what stays, and what was chance?


# %%
class NumberReader(nn.Module):
    def __init__(self, words, heads, dim=64):
        super().__init__()
        self.word, self.after = nn.Embedding(words, dim), nn.Embedding(words, dim)
        self.question = nn.Parameter(torch.randn(1, 1, dim))
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.answer = nn.Linear(dim, 4 * 10)

    def inputs(self, tokens):  # (N, S) -> (N, 1, D), (N, S, D)
        after = F.pad(tokens[:, 1:], (0, 1))  # (N, S): the next word, 0 after the last
        x = self.word(tokens) + self.after(after)  # (N, S, D)
        return self.question.expand(len(x), 1, -1), x

    def forward(self, tokens):  # (N, S) -> (N, 4, 10)
        question, x = self.inputs(tokens)  # (N, 1, D), (N, S, D)
        padding = tokens == 0  # (N, S): here True means blocked
        found = self.attention(question, x, x, key_padding_mask=padding)[0]  # (N, 1, D)
        return self.answer(found).view(-1, 4, 10)


# %%
seed, heads = 1, 4
if ready("from_torch", "without_head"):
    from course_utils.data.letters import Vocabulary
    from course_utils.data.sequences import read_rows
    from course_utils.plotting import heatmap
    from course_utils.training import fit, seeded, steps

    numbers, texts = zip(*read_rows("number_words"))  # "0025", "fünf und zwanzig"
    words = Vocabulary(texts)
    tokens = words.encode(texts)  # (4000, S)
    digits = torch.tensor([[int(digit) for digit in number] for number in numbers])
    torch.manual_seed(seed)
    model, draw = NumberReader(len(words), heads), seeded(seed)

    def loss(step):
        batch = torch.randint(500, len(tokens), (64,), generator=draw)  # (64,)
        return F.cross_entropy(model(tokens[batch]).mT, digits[batch])

    fit(loss, model.parameters(), steps(400), lr=5e-3)

    @torch.no_grad()
    def right(reader):  # -> (4,): share of new numbers for which each digit is right
        return (reader(tokens[:500]).argmax(-1) == digits[:500]).float().mean(0)

    shares = [right(model)]  # (4,) each
    for h in range(heads):
        less = copy.deepcopy(model)
        less.attention = without_head(model.attention, h)
        shares.append(right(less))
    rows = ["all heads", *(f"without head {h}" for h in range(heads))]
    columns = ["thousands", "hundreds", "tens", "units"]
    ax = heatmap(torch.stack(shares), rows, columns, "digits right", vmax=1.0)
    ax.set(xlabel="", ylabel="")
    text = "vier tausend sieben hundert fünf und zwanzig"
    with torch.no_grad():
        question, x = model.inputs(words.encode([text]))  # (1, 1, D), (1, S, D)
        weights = from_torch(model.attention)(question, x, x)[1][0, :, 0]  # (H, S)
    names = [f"head {h}" for h in range(heads)]
    heatmap(weights, names, text.split(), "where the heads look").set_ylabel("")

# %% [markdown]
# <details><summary>What stays, and what was chance?</summary>
#
# - *Which* head reads which digit is chance: exchange two heads, and the layer computes
#   the same. So head 2 of one seed has nothing to do with head 2 of another.
# - One head for each digit may come out or not. In the lecture's reader it did from two
#   seeds of three; from the third most questions hung on several heads. With eight heads,
#   two or more did parts of a question.
# - With one head all four digits have to come out of one mixture, from every seed. In
#   the lecture that was far worse than four heads.
# - A digit can suffer without a head that does not look at its word: the answer is read
#   from the sum over all heads, and a missing term moves every score. Besides, the
#   second figure shows one text, the first one 500.
# </details>

# %% [markdown]
# ## Your points so far

# %%
summary("05")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
#   (2017), section 3.2.2: the original definition, half a page that you can now read
#   line by line.
# - Michel, Levy, Neubig, [Are Sixteen Heads Really Better than
#   One?](https://arxiv.org/abs/1905.10650) (2019): head ablation, as in the lecture, on
#   real translation models.
# - Voita et al., [Analyzing Multi-Head
#   Self-Attention](https://arxiv.org/abs/1905.09418) (2019): what the heads that
#   survive pruning do; some of them can be named.
# - Elhage et al., [A Mathematical Framework for Transformer
#   Circuits](https://transformer-circuits.pub/2021/framework/index.html) (2021): takes
#   "the output is a sum over heads" as its starting point and gets far with it.
# - Olsson et al., [In-context Learning and Induction
#   Heads](https://arxiv.org/abs/2209.11895) (2022): the pair of heads at the end of the
#   lecture, looked for in language models of many sizes.
