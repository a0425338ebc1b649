# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 02 · Dot-product attention
#
# In unit 01 a prediction was a mean of known values, weighted by how near their keys were to the query. Keys were numbers and nearness was
# distance. Words are not numbers. This lecture finds out what replaces distance, and arrives at the formula on which every Transformer rests.
#
# After it you can
#
# - say why looking up an embedding is a matrix product, and attention a look-up that is not quite sure;
# - turn a fixed word vector into one that knows its sentence, and say what goes wrong without learned projections;
# - write scaled dot-product attention in three lines, and say why the scale stands *inside* the softmax;
# - choose between the scores of the family (cosine, additive, general, dot, scaled dot, location), and prove why one popular short cut fails.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.dot_product_attention import additive_scores, cosine_scores, general_scores
from course_utils.dot_product_attention import context_vectors, fused_attention, one_hot_lookup
from course_utils.dot_product_attention import scaled_dot_product_attention, self_attention
from course_utils.nadaraya_watson import softmax
from course_utils.plotting import Table, bars, curves, heatmap, heatmaps, interactive, plt
from course_utils.training import fit, seeded, steps


def normal(*shape, seed):
    """Random numbers that are the same whatever ran before."""
    return torch.randn(shape, generator=seeded(seed))


# %% [markdown]
# ## A look-up is a matrix product
#
# A network needs numbers, so each word of a vocabulary gets an id, and the id must become a vector. The bluntest one is *one-hot*: as many
# entries as there are words, a single 1 at the id. It treats all words alike, and that is its weakness: any two different words are equally
# far apart, so nothing that is learned about one can help with another.
#
# Multiply a one-hot row with a table and out comes one row of the table:
#
# $$\underbrace{[\,0\;\;0\;\;1\;\;0\,]}_{1\times V}\;\underbrace{E}_{V\times D} = \text{row 2 of } E$$

# %%
table = normal(5, 3, seed=0)  # (V, D): five words, three numbers each
ids = torch.tensor([2, 2, 4])  # (T,)
one_hot = F.one_hot(ids, 5).float()  # (T, V)
product = one_hot @ table  # (T, D)
print("same as indexing:          ", torch.equal(product, table[ids]))
print("same as the course's code: ", torch.equal(product, one_hot_lookup(ids, table)))

# %% [markdown]
# So `nn.Embedding(V, D)` is a linear layer without the wasteful multiplication by zeros. It is often said that one-hot vectors take too much
# memory; as ids they take none. What a table of $D$ columns buys is that words can be *near* each other. Two
# questions that often come up:
#
# - *Which $D$ in `nn.Embedding(100000, D)` would leave the words one-hot?* $D = 100000$, with the identity as frozen table: 40 GB of zeros.
# - *Who decides what the numbers are?* Nobody. They start at random and are moved by gradient descent, like all weights: each step moves the rows
#   of the words that occurred, and no others.

# %%
embedding = nn.Embedding(5, 3)
embedding(torch.tensor([2, 2, 4])).sum().backward()  # any loss will do
print("gradient of each row:", embedding.weight.grad[:, 0].tolist())
try:
    embedding(torch.tensor(200000))
except IndexError as error:
    print("an id outside of the table:", error)

# %% [markdown]
# ## One word, two meanings
#
# Translate *I am writing a letter to her* into Spanish, from English words to Spanish ones, with a table of word vectors. It goes well until
# *letter*: a letter in an envelope is a *carta*, a letter of the alphabet a *letra*. A table is a dictionary with one entry per word: whatever
# the sentence, *letter* has the same vector. What we need is a **context vector**, a function of the word *and* of its sentence:
#
# $$c(\textit{letter}) = f\big(v_{\textit{letter}},\; [v_{\textit{I}}, v_{\textit{am}}, v_{\textit{writing}}, v_{\textit{a}}, v_{\textit{letter}}, v_{\textit{to}}, v_{\textit{her}}]\big)$$
#
# We make that a problem that can be measured. Sentences of eight words in random order contain *two* ambiguous words, *letter* (carta or letra)
# and *bank* (banco or orilla), a clue for each, and four words that say nothing. Asked for are both translations.

