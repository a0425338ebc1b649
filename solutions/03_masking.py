# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Assignment 03 · Masking
#
# You build the two masks that every Transformer needs, a softmax that obeys them,
# attention on top of it, and at last a detector that finds out whether a layer looks
# into the future. About two and a half hours; the speller and the challenge after
# exercise 5 are not graded and can wait until the end. The
# [lecture](../../lectures/03_masking.ipynb) has the ideas.
#
# **Conventions**, here and in all units:
#
# - a mask is **boolean**, and **True means: may attend**. One row per query, one column
#   per key;
# - a mask need not have the shape of the scores, only one that *broadcasts* to it:
#   $(T, S)$ for all sentences alike, $(B, 1, S)$ for all queries of a sentence alike;
# - a row with nothing to attend to (all False) gives **zeros**, never NaN;
# - `...` in a shape stands for any number of leading axes, none included; softmax runs
#   along the last axis; functions that attend return `(output, weights)`;
# - everything is allowed that is not forbidden in the text: loops, `einsum`, any fill
#   that gives the right numbers. Do not change the tensors that you are given, and let
#   gradients flow;
# - you may use your own answers further down.
#
# Replace each `...  # YOUR CODE HERE`, run the cell, then the test cell below it. The
# tests that you see are drawn from one seed; the grader uses others.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary
from course_utils.dot_product_attention import scaled_dot_product_attention  # no mask

# %% [markdown]
# ## 1. Padding mask
# *easy · 10 minutes · {{points padding_mask}}*
#
# Write `padding_mask(lengths, max_len)`: `lengths` (whole numbers, dtype int64) says
# how many real tokens each of the $B$ sentences has; they stand at the *beginning* of a
# row of `max_len` places. Return a boolean $(B, \text{max\_len})$ tensor, True on real
# tokens.
#
# ```
# lengths = [2, 4, 0], max_len = 4   ->   [[ True,  True, False, False],
#                                          [ True,  True,  True,  True],
#                                          [False, False, False, False]]
# ```
#
# `max_len` may be larger than the longest sentence; a length may be 0.

# %% nbgrader={"grade_id": "padding_mask"}
def padding_mask(lengths, max_len):
    """(B,) int -> (B, max_len) bool, True on real tokens."""
    ### BEGIN SOLUTION
    return torch.arange(max_len) < lengths[:, None]  # (B, max_len)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_padding_mask"}
check(padding_mask)

# %% [markdown]
# ## 2. Causal mask
# *easy · 10 minutes · {{points causal_mask}}*
#
# Write `causal_mask(length)`: a boolean $(T, T)$ tensor in which row $t$ (the step that
# looks) is True in the columns $0, \dots, t$ (the steps that it may look at). Itself
# included.

# %% nbgrader={"grade_id": "causal_mask"}
def causal_mask(length):
    """-> (T, T) bool, True on and below the diagonal."""
    ### BEGIN SOLUTION
    return torch.ones(length, length, dtype=torch.bool).tril()  # (T, T)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_causal_mask"}
check(causal_mask)

# %% [markdown]
# ## 3. Masked softmax
# *medium · 25 minutes · {{points masked_softmax}}*
#
# Write `masked_softmax(scores, mask)`: a softmax along the last axis in which only the
# allowed entries take part.
#
# - `scores` is $(..., T, S)$, `mask` boolean and broadcastable to it; the result has
#   the shape of the scores;
# - forbidden entries get the weight 0, and the allowed ones of a row sum to 1;
# - a row with nothing allowed is all zeros, and so are the gradients of its scores
#   (never NaN);
# - scores lie between −1000 and 1000. Where all allowed ones are near −300, a forbidden
#   one must still not win; and it may be the forbidden one that has the highest score
#   by far.
#
# ```
# scores = [[ln 3, 0, 9],    mask = [[True,  True, False],   ->   [[0.75, 0.25, 0],
#           [   5, 6, 7]]            [False, False, False]]        [0,    0,    0]]
# ```
#
# torch's own softmax may be used.

# %% nbgrader={"grade_id": "masked_softmax"}
def masked_softmax(scores, mask):
    """(..., T, S), bool broadcastable to it -> weights (..., T, S)."""
    ### BEGIN SOLUTION
    # NaN in a row without any True
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)  # (..., T, S)
    return weights.masked_fill(~mask, 0.0)  # (..., T, S)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_masked_softmax"}
