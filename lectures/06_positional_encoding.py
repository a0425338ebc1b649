# %% [markdown]
# # 06 · Positional encoding
#
# Attention looks at a bag of vectors. This lecture tells it where they stand. After it
# you can
#
# - show, and test, that self-attention does not see the order of its inputs;
# - encode positions by sines and cosines, by a learned table, by rotations and by a bias
#   on the scores, and say what each is good for;
# - explain why a step in time is a rotation, and write down its matrix;
# - choose between absolute and relative positions by what the task needs;
# - find out *why* a model fails on longer texts, by taking away what you suspect.
#
# *About 75 minutes, and 12 for the appendix; the code runs in about a minute on a
# laptop.*
#
# A first look at the most famous encoding: every position gets its own pattern, like a
# bar code, and neighbours get similar ones.

# %% alt="Bar codes of 60 positions in 32 columns: fast waves on the left, almost constant columns on the right"
from course_utils.plotting import heatmap, plt
from course_utils.positional_encoding import sinusoidal_encoding

ax = plt.subplots(figsize=(6.4, 3.6))[1]
title = "a bar code for every position (red 1, blue −1)"
heatmap(sinusoidal_encoding(60, 32), title=title, ax=ax, values=False)
ax.set(xlabel="columns →", ylabel="positions ↓");

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.masking import causal_mask
from course_utils.multi_head_attention import (
    MultiHeadAttention, merge_heads, recorded_weights, split_heads,
)
from course_utils.plotting import Table, bars, heatmaps, interactive
from course_utils.positional_encoding import LearnedPositions, is_equivariant
from course_utils.positional_encoding import rotary, shift_matrix
from course_utils.training import fit, seeded, steps

# %% [markdown]
# ## Attention does not see order
#
# *He hit me with a pie* is an ordinary sentence. *A pie hit me with he* is a strange
# one, about another event. Give both to a self-attention layer, with a random vector
# for each word, and compare what every word gets.

# %%
D = 16
torch.manual_seed(0)
attention = MultiHeadAttention(D, 4)
words = ["he", "hit", "me", "with", "a", "pie"]
vectors = dict(zip(words, torch.randn(6, D, generator=seeded(1))))  # (D,) each


@torch.no_grad()
def context(sentence):
    spoken = sentence.split()
    x = torch.stack([vectors[word] for word in spoken])[None]  # (1, T, D)
    return dict(zip(spoken, attention(x, x, x)[0][0]))  # (D,) per word


# %%
one, other = context("he hit me with a pie"), context("a pie hit me with he")
rows = [(word, f"{(one[word] - other[word]).abs().max():.0e}") for word in vectors]
Table(rows, ["word", "largest difference between the two sentences"])

# %% [markdown]
# Nothing but rounding errors. For this layer both sentences are the same bag of words.
# The precise statement: permute the inputs, and the outputs are permuted in the same
# way. That is called *equivariance*, with $P$ for the permutation:
#
# $$f(P x) = P f(x)$$
#
# It is not the same as being insensitive to order (*invariance*, $f(Px) = f(x)$). Each
# output still belongs to its word. Only when they are pooled, say by a mean over all
# words, does the order vanish for good.

# %%
x = torch.stack(list(vectors.values()))[None]  # (1, T, D)
order = torch.tensor([4, 5, 1, 2, 3, 0])  # "a pie hit me with he"
with torch.no_grad():
    straight = attention(x, x, x)[0]  # (1, T, D)
    permuted = attention(x[:, order], x[:, order], x[:, order])[0]  # (1, T, D)
means = permuted.mean(1) - straight.mean(1)  # (1, D)
rows = [
    ("f(Px) = f(x)?", (permuted - straight).abs().max()),
    ("f(Px) = P f(x)?", (permuted - straight[:, order]).abs().max()),
    ("mean of f(Px) = mean of f(x)?", means.abs().max()),
]
Table(rows, ["", "largest difference"])

# %% [markdown]
# Nor is the input a *set*, as is often said. In a set nothing can be there twice. Say
# *pie* twice, and it counts twice: with a share $w$ of the attention before, both
# together now get $2w$ out of $1 + w$, that is $2w / (1 + w)$. A bag (a multiset) is
# what attention sees.

# %%
with torch.no_grad():
    _, once = attention(x, x, x)  # weights (1, H, 6, 6)
    twice_x = torch.cat([x, x[:, -1:]], dim=1)  # (1, 7, D): another "pie" at the end
    _, twice = attention(x, twice_x, twice_x)  # weights (1, H, 6, 7)
rows = [("he hit me with a pie", once[0, 0, 0, 5])]  # head 0, query 0, key 5
rows.append(("he hit me with a pie pie", twice[0, 0, 0, 5:].sum()))
Table(rows, ["sentence", "weight of “pie” for “he”, head 0"])

# %% [markdown]
# ## A test for it
#
# A property is worth a test. Like the perturbation test of unit 03, it needs only the
# layer and some input: change the order, run the layer, and see whether the outputs have
# moved along. You write it in the assignment, where the question is which orders one has
# to try. Here is what the course's own `is_equivariant` says about four layers:

# %%
def attend(x, mask=None):
    return attention(x, x, x, mask)[0]  # (B, T, D)


layers = {
    "self-attention": attend,
    "a linear layer, word by word": attention.out,
    "self-attention with a causal mask": lambda x: attend(x, causal_mask(6)),
    "self-attention after adding t": lambda x: attend(x + torch.arange(6.0)[:, None]),
}
rows = [(name, is_equivariant(layer, x)) for name, layer in layers.items()]
Table(rows, ["layer", "equivariant"])

# %% [markdown]
# Stacking such layers does not help: a chain of equivariant layers is equivariant. Two
# kinds of things break the symmetry. One is a causal mask, under which each word sees
# one word more than the word before it: a decoder (unit 08) can learn something about
# order from its mask alone. The other is to tell the layer where things stand: in its
# input, $h_t = g(x_t, t)$, or where queries and keys are compared. The rest of this
# lecture is about good ways to do either.