# %%
CLUES = {
    "carta": ["writing", "sent", "stamp", "envelope"],
    "letra": ["alphabet", "capital", "vowel", "spelling"],
    "banco": ["money", "account", "loan", "cash"],
    "orilla": ["river", "boat", "fishing", "shore"],
}
FILLERS = ["I", "am", "a", "to", "her", "the", "in", "my", "on", "with", "today"]
words = ["letter", "bank", *FILLERS, *[clue for clues in CLUES.values() for clue in clues]]
vectors = normal(len(words), 32, seed=0)  # (V, D): fixed word vectors, which know nothing


# %%
def sentences(count, rng):
    """-> word ids (N, 8), meanings of letter and bank (N, 2)."""
    meaning = torch.randint(0, 2, (count, 2), generator=rng) + torch.tensor([0, 2])  # (N, 2)
    clue = 13 + 4 * meaning + torch.randint(0, 4, (count, 2), generator=rng)  # (N, 2): words 13 to 28
    filler = torch.randint(2, 13, (count, 4), generator=rng)  # (N, 4): words 2 to 12
    ids = torch.cat([torch.tensor([0, 1]).expand(count, 2), clue, filler], dim=1)  # (N, 8)
    order = torch.rand(count, 8, generator=rng).argsort(dim=1)  # (N, 8)
    return ids.gather(1, order), meaning


train, test = sentences(512, seeded(1)), sentences(1000, seeded(2))
rows = [(" ".join(words[i] for i in ids), *(list(CLUES)[m] for m in both)) for ids, both in zip(*test)]
Table(rows[:3], ["sentence", "letter", "bank"])

# %% [markdown]
# Every idea for a context vector is now judged by the same examiner: a linear layer that reads the context vector *at the place of the
# ambiguous word* and picks one of the four Spanish words. Guessing among the two meanings of a word gives one half.


# %%
def examine(context, parameters=()):
    """Train a linear reader (and the parameters) on `context`: (N, 8, D) -> (N, 8, D); -> accuracy on new sentences."""
    reader = (normal(32, 4, seed=9) / 6).requires_grad_()  # (D, meanings)

    def logits(ids):
        rows = torch.arange(len(ids))[:, None]  # (N, 1)
        place = torch.stack([(ids == word).int().argmax(1) for word in (0, 1)], dim=1)  # (N, 2)
        return context(vectors[ids])[rows, place] @ reader  # (N, 2, meanings)

    def loss(step):
        return F.cross_entropy(logits(train[0]).mT, train[1])

    fit(loss, [reader, *parameters], steps(300), lr=0.01)
    return float((logits(test[0]).argmax(-1) == test[1]).float().mean())


# %% [markdown]
# The first two ideas: leave the vector as it is, and replace it by the mean of the sentence, in which each of our eight words weighs $1/8$. (Count
# the words: *I am writing a letter to her* has seven, and a slide that gives each of them $1/8$ has weights that sum to $7/8$.)

# %%
accuracy = {}
accuracy["the word itself"] = examine(lambda x: x)
accuracy["sentence mean"] = examine(lambda x: x.mean(1, keepdim=True).expand_as(x))
Table(accuracy.items(), ["context vector", "accuracy"])

# %% [markdown]
# Both guess, for opposite reasons. The word itself knows *which* word is asked about, but not the sentence. The mean knows the sentence, but it
# is the same vector for *letter* and for *bank*: it cannot know which clue is wanted. We need a mean with **weights that depend on the word that
# asks**:
#
# $$c_i = \sum_j \alpha_{ij}\, v_j, \qquad \sum_j \alpha_{ij} = 1$$

# %% [markdown]
# ## The dot product as similarity
#
# In unit 01 the weights came from distance. For vectors there is something simpler, one multiplication and one sum:
#
# $$a\cdot b = \sum_i a_i b_i = |a|\,|b|\cos\varphi$$

# %%
angles = torch.tensor([0.0, 45.0, 90.0, 140.0, 180.0])  # degrees
cosines = torch.cos(torch.deg2rad(angles))
meaning = ["same direction", "similar", "unrelated", "opposed", "opposite"]
rows = [(f"{a:.0f}°", f"{c + 1e-6:.2f}", m) for a, c, m in zip(angles, cosines, meaning)]
Table(rows, ["angle", "cosine", "meaning"])

