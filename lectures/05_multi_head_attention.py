# %% [markdown]
# # 05 · Multi-head attention
#
# One attention layer answers one question per token: each query gets one set of weights
# and brings back one mixture. This lecture runs several attentions side by side. After
# it you can
#
# - say what one head does badly, and show it by an experiment;
# - split features into heads and merge them again, and recognise the `view` that runs
#   and is wrong;
# - build multi-head attention step by step, and check that it equals
#   `nn.MultiheadAttention`;
# - explain the output projection as a sum over heads, and find out what a head is good
#   for by switching it off, alone and together with another;
# - find out how heads of two layers work together, and test it.
#
# *About 75 minutes, and 15 for the appendix; the code runs in about a minute on a
# laptop.*

# %%
import copy
import itertools
import math
import time
from unittest.mock import patch

import torch
import torch.nn.functional as F
from torch import nn

import drawings
from course_utils.masking import causal_mask, masked_attention, sees_the_future
from course_utils.multi_head_attention import MultiHeadAttention, from_torch
from course_utils.multi_head_attention import merge_heads, recorded_weights, split_heads
from course_utils.multi_head_attention import switched_off
from course_utils.plotting import Table, bars, heatmap, heatmaps, interactive, plt
from course_utils.training import fit, seeded, steps

# %% [markdown]
# Here is a fresh layer with three heads, reading a sentence of six random word vectors
# (made three times as large, so that the differences show). Nothing is trained yet, and
# still the three heads look at different words: each compares them in its own way.

# %% alt="Three heat maps of attention weights over the six words he hit me with a pie, one per head; each has another pattern"
torch.manual_seed(0)  # layers draw their first weights from the global generator
words = ["he", "hit", "me", "with", "a", "pie"]
layer = MultiHeadAttention(12, 3)
x = 3 * torch.randn(1, 6, 12, generator=seeded(1))  # (B, T, D)
weights = layer(x, x, x)[1][0]  # (H, T, S)
panels = {f"head {h}": some for h, some in enumerate(weights)}
heatmaps(panels, words, words, values=False, title="three heads, three ways to look");

# %% [markdown]
# ## One head, one mixture
#
# Attention gives a token the mean of the values, weighted:
# $a_t = \sum_s \alpha_{t,s}\, v_s$. Suppose a token needs *two* things from the
# sentence, who bites and who is bitten. It can spread its weights over both words. But
# what comes back is one vector, the sum of the two weighted values:

# %%
man, dog = torch.eye(2)  # (2,) each: two values that are easy to read
sentences = torch.stack([man, dog, dog, man]).view(2, 2, 2)  # (2, 2, 2): biter, bitten
rows = []
for shares in ([0.5, 0.5], [0.6, 0.4]):
    mixtures = torch.tensor(shares) @ sentences  # (2, 2): one mixture per sentence
    rows.append((shares, *[[round(x, 1) for x in m.tolist()] for m in mixtures]))
Table(rows, ["weights on biter, bitten", "man bites dog", "dog bites man"])

# %% [markdown]
# Half and half, the two sentences are the same: a sum forgets its order. With .6 and .4
# they differ, so a single head *can* tell who bites whom, by the size of the shares.
# But both words are now mixed in one vector, and the two readings differ by only .2 in
# each number. Whatever comes after the head has to take the mixture apart again, and
# that gets harder with three or four things to bring back.
#
# So a single head *can* spread its attention. (How far depends on how far the scores lie
# apart; the appendix has numbers.) What it does badly is to keep apart what it brings
# back.

# %% [markdown]
# ## Head by head
#
# The remedy: give every token several queries, several keys and several values, one of
# each per *head*. A head $h$ has its own projections, so in each head the same token
# asks for something else, is found by something else, and hands over something else. As
# everywhere in this course, $t$ is the step that asks and $s$ the step that is looked
# at; the heads are counted from 0, $h = 0, \dots, H - 1$:
#
# $$e_{t,s,h} = \frac{q_{t,h} \cdot k_{s,h}}{\sqrt{d}}, \qquad
# \alpha_{t,s,h} = \mathrm{softmax}_s(e_{t,s,h}), \qquad
# a_{t,h} = \sum_s \alpha_{t,s,h}\, v_{s,h}, \qquad
# a_t = [a_{t,0}; \dots; a_{t,H-1}]$$
#
# Each head has $d = D / H$ features, so that the concatenation is as wide as the input.
# As a loop:

# %%
B, T, D, H = 2, 6, 12, 3
d = D // H
x = torch.randn(B, T, D, generator=seeded(1))  # (B, T, D)
matrices = torch.randn(3, H, D, d, generator=seeded(2)) / math.sqrt(D)  # (3, H, D, d)
w_q, w_k, w_v = matrices  # (H, D, d) each

outputs = []
for h in range(H):
    q, k, v = x @ w_q[h], x @ w_k[h], x @ w_v[h]  # (B, T, d) each
    outputs.append(masked_attention(q, k, v)[0])  # (B, T, d)
concatenated = torch.cat(outputs, dim=-1)  # (B, T, H * d)
concatenated.shape

# %% [markdown]
# Mind the indices. With $q_{t,h} \cdot k_{t,h}$ the score no longer depends on $s$, and
# softmax gives every step the same weight, whatever the vectors are. One letter, and
# attention has become a plain mean.

# %%
q, k = x @ w_q[0], x @ w_k[0]  # (B, T, d) each
wrong = (q * k).sum(-1, keepdim=True).expand(B, T, T)  # (B, T, S): the same for all s
wrong.softmax(-1)[0, 0]  # (S,)

# %% [markdown]
# ## Split and merge
#
# A loop over heads is slow, and $H$ small matrices side by side are one large one:
# projecting with a $D \times D$ matrix and cutting the result into $H$ slices gives the
# same numbers. So everybody projects once and *splits*:
#
# | step | shape |
# |---|---|
# | project for all heads at once | `(B, T, D)` |
# | cut the features of every token into $H$ slices | `(B, T, H, d)` |
# | bring the heads beside the batch | `(B, H, T, d)` |
#
# Attention works on the last two axes and treats all others as a batch, so that all
# heads are computed by one product. To *merge*, take the same steps backwards. With two
# tokens of six features, numbered from 0 to 11, and three heads:

# %%
tokens = torch.arange(12).view(1, 2, 6)  # (B, T, D)
pieces = split_heads(tokens, 3)  # (B, H, T, d)
rows = [(f"head {h}", *pieces[0, h].tolist()) for h in range(3)]
Table([("before", *tokens[0].tolist()), *rows], ["", "token 0", "token 1"])

# %% [markdown]
# Every head has both tokens, and a third of the features of each. Merging puts them
# back, and with one large matrix the result is that of the loop:

# %%
print("merged again:", torch.equal(merge_heads(pieces), tokens))
wide = [torch.cat(tuple(w), dim=-1) for w in (w_q, w_k, w_v)]  # (D, H * d) each
q, k, v = (split_heads(x @ w, H) for w in wide)  # (B, H, T, d) each
at_once = merge_heads(masked_attention(q, k, v)[0])  # (B, T, D)
print(f"largest difference from the loop: {(at_once - concatenated).abs().max():.1e}")

# %% [markdown]
# ## The view that runs and is wrong
#
# Why not ask `view` for `(B, H, T, d)` at once? It runs, the shape is right, the loss
# even falls, and it is a bug. `view` never moves a number: it only reads the same
# memory with other sizes. Here each feature of a sentence is labelled with the word it
# belongs to. Which words end up in head 0?


# %%
def view_heads(x, heads):
    return x.reshape(len(x), heads, x.shape[1], -1)  # (B, H, T, d): the right shape


# every feature holds the number of its word
owner = torch.arange(6)[None, :, None].expand(1, 6, 6)  # (B, T, D)
contents = {"split_heads": split_heads(owner, 3)[0, 0]}  # (T, d)
contents["view"] = view_heads(owner, 3)[0, 0]  # (T, d)

# %% alt="Head 0 after split_heads: six rows, one per word. After view: three rows of he and three rows of hit"
figure, axes = plt.subplots(1, 2, figsize=(6, 3))
for ax, (name, content) in zip(axes, contents.items()):
    heatmap(
        content.float() + 1, title=f"head 0 after {name}", ax=ax, values=False, vmax=9
    )
    ax.set(xlabel="features of the head →", ylabel="steps of the head ↓", xticks=[0, 1])
    for row, column in itertools.product(range(6), range(2)):
        ax.text(column, row, words[content[row, column]], ha="center", va="center")

# %% [markdown]
# After `view`, head 0 has six rows that pretend to be steps, but they are slices of the
# first two words. Head 1 holds the next two words, head 2 the last two. Every mask now
# hides the wrong things. Below, the influence of each input step on each output step
# (the size of the derivative), under a *causal* mask: the upper triangle must be empty.
# We use the course's finished layer (explained below) and swap its split function for a
# moment, with `patch`.


# %%
def causal_attention(x, split):
    with patch("course_utils.multi_head_attention.split_heads", split):
        return layer(x, x, x, causal_mask(x.shape[1]))[0]  # (B, T, D)


def influence(split):
    def one(x):
        return causal_attention(x, split)[0]  # (T, D)

    jacobian = torch.autograd.functional.jacobian(one, x[:1])  # (T, D, 1, T, D)
    return jacobian.abs().sum((1, 2, 4))  # (T, T)


# %% alt="Influence of input steps on output steps: a lower triangle with split_heads, entries above the diagonal with view"
panels = {"split_heads": influence(split_heads), "view": influence(view_heads)}
title = "a causal mask holds after split_heads, and leaks after view"
figure = heatmaps(panels, words, words, values=False, title=title)
for ax in figure.axes:
    ax.set(xlabel="input steps →", ylabel="output steps ↓")

# %% [markdown]
# With `view`, the result for *he* depends on *me* and *a*, words from the future, while
# the result for *hit* does not depend on *hit* at all. The perturbation test of unit 03
# says so without any picture. It is the kind of test to keep beside such code: shapes
# cannot find this bug.

# %%
rows = []
for split in (split_heads, view_heads):
    leaks = sees_the_future(lambda x: causal_attention(x, split), x)
    rows.append((split.__name__, leaks))
Table(rows, ["split by", "sees the future"])

# %% [markdown]
# ## What a head sees
#
# Multi-head attention is sometimes drawn as cutting the *embedding* into $H$ pieces,
# one attention per piece. That is not what is computed: what is cut are the *projected*
# queries, keys and values, and every one of their numbers depends on the whole
# embedding. A test tells the two apart: change the last feature of the input, and see
# whose weights change.

# %%
changed = x.clone()
changed[..., -1] += 1.0  # (B, T, D), another last feature


def weights_of(x, project):
    q = split_heads(x @ wide[0] if project else x, H)  # (B, H, T, d)
    k = split_heads(x @ wide[1] if project else x, H)  # (B, H, T, d)
    return masked_attention(q, k, k)[1]  # (B, H, T, T)


# %%
rows = []
for name, project in (("embedding cut up", False), ("projections cut up", True)):
    change = weights_of(changed, project) - weights_of(x, project)  # (B, H, T, T)
    rows.append((name, *change.abs().amax((0, 2, 3))))  # H numbers
Table(rows, ["largest change of a weight", *(f"head {h}" for h in range(H))])

# %% [markdown]
# Cut up raw, only the last head notices. A head that never sees most of the features
# cannot learn to look for them.
#
# ## The scale belongs to the head
#
# Dot products are now taken inside a head, over $d = D / H$ numbers. So the scores are
# divided by $\sqrt{d}$, where $d$ is the size of a head's keys, and not by $\sqrt{D}$.
# Dividing by $\sqrt{D}$ makes the scores too small by a factor of $\sqrt{H}$, and the
# attention flatter. With $D = 512$ and 8 heads, as in the original Transformer, and
# queries and keys of variance 1 (in a fresh layer of torch they are smaller, and the
# attention is flatter still):

# %%
q, k = torch.randn(2, 1000, 64, generator=seeded(3))  # (T, d), (S, d), of variance 1
rows = []
for name, size in (("√d = √64", 64), ("√D = √512", 512)):
    scores = q @ k[:50].mT / math.sqrt(size)  # (1000, 50)
    rows.append((name, scores.std(), scores.softmax(-1).amax(-1).mean()))
columns = [
    "divided by",
    "standard deviation of the scores",
    "mean largest weight of 50",
]
Table(rows, columns)