check(masked_softmax)

# %% [markdown]
# ## 4. Attention with a mask
# *medium · 20 minutes · {{points masked_attention}}*
#
# Write `masked_attention(query, key, value, mask=None)`: scaled dot-product attention
# as in unit 02 (scores divided by $\sqrt{D}$, the size of the keys), in which a query
# attends only to the keys that its mask allows. Without a mask (`None`) nothing is
# forbidden. A query with nothing to attend to gets an output of zeros, and weights of
# zeros.
#
# | argument | shape |
# |---|---|
# | `query`, `key`, `value` | $(..., T, D)$, $(..., S, D)$, $(..., S, D_v)$ |
# | `mask` | boolean, broadcastable to $(..., T, S)$, or `None` |
# | → output, weights | $(..., T, D_v)$, $(..., T, S)$ |
#
# The weights that you return are those that were used: they show the mask. Not allowed:
# `F.scaled_dot_product_attention`, `nn.MultiheadAttention`. (The function imported
# above knows no mask; it is there to compare with.)

# %% nbgrader={"grade_id": "masked_attention"}
def masked_attention(query, key, value, mask=None):
    """(..., T, D), (..., S, D), (..., S, Dv), mask -> (..., T, Dv), (..., T, S)."""
    ### BEGIN SOLUTION
    scores = query @ key.mT / math.sqrt(key.shape[-1])  # (..., T, S)
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)  # (..., T, S)
    weights = masked_softmax(scores, mask)  # (..., T, S)
    return weights @ value, weights
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_masked_attention"}
check(masked_attention)

# %% [markdown]
# ## 5. A detector for leaks
# *harder · 40 minutes · {{points sees_the_future}}*
#
# Write `sees_the_future(layer, x)`: True if **any** output position of the layer
# depends on **any later** input position, else False.
#
# `layer` is something that can be called: `layer(x)` turns $(B, T, D)$ into
# $(B, T, E)$, where position $t$ of the output belongs to position $t$ of the input.
# You do not know what is inside, and must not look; call it as often as you like. `x`
# is a batch of ordinary random numbers to try it with.
#
# - An output may depend on the *present* and on the past; that is not a leak.
# - A leak can be small: a single position that sees a single later one (the next, or
#   one far ahead), weakly, or visible in one sentence of the batch only.
# - What does not depend does not change, but for rounding. Outputs are of size 1 or so;
#   differences above about $10^{-6}$ count. Make your own changes large (about 1), so
#   that a weak leak moves something.
# - Always call the layer with the shape of `x`: it may have a mask of that length inside.
# - With a single step there is no future: False. And `x` itself must be left as it is.
#
# <details><summary>A hint, if you do not know how to begin</summary>
#
# ```
# input   x0  x1  x2 | x3  x4      change everything right of the bar …
# output  y0  y1  y2 | y3  y4      … and nothing left of it may move. For every bar.
# ```
#
# Change at random: many layers do not notice if the same number is added to all
# features.
#
# </details>
#
# Here are two layers to try it on, one innocent and one guilty:

# %%
def innocent(x):
    return x.cumsum(dim=1)  # (B, T, D): each step is the sum of all steps so far


def guilty(x):
    # each step also contains the next one (and the last one the first)
    return x + x.roll(-1, dims=1)  # (B, T, D)


# %% nbgrader={"grade_id": "sees_the_future"}
def sees_the_future(layer, x):
    """layer: (B, T, D) -> (B, T, E); x (B, T, D) -> True or False."""
    ### BEGIN SOLUTION
    before = layer(x)  # (B, T, E)
    for t in range(1, x.shape[1]):
        future = x[:, t:] + torch.randn_like(x[:, t:])  # (B, T - t, D)
        changed = torch.cat([x[:, :t], future], dim=1)  # (B, T, D)
        if not torch.allclose(layer(changed)[:, :t], before[:, :t], atol=1e-6):
            return True
    return False
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_sees_the_future"}
check(sees_the_future)

# %% [markdown]
# If it works, put your own attention on trial. (Not graded.)