# %%
from drawings import positions as where_positions_come_in

where_positions_come_in()

# %% [markdown]
# On the left, positions are put into the input, once: sines and cosines, or a learned
# table. On the right, nothing is added, and queries and keys are turned in every block:
# rotary encoding. We take them in this order, after the simplest idea of all. (A fourth
# way, a bias on the scores, comes last.)
#
# ## Append t
#
# The simplest choice is one more feature that holds the number $t$ itself. Two things
# are wrong with it. The first is its size. It has no upper bound. The dot product of
# places $s$ and $t$ gets $s\, t$ added, which is largest for the last $s$: nearly every
# query picks the last word. Only the first few queries, with a small $t$, escape. Here
# 30 words with 16 features, with $t$ appended, compared as they are, without any
# learned matrix:

# %% alt="Attention over 30 words: near the diagonal without t; with t appended, nearly every query looks at the last word"
words = torch.randn(30, D, generator=seeded(2))  # (T, D)
appended = torch.cat([words, torch.arange(30.0)[:, None]], dim=1)  # (T, D + 1)
panels = {"features only": words, "with t appended": appended}
for name, v in panels.items():
    panels[name] = (v @ v.mT / math.sqrt(v.shape[-1])).softmax(-1)  # (T, T)
heatmaps(panels, values=False, title="with t, nearly everybody looks at the last word");

# %% [markdown]
# That can be mended: append $t / 10$, or let a learned matrix make the number small. The
# second thing cannot be mended within one head. The key of place $s$ is
# $k_s = x_s W + s\, w$, with some row $w$ for the new feature, so the score of a query
# $q$ is
#
# $$q \cdot k_s = q \cdot x_s W + s\, (q \cdot w)$$
#
# Apart from what the word itself contributes, that is a *straight line* in $s$,
# whatever is learned: largest at one of the two ends. A head can favour early words or
# late ones; it cannot single out place 7, or the word three back. (Could several heads
# make up for it together? The experiment with reversal, below, tries it with $t / 10$.)
#
# And meaning often sits in *relative* positions, not in absolute ones. In *I walk my dog
# every day* the dog stands at place 3, in *every single day I walk my dog* at place 6:
# two places after *walk* in both.
#
# What we want from the vector $p_t$ of a position: different for every $t$, bounded,
# the same in every text, and such that "two words further" is the same simple operation
# everywhere.
#
# ## Sines and cosines
#
# A clock solves this problem. Its hands are bounded, and go at different speeds: the
# fast ones tell neighbouring minutes apart, the slow ones tell the hour. Take $D / 2$
# hands; the $i$-th has the angle $t \cdot \omega_i$. Write down each hand's two
# coordinates:
#
# $$p_t[2i] = \sin(t\, \omega_i), \qquad p_t[2i + 1] = \cos(t\, \omega_i), \qquad
# \omega_i = \frac{1}{10000^{2i / D}}, \qquad i = 0, \dots, D / 2 - 1$$
#
# Mind the index. $i$ counts the *pairs*, so the columns are $2i$ and $2i + 1$, and both
# use the same angle. The 10000 is a choice: it sets how slow the slowest hand is. With
# $D = 4$ there are two hands, $\omega_0 = 1$ and $\omega_1 = 10000^{-2/4} = 0.01$, and
# position 2 has the angles 2 and 0.02:
#
# $$p_2 = (\sin 2,\ \cos 2,\ \sin 0.02,\ \cos 0.02) = (0.909,\ -0.416,\ 0.020,\ 1.000)$$

# %%
sinusoidal_encoding(3, 4)  # (T, D): positions 0, 1 and 2

# %% [markdown]
# Back to the bar codes at the top. Left, the fast hands: a full turn every
# $2\pi \approx 6$ steps. Right, the slow ones: the last takes tens of thousands of
# steps. Move the slider and watch four hands tell the position: the first ones while it
# goes step by step, the slow ones when it jumps. (The faint dots are the places 0 to
# 40.)

# %%
p = sinusoidal_encoding(41, 8)  # (41, 8): four hands, at the places 0 to 40


def draw_clocks(t):
    figure, axes = plt.subplots(1, 4, figsize=(8, 2.6))
    for i, ax in enumerate(axes):
        sine, cosine = p[:, 2 * i], p[:, 2 * i + 1]  # (41,) each
        ax.plot(cosine, sine, ".", alpha=0.3)  # cosine to the right, sine upwards
        ax.plot([0, cosine[t]], [0, sine[t]], linewidth=3)
        ax.set(title=f"i = {i}, ω = {10000 ** (-2 * i / 8):g}", aspect="equal")
        ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2))
    figure.suptitle(f"position {t}, told by fast hands and slow ones")


alt = "Four hands of a clock at position t"
interactive(draw_clocks, "t", [0, 1, 2, 3, 6, 12, 25, 40], start=6, alt=alt)

# %% [markdown]
# The first hand is the fastest one: it tells neighbours apart, while the slow ones hardly
# move from one step to the next. (What if $i$ began at 1? The appendix measures it.)

# %% [markdown]
# ## Near and far
#
# How similar are two positions? By the addition theorem,
#
# $$p_s \cdot p_t
# = \sum_i \big(\sin s\omega_i \sin t\omega_i + \cos s\omega_i \cos t\omega_i\big)
# = \sum_i \cos\big((s - t)\,\omega_i\big)$$
#
# so the dot product depends on the *distance* alone. It is largest at distance 0 and
# falls from there, but in waves: below, 76 steps away is more similar than 70, as several
# hands have come round by then. (This does not mean that pairs at the same distance have
# similar encodings: $p_0, p_3$ and $p_{50}, p_{53}$ are four different vectors; only
# the two *products* are the same.)