# %% [markdown]
# Two things are easily misread here. A dot product of 0 does not mean *very different* but *nothing in common*; opposites have negative ones.
# (A slide gives −0.71 for 140°; that is the cosine of 135°.) Second, an angle of 0 is not the largest score: the dot product also grows with **length**.

# %%
query = torch.tensor([1.0, 0.0])  # (D,)
same, long = torch.tensor([1.0, 0.0]), torch.tensor([10.0, 10.0])  # (D,), (D,)
print(f"with itself: {query @ same:.0f}     with a long vector at 45°: {query @ long:.0f}")

# %% [markdown]
# In the plane it looks as follows. All points on one dashed line have the same score with the query: it is the *shadow* on the query that counts,
# and the far-away key wins although it points elsewhere. Move the query with the slider.

# %%
keys = torch.tensor([[1.0, 0.2], [2.4, 2.0], [-0.6, 1.2], [-1.2, -0.8]])  # (S, D)


def shadow(degrees):
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    scores = keys @ torch.tensor([cos, sin])  # (S,): the query has length 1
    ax = plt.subplots(figsize=(5, 4.2))[1]
    for (x, y), score, weight in zip(keys.tolist(), scores, softmax(scores)):
        ax.plot([x - 3 * sin, x + 3 * sin], [y + 3 * cos, y - 3 * cos], "--", color="0.8", lw=1)
        ax.scatter(x, y, s=40 + 900 * weight, color="#0072B2", alpha=0.7)
        ax.text(x + 0.15, y + 0.15, f"score {score:.1f}\nweight {weight:.2f}", fontsize=9)
    ax.arrow(0, 0, cos, sin, width=0.04, color="#D55E00", length_includes_head=True)
    ax.set(xlim=(-2.2, 4.2), ylim=(-1.9, 3), aspect="equal", title="orange: query; area of a key = its weight")


alt = "Four keys in the plane, their dot product with a query and their softmax weight"
interactive(shadow, "direction of the query in degrees", list(range(0, 360, 30)), start=0, alt=alt)

# %% [markdown]
# ## Weights from similarity
#
# Three steps make weights of similarities. Their results need three names, which are easily mixed up: **scores** $e_{ij} = v_i \cdot v_j$ are plain numbers of
# any sign; **weights** $\alpha_{ij}$ are what softmax makes of a *row* of them, positive and summing to one; the **output** is the weighted mean.
#
# $$c_i = \sum_j \alpha_{ij} v_j \qquad \alpha_{i\cdot} = \mathrm{softmax}(e_{i\cdot})
# \qquad\text{for all words at once:}\quad C = \underbrace{\mathrm{softmax}(\underbrace{X}_{T\times D}\underbrace{X^{\top}}_{D\times T})}_{T\times T,\ \text{row by row}}\;\underbrace{X}_{T\times D}$$
#
# For a single word with column scores $Xv$ (shape $T\times 1$) a transpose is needed, $\mathrm{softmax}(Xv)^\top X$: without it the shapes do not multiply. Writing
# shapes under factors finds such slips faster than thinking.

# %%
x = torch.tensor([[1.0, 0.0], [0.8, 0.6], [-0.6, 0.8]])  # (T, D): v1, v2, v3
scores = x @ x.mT  # (T, T)
weights = softmax(scores, dim=-1)  # (T, T): every row sums to one
output = weights @ x  # (T, D)
print("rows sum to", weights.sum(-1).tolist())
print("same as the course's code:", torch.equal(output, context_vectors(x)[0]))

# %% alt="Three matrices side by side: scores, weights, and that the weights' rows sum to one"
names = ["v1", "v2", "v3"]
heatmaps({"scores": scores, "weights": weights}, names, names);

# %% [markdown]
# Reading one row of the right picture tells what replaces a word: its own row, never its column. So what becomes of $v_3$, the last
# row?

# %%
parts = [f"{w:.2f} · {name}" for w, name in zip(weights[2], names)]
print("v3 becomes", " + ".join(parts), f"= ({output[2, 0]:.2f}, {output[2, 1]:.2f})")

# %% [markdown]
# The scores are symmetric (as is every $XX^\top$), the weights are not: each row is divided by a sum of its own. That is why the axis of the
# softmax must be said: `dim=-1`, over the keys. Weights are also not correlations: none is negative, and one grows only at the others' cost.
#
# ## Nobody looks at anybody else
#
# Now the examination. The formula has everything that we asked for: the weights depend on the word that asks.