# %%
def attention_without_mask(x):
    return masked_attention(x, x, x)[0]  # (B, T, D)


def attention_with_mask(x):
    return masked_attention(x, x, x, causal_mask(x.shape[1]))[0]  # (B, T, D)


x = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(0))  # (B, T, D)
layers = [innocent, guilty]
if masked_attention(x, x, x) is not None:  # else exercise 4 is still to be solved
    layers += [attention_without_mask, attention_with_mask]
for layer in layers:
    print(f"{layer.__name__:<24}", sees_the_future(layer, x))

# %% [markdown]
# ## A speller, three times
# *not graded · half a minute of computing*
#
# Your own parts, put together: a language model with one attention layer that learns to
# write palindromes of eight letters, such as *abcddcba*. The first four letters are free,
# the other four follow. So no honest model gets below $4 \ln 8 / 8 \approx 1.04$ nats per
# letter on average. It is trained with three masks: none at all, one that is open a
# step too far, and yours. The cell runs as soon as your checks are green. Before you
# run it: which of the three will write palindromes? Compare with the column *different
# words*.


# %%
class Speller(nn.Module):
    def __init__(self, mask, dim=32):
        super().__init__()
        self.mask = mask  # (8, 8) bool
        self.letters, self.places = nn.Embedding(9, dim), nn.Embedding(8, dim)
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim, bias=False)
        self.hidden, self.out = nn.Linear(2 * dim, 64), nn.Linear(64, 9)

    def read(self, x):  # (B, T, D) -> (B, T, 9)
        mask = self.mask[: x.shape[1], : x.shape[1]]  # (T, T)
        query, key, value = self.query(x), self.key(x), self.value(x)  # (B, T, D) each
        found, _ = masked_attention(query, key, value, mask)  # (B, T, D)
        return self.out(self.hidden(torch.cat([x, found], -1)).relu())  # (B, T, 9)

    def forward(self, tokens):  # (B, T) -> (B, T, 9)
        return self.read(self.letters(tokens) + self.places.weight[: tokens.shape[1]])


# %%
if ready("causal_mask", "masked_softmax", "masked_attention", "sees_the_future"):
    from IPython.display import display

    from course_utils.plotting import Table
    from course_utils.training import fit, seeded, steps

    def palindromes(count, rng):
        half = torch.randint(1, 9, (count, 4), generator=rng)  # (N, 4): letters 1 to 8
        start = torch.zeros(count, 1, dtype=torch.long)  # (N, 1): 0 is the start
        return torch.cat([start, half, half.flip(1)], 1)  # (N, 9)

    def train(mask):
        torch.manual_seed(0)
        model, rng = Speller(mask), seeded(0)

        def loss(step):
            tokens = palindromes(128, rng)  # (N, 9)
            return F.cross_entropy(model(tokens[:, :-1]).mT, tokens[:, 1:])

        fit(loss, model.parameters(), steps(600), lr=5e-3)
        return model, loss(0).item()

    @torch.no_grad()
    def write(model, rng):
        tokens = torch.zeros(500, 1, dtype=torch.long)  # (500, 1)
        for _ in range(8):
            weights = model(tokens)[:, -1].softmax(-1)  # (500, 9)
            tokens = torch.cat([tokens, torch.multinomial(weights, 1, generator=rng)], 1)
        return ["".join("-abcdefgh"[i] for i in row[1:]) for row in tokens]

    allowed = torch.ones(8, 8, dtype=torch.bool)  # (8, 8)
    masks = {"none": allowed, "a step too far": allowed.tril(1), "yours": causal_mask(8)}
    rows, x = [], torch.randn(2, 8, 32, generator=torch.Generator().manual_seed(1))
    for name, mask in masks.items():
        model, reached = train(mask)
        words = write(model, seeded(2))
        right = sum(word == word[::-1] for word in words) / len(words)
        looks = sees_the_future(model.read, x)
        rows.append([name, reached, looks, right, len(set(words)), ", ".join(words[:3])])
    columns = ["mask", "loss", "sees the future", "palindromes", "different words"]
    display(Table(rows, [*columns, "for example"]))