# %% alt="Dot products of all pairs of 40 positions, constant along diagonals; and falling with the distance, with ripples"
p = sinusoidal_encoding(200, 64)  # (T, D)
figure, (left, right) = plt.subplots(1, 2, figsize=(8.5, 3.2))
heatmap(p[:40] @ p[:40].mT, title="dot products of all pairs", ax=left, values=False)
left.set(xlabel="position s →", ylabel="position t ↓")
for t, style in ((0, "-"), (50, "--"), (100, ":")):
    right.plot(p[t : t + 100] @ p[t], style, linewidth=3, label=f"from t = {t}")
right.set(xlabel="distance s − t", ylabel="dot product")
right.set(title="three starts, one curve", ylim=(0, 34))
right.legend();

# %% [markdown]
# Left, every diagonal has one colour: only the distance counts. Right, three starting
# points lie on one and the same curve.
#
# ## Relative position is a rotation
#
# Moving on by $\Delta$ steps turns hand $i$ by the angle $\Delta\, \omega_i$, wherever
# it stands. A turn is a linear map: the new sine and the new cosine are both mixtures
# of the old sine and the old cosine, and the four coefficients depend on
# $\Delta\, \omega_i$ alone. That is what the addition theorems say; in the assignment
# you read the $2 \times 2$ block off them. Put these blocks on a diagonal, and you have
# *one* matrix $M_\Delta$ that moves every $p_t$ on. Vectors are rows in this course.
# Textbooks put the matrix on the left of a column; for our rows its transpose stands on
# the right. Both say the same:
#
# $$M_\Delta\, p_t^\top = p_{t + \Delta}^\top, \qquad
# p_t\, M_\Delta^\top = p_{t + \Delta} \qquad \text{for every } t$$
#
# Two hands, each at three moments $t$ (thin) and three steps later (thick), and where the
# matrix has its numbers:

# %% alt="Left: hand 0 at three moments and three steps later, each time almost half a turn on. Middle: hand 1, each time a small turn on, the same at all three moments. Right: the sizes of the entries of the shift matrix, four blocks of two by two along the diagonal, zeros elsewhere"
p = sinusoidal_encoding(40, 8)  # (T, D)
figure, axes = plt.subplots(1, 3, figsize=(9, 3.2))
for i, ax in enumerate(axes[:2]):
    for t, colour in ((0, "C0"), (15, "C1"), (35, "C2")):
        for moment, width in ((t, 1.2), (t + 3, 4)):
            sine, cosine = p[moment, 2 * i], p[moment, 2 * i + 1]
            ax.plot([0, cosine], [0, sine], linewidth=width, color=colour)
    angle = 3 * 0.1**i  # three steps of ω = 1 and of ω = 0.1
    ax.set(title=f"hand {i}: {math.degrees(angle):.0f}° on, always", aspect="equal")
    ax.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
heatmap(shift_matrix(3, 8).abs(), title="|M₃|: a block per hand", ax=axes[2], values=False)
axes[2].set(xlabel="columns →", ylabel="rows ↓", aspect="equal");

# %% [markdown]
# Each hand turns by its own angle, and by the same one wherever it stands. So there is
# one block for each hand, and zeros elsewhere. (The picture leaves out the signs: they
# are yours to find.) Does the matrix move *every* $p_t$?

# %%
p = sinusoidal_encoding(1000, 8)  # (T, D)
rows = []
for offset in (1, 3, 50):
    moved = p[:-offset] @ shift_matrix(offset, 8).mT  # (1000 - Δ, D): every t at once
    rows.append((offset, (moved - p[offset:]).abs().max()))
Table(rows, ["Δ", "largest error of p(t) Mᵀ = p(t + Δ), all t up to 1000"])

# %% [markdown]
# It does, up to rounding. Why this matters: a head that wants to look three words back
# can learn *one* matrix for it. A query is a row times a matrix, $q = x W_Q$. So take
# the transposed form: with $W_Q = M_{-3}^\top$ and $W_K = I$ the query of step $t$ is
# $p_t M_{-3}^\top = p_{t-3}$, and the key that fits it best is the one three steps
# back, at every $t$. (The first three steps have no such key and take the nearest, step
# 0.) With the bare number $t$ and its straight lines no matrix of a single head could
# do that. (Two simplifications: there are no words, only positions; and the scores are
# not divided by $\sqrt{d}$, which a factor in $W_K$ could undo.)

# %% alt="Attention weights of 20 steps: a diagonal, three steps to the left of the main one"
p = sinusoidal_encoding(20, 64)  # (T, D)
queries = p @ shift_matrix(-3, 64).mT  # (T, D): W_Q is M₋₃ transposed, W_K = 1
ax = plt.subplots(figsize=(4.5, 3.6))[1]
title = "three words back, by one matrix"
heatmap((queries @ p.mT).softmax(-1), title=title, ax=ax, values=False);

# %% [markdown]
# The stripe lies three to the left of the diagonal, and the neighbours get a little too.
#
# ## Learned positions
#
# Two words that are often mixed up: an *encoding* is computed by a formula, an
# *embedding* is a table that is learned. Both give each position a vector, and papers
# use either name for either thing.
#
# The alternative to a formula: a table with one trainable vector per position, added to
# the input. How many numbers is that? As many as positions times features. BERT has 512
# positions of 768 features:

# %%
bert = LearnedPositions(512, 768)
print(f"{sum(p.numel() for p in bert.parameters()):,} numbers")
try:
    bert(torch.zeros(1, 513, 768))
except ValueError as error:
    print("ValueError:", error)