# %%
accuracy["softmax(XXᵀ) X"] = examine(lambda x: softmax(x @ x.mT) @ x)
print(f"accuracy on new sentences: {accuracy['softmax(XXᵀ) X']:.2f}")

# %% [markdown]
# Guessing again! The heat map says why. Below are the weights of twenty random vectors of size 64, once plain, and once with
# scores divided by $\sqrt{64}$, a scale that gets its reason two sections below.

# %% alt="Two heat maps of softmax weights of twenty random vectors: both are practically the identity matrix"
x = normal(20, 64, seed=3)  # (T, D)
plain, scaled = softmax(x @ x.mT), softmax(x @ x.mT / 8)  # (T, T), (T, T)
mean = [f"mean of the diagonal {w.diagonal().mean():.3f}" for w in (plain, scaled)]
heatmaps({f"softmax(XXᵀ)\n{mean[0]}": plain, f"softmax(XXᵀ/√64)\n{mean[1]}": scaled});

# %% [markdown]
# A vector of size $D$ has a dot product of about $D$ with itself, and of about $\pm\sqrt{D}$ with a stranger. Each word is by far its own best match, so
# softmax$(XX^\top)$ is almost the identity: the "context" of a word is the word. The scale alone does not
# cure it: 64 against ±8 becomes 8 against ±1, and $e^8$ still wins. Nor can training: this attention has **no parameters**, and
# nothing to learn. Stacking it makes it worse. Where vectors are short enough to mix at all, each layer replaces points by means of points, and
# means move together:

# %% alt="The spread of twelve short vectors shrinks to nothing as parameter-free attention is stacked"
x, spread = 0.5 * normal(12, 8, seed=4), []  # (T, D): short vectors
for _ in range(9):
    spread.append(float((x - x.mean(0)).norm(dim=1).mean()))
    x = context_vectors(x)[0]  # (T, D)
ax = curves(None, {"spread": spread}, "layers of parameter-free attention", "mean distance to the centre")
ax.set(title="stacking only contracts");

# %% [markdown]
# ## Queries, keys, values: a soft database
#
# Where is the mistake? We let one vector play three parts. Look at a database: you come with a **query**, it is compared with the **keys**, and you
# get the **value** of the key that fits. Query, key and value are different things; nobody wants the key back.

# %%
phone_book = {"Ana": 611, "Ben": 622, "Eva": 633}
names, numbers = list(phone_book), torch.tensor(list(phone_book.values())).float()  # (S,)
hot = torch.tensor([float(name == "Ben") for name in names])  # (S,): exact match, one-hot
soft = softmax(torch.tensor([0.5, 3.0, 0.1]))  # (S,): "Bem" resembles all of them a little, Ben most
print(f"exact query: {hot @ numbers:.0f}     soft query: {soft @ numbers:.1f}")

# %% [markdown]
# The exact look-up is a one-hot row times values: the first section of this lecture. Attention replaces the one-hot row by a softmax, which is
# differentiable: *how well does each key fit* becomes something that gradients can improve.
#
# In a sentence each *token* $x_i$ (a word, or whatever else a text is cut into) plays all three parts, and each part gets a learned matrix of its own, shared by all tokens:
#
# | | what it says | shape |
# |---|---|---|
# | query $q_i = x_i W_q$ | what I am looking for in others | $d_k$ |
# | key $k_i = x_i W_k$ | by what others find me | $d_k$ |
# | value $v_i = x_i W_v$ | what others get from me | $d_v$ |
#
# In *the blue sky*, the noun may look for adjectives, and *blue* may offer itself as one: that is a similarity between a **query** and a **key**, and no
# longer one between two words. A token also meets itself, but it need not like what it sees. Keys and values of one token share their *source*, not their
# numbers; only the older attention on top of recurrent networks uses the encoder's states for both (unit 04). Two sizes must agree: queries with keys in
# $d_k$, keys with values in number. (If you want biases, append a column of ones to $X$, or add them: a matrix with an extra row alone does not multiply.)

# %% [markdown]
# ## Why divide by √d
#
# One difficulty is left. A dot product is a *sum* of $d$ terms. If query and key have independent entries of mean 0 and variance 1, each term has
# variance $1\cdot 1 = 1$, and the variances add up: $\mathrm{Var}(q\cdot k) = d$.