# %% [markdown]
# A model that has learned to copy the letter it is about to be asked for may say, when
# there is nothing to copy, the same thing again and again. That can even look right:
# count the *different* words before you believe a share. (500 fair draws from the
# $8^4 = 4096$ palindromes give 471 different ones on average. This was one training
# for each mask; other seeds give other numbers.)

# %% [markdown]
# ## A challenge: several texts in one row
# *not graded · 15 minutes*
#
# So that no place is wasted on padding, short texts are often *packed*: several of them
# share one row, one after the other. `documents` says to which text of its row a place
# belongs: 1, 2, …, and 0 is padding. A place may look at itself and at what stands
# before it *in its own text*. Padding neither looks nor is looked at. Write the mask.

# %%
def packed_mask(documents):
    """(B, T) int, 0 is padding -> (B, T, T) bool."""
    ...  # not graded


# %% [markdown]
# Nothing is compared with a right mask here. The cell below tests what the mask is
# *for*: each text must come out as if it were alone (a difference of $10^{-6}$ or less
# is rounding), and padding must come out as zeros. Before you believe it: which
# mistakes would this test miss?

# %%
documents = torch.tensor([[1, 1, 1, 2, 2, 0], [1, 1, 2, 2, 2, 2]])  # (B, T)
x = torch.randn(2, 6, 4, generator=torch.Generator().manual_seed(0))  # (B, T, D)
mask = packed_mask(documents)  # (B, T, T)
if mask is None or masked_attention(x, x, x) is None:
    print("runs as soon as packed_mask and exercise 4 are there")
else:
    packed, _ = masked_attention(x, x, x, mask)  # (B, T, D)
    for row, number in [(0, 1), (0, 2), (1, 1), (1, 2)]:
        here = documents[row] == number  # (T,)
        text = x[row, here]  # (t, D)
        alone, _ = masked_attention(text, text, text, causal_mask(len(text)))  # (t, D)
        difference = (packed[row, here] - alone).abs().max()
        print(f"row {row}, text {number}: differs by {difference:.1e}")
    print("padding comes out as zeros:", bool((packed[documents == 0] == 0).all()))

# %% [markdown]
# <details><summary>A hint, and what the test would miss</summary>
#
# Three conditions, each a small mask of its own, joined with `&`: not later, the same
# text, not padding. For the second one compare the numbers of all places with those of
# all others, within each row; mind which axis you add.
#
# The test tries one arrangement of texts. A mask that is written for just these lengths
# would pass, and so would one that mixes up the rows of a batch if all rows were alike
# (ours are not). And `sees_the_future` does not help: the neighbour's text lies in the
# past.
#
# </details>

# %% [markdown]
# ## 6. Spot the bug: similarity zero
# *5 minutes · {{points choice_zero_score}}*
#
# To keep a model from cheating, somebody sets the *similarities* between a word and all
# words that follow it to 0. In one row the two allowed words have the similarities 2
# and −2; two more are forbidden. How much of the weight do the forbidden ones get, both
# together? {{options choice_zero_score}}

# %% nbgrader={"grade_id": "choice_zero_score"}
choice_zero_score = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_zero_score = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_zero_score"}
check(choice_zero_score, "choice_zero_score")

# %% [markdown]
# ## 7. Predict: only before
# *5 minutes · {{points choice_only_before}}*
#
# About the decoder of a Transformer (the part that writes) one often reads that each
# token attends only to the tokens *before* it. Somebody takes that literally: the mask
# is True strictly *below* the diagonal, an empty row gives zeros as in this course, and
# the inputs are shifted right by one, `<go>` first. The model has one attention layer,
# and its output is all that it predicts from. At the place that has to predict word 5 of
# a sentence: from which words can the output be *mixed*, that is, whose values can it
# get? {{options choice_only_before}}

# %% nbgrader={"grade_id": "choice_only_before"}
choice_only_before = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_only_before = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_only_before"}
check(choice_only_before, "choice_only_before")

# %% [markdown]
# ## 8. Spot the bug: a mask for the wrong door
# *10 minutes · {{points choice_two_booleans}}*
#
# A student has tested a padding mask with this course's `masked_attention`, where it
# worked, and moves on to the module. The batch has two sentences; the first has four
# words, the second has two words and two places of padding.
#
# ```python
# real = tokens != PAD                    # (2, 4) bool
# attention = nn.MultiheadAttention(16, 1, batch_first=True)
# output, weights = attention(x, x, x, key_padding_mask=real)
# ```
#
# What happens? {{options choice_two_booleans}}