# %% [markdown]
# | | sines and cosines | learned table |
# |---|---|---|
# | parameters | none | positions × features |
# | form | fixed | whatever the data wants |
# | longest input | any (defined; does the model *work* there? see the two tasks below) | fixed when the model is built |
# | positions rarely seen in training | defined like all others | hardly trained |
#
# (Code for such a table can be wrong and run: the appendix has a piece with two
# mistakes, one of which hides the other.)
#
# ## Add or concatenate
#
# Should $p_t$ be put *beside* $x_t$ or *onto* it? Beside makes every layer wider, here
# from $D$ to $2D$. But look at what the first matrix makes of it:
#
# $$[x_t;\, p_t]\, W = x_t W_x + p_t W_p$$

# %%
x, p = torch.randn(5, D, generator=seeded(3)), sinusoidal_encoding(5, D)  # (T, D) each
w = torch.randn(2 * D, D, generator=seeded(4))  # (2 D, D)
beside = torch.cat([x, p], dim=-1) @ w  # (T, D)
onto = x @ w[:D] + p @ w[D:]  # (T, D)
print(f"largest difference: {(beside - onto).abs().max():.0e}")

# %% [markdown]
# To concatenate and then multiply is to give each part a matrix of its own, and add.
# Adding straight away uses one matrix for both and saves the width. Words and positions
# could then get mixed up; but the word vectors are learned, and may come to avoid the
# directions that the positions use. So a model that puts positions into its *input*
# usually adds them.
#
# ## Reversal, with and without positions
#
# Does it matter? The task: reverse a sequence of 10 symbols out of 16. The model:
# embedding, positions, *one* attention layer, its result added to its input (unit 07
# says why), one linear layer. Only the positions differ. `sinusoidal` adds the
# encoding, `learned` a table; `append t/10` joins a number as one more feature, already
# made small.

# %%
class Sinusoidal(nn.Module):
    def forward(self, x):
        return x + sinusoidal_encoding(x.shape[1], x.shape[2])  # (B, T, D) + (T, D)


class AppendT(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.join = nn.Linear(dim + 1, dim)

    def forward(self, x):
        t = torch.arange(x.shape[1])[:, None] / 10  # (T, 1)
        t = t.expand(*x.shape[:2], 1)  # (B, T, 1)
        return self.join(torch.cat([x, t], dim=-1))  # (B, T, D + 1) -> (B, T, D)


# %%
class OneLayer(nn.Module):
    def __init__(self, positions, attention):
        super().__init__()
        self.embed, self.positions = nn.Embedding(16, 64), positions
        self.attention, self.out = attention, nn.Linear(64, 16)

    def forward(self, tokens, mask=None):
        x = self.positions(self.embed(tokens))  # (B, T, D)
        x = x + self.attention(x, x, x, mask, need_weights=False)[0]  # (B, T, D)
        return self.out(x)  # (B, T, 16)


MODELS = {
    "none": lambda: OneLayer(nn.Identity(), MultiHeadAttention(64, 4)),
    "append t/10": lambda: OneLayer(AppendT(64), MultiHeadAttention(64, 4)),
    "sinusoidal": lambda: OneLayer(Sinusoidal(), MultiHeadAttention(64, 4)),
    "learned": lambda: OneLayer(LearnedPositions(30, 64), MultiHeadAttention(64, 4)),
}

# %% [markdown]
# One training is an anecdote, so each model is trained three times, from three seeds.
# The three learn side by side, under one progress bar: their losses are added, and as
# they share no weights, none of them notices the others. The number $t / 10$ gets three
# times as many steps as the others.

# %%
def reverse(tokens):
    return tokens.flip(1)  # (B, T)


def train(name, task, count=200):
    models, draws = [], [seeded(seed) for seed in range(3)]
    for seed in range(3):
        torch.manual_seed(seed)
        models.append(MODELS[name]())

    def loss(step):
        total = 0.0
        for model, draw in zip(models, draws):
            tokens = torch.randint(16, (32, 10), generator=draw)  # (B, T)
            total = total + F.cross_entropy(model(tokens).mT, task(tokens))
        return total / 3

    parameters = nn.ModuleList(models).parameters()
    fit(loss, parameters, steps(count), lr=5e-3, label=f"{task.__name__}, {name},")
    return models


# %%
def new_tokens(length, count=500):
    return torch.randint(16, (count, length), generator=seeded(99))  # (N, T)


@torch.no_grad()
def hits(models, task, length=10, mask=None, count=500):
    tokens = new_tokens(length, count)  # (N, T)
    said = [model(tokens, mask).argmax(-1) for model in models]  # 3 times (N, T)
    return (torch.stack(said) == task(tokens)).float()  # (3, N, T)


def in_short(shares):  # (3,): one share per seed
    return f"{shares.mean():.2f} ({shares.amin():.2f} to {shares.amax():.2f})"


counts = {"none": 200, "append t/10": 600, "sinusoidal": 200, "learned": 200}  # steps
trained = {(name, reverse): train(name, reverse, n) for name, n in counts.items()}

# %% [markdown]
# What can a model reach that only knows the bag? It knows its own symbol and the nine
# others, and the wanted one is any of these nine. Its best guess is the most frequent
# among them:

# %% alt="Accuracy on reversal, with dots for three seeds: none is at the best guess without order, append t/10 a little above it, sinusoidal and learned reach 1"
hot = F.one_hot(new_tokens(10))  # (N, T, 16)
others = hot.sum(1, keepdim=True) - hot  # (N, T, 16): counts of the nine others
best_guess = (others.amax(-1) / 9).mean()
shares = {name: hits(trained[name, reverse], reverse).mean((1, 2)) for name in MODELS}
title = "a vector for every place solves reversal (length 10)"
ax = bars({name: share.mean() for name, share in shares.items()}, "symbols right", title)
for place, share in enumerate(shares.values()):
    ax.plot([place + 0.3] * 3, share, "o", color="black", markersize=4)  # the three seeds
label = f"best guess from the bag: {best_guess:.2f}"
ax.axhline(best_guess, linestyle="--", color="black", label=label)
ax.legend(loc="upper left")
ax.set_ylim(0, 1.2);

# %% [markdown]
# Each bar is the mean of three seeds, each dot one of them; the seeds differ far less
# than the bars do. Without positions the model reaches what is possible without order,
# and no more. With a vector for every place, computed or learned, one layer solves the
# task. The number $t / 10$ is better than nothing, but even with three times the
# training no seed got beyond .35: a straight line does not point at the mirrored place,
# and four heads did not make up for that. (What lifts it above the bag was not looked
# at; probably the two ends, where a straight line can point.)
#
# And where does the solution look? Unit 05 warned that a mean over heads shows no head at
# all, so here are all four, on one sequence:

# %% alt="Attention weights of the four heads of the sinusoidal model on one sequence: every head has an anti-diagonal, some sharper than others"
def draw_heads(model, tokens, title):
    with recorded_weights(model) as weights, torch.no_grad():
        model(tokens)
    heads = enumerate(weights[0].mean(0))  # (H, T, T), mean over the sequences
    panels = {f"head {h}": w for h, w in heads}
    heatmaps(panels, values=False, title=title).set_size_inches(10, 3.2)


model = trained["sinusoidal", reverse][0]
draw_heads(model, new_tokens(10)[:1], "sinusoidal, reversal: the mirrored place")

# %% [markdown]
# All four look along the anti-diagonal, at the mirrored place, some more sharply than
# others. As the output is a sum over heads, it is enough that the mirrored place leads
# in that sum.
#
# ## Rotary encoding
#
# If relative position is a rotation, why not rotate? *Rotary* encoding adds nothing to
# the input. It turns the queries and the keys inside every head, each pair of features
# $(2i, 2i + 1)$ by the angle $t\,\omega_i$. Call the matrix of that rotation $R_t$; for
# a row $q$ the turned query is $q R_t^\top$. The transpose turns back, so
# $R_t^\top R_s = R_{s-t}$, and the score of query $t$ and key $s$ is
#
# $$\big(q R_t^\top\big) \big(k R_s^\top\big)^\top
# = q\, R_t^\top R_s\, k^\top = q\, R_{s-t}\, k^\top$$
#
# It depends on what stands at the two places, on how far they are apart and on which of
# them comes first, and on nothing else. (That holds for the scores of one layer, given
# its inputs. In a deeper model the inputs of the second layer are already mixtures of
# what stood around.) By hand, with one pair and $\omega = 1$: $q = (1, 0)$ at position
# 5 becomes $(\cos 5, \sin 5)$, $k = (1, 0)$ at position 2 becomes $(\cos 2, \sin 2)$,
# and their product is $\cos 5 \cos 2 + \sin 5 \sin 2 = \cos 3$. At positions 15 and 12
# it is $\cos 3$ again.
#
# (Here vectors turn counterclockwise, as in textbooks. $M_t$ turns the other way, as its
# pairs have the sine first. Which way does not matter, as long as queries and keys turn
# the same way.)

# %% alt="Left: the vector (1, 0) turned by positions 0 to 5, like a hand of a clock. Right: scores of one query and one key at 30 by 30 places, constant along every diagonal"
figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6))
for t in range(6):
    vector = rotary(torch.tensor([[[[1.0, 0.0]]]]), torch.tensor([t]))[0, 0, 0]  # (2,)
    left.annotate(f"t = {t}", vector, ha="center", fontsize=9)
    left.plot([0, 0.9 * vector[0]], [0, 0.9 * vector[1]], linewidth=3)