# %% alt="Variance of dot products against their dimension on logarithmic axes: the plain ones follow the line variance = d, the scaled ones stay at 1"
sizes = [2**n for n in range(1, 11)]
pairs = {d: normal(2, 4000, d, seed=d) for d in sizes}  # (2, N, d) each
dots = {d: (q * k).sum(-1) for d, (q, k) in pairs.items()}  # (N,) each
plain = [float(dots[d].var()) for d in sizes]
scaled = [float((dots[d] / math.sqrt(d)).var()) for d in sizes]
ax = curves(sizes, {"q · k": plain, "q · k / √d": scaled}, "d", "variance", style="o-")
ax.set(xscale="log", yscale="log", title="4000 random pairs of vectors");

# %% [markdown]
# What is wrong with large scores? Softmax sees differences. With a standard deviation of √512 ≈ 23 one key wins by a factor of $e^{20}$; the rest get
# nothing, and through a softmax that is so sure of itself hardly any gradient flows. Move $d$:


# %%
def competition(d):
    scores = normal(8, d, seed=8) @ normal(d, seed=7)  # (S,): eight keys, one query
    axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)[1]
    for ax, title, s in zip(axes, ["plain", "divided by √d"], [scores, scores / math.sqrt(d)]):
        bars({str(i): w for i, w in enumerate(softmax(s))}, title=title, ax=ax)
        ax.set(xlabel="keys →", ylim=(0, 1.1))


alt = "Softmax weights of eight random keys, without and with the scale"
interactive(competition, "d", [1, 4, 16, 64, 256, 1024], start=64, alt=alt)

# %% alt="Mean size of the gradient that reaches the scores against d: it falls without the scale, and stays with it"
def gradient(d, scale):
    q, k = pairs[d][0][:500], pairs[d][1].view(500, 8, d)  # (N, d), (N, 8, d): eight keys per query
    scores = (scale * (k @ q[:, :, None])[..., 0]).requires_grad_()  # (N, 8)
    softmax(scores)[:, 0].sum().backward()  # ask for more weight on the first key
    return float(scores.grad.abs().mean())


reaches = {"without scale": [gradient(d, 1) for d in sizes], "with 1/√d": [gradient(d, d**-0.5) for d in sizes]}
ax = curves(sizes, reaches, "d", "mean |gradient| of a score", style="o-")
ax.set(xscale="log", ylim=(0, None), title="what comes back through the softmax");

# %% [markdown]
# So the scores are divided by $\sqrt{d_k}$, where $d_k$ is the size of the *keys*: not that of the values, not that of a decoder's state (unit 04), not the number of
# words; with several heads (unit 05) it is the size of one head's keys. Why not by $d$? Then the variance would be $1/d$, and for large $d$ all weights would be equal: a plain mean.
#
# Where the division stands matters as well. Here is the formula of a slide, with the scale *outside*, beside the right one:
#
# $$\frac{\mathrm{softmax}(QK^\top)}{\sqrt{d_k}}\,V \qquad\text{against}\qquad \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$

# %%
q, k = normal(2, 6, 64, seed=5)  # (T, 64), (S, 64)
outside = softmax(q @ k.mT) / 8  # (T, S)
inside = softmax(q @ k.mT / 8)  # (T, S)
rows = []
for name, w in {"outside": outside, "inside": inside}.items():
    total = w.sum(-1, keepdim=True)  # (T, 1)
    rows.append((name, total.mean(), (w / total).amax(-1).mean()))
Table(rows, ["scale", "rows sum to", "share of the largest weight"])

# %% [markdown]
# Outside, each row sums to $1/\sqrt{64} = 0.125$: every output is an eighth of a mean, *and* the softmax is as peaked as if nothing had been done. A one-line
# test, *do the rows sum to one?*, finds it. Another slide has $\mathrm{softmax}(KQ^\top)$: then rows are keys, the queries compete with each other, and the
# product with $V$ works only if there happen to be as many queries as keys. Test with different numbers of both.
# (A third one leaves the scale out of the Transformer altogether.)