# %% nbgrader={"grade_id": "choice_two_booleans"}
choice_two_booleans = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_two_booleans = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_two_booleans"}
check(choice_two_booleans, "choice_two_booleans")

# %% [markdown]
# ## 9. Predict: one dot too many
# *10 minutes · 2 points, graded by hand*
#
# A decoder (a model that writes word after word) is trained on *I am calm .* with the
# inputs START, *I*, *am*, *calm* at places 0 to 3, the targets *I*, *am*, *calm*, *.*,
# and this mask (● may attend):
#
# | place | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | 0 | ● | | | |
# | 1 | ● | ● | ● | |
# | 2 | ● | ● | ● | |
# | 3 | ● | ● | ● | ● |
#
# The model has one attention layer. Which place can copy its answer, and from where?
# And suppose that a second such layer with the same mask is put on top: which further
# place, if any, can now copy its answer, and why? Two or three sentences.

# %% [markdown] nbgrader={"grade_id": "who_predicts_what", "points": 2}
# ### BEGIN SOLUTION
# **Rubric.** *1 point*: place 1. Its target is *am*, which is the input of place 2, and
# the mask lets it look there. (Place 2 looks at itself, and that is allowed: its target
# *calm* stands at place 3.) *1 point*: no further one. A copy needs a way from the
# place to the input that is its target, one place to the right, over any number of
# layers. Places 0 and 2 would have to reach places 1 and 3; place 0 sees only itself in
# every layer, and places 1 and 2 reach 0 to 2 only; the target of place 3 is no input
# at all. Half a point where the answer is right and the way is not explained.
# ### END SOLUTION

# %% [markdown]
# ## 10. In your own words: too good to be true
# *15 minutes · 3 points, graded by hand*
#
# A friend trains a language model on a small text. After an hour its training loss is
# 0.02 per token, its validation loss 0.03, on sentences that it has never seen. Asked
# to write, it stammers. Explain (a) what has probably happened, and why the
# *validation* loss did not give it away, (b) how one could have known from the numbers
# alone, (c) how you would find the place in the code within ten minutes, and what could
# be the bug there (name two candidates).

# %% [markdown] nbgrader={"grade_id": "too_good_to_be_true", "points": 3}
# ### BEGIN SOLUTION
# **Rubric.** *1 point*: the model sees its targets (inputs are the shifted targets; a
# position sees the next one) and copies; the validation data go through the same leak,
# so a held-out set does not help. While generating, the next token does not exist. *1
# point*: a loss far below the entropy that language must have (several choices at most
# places; 0.03 nats means 97 % certainty at *every* token) is not plausible; or compare
# with the loss when generating, or with a simple model. *1 point*: a perturbation test,
# layer by layer (change the future, see whether the past moves), and two plausible
# candidates, e.g. mask missing, `tril(1)`, inverted convention
# (`nn.MultiheadAttention`), a mask whose `masked_fill` result is thrown away, targets
# not shifted, a centred convolution or batch norm, a mask that is applied in training
# only (then the training loss would be honest: half a point unless they say so).
# ### END SOLUTION

# %% [markdown]
# ## How far are you?
#
# The cell below adds up what the test cells found. Run all of them first.

# %%
summary("03")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., [*Attention is all you need*](https://arxiv.org/abs/1706.03762)
#   (2017), section 3.2.3: where the three kinds of attention, and the mask in one
#   sentence, come from.
# - [`torch.nn.functional.scaled_dot_product_attention`](https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html)
#   and
#   [`torch.nn.MultiheadAttention`](https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html):
#   read what each says about `attn_mask`, one after the other.
# - Karpathy, [*Let's build GPT*](https://github.com/karpathy/ng-video-lecture) (2023):
#   the causal mask in a complete small language model, `tril` and all.
# - Geirhos et al., [*Shortcut learning in deep neural
#   networks*](https://arxiv.org/abs/2004.07780) (2020): models that find another way to
#   a low loss, far beyond masks.