left.set(title="(1, 0) at positions 0 to 5", aspect="equal", xlim=(-1.3, 1.3))
left.set_ylim(-1.2, 1.2)
both = torch.randn(2, 1, 1, 1, 16, generator=seeded(5))  # a query and a key
q, k = both.expand(2, 1, 1, 30, 16)  # (1, 1, T, d) each
places = torch.arange(30)  # (T,)
scores = rotary(q, places) @ rotary(k, places).mT  # (1, 1, T, T)
title = "one query, one key, at all places"
heatmap(scores[0, 0], title=title, ax=right, values=False);

# %% [markdown]
# Left, each step turns the vector on by the same angle. Right, every diagonal has one
# colour: only $s - t$ counts, with its sign. A second dark stripe lies 19 steps to the
# right of the main diagonal. Keep it in mind.
#
# Three details that go wrong easily. The rotation comes *after* the split, as the
# angles depend on the size $d$ of a head. The *values* are not turned: they are what is
# handed over, and the output should not be twisted by where it came from. And queries
# and keys must pair their features in the same way; some libraries pair
# $(i, i + d / 2)$, which is as good, but a model trained with one pairing works with
# the other only if the columns of its query and key matrices are permuted to match.
#
# So the layer of unit 05 stays as it is; only what its query and key projections give
# is turned on the way. A *hook* is a function that torch calls with the result of a
# layer, and that may return another one in its place:

# %%
class RotaryAttention(MultiHeadAttention):
    def __init__(self, dim, heads, speed=1.0):
        super().__init__(dim, heads)
        self.speed = speed  # 1, but for one experiment below
        for layer in (self.query, self.key):
            layer.register_forward_hook(self.turn)

    def turn(self, layer, inputs, projected):
        heads = split_heads(projected, self.heads)  # (B, H, T, d)
        places = self.speed * torch.arange(heads.shape[2])  # (T,)
        heads = rotary(heads, places)  # (B, H, T, d)
        return merge_heads(heads)  # (B, T, D): attention splits it again


MODELS["rotary"] = lambda: OneLayer(nn.Identity(), RotaryAttention(64, 4))