# %% [markdown]
# ## Scaled dot-product attention
#
# Everything together, from the course's own code. It is the formula, line by line:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$
#
# ```python
# def scaled_dot_product_attention(query, key, value):
#     scores = query @ key.mT / math.sqrt(key.shape[-1])  # (..., T, S)
#     weights = softmax(scores, dim=-1)                   # (..., T, S)
#     return weights @ value, weights                     # (..., T, Dv)
# ```
#
# `.mT` swaps the last two axes and leaves any number of leading ones alone (`.T` would turn them all round). torch has the same in one *fused* routine (also
# called a kernel; not the kernel of unit 01) that never stores the $T\times S$ weights, and therefore cannot return them. Read one, run the other:

# %%
q, k, v = normal(4, 50, 64, seed=0), normal(4, 70, 64, seed=1), normal(4, 70, 32, seed=2)
output, weights = scaled_dot_product_attention(q, k, v)  # (B, T, Dv), (B, T, S)
fused = fused_attention(q, k, v)  # (B, T, Dv)
print("output", tuple(output.shape), "weights", tuple(weights.shape))
print(f"largest difference to torch's kernel: {(output - fused).abs().max():.1e}")

# %% [markdown]
# ## Self-attention and cross-attention
#
# Where queries, keys and values come from is a separate question. **Self-attention**: all three are projections of one sequence. **Cross-attention**: queries
# from one sequence (what is being generated), keys *and* values from another (what is read). Heat maps of translations and of image captions, often shown under
# the title self-attention, are cross-attention: their two axes hold different things.
#
# ```python
# def self_attention(x, w_q, w_k, w_v):
#     return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
# ```
#
# Nothing in it is recurrent: every position is computed at once, by the same three matrices. And now there *is* something to learn. The examination:

# %%
projections = [(normal(32, 32, seed=seed) / 32).requires_grad_() for seed in (3, 4, 5)]  # w_q, w_k, w_v
accuracy["self-attention"] = examine(lambda x: self_attention(x, *projections)[0], projections)

# %% alt="Accuracy of four context vectors: the word itself, the mean and softmax of XX transposed guess at one half, self-attention is right almost always"
ax = bars(accuracy, ylabel="accuracy on new sentences", title="carta or letra? banco or orilla?")
ax.axhline(0.5, color="0.5", ls="--");

# %% [markdown]
# The same arithmetic with three matrices in front of it, and guessing turns into knowing. The heat map shows what was learned: *letter* looks for *writing*, *bank*
# looks for *river*, and each of them ignores the other's clue. (The remaining rows were never asked about; do not read anything into them.)

# %% alt="Learned weights of a sentence of nine words: the row of letter is bright at writing, the row of bank at river"
sentence = ["I", "am", "writing", "a", "letter", "on", "the", "river", "bank"]
x = vectors[[words.index(word) for word in sentence]][None]  # (1, T, D)
weights = self_attention(x, *projections)[1][0]  # (T, T)
asked = [sentence.index("letter"), sentence.index("bank")]
heatmap(weights[asked], ["letter", "bank"], sentence, "who looks where");

# %% [markdown]
# To be fair to the form without parameters: its weights depend on the *length* of the vectors. Make them shorter and it mixes more.

# %%
accuracy["short vectors"] = examine(lambda x: softmax(0.2 * x @ (0.2 * x).mT) @ x)
print(f"softmax(XXᵀ) X with vectors of a fifth of their length: {accuracy['short vectors']:.2f}")

# %% [markdown]
# It passes as well: more than a third of the weight stays on the word, which says *who* asks, and the rest is nearly the plain mean, which holds the
# clues; the linear reader adds the two up. But here *we* had to find the right length, for this task alone; above, gradient descent did.
#
# Two slips to look out for. Attention *replaces* a token by a mixture: if the token itself should survive, it must be added back (the residual connection
# of unit 07). And one published formula takes $v_t = W_k h_t$; it should be $W_v$.