# %% [markdown]
# Divided by $\sqrt{D}$, the best of 50 keys gets .04 of the attention instead of .12;
# spread evenly it would be .02.
#
# ## The output projection is a sum over heads
#
# After the merge comes one more matrix, $W_O$. Cut it into $H$ blocks of $d$ rows, one
# per head. Then
#
# $$[a_{t,0}; \dots; a_{t,H-1}]\, W_O
# = a_{t,0} W_O^{(0)} + a_{t,1} W_O^{(1)} + \dots + a_{t,H-1} W_O^{(H-1)}$$
#
# So each head reads from the whole embedding through its own $W_Q, W_K, W_V$, and
# writes to the whole embedding through its own $W_O^{(h)}$, though in $d$ directions
# only. Concatenation is only how the sum is computed. Without $W_O$, head 0 could write
# to the first $d$ features and to no others.

# %%
w_o = torch.randn(D, D, generator=seeded(4)) / math.sqrt(D)  # (H * d, D)
heads = split_heads(concatenated, H)  # (B, H, T, d)
blocks = w_o.chunk(H)  # H times (d, D)
as_sum = sum(heads[:, h] @ blocks[h] for h in range(H))  # (B, T, D)
print(f"largest difference: {(concatenated @ w_o - as_sum).abs().max():.1e}")

# %% [markdown]
# ## The module in ten lines
#
# Four linear layers and the two functions: project, split, attend, merge, project. You
# write these ten lines in the assignment; the lecture only uses them. The drawing has
# all the shapes:

# %%
drawings.heads()

# %% [markdown]
# Query, key and value are three arguments because they need not be the same tensor: in
# self-attention all three are `x`, in the cross-attention of unit 08 the queries come
# from one sequence, keys and values from another of length $S$. The masks of unit 03
# only need to broadcast to `(B, H, T, S)`: a causal mask `(T, T)` does as it is, a
# padding mask gets one more axis for the heads, `(B, 1, 1, S)`.
#
# The course's own `MultiHeadAttention` has one path more. Where nobody asks for the
# weights (`need_weights=False`), it calls torch's *fused* attention, one routine for
# scores, softmax and mean, which need not store the `(B, H, T, S)` weights. Models use
# it.

# %%
attention = MultiHeadAttention(D, H)
mask = causal_mask(T)  # (T, T)
readable, weights = attention(x, x, x, mask)  # (B, T, D), (B, H, T, S)
fused, nothing = attention(x, x, x, mask, need_weights=False)  # (B, T, D), None
print("output", tuple(readable.shape), "weights", tuple(weights.shape))
print(f"largest difference of the two paths: {(readable - fused).abs().max():.1e}")

# %% [markdown]
# ## The same as torch's own
#
# `nn.MultiheadAttention` is the same computation with another packing: the three input
# matrices lie on top of one another in `in_proj_weight`, `(3 D, D)`, queries first.
# `from_torch` copies them over. Three habits of torch's module to know:
#
# - it returns a *pair*, output and weights. After `x = attention(x, x, x)`, `x` is a
#   tuple, and the next layer fails;
# - the weights are averaged over the heads unless one says
#   `average_attn_weights=False`. A heat map of that average shows no head at all;
# - in *its* boolean masks True means blocked, the opposite of ours and of torch's own
#   `scaled_dot_product_attention`. Hand it one of our masks as it is, and it attends to
#   just what it should not, without an error; a row that is then blocked altogether, as
#   the last of a causal mask, becomes NaN. Unit 03 has the experiment.

# %%
theirs = nn.MultiheadAttention(D, H, batch_first=True)
# torch starts the bias at 0, which would hide a mistake
nn.init.normal_(theirs.in_proj_bias, generator=seeded(5))
ours = from_torch(theirs)
memory = torch.randn(B, 9, D, generator=seeded(6))  # (B, S, D)
# (B, T, D), (B, H, T, S) each
output, weights = theirs(x, memory, memory, average_attn_weights=False)
mine, my_weights = ours(x, memory, memory)
print(f"largest difference of the outputs: {(mine - output).abs().max():.1e}")
print(f"largest difference of the weights: {(my_weights - weights).abs().max():.1e}")

# %% [markdown]
# The results agree, here to the last digit. Is a module with *one* head then the plain
# dot-product attention of unit 02? It is if all four matrices are the identity and the
# biases 0. A fresh module has random ones, so it will not reproduce a hand-made table.
# And it always divides by $\sqrt{d}$. (The appendix tries it.)
#
# A curiosity on the way: the bias of the *key* layer has no effect at all. What does it
# add to the scores of a row, and what does softmax make of that? You will prove it in
# the assignment.

# %%
shifted = copy.deepcopy(ours)
shifted.key.bias.data += 5.0
change = shifted(x, memory, memory)[0] - mine  # (B, T, D)
print(f"keys' bias + 5: the output changes by {change.abs().max():.1e}")

# %% [markdown]
# ## More heads, more questions answered
#
# Back to biting dogs, as an experiment. A sentence has eight words out of fifty.
# Four of them carry a role: *who*, *whom*, *where*, *when*; the others none. (Roles are
# marked on the word, as Latin does by its cases; word order has to wait for unit 06.)
# The model, a `Reader`, has one attention layer with a single learned query, and must
# then answer all four questions from the one vector that comes back.

# %%
ROLES = ["who", "whom", "where", "when", "none"]


def draw_sentences(count, generator):
    words = torch.randint(50, (count, 8), generator=generator)  # (N, 8)
    order = torch.rand(count, 8, generator=generator).argsort(1)  # (N, 8)
    places = order[:, :4]  # (N, 4): where the four roles stand
    four = torch.arange(4).expand(count, 4)  # (N, 4)
    roles = torch.full((count, 8), 4).scatter(1, places, four)  # (N, 8)
    return words, roles, words.gather(1, places)  # (N, 8), (N, 8), answers (N, 4)