# %% [markdown]
# ## A bias for every distance
#
# The most direct way to tell attention about distances is to put them into the score.
# Leave queries and keys as they are, and add one number that depends only on how far
# the key is away, and on which side:
#
# $$e_{t,s,h} = \frac{q_{t,h} \cdot k_{s,h}}{\sqrt{d}} + b_h[s - t]$$
#
# Each head has its own small table $b_h$, learned like any other weight. Distances
# beyond a certain reach share the last entry. So the table is finite, and the text may
# be of any length. T5 (2019) does it in this way, with entries for ranges of distances.
#
# ALiBi (2021) learns nothing here: $b_h[s - t] = -m_h\, |s - t|$, a slope $m_h$ fixed
# for every head. That is a straight line again, as with the number $t$ above. But it
# starts at the *query* and falls on both sides, so that it favours the nearest keys,
# wherever the query stands. The line of the number $t$ always favoured an end of the
# text.
#
# Here is the learned table, with a reach of 8. Torch's fused attention adds a mask of
# *numbers* to the scores, so the bias can take the place of the mask. (It returns no
# weights, so `recorded_weights` cannot look into this layer. The factor 10 lets the table
# learn ten times as fast: Adam moves a number by about the learning rate in every step,
# which makes $200 \cdot .005 = 1$ at most.)

# %%
class BiasAttention(MultiHeadAttention):
    def __init__(self, dim, heads, reach=8):
        super().__init__(dim, heads)
        self.reach = reach
        self.table = nn.Parameter(torch.zeros(heads, 2 * reach + 1))

    def forward(self, query, key, value, mask=None, need_weights=False):
        t, s = torch.arange(query.shape[1]), torch.arange(key.shape[1])  # (T,), (S,)
        distance = (s - t[:, None]).clamp(-self.reach, self.reach)  # (T, S)
        bias = 10 * self.table[:, distance + self.reach]  # (H, T, S)
        if mask is not None:
            bias = bias.masked_fill(~mask, -torch.inf)  # (H, T, S)
        return super().forward(query, key, value, bias, need_weights=False)


MODELS["bias"] = lambda: OneLayer(nn.Identity(), BiasAttention(64, 4))

# %% [markdown]
# ## Absolute or relative: two tasks
#
# Reversal, at length 10, is about *absolute* places: the partner of step 2 is step 7,
# at distance 5; the partner of step 0 is at distance 9. A second task is *relative*:
# name the symbol before (only the first step, which has none, names itself). Both are
# learned at length 10. What happens there, and at lengths that never came up in
# training?

# %%
def previous(tokens):
    return torch.cat([tokens[:, :1], tokens[:, :-1]], dim=1)  # (B, T)


kinds = ("sinusoidal", "learned", "rotary", "bias")
for name in kinds:
    trained[name, previous] = train(name, previous)
for name in ("rotary", "bias"):
    trained[name, reverse] = train(name, reverse)

# %% alt="Accuracy over length, mean of three seeds with the range of the seeds shaded. Reversal: sinusoidal and learned are right at 10 and collapse beyond, rotary and bias are low everywhere. Symbol before: all are right at 10; sinusoidal and learned fall at once, rotary from length 18 on, bias stays at 1"
lengths = [10, 12, 14, 16, 18, 20, 25, 30]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
titles = {reverse: "reversal: absolute places", previous: "symbol before: distances"}
for ax, (task, title) in zip(axes, titles.items()):
    for name in kinds:
        models = trained[name, task]
        rights = [hits(models, task, length).mean((1, 2)) for length in lengths]
        right = torch.stack(rights)  # (lengths, 3)
        ax.plot(lengths, right.mean(1), "o-", markersize=4, label=name)
        ax.fill_between(lengths, right.amin(1), right.amax(1), alpha=0.3)
    ax.set(xlabel="length (trained at 10)", title=title, xticks=range(10, 31, 5))
axes[0].set_ylabel("symbols right")
axes[1].legend();

# %% [markdown]
# (Lines are means of three seeds. The shaded range goes from the worst to the best
# seed, and is mostly hidden by the lines.) In the left panel only the points at length
# 10 count. There both absolute encodings solve reversal. Rotary attention and the bias
# know distances only, and the right distance is another one for every step: fewer than
# half of their symbols are right. Beyond length 10 it is the *task* that changes: at
# length 12 the partner of step 2 is step 9, not step 7, and nobody tells the model how
# long the text is. The absolute ones have learned "look at place $9 - t$", and go on
# doing that, as the appendix shows.
#
# In the right panel the task stays the same at every length, and it is the *places* that
# are new. Accuracy by place, at length 20:

# %%
rows = []
for name in kinds:
    by_place = hits(trained[name, previous], previous, 20).mean((0, 1))  # (20,)
    rows.append((name, *(part.mean() for part in by_place.split(5))))
places = [f"places {start} to {start + 4}" for start in range(0, 20, 5)]
Table(rows, ["symbol before, length 20", *places])

# %% [markdown]
# The two absolute encodings are right at the first ten places. At the others the table
# is at chance (1 in 16) and the sines at twice that: rows 10 to 29 of the table were
# never trained, and the sines of these places are combinations of angles that the model
# has not met. That is why their curves fall slowly: at length 20, the ten places known
# from training are still half of all.
#
# But did the matrix $M_{-1}$ not work at *every* place? It does, and the sinusoidal
# model could have learned it for some of its hands (a head of 16 features has room for
# 8 of the 32). Ten places do not force it to: many other matrices also find the step
# before among $p_0, \dots, p_9$, and it seems that training found one of those. That was
# not tested. How would you? (One way: in training, let each text begin at a random place
# up to 20, and see whether the new places come right.)
#
# The bias has no such trouble at these lengths. Here is what its four heads have learned:

# %% alt="Learned bias of four heads over the distance of the key: all peak at minus one, are lower at zero, and flat and low elsewhere"
table = 10 * trained["bias", previous][0].attention.table.detach()  # (H, 17)
ax = plt.subplots(figsize=(6, 3))[1]
for h, row in enumerate(table):
    ax.plot(range(-8, 9), row, "o-", markersize=4, label=f"head {h}")
ax.set(xlabel="distance s − t of the key", ylabel="bias", title="one step back is best")
ax.legend();