# %% [markdown]
# ## A family of scores
#
# The dot product is one way to compare a query $q$ with a key $k$, not the oldest. Softmax and weighted mean stay the same; only the score changes.
#
# | name | score | in code | remarks |
# |---|---|---|---|
# | content-based (Graves 2014) | $\beta\cos(q, k)$ | `cosine_scores` | length does not count; since a cosine lies in $[-1, 1]$, a *sharpness* $\beta$ is needed to get peaked weights |
# | additive (Bahdanau 2015) | $v\cdot\tanh(q W_q + k W_k)$ | `additive_scores` | $q$ and $k$ may differ in size; bounded by $\sum\lvert v_i\rvert$; the first in *translation*, not the first attention |
# | location-based (Luong 2015) | $q W$, one column per *position* | `q @ w` | does not look at the keys at all; $W$ fixes how many keys there can be |
# | general, "multiplicative" (Luong 2015) | $q W k^\top$ | `general_scores` | sizes may differ |
# | dot (Luong 2015) | $q k^\top$ | `q @ k.mT` | sizes must agree; no parameters |
# | scaled dot (Vaswani 2017) | $q k^\top / \sqrt{d_k}$ | above | dot, of *projected* vectors, with a spread that does not depend on $d_k$ |
#
# With rows as vectors $q W_q (k W_k)^\top = q\,(W_q W_k^\top)\,k^\top$: scaled dot-product attention with projections *is* the general score, with a matrix of
# low rank (at most $d_k$). (Texts that use columns write $(W_q q)^\top W_k k$. Mixing the two conventions gives formulas that do not multiply.)

# %%
query, key = normal(4, 32, seed=1), normal(6, 32, seed=2)  # (T, D), (S, D)
w_q, w_k, v = normal(32, 16, seed=3) / 4, normal(32, 16, seed=4) / 4, normal(16, seed=5)  # (D, A), (D, A), (A,)
family = {
    "cosine, β = 1": cosine_scores(query, key),  # (T, S)
    "cosine, β = 10": 10 * cosine_scores(query, key),  # (T, S)
    "additive": additive_scores(query, key, w_q, w_k, v),  # (T, S)
    "scaled dot": query @ key.mT / math.sqrt(32),  # (T, S)
}

# %% alt="Weights of four queries on six keys under four scores: cosine without sharpness is nearly flat, the others are decided"
heatmaps({name: softmax(scores) for name, scores in family.items()}, values=False);

# %% [markdown]
# Additive attention is sometimes drawn as a network on the *concatenation* of query and key, $v\cdot\tanh([q; k]\,W)$, sometimes with a sum. They are the same function:
# the upper rows of $W$ meet $q$, the lower ones $k$. With a tensor for all pairs:

# %%
both = torch.cat([query[:, None].expand(4, 6, 32), key[None].expand(4, 6, 32)], dim=-1)  # (T, S, 2D)
concatenated = torch.tanh(both @ torch.cat([w_q, w_k])) @ v  # (T, S)
print(f"concatenation and sum differ by {(concatenated - family['additive']).abs().max():.1e}")
general = general_scores(query, key, w_q @ w_k.T)  # (T, S)
projected = (query @ w_q) @ (key @ w_k).mT  # (T, S)
print(f"general and projected dot differ by {(general - projected).abs().max():.1e}")

# %% [markdown]
# ## Dropping the tanh
#
# A slide claims that additive attention without the tanh *becomes* multiplicative attention. It sounds plausible: one nonlinearity less, a product left. Multiply out:
#
# $$v\cdot(qW_q + kW_k) = \underbrace{v\cdot qW_q}_{a(q)} + \underbrace{v\cdot kW_k}_{b(k)}
# \qquad\Rightarrow\qquad
# \mathrm{softmax}_k\big(a(q) + b(k)\big) = \mathrm{softmax}_k\big(b(k)\big)$$
#
# The query's part is the same for all keys, and softmax does not notice a constant. **The query cancels**: whoever asks, the answer is the same.


# %%
def without_tanh(query, key, w_q, w_k, v):
    return ((query @ w_q)[..., :, None, :] + (key @ w_k)[..., None, :, :]) @ v  # (..., T, S)


# %% alt="Weights of four queries on six keys: with the tanh the rows differ, without it all rows are equal"
with_it = softmax(additive_scores(query, key, w_q, w_k, v))  # (T, S)
without = softmax(without_tanh(query, key, w_q, w_k, v))  # (T, S)
heatmaps({"with tanh": with_it, "without: all rows equal": without});

# %% [markdown]
# No training can repair that. *letter* and *bank* get the same vector again, so the linear version can do no better than the mean did:

# %%
result = {}
for name, score in {"with tanh": additive_scores, "without tanh": without_tanh}.items():
    start = normal(32, 16, seed=1) / 8, normal(32, 16, seed=2) / 8, normal(16, seed=3), normal(32, 32, seed=4) / 32
    w_q, w_k, v, w_v = parameters = [p.requires_grad_() for p in start]
    result[name] = examine(lambda x: softmax(score(x, x, w_q, w_k, v)) @ x @ w_v, parameters)
Table(result.items(), ["additive attention", "accuracy on new sentences"])

# %% [markdown]
# ## Two axes: global or local, soft or hard
#
# Surveys like to pair *global/soft* and *local/hard*. They are two independent questions, with four answers:
#
# | | **soft**: a weighted mean | **hard**: one pick |
# |---|---|---|
# | **global**: all keys in reach | everything so far | Xu 2015: one place of the image is *drawn* from the weights |
# | **local**: a window of keys | Luong 2015: a mean around one position, which is predicted | one pick inside a window |
#
# Local and soft is a perfectly differentiable thing. It is the *pick* that has no gradient: hard attention needs another way to learn (unit 10).

# %% alt="One row of weights as four bar charts: global or local, times soft or hard"
row = softmax(normal(9, seed=11))  # (S,)
window = (torch.arange(9) - 3).abs() <= 1  # (S,) bool: three keys around position 3
local = row * window / (row * window).sum()  # (S,)
axes = plt.subplots(2, 2, figsize=(8, 4), sharey=True)[1]
for line, (reach, soft) in zip(axes, {"global": row, "local": local}.items()):
    hard = F.one_hot(torch.multinomial(soft, 1, generator=seeded(4))[0], 9)  # (S,)
    for ax, kind, w in zip(line, ["soft", "hard"], [soft, hard]):
        ax.bar(range(9), w)
        ax.set(title=f"{reach}, {kind}", xlabel="keys →")

# %% [markdown]
# ## Summary
#
# - A look-up is a one-hot row times a table; attention is the same with a softmax row: a look-up that gradients can improve.
# - Scores (any number) → softmax along the keys → weights (sum to one) → weighted mean of the values.
# - Without projections every word is its own best match: softmax$(XX^\top)$ is almost the identity, and has nothing to learn. Queries, keys and values separate
#   *looking*, *being found* and *giving*.
# - Dot products of size $d$ have variance $d$. Dividing by $\sqrt{d_k}$ inside the softmax keeps the weights soft and the gradients alive.
# - Scores form a family. What makes one work is that query and key **meet** in it: a sum of one part each is blind to the query.
#
# ## Questions
#
# **1.** A deck asks how the score of tokens $x_i$ and $x_j$ is computed in scaled dot-product attention, with $g(x) = W^Q x$, $f(x) = W^K x$ and the options
# $f(x_i)^\top g(x_j)$, $f(x_i)^\top g(y_j)$, and the softmax of each. Which one is right?
#
# <details><summary>Answer</summary>
#
# Strictly, none. The first is meant: both tokens come from the same sequence (no $y$), and a score is what stands *before* the softmax; the softmax of a single number is always 1.
# But the scale $1/\sqrt{d_k}$ is missing, and with $f$ for the keys the first index counts keys, so one has to say along which index the softmax runs.
#
# </details>
#
# **2.** All scores of a query are 3 larger than before. What changes? All are three *times* as large: what changes now?
#
# <details><summary>Answer</summary>
#
# Adding a constant changes nothing: softmax only sees differences (that is also why dropping the tanh is fatal). A factor of 3 makes the weights sharper: the ratio of two weights
# is $e^{\text{difference}}$, and is now cubed.
#
# </details>
#
# **3.** You double the length of one key and keep its value. Who notices?
#
# <details><summary>Answer</summary>
#
# Every query whose dot product with it is not 0. Its scores double: queries that liked it give it more weight, queries that disliked it less. Because rows sum to one, all other keys
# feel it, too. With cosine scores nobody would notice.
#
# </details>
#
# ## Where next
#
# The [assignment](../assignments/02_dot_product_attention/02_dot_product_attention.ipynb) has you write all of it, and find the slips of three slides.
# [Unit 03](03_masking.ipynb) asks who *may* look at whom: padding that must not count, and a future that must not be seen.