# %%
class Reader(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.word, self.role = nn.Embedding(50, dim), nn.Embedding(5, dim)
        self.question = nn.Parameter(torch.randn(1, 1, dim))
        self.attention = MultiHeadAttention(dim, heads)
        self.answer = nn.Linear(dim, 4 * 50)

    def forward(self, words, roles):
        x = self.word(words) + self.role(roles)  # (N, 8, D)
        question = self.question.expand(len(x), 1, -1)  # (N, 1, D)
        found, _ = self.attention(question, x, x, need_weights=False)  # (N, 1, D)
        return self.answer(found).view(len(x), 4, 50)  # (N, 4, 50)


# %% [markdown]
# All readers have the same 64 features, and the same number of parameters:

# %%
rows = []
for heads in (1, 2, 4, 8):
    count = sum(p.numel() for p in Reader(64, heads).parameters())
    rows.append((heads, 64 // heads, count))
Table(rows, ["heads", "features of a head", "parameters"])

# %% [markdown]
# Only the number of heads differs. A reader counts as right on a sentence when all four
# answers are right. One training is an anecdote, so every reader is trained from three
# seeds. The three learn side by side, under one progress bar: their losses are added,
# and as they share no weights, none of them notices the others.

# %%
def fresh(heads):
    readers = []
    for seed in range(3):
        torch.manual_seed(seed)
        readers.append(Reader(64, heads))
    return readers


def train(readers, count, first=0):
    draws = [seeded(first + seed) for seed in range(3)]

    def loss(step):
        total = 0.0
        for reader, draw in zip(readers, draws):
            words, roles, answers = draw_sentences(128, draw)
            total = total + F.cross_entropy(reader(words, roles).mT, answers)
        return total / 3

    label = f"heads: {readers[0].attention.heads},"
    fit(loss, nn.ModuleList(readers).parameters(), steps(count), lr=3e-3, label=label)
    return readers


readers = {heads: train(fresh(heads), 300) for heads in (1, 2, 4, 8)}

# %% alt="Bar chart: share of sentences with all four answers right, mean of three seeds: .11 with one head, .43 with two, .95 with four, .99 with eight. Dots for the seeds: close together for one and eight heads, two at 1 and one at .86 for four, far apart for two"
test = draw_sentences(1000, seeded(99))


@torch.no_grad()
def right(reader):
    words, roles, answers = test
    return (reader(words, roles).argmax(-1) == answers).float()  # (N, 4)


def all_right(readers):
    return torch.stack([right(reader).prod(1).mean() for reader in readers])  # (3,)


shares = {str(heads): all_right(three) for heads, three in readers.items()}
means = {heads: share.mean() for heads, share in shares.items()}
ax = bars(means, "all four answers right", "the same parameters, more heads")
for place, share in enumerate(shares.values()):
    ax.plot([place + 0.3] * 3, share, "o", color="black", markersize=4)  # the three seeds
ax.set(xlabel="heads (dots: the three seeds)", ylim=(0, 1.15));

# %% [markdown]
# A reader that knew the four words but not who did what would be right once in 4! = 24
# times (.04). The single head is at .11: the roles get slightly *different* weights, as
# we will see, and hardly anything else in the mixture says which word had which role.
# With two heads it depends on the seed; one is at .02, not even at the .04. Four heads
# could take one question each: two seeds get everything right, the third .86. The
# parameters are the same in number: what changed is how many mixtures come back.
#
# Can the single head not do it, or is it only slow? Give it three times the training.

# %%
def in_short(shares):
    return f"{shares.mean():.2f} ({shares.amin():.2f} to {shares.amax():.2f})"


patient = train(copy.deepcopy(readers[1]), 600, first=3)
rows = [("one head, 300 steps", in_short(shares["1"]))]
rows.append(("one head, 900 steps", in_short(all_right(patient))))
rows.append(("four heads, 300 steps", in_short(shares["4"])))
Table(rows, ["reader", "all four answers right: mean (lowest to highest seed)"])

# %% [markdown]
# It does get better, but it is still far from what four heads have at once. Would it ever
# arrive? Not as long as its weights depend on the roles alone: then, whatever the linear
# layer after it, all four answers are right in at most .76 of the sentences. (How far
# the trained weights depend on the words as well was not measured.)
#
# <details><summary>Proof</summary>
#
# Two roles have the shares $w_1 \geq w_2$ of the weight, and hold the words $x_1$ and
# $x_2$. Ask for $x_2$, the word with the smaller share. A linear layer gives the answer
# $y$ the score $w_1 f(y, x_1) + w_2 f(y, x_2) + g(y)$, where $g$ collects what stays the
# same below: the other words, the roles and the bias. Take three words $A$, $B$, $C$.
#
# - For $(x_1, x_2) = (A, B)$ the score of $B$ must be above that of $A$, and for $(B, A)$
#   below it. Add the two inequalities, and $g$ cancels:
#   $(w_1 - w_2)\big(f(A, B) + f(B, A)\big) > (w_1 - w_2)\big(f(A, A) + f(B, B)\big)$.
# - For $(C, A)$ the score of $A$ must be above that of $B$, and for $(C, B)$ below it.
#   Added up: $w_2 \big(f(A, A) + f(B, B)\big) > w_2 \big(f(A, B) + f(B, A)\big)$.
#
# The two contradict each other, so at least one of the four is answered wrongly. (With
# .6 and .4 at the top there were only two words, and no $C$.)
#
# Average over all $A$, $B$, $C$: then each of the four is a random pair of different
# words. So where $x_1 \neq x_2$ (in 49 sentences of 50), this answer is wrong in at
# least a quarter of the sentences. All four are right in at most
# $.98 \cdot .75 + .02 = .755$. The number of features does not occur.
# </details>
#
# That is what one head does badly: it squeezes four answers through one mixture.
#
# And the wrong `view`? The same four heads, the same training, with `view_heads` in the
# place of `split_heads`:

# %%
with patch("course_utils.multi_head_attention.split_heads", view_heads):
    wrong = [right(reader) for reader in train(fresh(4), 300)]  # 3 times (N, 4)
rows = []
for name, three in (("split_heads", map(right, readers[4])), ("view", wrong)):
    hits = torch.stack(list(three))  # (3, N, 4)
    rows.append((name, in_short(hits.mean((1, 2))), in_short(hits.prod(2).mean(1))))
Table(rows, ["four heads by", "answers right: mean (range)", "all four right"])

# %% [markdown]
# It learns something, which is why such a bug can live for years: nothing crashes, the
# loss falls, half of the answers are right, and the model is merely bad.
#
# ## Who looks where
#
# `recorded_weights` collects the weights of every attention in a model while it runs.
# Averaged over the test sentences: how much of its attention does each head spend on
# each role? Move the slider.


# %%
@torch.no_grad()
def looks(reader):
    words, roles, _ = test
    with recorded_weights(reader) as weights:
        reader(words, roles)
    spent = weights[0][:, :, 0]  # (N, H, 8): one query only
    by_role = []  # 5 times (H,)
    for role in range(5):
        here = (roles == role)[:, None]  # (N, 1, 8)
        by_role.append((spent * here).sum(-1).mean(0))
    return torch.stack(by_role, dim=-1)  # (H, 5)


def found(reader):  # how many roles have a head that spends more than half on them
    return int((looks(reader)[:, :4].amax(0) > 0.5).sum())


# %%
def draw_looks(heads):
    names, reader = [f"head {h}" for h in range(heads)], readers[heads][0]
    title = f"seed 0: {found(reader)} of 4 roles have a head of their own"
    ax = plt.subplots(figsize=(6, 4.4))[1]
    heatmap(looks(reader), names, ROLES, title, ax, vmax=1.0)
    ax.set(xlabel="role of the key →", ylabel="heads ↓")


interactive(
    draw_looks,
    "heads",
    list(readers),
    start=4,
    alt="Attention spent on each role by each head",
)

# %%
rows = [(heads, *map(found, three)) for heads, three in readers.items()]
caption = "roles, of four, that get more than half of the attention of some head"
Table(rows, ["heads", "seed 0", "seed 1", "seed 2"], caption)

# %% [markdown]
# One head spreads over all four roles, almost evenly. From seeds 0 and 2, four heads
# share the work out among themselves, although nobody told them to: one role each. From
# seed 1 they do not: only one role has a head of its own, and that reader is the one
# that got .86. Eight heads have more room than roles: some look at the same one, or at
# several.
#
# ## Switch a head off
#
# A picture of weights says where a head looks, not whether it matters. For that, take
# the head away and see what breaks. (This is called *ablation*.) Since the output is a
# sum over heads, it is enough to set the head's own block $W_O^{(h)}$ to zero: the head
# still looks, but what it brings back is written nowhere, and all other heads stay as
# they were. `switched_off(attention, h)` returns a copy of a layer with head `h` off.
# You write such a function for torch's layer in the assignment.


# %%
def without(reader, head):
    ablated = copy.deepcopy(reader)
    ablated.attention = switched_off(reader.attention, head)
    return ablated


def lost(reader):
    heads = range(reader.attention.heads)
    rest = [right(without(reader, h)).mean(0) for h in heads]  # H times (4,)
    return right(reader).mean(0) - torch.stack(rest)  # (H, 4)


# %% alt="Three heat maps, one per seed: accuracy lost on each question when one of four heads is switched off. From seeds 0 and 2 each head costs .98 or .99 of one question and nothing of the others; from seed 1 most heads cost a part of several questions"
lost_by = {heads: torch.stack([lost(r) for r in readers[heads]]) for heads in (4, 8)}
panels = {f"seed {seed}": losses for seed, losses in enumerate(lost_by[4].clamp(min=0))}  # (4, 4)
names, title = [f"without {h}" for h in range(4)], "accuracy lost without one of four heads"
figure = heatmaps(panels, names, ROLES[:4], title=title)
for ax in figure.axes:
    ax.set(xlabel="question →", ylabel="")

# %% [markdown]
# From seeds 0 and 2, each head takes exactly one question with it when it is switched
# off: each answers one. From seed 1 most questions hang on several heads. One seed
# would have told only one of these stories. (With eight heads, mainly two share a
# question: the appendix switches them off in pairs.)
#
# ## Heads that work together
#
# In the reader every head worked for itself. With a second layer, a head can use what a
# head of the first layer has found. Here is a small task where it helps. A list of 4 to
# 12 different symbols is said again and again, 24 symbols in all: *c a f b c a f b c …*
# From the second round on the next symbol can be known. It is the one that followed
# last time: now it says *a*; after the last *a* came *f*; so *f* comes next. (One answer
# is another matter, the one at the end of the first round: its symbol is new, and nobody
# can know that the list is over. But the loss asks at no other new symbol, so "new
# symbol: say the first of the list" is always right.) The lists are new each time and
# differ in length, so neither symbols nor distances can be learned by heart.


# %%
def draw_lists(count, generator):
    shuffled = torch.rand(count, 30, generator=generator).argsort(1)  # (N, 30)
    sizes = torch.randint(4, 13, (count, 1), generator=generator)  # (N, 1)
    places = torch.arange(24)  # (24,)
    symbols = shuffled.gather(1, places % sizes)  # (N, 24): round after round
    return symbols, places >= sizes  # (N, 24) each; True from the second round on


# %% [markdown]
# The model has one or two attention layers with two heads each, and nothing else. Two
# things are borrowed from later units. Each symbol gets the vector of its *place* added,
# a learned one (unit 06), since without places nobody could say what comes after what.
# And what a layer finds is *added* to its input (unit 07), so that a later layer can
# read both.


# %%
class Copier(nn.Module):
    def __init__(self, layers, dim=64, heads=2):
        super().__init__()
        self.symbol, self.place = nn.Embedding(30, dim), nn.Embedding(24, dim)
        made = [MultiHeadAttention(dim, heads) for _ in range(layers)]
        self.layers, self.out = nn.ModuleList(made), nn.Linear(dim, 30)

    def forward(self, symbols):
        length = symbols.shape[1]
        x = self.symbol(symbols) + self.place.weight[:length]  # (N, T, D)
        for layer in self.layers:
            # (N, T, D): a step may look at itself and at what came before
            x = x + layer(x, x, x, causal_mask(length), need_weights=False)[0]
        return self.out(x)  # (N, T, 30): scores of the next symbol


# %% [markdown]
# The loss counts only what can be known. Again three seeds side by side:

# %%
def train_copiers(copiers, count, first=0):
    draws = [seeded(first + seed) for seed in range(3)]

    def loss(step):
        total = 0.0
        for copier, draw in zip(copiers, draws):
            symbols, known = draw_lists(32, draw)  # (N, 24) each
            logits, known = copier(symbols[:, :-1]), known[:, 1:]  # (N, 23, 30), (N, 23)
            total = total + F.cross_entropy(logits[known], symbols[:, 1:][known])
        return total / 3

    label = f"layers: {len(copiers[0].layers)},"
    fit(loss, nn.ModuleList(copiers).parameters(), steps(count), lr=3e-3, label=label)
    return copiers


# %%
shallow, copiers = [], []
for seed, (layers, made) in itertools.product(range(3), ((1, shallow), (2, copiers))):
    torch.manual_seed(seed)
    made.append(Copier(layers))
train_copiers(copiers, 300)
train_copiers(shallow, 300)
longer = train_copiers(copy.deepcopy(shallow), 600, first=3);

# %%
symbols, known = draw_lists(300, seeded(99))  # (N, 24) each, new lists
given, wanted, known = symbols[:, :-1], symbols[:, 1:], known[:, 1:]  # (N, 23) each


@torch.no_grad()
def copied(copier):
    return (copier(given).argmax(-1) == wanted)[known].float().mean()


sizes = symbols.sort(1).values.diff(dim=1).ne(0).sum(1) + 1  # (N,): symbols of a list
guess = (1 / (sizes - 1))[:, None].expand(known.shape)[known].mean()
rows = [("a guess among the others of the list", f"{guess:.2f}")]
models = {"one layer, 300 steps": shallow, "one layer, 900 steps": longer}
for name, three in {**models, "two layers, 300 steps": copiers}.items():
    rows.append((name, in_short(torch.stack([copied(copier) for copier in three]))))
Table(rows, ["model", "next symbol right: mean (lowest to highest seed)"])

# %% [markdown]
# Two layers do it. One layer is far behind, even after three times the training, but it
# does get better. (There is another way to the answer: the next symbol is also the one
# whose last occurrence lies furthest back.) What can a second layer add? The step that
# says *a* has to find the *f*. In the first layer the key of a step is made of its own
# symbol and its own place. Nothing in it says what stood *before* it. Somebody has to
# write that down first.
#
# So here is a guess about the two layers. A head of the first layer looks one step back
# and writes the symbol before into every step:
#
# | step | 0 | 1 | 2 | 3 | 4 | 5 |
# |---|---|---|---|---|---|---|
# | its symbol | c | a | **f** | b | c | **a** |
# | written down by layer 0: the symbol before | | c | **a** | f | b | c |
#
# Then a head of the second layer can ask: *who has my symbol written down?* Step 5 says
# *a*. Step 2 has *a* written down, so step 5 looks there and finds *f*: the answer.
#
# Is that how it works? First a look: all heads of the copier of seed 0, on a list of
# five symbols that is said again and again.

# %% alt="Attention weights of the four heads of a copier on the list c a f b e, repeated. Both heads of layer 0 look one step back, the first one less clearly from the second round on. Head 0 of layer 1 looks, from the second round on, at steps that follow an earlier occurrence of its symbol; head 1 does so in some rows"
letters = list("cafbe" * 3)[:14]
spoken = torch.tensor([["abcdef".index(letter) for letter in letters]])  # (1, 14)
with recorded_weights(copiers[0]) as seen, torch.no_grad():
    copiers[0](spoken)
panels = {}
for layer, head in itertools.product(range(2), range(2)):
    panels[f"layer {layer}, head {head}"] = seen[layer][0, head]  # (T, S)
title = "layer 0 looks one step back; layer 1 at what followed last time"
heatmaps(panels, letters, letters, values=False, title=title).set_size_inches(11, 3.4)

# %% [markdown]
# In layer 0, a stripe just below the diagonal: one step back. It fades in the later
# rows. (Lists have at most 12 symbols, so each answer can be found at a place up to 11,
# and nothing needs what later steps write down. A likely reason, not tested.) In layer 1,
# head 0, the second *c* looks at the first *a*, the second *a* at the first *f*, and so
# on: at what followed its symbol earlier. In the third round that is mostly the first
# round again, not the second. Such a head is called an *induction head*. Head 1 does the
# same in some rows.
#
# But this is one list and one seed. A guess about a network is worth little until it is
# tested. How much does each head of layer 0 look one step back, in all test lists, at the
# places 1 to 11, where there is something to write down?


# %%
@torch.no_grad()
def looks_back(copier):
    with recorded_weights(copier) as seen:
        copier(given)
    return seen[0].diagonal(-1, 2, 3)[..., :11].mean((0, 2))  # (H,): places 1 to 11


even = (1 / torch.arange(2, 13)).mean()  # if every step up to its own gets the same
rows = [(f"seed {seed}", *looks_back(copier)) for seed, copier in enumerate(copiers)]
rows.append(("(weights spread evenly)", even, even))
Table(rows, ["one step back", "layer 0, head 0", "layer 0, head 1"])

# %% [markdown]
# From seed 1 one head looks back; from the others both do, more or less. Now the test.
# If layer 1 *finds its place* by what the head that looks back wrote, then it is the
# **keys** of layer 1 that need it: the query asks *who has my symbol written down?*, and
# the keys answer. Queries and values could do without. The three are separate arguments
# of a layer, so we can hide the head from one of them and leave it in the other two. (We
# take the head that looks back most.) A control: hide the *other* head of layer 0. It is
# a fair one from seed 1 only, where the other head does not look back.


# %%
@torch.no_grad()
def hidden(copier, head, parts):
    first, second = copier.layers
    mask = causal_mask(given.shape[1])  # (T, T)
    x = copier.symbol(given) + copier.place.weight[: given.shape[1]]  # (N, T, D)
    seen = x + first(x, x, x, mask)[0]  # (N, T, D)
    less = x + switched_off(first, head)(x, x, x, mask)[0]  # (N, T, D): without the head
    q, k, v = (less if part in parts else seen for part in "qkv")
    right = copier.out(seen + second(q, k, v, mask)[0]).argmax(-1) == wanted  # (N, T)
    return right[known].float().mean()


# %%
PARTS = {"nothing": "", "queries": "q", "keys": "k", "values": "v", "all three": "qkv"}
back = [int(looks_back(copier).argmax()) for copier in copiers]
rows = []
for name, parts in PARTS.items():
    rows.append((name, *(hidden(c, h, parts) for c, h in zip(copiers, back))))
others = [hidden(c, 1 - h, "qkv") for c, h in zip(copiers, back)]
rows.append(("all three: the other head", *others))
Table(rows, ["hidden from layer 1's", *(f"right, seed {seed}" for seed in range(3))])

# %% [markdown]
# Hiding the head from the queries or from the values costs next to nothing. Hiding it
# from the keys alone costs about as much as from all three, from every seed. So this is
# how the two layers work together: the first one writes into the keys of the second.
# Most is lost from seed 1, where the other head does not look back, least from seed 0,
# where it looks back most: as if the other head stood in. That fits, but it is three
# points and no test; a test would hide both. And the control: from seed 1, hiding the
# other head costs only .02.
#
# And layer 1? Switch off one of its heads, or both:

# %%
rows = []
for name, heads in {"0": [0], "1": [1], "0 and 1": [0, 1]}.items():
    ablated = copy.deepcopy(copiers)
    for copier, head in itertools.product(ablated, heads):
        copier.layers[1] = switched_off(copier.layers[1], head)
    rows.append((name, *(copied(copier) for copier in ablated)))
Table(rows, ["heads of layer 1 off", *(f"right, seed {seed}" for seed in range(3))])

# %% [markdown]
# Each alone costs .05 at most, and both together nearly everything (.08 is left, less
# than by a guess): each covers for the other. Whoever switches off one head at a time overlooks every head that another can
# stand in for. (Michel et al. found in 2019 that most heads of trained translation models
# can be removed, *one at a time*, with little loss. Elhage et al. found such a pair of
# heads in a small model of language in 2021, and Olsson et al. induction heads in large
# ones in 2022. All are in the reading list of the assignment.)

# %% [markdown]
# ## What heads cost
#
# In parameters and multiplications, nothing. $H$ heads of $D / H$ features need the
# same four matrices and the same $2\, T^2 D$ multiplications for scores and outputs as
# one head of $D$. Are several heads faster, as they run in parallel? Measure it: a
# forward and backward pass over 64 steps of 256 features, the five layers taken in
# turns, 50 times.

# %%
x = torch.randn(1, 64, 256, generator=seeded(7))  # (B, T, D)
layers = {heads: MultiHeadAttention(256, heads) for heads in (1, 2, 4, 8, 16)}
times = {heads: [] for heads in layers}  # milliseconds
for _, (heads, layer) in itertools.product(range(50), layers.items()):
    began = time.perf_counter()
    layer(x, x, x)[0].sum().backward()
    times[heads].append(1000 * (time.perf_counter() - began))

# %%
rows = []
for heads, layer in layers.items():
    parameters = sum(p.numel() for p in layer.parameters())
    # H heads, T² pairs, d features; for the scores and for the outputs
    multiplications = 2 * heads * 64**2 * (256 // heads)
    least, kept = f"{min(times[heads]):.2f}", heads * 64**2
    rows.append((heads, parameters, multiplications, kept, least))
columns = ["heads", "parameters", "multiplications", "weights kept"]
Table(rows, [*columns, "milliseconds"], "on one CPU, the least of 50")

# %% [markdown]
# (The least, because whatever else a machine does can only add time.) The times show no
# trend on this CPU, and on this readable path more heads store more weights, $H$
# matrices of $T \times T$ instead of one. Heads are there to look at several things at
# once.
#
# **How many?** Why not $D$ heads of one feature each? Apart from the biases, a head
# scores two words by $x\, W_Q W_K^\top y^\top$, and the rank of $W_Q W_K^\top$ is at
# most $d$: a small head compares words in few directions only. (Our reader did well with
# eight features; fewer were not tried.) Most published models keep the size of a head
# nearly fixed, often 64 or 128, and let their number grow with the width:
#
# | model | $D$ | heads | $d = D / H$ |
# |---|---|---|---|
# | Transformer, base (2017) | 512 | 8 | 64 |
# | Transformer, big (2017) | 1024 | 16 | 64 |
# | BERT, base (2018) | 768 | 12 | 64 |
# | GPT-3 (2020) | 12288 | 96 | 128 |
#
# The well-known eight heads belong to the *small* Transformer of the paper.
#
# **Shared keys and values.** A model that writes word by word keeps the keys and values
# of all words so far (unit 08 calls that the cache): $2 \cdot H \cdot d$ numbers per
# word and layer, but no queries. So the heads of queries may be many, and those of keys
# and values few: with **grouped queries**, $G < H$ heads of keys and values are each
# shared by $H / G$ neighbouring heads of queries. Each head still has its own weights,
# because its queries are its own. Llama 2 with 70 billion parameters has $H = 64$ and
# $G = 8$: an eighth of the numbers to keep. The assignment asks for it.
#
# ## Summary
#
# - One head brings back one mixture per query, and the linear layer of our reader took
#   it apart badly, even after three times the training. Several heads bring back several
#   mixtures, with the same parameters and multiplications.
# - Project the whole embedding, then cut the features of every token into heads.
#   `view(B, H, T, d)` runs and is wrong.
# - The scale is $\sqrt{d}$, the size of a head.
# - $W_O$ makes the concatenation a sum: every head reads from and writes to the whole
#   embedding.
# - Weights show where a head looks; switching it off shows what it is good for, unless
#   another head does the same: then switch off both.
# - Heads of two layers can work together: one writes what the keys of the other need.
#   Hide it from queries, keys and values in turn, and you see which of them need it.
#
# ## Questions
#
# **1.** A layer has $D = 512$ and 8 heads. How many parameters does it have with
# biases, and how many with 16 heads?
#
# <details><summary>Answer</summary>
#
# Four matrices of $512 \times 512$ and four biases of 512: 1,050,624. The number of
# heads does not enter: with 16 heads it is the same.
# </details>
#
# **2.** Someone uses a single `view` both for splitting and for merging. A test checks
# that merging undoes splitting. Does it find the bug?
#
# <details><summary>Answer</summary>
#
# No. Two wrong views undo each other perfectly, as two right ones do. Only what happens
# in between is wrong: the heads hold whole tokens instead of slices. A test must look
# at the contents of a head, or compare with another implementation, or perturb the
# future under a causal mask.
# </details>
#
# **3.** In the experiment, could one head with 256 features replace four heads of 16
# (64 in all)?
#
# <details><summary>Answer</summary>
#
# It has more room, but still one set of weights per query: the same mixture is applied
# to all 256 features. It can encode the roles in the *sizes* of the weights (say .4,
# .3, .2, .1), and hope that the layer after it tells them apart. A linear layer does
# that badly: the single head above, with 64 features, had .35 after three times the
# training. And as long as the weights depend on the roles alone, the limit of .76 holds
# for 256 features too: the proof does not use their number.
# </details>
#
# ## Where next
#
# Do the
# [assignment](../assignments/05_multi_head_attention/05_multi_head_attention.ipynb):
# you write these functions yourself. Then comes [unit
# 06](06_positional_encoding.ipynb): everything so far works on a *bag* of vectors.
# Shuffle the words, and each gets the same result as before. How does attention learn
# about order?

# %% [markdown]
# ## Appendix: how far a softmax spreads
#
# Ten random scores, made smaller or larger. How much of the attention does the best one
# get?

# %%
scores = torch.randn(1000, 10, generator=seeded(0))  # (T, S), of standard deviation 1
rows = []
for scale in (0.1, 1.0, 5.0, 25.0):
    largest = (scale * scores).softmax(-1).amax(-1)  # (T,)
    rows.append((scale, largest.mean()))
Table(rows, ["standard deviation of the scores", "mean of the largest weight of 10"])

# %% [markdown]
# With scores of standard deviation 1 the best of ten gets a third. Only scores that lie
# far apart make attention a choice of one.
#
# ## Appendix: one head and no projections
#
# A module of torch with one head, fresh, and with the identity for all four matrices,
# compared with the plain attention of unit 02:

# %%
single = nn.MultiheadAttention(D, 1, batch_first=True)
some = torch.randn(B, T, D, generator=seeded(8))  # (B, T, D)
plain = masked_attention(some, some, some)[0]  # (B, T, D): no projections
rows = [("fresh", (single(some, some, some)[0] - plain).abs().max())]
# the biases start at 0
single.in_proj_weight.data = torch.eye(D).repeat(3, 1)  # (3 D, D)
single.out_proj.weight.data = torch.eye(D)  # (D, D)
rows.append(("four times the identity", (single(some, some, some)[0] - plain).abs().max()))
Table(rows, ["module", "difference from plain attention"])

# %% [markdown]
# ## Appendix: eight heads, switched off in pairs
#
# With eight heads there are two for every question, on average. From seed 0 it is just
# that:

# %% alt="Heat map: accuracy lost on each of four questions when one of eight heads is switched off: every head costs a part of one question, from .08 to .78, and every question has two such heads"
names = [f"without head {h}" for h in range(8)]
title = "eight heads, seed 0: accuracy lost without one of them"
ax = plt.subplots(figsize=(5.4, 4.6))[1]
costs = lost_by[8][0].clamp(min=0)  # (8, 4): tiny gains drawn as 0
heatmap(costs, names, ROLES[:4], title, ax, vmax=1.0)
ax.set(xlabel="question →", ylabel="");

# %% [markdown]
# No single head costs a question entirely. *Who* loses .44 without head 4 and .39 without
# head 2. Do the two cover for each other, or does each do a part? Heads that cover cost
# little alone and much together. Heads that each do a part cost together about the sum.
# For each question, switch off the two heads that look most at its role, one at a time
# and both:

# %%
rows = []
for seed, question in itertools.product(range(3), range(4)):
    reader = readers[8][seed]
    pair = looks(reader)[:, question].topk(2).indices.tolist()
    one, other = lost_by[8][seed, pair, question]  # two numbers
    both = without(without(reader, pair[0]), pair[1])
    together = (right(reader) - right(both)).mean(0)[question]
    rows.append((seed, ROLES[question], pair, one, other, one + other, together))
columns = ["seed", "question", "heads", "lost without the first", "without the second"]
Table(rows, [*columns, "added up", "without both"])

# %% [markdown]
# The single losses add up to nearly what is lost without both (the difference is .13 at
# most), from all three seeds: each head does a part, and there is little covering. From
# seeds 0 and 2 nearly all of a question is lost with its pair. From seed 1 it is about
# half: there more than two heads work on a question. (Voita et al. in 2019 removed most
# heads of a translation model's encoder together, while training went on.)
#
# ## Appendix: what a head writes for the answer
#
# Three measurements for every head of the three copiers:
#
# - how much it looks at steps that **follow** an earlier occurrence of the present
#   symbol;
# - what it **writes** for the answer: take its own term in the sum over heads (the
#   output of the layer minus the output with the head off), and multiply it by the
#   weights of the last linear layer, as if it went straight to the answer. The table
#   has the score of the right symbol minus the mean score of all 30;
# - how many answers are right **without** it.


# %%
def earlier(symbols):
    same = symbols[:, :, None] == symbols[:, None, :]  # (N, T, S): the same symbol
    return F.pad(same, (1, 0))[..., :-1]  # (N, T, S): the step after such a one


@torch.no_grad()
def measure(copier):
    mask, rows = causal_mask(given.shape[1]), []  # (T, T)
    x = copier.symbol(given) + copier.place.weight[: given.shape[1]]  # (N, T, D)
    for i, layer in enumerate(copier.layers):
        found, weights = layer(x, x, x, mask)  # (N, T, D), (N, H, T, S)
        for h in range(layer.heads):
            less, ablated = switched_off(layer, h), copy.deepcopy(copier)
            ablated.layers[i] = less
            written = (found - less(x, x, x, mask)[0]) @ copier.out.weight.T  # (N, T, 30)
            score = written.gather(2, wanted[..., None])[..., 0] - written.mean(-1)  # (N, T)
            follows = (weights[:, h] * earlier(given)).sum(-1)[known].mean()
            rows.append((f"layer {i}, head {h}", follows, score[known].mean(), copied(ablated)))
        x = x + found  # (N, T, D)
    assert torch.allclose(copier.out(x), copier(given), atol=1e-3)  # nothing forgotten
    return rows


# %%
even = 1 / torch.arange(1, 24)  # (23,): the share of a step if all get the same
follows = (earlier(given) * even[:, None]).tril().sum(-1)[known].mean()
rows = [("(weights spread evenly)", follows, "", "")]
for seed, copier in enumerate(copiers):
    rows += [(f"seed {seed}, {row[0]}", *row[1:]) for row in measure(copier)]
columns = ["head", "looks at what followed", "writes for the answer", "right without it"]
Table(rows, columns)

# %% [markdown]
# The heads of layer 1 look at what followed, with most of their weight, and it is they
# who write the answer. The heads of layer 0 write next to nothing for it; by that
# measure they are useless. But from seed 1 most answers are wrong without head 1, the
# one that looks back. What it writes is not meant for the answer: it is meant for the
# keys of layer 1.
#
# So two measurements that sound alike answer different questions. *What does a head write
# for the answer?* finds those at the end of a chain. *What breaks without it?* finds the
# whole chain, but overlooks heads that have a double. It takes both, and more than one
# seed.