# %% [markdown]
# One step back has the largest bias in every head, and the step itself the second one:
# the first step needs that, as it has nobody before it. All other distances are about
# equally unattractive, and those beyond 8 share the last entry with 8. A longer text
# brings no new kind of key, only more of the unattractive ones. Do these add up in the
# end? One step back is ahead of them by about 3.6, a factor of $\exp(3.6) \approx 37$, so
# against 300 keys the bias leaves it $37 / 337$, about a tenth of the weight. Measure it, with all
# keys, and with a mask that hides those more than 9 steps away:

# %%
def apart(length):
    places = torch.arange(length)  # (T,)
    return (places - places[:, None]).abs()  # (T, S): how far two places are apart


rows, models = [], trained["bias", previous]
for length in (30, 100, 300):
    both = [hits(models, previous, length, mask, 50) for mask in (None, apart(length) <= 9)]
    rows.append((length, *(in_short(share.mean((1, 2))) for share in both)))
Table(rows, ["bias, symbol before, at length", "right", "right with near keys only"])

# %% [markdown]
# They do add up: at length 100 nearly everything is still right, at 300 about half.
# And the far keys are the cause: hide them, and all is right again, at every length. (Why
# a tenth of the weight is not enough was not looked at. The other nine tenths go to 16
# symbols, so in the mixture the wanted one should still lead.)
#
# ## Why does rotary attention fail?
#
# Rotary attention knows distances too. Yet it is all right only up to length 16, and at
# 30 it has .70. Why? Here is a suspicion: the hands of the clock come round. In a head
# of 16 features the two fastest hands have $\omega = 1$ and $.32$. After 19 steps the
# first has made three full turns and the second almost one:

# %%
omega = 10000.0 ** (-torch.arange(0, 16, 2) / 16)  # (d / 2,)
turns = 19 * omega[:4] / (2 * math.pi)  # (4,)
rows = [("ω", *omega[:4]), ("turns in 19 steps", *turns)]
Table(rows, ["hand", "0", "1", "2", "3"])

# %% [markdown]
# So both stand nearly where they stood before. (Compare the second dark stripe in the
# picture of the scores, which has 16 features too.) One step back is $s - t = -1$. A key
# at $-20$ or $+18$, which is 19 steps away from the wanted one, looks to these two hands
# much like the wanted one. In sequences of 10 there are no such keys, and nothing taught
# the model to tell them apart. They come with lengths near 19. This fits the table above,
# where rotary is wrong mostly at the first places of 20: the first two have a key 18
# steps ahead.
#
# To fit is not to be proven. Two tests. First, take away what is suspected: hide all keys
# that are more than 9 steps away, the largest distance of the training. If far keys are
# the cause, the model must recover; and it must be enough to hide the five distances
# around 19. Second, change the hands: let all of them go at .8 of their speed, and train
# again. Then the two come round together after $19 / .8 \approx 24$ steps, so it must be
# the distances around 24 that do the harm. A control is the sinusoidal model, whose
# trouble should be another one.

# %%
MODELS["rotary, speed .8"] = lambda: OneLayer(nn.Identity(), RotaryAttention(64, 4, 0.8))
trained["rotary, speed .8", previous] = train("rotary, speed .8", previous)
away = apart(30)  # (T, S)
masks = {
    "nothing": away >= 0,  # (T, S) each
    "more than 9 away": away <= 9,
    "17 to 21 away": (away < 17) | (away > 21),
    "22 to 26 away": (away < 22) | (away > 26),
}

# %%
rows, tried = [], ("rotary", "rotary, speed .8", "sinusoidal")
for hidden, mask in masks.items():
    shares = [hits(trained[name, previous], previous, 30, mask) for name in tried]
    rows.append((hidden, *(in_short(share.mean((1, 2))) for share in shares)))
Table(rows, ["length 30, right: mean (range of seeds); hidden", *tried])

# %% [markdown]
# Without the far keys rotary attention is right again at length 30. It is enough to
# hide the distances around 19; those around 24 do no harm. At .8 of the speed it is the
# other way round, as the suspicion said. So it is not far keys in general: it is keys at
# a distance after which the two fastest hands stand where they stood. The sinusoidal
# model hardly profits from any of this: its mistakes are at new *places*, as the table by
# place has shown.
#
# (And in practice? Some large language models hide far keys: they look through a sliding
# window. Many have a larger base than 10000, which slows down all hands but the first.
# And to read longer texts than in training, some are slowed down altogether, as here, and
# trained a little more.)
#
# So a formula that is *defined* for every length is not yet a model that *works* at
# every length: neither for the sines nor for the rotations, nor, much later, for the
# bias. In practice (*here* is what was measured in this lecture):
#
# | | the model knows | longer texts than in training | used by |
# |---|---|---|---|
# | sines and cosines, added | places, distances if learned | defined; failed here | the first Transformer (2017) |
# | learned table, added | places | at chance here (rows not trained); then the table ends | BERT, GPT-2, ViT |
# | rotary | distances | here all right up to 16, .70 at 30; all right with near keys only | Llama and many other large language models |
# | bias on the scores | distances | here all right at 30, .97 at 100, .52 at 300; all right with near keys only | T5 (learned), BLOOM (ALiBi) |
#
# ## Summary
#
# - Self-attention is equivariant: permute the inputs, and the outputs follow. It sees a
#   bag.
# - The number $t$ as a feature gives scores that are straight lines in the key's place:
#   one head cannot single out a place in between.
# - Sines and cosines are the hands of a clock; $i$ counts pairs, from 0. A step of
#   $\Delta$ is a rotation $M_\Delta$, the same at every $t$.
# - A learned table is flexible and ends at its last row. Adding is concatenating with
#   one shared matrix.
# - Rotary encoding turns queries and keys, so that the scores of a layer depend on what
#   stands there and on $s - t$, not on the places themselves. A bias on the scores does
#   it with one number per distance (and side) and head.
# - Which one was better here depended on whether the task is about places or about
#   distances.
# - A suspicion why a model fails is tested by taking away what is suspected, with
#   controls.
#
# ## Questions
#
# **1.** A bag-of-words classifier averages the outputs of a self-attention layer
# without positions. Can it tell "dog bites man" from "man bites dog"?
#
# <details><summary>Answer</summary>
#
# No. The outputs are the same three vectors in another order (equivariance), and their
# mean is the same (invariance). No training can change that.
# </details>
#
# **2.** $p_t$ has $D = 512$ columns. What is $p_t \cdot p_t$, and what does that say
# about adding $p_t$ to a word vector of length 1?
#
# <details><summary>Answer</summary>
#
# Each pair contributes $\sin^2 + \cos^2 = 1$, so $p_t \cdot p_t = 256$ and the length
# of $p_t$ is 16. Word vectors of length 1 would drown. The original Transformer
# multiplies the embeddings by $\sqrt{D}$ before adding; its authors give no reason, but
# this is one effect.
# </details>
#
# **3.** With rotary encoding, what changes in a model's output when all positions are
# raised by 100?
#
# <details><summary>Answer</summary>
#
# Nothing: all differences $t - s$ stay the same, and with them all scores. With added
# encodings or a learned table the output would change.
# </details>
#
# ## Where next
#
# Do the
# [assignment](../assignments/06_positional_encoding/06_positional_encoding.ipynb): you
# write the encodings, the matrix and the rotation yourself. Then
# [unit 07](07_transformer_encoder.ipynb) puts attention and positions together with
# residuals, norms and a feed-forward layer: the Transformer encoder.

# %% [markdown]
# ## Appendix: the missing hand
#
# Let the index of the sines run from 1 to $D / 2$, with the same exponent $2i / D$. That
# throws away the fastest hand ($\omega = 1$) and adds one that hardly moves. What does it
# cost? Two neighbouring positions differ in hand $i$ by a chord of length
# $\sqrt{2 - 2 \cos \omega_i}$; all hands together give their distance. It shrinks, the
# more so the smaller $D$:

# %%
def neighbours(i, dim):  # i: which pairs there are
    omega = 10000.0 ** (-2 * i / dim)  # (D / 2,)
    return (2 - 2 * omega.cos()).sum().sqrt()


rows = []
for dim in (4, 8, 32, 512):
    i = torch.arange(dim // 2)  # (D / 2,)
    rows.append((dim, neighbours(i, dim), neighbours(i + 1, dim)))
Table(rows, ["D", "distance of neighbours, i from 0", "i from 1"])

# %% [markdown]
# With $D = 4$ and without the fast hand, neighbours are all but the same.
#
# ## Appendix: a table with two mistakes
#
# A learned table in code, with two mistakes. It runs:

# %%
DIM, WORDS, LENGTH = 100, 2000, 50
word_table = nn.Embedding(DIM, WORDS)
position_table = nn.Embedding(DIM, LENGTH)
ids, places = torch.tensor([7, 42, 99]), torch.arange(3)  # (T,) each
x = word_table(ids) + word_table(places)  # (T, ?)
x.shape

# %% [markdown]
# 2000 features instead of 100: `nn.Embedding` takes *how many* rows first, then *how
# large* they are. And the positions are looked up in the table of words. Mend only the
# second mistake, and the first one comes to light:

# %%
try:
    word_table(ids) + position_table(places)
except RuntimeError as error:
    print("RuntimeError:", error)
try:
    word_table(torch.tensor([150]))  # word number 150 of 2000
except IndexError as error:
    print("IndexError:", error)

# %% [markdown]
# The second mistake had hidden the first: with both look-ups in the same table, the
# sizes fit. A look at the shape finds the first. The second is worse: mend only the
# first, and the code runs with the right shape, (3, 100), while place 2 shares its
# vector with word 2.
#
# ## Appendix: reversal, looked at closely
#
# What do the absolute encodings do at length 12, where they fail? Compare what they say
# with the symbol at place $9 - t$, which was right at length 10:

# %%
def as_before(tokens):  # place 9 - t, for the first ten; the others do not count
    return torch.cat([tokens[:, :10].flip(1), -tokens[:, 10:] - 1], dim=1)  # (B, T)


rows = []
for name in ("sinusoidal", "learned"):
    models = trained[name, reverse]
    right = hits(models, reverse, 12).mean()
    rows.append((name, right, hits(models, as_before, 12)[..., :10].mean()))
columns = ["length 12", "right", "the first ten say what stands at place 9 − t"]
Table(rows, columns)

# %% [markdown]
# Place for place they do what they learned, and now it is wrong. To do better they would
# have to see several lengths in training, and to find out where the text ends.
#
# And rotary attention, at length 10? Its score cannot tell which step is asking, and
# still it does better than the bag. Where is it right, and how?

# %% alt="Accuracy of rotary attention on reversal by place: 1 at the first and the last place, low in the middle"
by_place = hits(trained["rotary", reverse], reverse).mean((0, 1))  # (10,)
title = "rotary, reversal: right at the ends (mean of three seeds)"
ax = bars(dict(enumerate(by_place)), "symbols right", title)
ax.set(xlabel="place", ylim=(0, 1.1));

# %% alt="Attention weights of the four heads of one rotary model on reversal, mean over 500 sequences. Heads 0, 1 and 2 have the two far corners, head 1 most clearly; elsewhere pale diagonal stripes"
model = trained["rotary", reverse][0]
draw_heads(model, new_tokens(10), "rotary, reversal: four heads of seed 0, mean of 500 sequences")

# %% [markdown]
# At the ends, and the weights of one seed say how. In head 1 the first step looks at the
# last and the last step at the first: *nine steps away*, a distance that only the two
# ends have, so that no places are needed. In the middle there are only pale stripes
# along diagonals, that is, fixed distances, and a fixed distance is right for one step
# and wrong for the next.
