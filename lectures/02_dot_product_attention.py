# %% [markdown]
# # 02 · Dot-product attention
#
# In unit 01 a prediction was a mean of known values, weighted by how near their keys
# were to the query. Keys were numbers or pictures, and nearness was distance. Words are
# not numbers. This lecture finds out what replaces distance, and arrives at the formula
# on which every Transformer rests.
#
# After it you can
#
# - say why looking up an embedding is a matrix product, and attention a look-up that is
#   not quite sure;
# - turn a fixed word vector into one that knows its sentence, and show by intervention
#   what its queries, keys and values each decide;
# - say what goes wrong without learned projections, and prove what queries and keys
#   cannot do if they share one;
# - compute scaled dot-product attention by hand, and say why the scale stands *inside*
#   the softmax;
# - say how the scores of the family differ (cosine, additive, general, dot, scaled dot,
#   location), and prove why one popular short cut fails.
#
# *About 95 minutes, and 30 for the appendix, four measurements that can wait; the code
# runs in about a minute on a laptop. From unit 01 you need softmax, and the words query,
# key and value.*

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.data.images import digits
from course_utils.dot_product_attention import additive_scores, context_vectors
from course_utils.dot_product_attention import cosine_scores, fused_attention
from course_utils.dot_product_attention import general_scores, one_hot_lookup
from course_utils.dot_product_attention import scaled_dot_product_attention
from course_utils.dot_product_attention import self_attention
from course_utils.nadaraya_watson import softmax
from course_utils.plotting import Table, bars, curves, heatmap, heatmaps
from course_utils.plotting import interactive, plt
from course_utils.training import fit, seeded, steps
from drawings import attention_flow


def normal(*shape, seed):
    """Random numbers that are the same whatever ran before."""
    return torch.randn(shape, generator=seeded(seed))


# %% [markdown]
# This is where we are going: three words, and who looks at whom. Each word has a
# *query* (what it looks for) and a *key* (what it offers), here two numbers made up by
# hand: how much of an adjective, how much of a noun. *sky* looks for adjectives, *blue*
# offers itself as one.

# %% alt="Weights of three words: the row of sky is dark at blue, the row of blue is dark at sky, the row of the is spread evenly"
looks_for = torch.tensor([[0.0, 0.0], [0.0, 3.0], [3.0, 0.0]])  # (T, 2): the, blue, sky
offers = torch.tensor([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]])  # (S, 2): adjective, noun
weights = scaled_dot_product_attention(looks_for, offers, offers)[1]  # (T, S)
names = ["the", "blue", "sky"]
heatmap(weights, names, names, title="who looks at whom");

# %% [markdown]
# Nothing here was learned. Before the end of the lecture, numbers like these will come
# out of a training.

# %% [markdown]
# ## A look-up is a matrix product
#
# A network needs numbers, so each word of a vocabulary gets an id, and the id must
# become a vector. The bluntest one is *one-hot*: as many entries as there are words, a
# single 1 at the id. Its weakness: any two different words are equally far apart, so
# nothing that is learned about one can help with another.
#
# Multiply a one-hot row with a table and out comes one row of the table:
#
# $$\underbrace{[\,0\;\;0\;\;1\;\;0\,]}_{1\times V}\;\underbrace{E}_{V\times D} = \text{row 2 of } E$$

# %%
table = normal(5, 3, seed=0)  # (V, D): five words, three numbers each
ids = torch.tensor([2, 2, 4])  # (T,)
rows = torch.tensor([[0.0, 0, 1, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]])  # (T, V)
product = rows @ table  # (T, D)
print("same as indexing:          ", torch.equal(product, table[ids]))
print("same as the course's code: ", torch.equal(product, one_hot_lookup(ids, table)))

# %% [markdown]
# So `nn.Embedding(V, D)` is a linear layer without the wasteful multiplication by
# zeros. What a table of $D$ columns buys is that words can be *near* each other. (With
# the identity as its table, $D = V$, words stay one-hot. For 100000 words that table
# takes 40 GB.)
#
# *Who decides what the numbers are?* Nobody. They start at random and are moved by
# gradient descent, like all weights. A word that did not occur in the batch gets a
# gradient of zero, and an id without a row is an error:

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
# Translate *I am writing a letter to her* into Spanish, from English words to Spanish
# ones, with a table of word vectors. It goes well until *letter*: a letter in an
# envelope is a *carta*, a letter of the alphabet a *letra*. A table is a dictionary
# with one entry per word: whatever the sentence, *letter* has the same vector. What we
# need is a **context vector**, a function of the word *and* of its sentence:
#
# $$c(\textit{letter}) = f\big(x_{\textit{letter}},\; [x_{\textit{I}}, x_{\textit{am}}, x_{\textit{writing}}, x_{\textit{a}}, x_{\textit{letter}}, x_{\textit{to}}, x_{\textit{her}}]\big)$$
#
# We make that a problem that can be measured. Sentences of eight words in random order
# contain *two* ambiguous words, *letter* (1. carta, 2. letra) and *bank* (1. banco, 2.
# orilla), a clue for each, and four words that say nothing. Asked for is, for both
# words, which entry of the dictionary is meant: the first or the second.

# %%
CLUES = {
    "carta": ["writing", "sent", "stamp", "envelope"],
    "letra": ["alphabet", "capital", "vowel", "spelling"],
    "banco": ["money", "account", "loan", "cash"],
    "orilla": ["river", "boat", "fishing", "shore"],
}
FILLERS = ["I", "am", "a", "to", "her", "the", "in", "my", "on", "with", "today"]
words = ["letter", "bank", *FILLERS]
words += [clue for clues in CLUES.values() for clue in clues]
# fixed word vectors, which know nothing
vectors = normal(len(words), 32, seed=0)  # (V, D)


# %%
def sentences(count, rng):
    """-> word ids (N, 8), entries (N, 2): 0 the first, 1 the second."""
    entry = torch.randint(0, 2, (count, 2), generator=rng)  # (N, 2)
    kind = entry + torch.tensor([0, 2])  # (N, 2): carta, letra, banco, orilla
    clue = 13 + 4 * kind + torch.randint(0, 4, (count, 2), generator=rng)  # (N, 2)
    filler = torch.randint(2, 13, (count, 4), generator=rng)  # (N, 4): words 2 to 12
    both = torch.tensor([0, 1]).expand(count, 2)  # (N, 2): letter and bank themselves
    ids = torch.cat([both, clue, filler], dim=1)  # (N, 8)
    order = torch.rand(count, 8, generator=rng).argsort(dim=1)  # (N, 8)
    return ids.gather(1, order), entry


train, test = sentences(512, seeded(1)), sentences(1000, seeded(2))
exam = vectors, train, test
spanish = [["1. carta", "2. letra"], ["1. banco", "2. orilla"]]
rows = []
for ids, (letter, bank) in zip(test[0][:3], test[1]):
    text = " ".join(words[i] for i in ids)
    rows.append((text, spanish[0][letter], spanish[1][bank]))
Table(rows, ["sentence", "letter", "bank"])

# %% [markdown]
# Every idea for a context vector is now judged by the same examiner: a linear layer
# that reads the context vector *at the place of the ambiguous word*, the same layer for
# both words, and says *first entry* or *second entry*. Guessing gives one half. `examine`
# trains this reader for 300 steps (about two seconds), together with the `parameters` of
# the idea, if it has any, and returns the share of right answers on new sentences. (Where
# another reader is used, we say so.)


# %%
def ambiguous(ids):
    """(N, 8) -> (N, 1), (N, 2): index with both to get what stands at letter and bank."""
    place = torch.stack([(ids == word).int().argmax(1) for word in (0, 1)], dim=1)
    return torch.arange(len(ids))[:, None], place


def examine(context, parameters=(), reader=None, exam=exam):
    """Train a linear reader of context(x), (N, 8, D) -> (N, 8, D)."""
    table, (ids, entry), (new, answer) = exam  # (V, D), (N, 8), (N, 2), (M, 8), (M, 2)
    if reader is None:
        reader = (normal(32, 2, seed=9) / 6).requires_grad_()  # (D, entries)

    def at_both(ids):
        return context(table[ids])[ambiguous(ids)]  # (N, 2, D)

    fixed = None if parameters else at_both(ids)  # what cannot learn is computed once

    def loss(step):
        read = at_both(ids) if parameters else fixed  # (N, 2, D)
        return F.cross_entropy((read @ reader).mT, entry)

    fit(loss, [reader, *parameters], steps(300), lr=0.01)
    return float(((at_both(new) @ reader).argmax(-1) == answer).float().mean())


# %% [markdown]
# The first two ideas: leave the vector as it is, and replace it by the mean of the
# sentence, in which each of our eight words weighs $1/8$.

# %%
accuracy = {}
accuracy["the word itself"] = examine(lambda x: x)
accuracy["sentence mean"] = examine(lambda x: x.mean(1, keepdim=True).expand_as(x))
Table(accuracy.items(), ["context vector", "accuracy"])

# %% [markdown]
# Both fall short, for opposite reasons. The word itself knows *which* word is asked
# about, but not the sentence: it guesses. The mean knows the sentence, but it is the
# same vector for *letter* and for *bank*: it cannot know which clue is wanted. In half
# of the sentences both words have the same entry, and both answers are right. In the
# other half the right answers differ, but the reader still gives the same one twice, so
# exactly one is right: three quarters in all. We need a mean with **weights that depend
# on the word that asks**:
#
# $$c_i = \sum_j \alpha_{ij}\, x_j, \qquad \sum_j \alpha_{ij} = 1$$

# %% [markdown]
# ## The dot product as similarity
#
# In unit 01 the weights came from distance. For vectors there is something simpler, one
# multiplication and one sum:
#
# $$a\cdot b = \sum_i a_i b_i = |a|\,|b|\cos\varphi$$

# %%
angles = torch.tensor([0.0, 45.0, 90.0, 140.0, 180.0])  # degrees
cosines = torch.cos(torch.deg2rad(angles))
meaning = ["same direction", "similar", "unrelated", "rather opposite", "opposite"]
columns = zip(angles, cosines + 1e-6, meaning)  # + 1e-6, so that no -0.00 is printed
rows = [(f"{angle:.0f}°", f"{cosine:.2f}", text) for angle, cosine, text in columns]
Table(rows, ["angle", "cosine", "meaning"])

# %% [markdown]
# Two things are easily misread here. A dot product of 0 does not mean *very different*
# but *nothing in common*; opposites have negative ones. Second, an angle of 0 is not
# the largest score: the dot product also grows with **length**.

# %%
query = torch.tensor([1.0, 0.0])  # (D,)
same, long = torch.tensor([1.0, 0.0]), torch.tensor([10.0, 10.0])  # (D,), (D,)
print(f"with itself: {query @ same:.0f}")
print(f"with a long vector at 45°: {query @ long:.0f}")

# %% [markdown]
# In the plane it looks as follows. All points on one dashed line have the same score
# with the query. What counts is the *shadow* that a key throws, along its dashed line,
# onto the line of the query; one that falls backwards is negative, however long. Here the
# far-away key wins although it points elsewhere. Move the query with the slider.

# %%
keys = torch.tensor([[1.0, 0.2], [2.4, 2.0], [-0.6, 1.2], [-1.2, -0.8]])  # (S, D)


def shadow(degrees):
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    scores = keys @ torch.tensor([cos, sin])  # (S,): the query has length 1
    ax = plt.subplots(figsize=(5, 4.2))[1]
    for (x, y), score, weight in zip(keys.tolist(), scores, softmax(scores)):
        ends = [x - 3 * sin, x + 3 * sin], [y + 3 * cos, y - 3 * cos]
        ax.plot(*ends, "--", color="0.8", lw=1)
        ax.plot(x, y, "k.", markersize=4)
        ax.scatter(x, y, s=900 * weight, color="#0072B2", alpha=0.7)
        text = f"score {score:.1f}\nweight {weight:.2f}"
        ax.text(x + 0.15, y + 0.15, text, fontsize=9)
    ax.arrow(0, 0, cos, sin, width=0.04, color="#D55E00", length_includes_head=True)
    ax.set(xlim=(-2.2, 4.2), ylim=(-1.9, 3), aspect="equal")
    best = softmax(scores).max()
    ax.set_title(f"furthest along the query wins: {best:.2f} (area = weight)")


alt = "Four keys in the plane, their dot product with a query and their softmax weight"
name = "direction of the query in degrees"
interactive(shadow, name, list(range(0, 360, 30)), start=0, alt=alt)

# %% [markdown]
# Is it good that length counts? Ask something real: the handwritten digits of unit 01, 64
# pixels each. As there, a test picture gets a mean of the labels of 1347 known ones,
# weighted by a softmax of scores; now the scores are distances, dot products or cosines,
# and a factor in front makes the softmax sharper. The last column says how often the
# largest score belongs to one of the longest tenth of the known vectors, those with the
# most ink.

# %%
images, labels, test_images, test_labels = digits()
known, asked = images.flatten(1), test_images.flatten(1)  # (1347, 64), (450, 64)
compared = {  # (450, 1347) each
    "−½ (distance)²": -(torch.cdist(asked, known) ** 2) / 2,
    "dot product": asked @ known.mT,
    "cosine": cosine_scores(asked, known),
}
length = known.norm(dim=-1)  # (1347,)
longest = length > length.quantile(0.9)  # (1347,) bool: one in ten
rows = []
for name, scores in compared.items():
    shares = [softmax(f * scores) @ torch.eye(10)[labels] for f in (1, 10, 100)]
    right = [(some.argmax(-1) == test_labels).float().mean() for some in shares]
    often = longest[scores.argmax(-1)].float().mean()
    rows.append((name, *(f"{share:.0%}" for share in (*right, often))))
columns = ["score", "× 1", "× 10", "× 100", "winner is a long one"]
Table(rows, columns, "test digits read rightly")

# %% [markdown]
# By dot product 86 of 100 winners are long ones, and the sharper the softmax, the more
# digits are misread: long keys shout everybody down. Distance and cosine are not fooled
# by ink: in unit 01, $-\frac12|q - k|^2$ was $q\cdot k - \frac12|q|^2 - \frac12|k|^2$, so
# distance takes off what a key gains by being long. (The cosine, at most 1, needs the
# largest factor.) Why use the dot product, then?
# It is the simplest; and soon the vectors that we compare will be *learned*, and their
# lengths with them.

# %% [markdown]
# ## Weights from similarity
#
# Three steps lead from vectors to a context vector. Their results have names that are
# easily mixed up: **scores** $e_{ij} = x_i \cdot x_j$ are plain numbers of any sign;
# **weights** $\alpha_{ij}$ are what softmax makes of a *row* of them, positive and
# summing to one; the **output** is the weighted mean.
#
# $$c_i = \sum_j \alpha_{ij} x_j \qquad \alpha_{i\cdot} = \mathrm{softmax}(e_{i\cdot})$$
#
# For all words at once, with the softmax taken row by row:
#
# $$C = \underbrace{\mathrm{softmax}(XX^{\top})}_{(T,\,D)\,(D,\,T)\,\to\,(T,\,T)}
# \;\underbrace{X}_{(T,\,D)}$$
#
# Write the shapes under the factors, as here: they tell you at once what cannot be
# multiplied. (The scores of one word as a column, $X x_i^\top$ of shape $(T, 1)$, must be
# transposed before they meet $X$.)

# %% [markdown]
# By hand, with three vectors $x_1 = (1, 0)$, $x_2 = (0.8, 0.6)$, $x_3 = (-0.6, 0.8)$.
# The scores of $x_1$ are $x_1\cdot x_1 = 1$, $x_1\cdot x_2 = 0.8$ and
# $x_1\cdot x_3 = -0.6$. Their exponentials are 2.718, 2.226 and 0.549, which sum to 5.493;
# so the weights are .495, .405 and .100, and $x_1$ becomes
# $.495\,x_1 + .405\,x_2 + .100\,x_3 = (.76, .32)$. The course's `context_vectors` does it
# for all rows:

# %%
x = torch.tensor([[1.0, 0.0], [0.8, 0.6], [-0.6, 0.8]])  # (T, D): x1, x2, x3
output, weights = context_vectors(x)  # (T, D), (T, T)
print("x1 becomes", [round(number, 2) for number in output[0].tolist()])
print("rows sum to", weights.sum(-1).tolist())

# %% alt="Two matrices side by side: the scores, which are symmetric, and the weights, whose rows sum to one"
names = ["x1", "x2", "x3"]
heatmaps({"scores": x @ x.mT, "weights": weights}, names, names);

# %% [markdown]
# To see what replaces a word, read its *row* in the right picture. For $x_3$ that is the
# last row:

# %%
parts = [f"{w:.2f} · {name}" for w, name in zip(weights[2], names)]
print("x3 becomes", " + ".join(parts), f"= ({output[2, 0]:.2f}, {output[2, 1]:.2f})")

# %% [markdown]
# The scores are symmetric (as is every $XX^\top$), the weights are not: each row is
# divided by its own sum. That is why the axis of the softmax must be said:
# `dim=-1`, over the keys. Weights are also not correlations: none is negative, and one
# grows only at the others' cost.
#
# ## Nobody looks at anybody else
#
# Now the examination. The formula has everything that we asked for: the weights depend
# on the word that asks.

# %%
accuracy["softmax(XXᵀ) X"] = examine(lambda x: context_vectors(x)[0])
print(f"accuracy on new sentences: {accuracy['softmax(XXᵀ) X']:.2f}")

# %% [markdown]
# It guesses, like the word itself! (The 300 steps are not to blame: a reader computed by
# least squares guesses as well, see the end of the appendix.) The heat map says why. Below are the weights of the
# first test sentence, once plain, and once with scores divided by $\sqrt{32}$, a scale
# that gets its reason two sections below. (Under each is the mean of the diagonal over
# all test sentences in which no word occurs twice: a repeated word would share its
# weight with its twin.)

# %% alt="Two heat maps of the weights of one test sentence: plain they are the identity matrix, scaled they nearly are"
x = vectors[test[0]]  # (N, 8, D)
scaled = scaled_dot_product_attention(x, x, x)[1]  # (N, 8, 8)
both = {"softmax(XXᵀ)": context_vectors(x)[1], "softmax(XXᵀ/√32)": scaled}
names = [words[i] for i in test[0][0]]
alone = torch.tensor([len(set(ids.tolist())) == 8 for ids in test[0]])  # (N,) bool
figure = heatmaps({name: weights[0] for name, weights in both.items()}, names, names)
for ax, weights in zip(figure.axes, both.values()):
    on_itself = weights[alone].diagonal(dim1=1, dim2=2).mean()  # scalar
    ax.set_xlabel(f"keys →   (mean of the diagonal {on_itself:.3f})")

# %% [markdown]
# Our word vectors have $D = 32$ entries of variance 1. Such a vector has a dot product
# of about $D = 32$ with itself, and of about $\pm\sqrt{D} \approx \pm 6$ with another
# one. So each word is by far its own best match, and its "context" is the word itself.
#
# Two repairs come to mind. *Training*: this attention has **no parameters**, and our word
# vectors stay fixed, so there is nothing to train. *A smaller scale* (or shorter vectors,
# which is the same): divided by $\sqrt{32}$ the scores are about 5.7 for the word itself and
# ±1 for the others. The word still keeps .93 of the *weight*, but a good reader can use the
# little that comes from the others. Computed by least squares, so not limited to our 300
# steps, it gets .93 of the *answers* right (appendix; with three other sets of word vectors
# .88 to .92). That is far better than a guess, but it rests on whom a random vector
# resembles by chance, and nothing in it can learn.

# %% [markdown]
# ## Queries, keys, values: a soft database
#
# Two things are missing. Nothing was learned; and one vector had to play three parts at
# once. Compare it with a database. You come with a **query**; it is compared with the
# **keys**; you get the **value** that is stored under the key that fits. These are three
# different things: whoever looks up a name in a phone book wants a number, not the name.

# %%
phone_book = {"Ana": 611, "Ben": 622, "Eva": 633}
names = list(phone_book)
numbers = torch.tensor(list(phone_book.values())).float()  # (S,)
# exact match, one-hot
hot = torch.tensor([float(name == "Ben") for name in names])  # (S,)
# "Bem" resembles all of them a little, Ben most
soft = softmax(torch.tensor([0.5, 3.0, 0.1]))  # (S,)
print(f"exact query: {hot @ numbers:.0f}     soft query: {soft @ numbers:.1f}")

# %% [markdown]
# The exact look-up is a one-hot row times values: the first section of this lecture.
# Attention replaces the one-hot row by a softmax, and gets a mixture (nonsense for phone
# numbers, useful for vectors). That is differentiable: *how well does each key fit* becomes something that
# gradients can improve.
#
# In a sentence each *token* $x_i$ (a word, or whatever else a text is cut into) plays
# all three parts, and each part gets its own learned matrix, shared by all tokens:
#
# | | what it says | shape |
# |---|---|---|
# | query $q_i = x_i W_q$ | what I am looking for in others | $d_k$ |
# | key $k_i = x_i W_k$ | by what others find me | $d_k$ |
# | value $v_i = x_i W_v$ | what others get from me | $d_v$ |
#
# In *the blue sky*, the noun may look for adjectives, and *blue* may offer itself as
# one. What is compared is a **query** with a **key**, no longer a word with a word. A
# token is compared with its own key, too, but the two need not fit.
#
# Two sizes must agree: queries and keys have the same length $d_k$, and there are as
# many values as keys. Key and value of a token come from the same $x_i$, by different
# matrices: with one matrix for both, and $d_k$ smaller than $D$, a word could only hand
# over what it is found by. (In the older attention on top of recurrent networks they are the same vectors: unit
# 04. The matrices here have no bias; it would be one more row in the matrix *and* a
# column of ones in $X$.)

# %% [markdown]
# ## Why divide by √d
#
# One difficulty is left. A dot product is a *sum* of $d$ terms. If query and key have
# independent entries of mean 0 and variance 1, each term has variance $1\cdot 1 = 1$,
# and the variances add up: $\mathrm{Var}(q\cdot k) = d$.

# %% alt="Variance of dot products against their dimension on logarithmic axes: the plain ones follow the line variance = d, the scaled ones stay at 1"
sizes = [2**n for n in range(1, 11)]
pairs = {d: normal(2, 4000, d, seed=d) for d in sizes}  # (2, N, d) each
dots = {d: (q * k).sum(-1) for d, (q, k) in pairs.items()}  # (N,) each
plain = [float(dots[d].var()) for d in sizes]
scaled = [float((dots[d] / math.sqrt(d)).var()) for d in sizes]
ax = curves(sizes, {"q · k": plain, "q · k / √d": scaled}, "d", "variance", style="o-")
ax.set(xscale="log", yscale="log", title="without the scale, the variance is d");

# %% [markdown]
# What is wrong with large scores? Softmax sees differences, and at $d = 512$ the scores
# have a standard deviation of √512 ≈ 23. Two of them differ by 10 and more as a rule, and
# 10 is a factor of $\exp(10) \approx 22000$ between their weights. Move $d$, and watch the
# left picture turn into a single bar, while the right one stays soft. (Each $d$ has vectors
# of its own, so the winner changes place; at $d = 1$ there is nothing to divide.)


# %%
def competition(d):
    scores = normal(8, d, seed=8) @ normal(d, seed=7)  # (S,): eight keys, one query
    axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)[1]
    panels = {"plain": scores, "divided by √d": scores / math.sqrt(d)}  # (S,) each
    for ax, (name, some) in zip(axes, panels.items()):
        weights = softmax(some)  # (S,)
        title = f"{name}: the winner takes {weights.max():.2f}"
        bars({str(i): w for i, w in enumerate(weights)}, title=title, ax=ax)
        ax.set(xlabel="keys →", ylim=(0, 1.1))


alt = "Softmax weights of eight random keys, without and with the scale"
interactive(competition, "d", [1, 4, 16, 64, 256, 1024], start=64, alt=alt)

# %% [markdown]
# A single bar is bad for learning. The derivative of the softmax says why:
#
# $$\frac{\partial \alpha_i}{\partial e_j} = \alpha_i\,(\delta_{ij} - \alpha_j),
# \qquad \delta_{ij} = 1 \text{ if } i = j, \text{ else } 0$$
#
# Take two keys. With weights of .5 and .5, a weight changes by $.5 \cdot .5 = .25$ times
# the change of its score; with .9999 and .0001 only by .0001 times. A softmax that has
# decided, rightly or wrongly, can hardly be corrected.
#
# The appendix measures it twice. *At the start*, at $d = 1024$ and without
# the scale, nearly nine of ten queries get hardly any gradient when they are asked for a
# random key; with the scale nearly all get one. *After 300 steps*, of ten small trainings
# at $d = 128$, seven to nine are without a mistake if there is a scale, and none to three
# if there is none (three step sizes were tried with each).
#
# So the scores are divided by $\sqrt{d_k}$, where $d_k$ is the size of the *keys*: not
# that of the values, not that of a decoder's state (unit 04), not the number of words;
# with several heads (unit 05) it is the size of one head's keys. Why not by $d$? Then
# the variance would be $1/d$, and for large $d$ all weights would be nearly equal at
# the start: almost a plain mean.
#
# Where the division stands matters as well. A common slip, on the left, puts it *outside*
# of the softmax:
#
# $$\frac{\mathrm{softmax}(QK^\top)}{\sqrt{d_k}}\,V \qquad\text{against}\qquad \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$

# %%
q, k = normal(2, 200, 6, 64, seed=5)  # (B, T, 64), (B, S, 64): 200 draws
scores = q @ k.mT  # (B, T, S)
outside = softmax(scores) / math.sqrt(64)  # (B, T, S)
inside = scaled_dot_product_attention(q, k, k)[1]  # (B, T, S)
rows = []
for name, w in {"outside": outside, "inside": inside}.items():
    total = w.sum(-1, keepdim=True)  # (B, T, 1)
    rows.append((name, total.mean(), (w / total).amax(-1).mean()))
Table(rows, ["scale", "rows sum to", "share of the largest weight"])

# %% [markdown]
# Outside, each row sums to $1/\sqrt{64} = 0.125$: every output is an eighth of a mean,
# *and* the softmax is as peaked as if nothing had been done. A one-line test, *do the
# rows sum to one?*, finds it. Another slip is $\mathrm{softmax}(KQ^\top)$: then rows
# are keys, the queries compete with each other, and the product with $V$ works only if
# there happen to be as many queries as keys. Test with different numbers of both.

# %% [markdown]
# ## Scaled dot-product attention
#
# Everything together:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$
#
# | step | what | shape |
# |---|---|---|
# | 1 | scores: every query with every key, divided by $\sqrt{d_k}$ | $(T, d_k)\,(d_k, S) \to (T, S)$ |
# | 2 | weights: softmax along the keys, row by row | $(T, S)$ |
# | 3 | output: the weighted mean of the values | $(T, S)\,(S, d_v) \to (T, d_v)$ |
#
# By hand: one query $(2, 0, 0, 0)$, two keys $(3, 1, 0, 0)$ and $(1, 0, 5, 0)$, two
# values 10 and 20. The dot products are 6 and 2; divided by $\sqrt 4$ they are 3 and 1.
# Their exponentials are 20.1 and 2.7, the weights .88 and .12, the output
# $.88\cdot 10 + .12 \cdot 20 = 11.2$. First as a drawing, then as a call:

# %%
attention_flow()

# %%
q = torch.tensor([[2.0, 0, 0, 0]])  # (T, D)
k = torch.tensor([[3.0, 1, 0, 0], [1, 0, 5, 0]])  # (S, D)
v = torch.tensor([[10.0], [20.0]])  # (S, Dv)
scaled_dot_product_attention(q, k, v)  # (T, Dv), (T, S)

# %% [markdown]
# Leading axes, such as a batch, are carried along: `.mT` swaps the last two axes and
# leaves all others alone (`.T` would turn them all round).
#
# What does it cost? Every query meets every key: $T \cdot S \cdot (d_k + d_v)$
# multiplications, and $T \cdot S$ weights to store. In a sequence that looks at itself,
# twice the length is four times the work. torch has the same in one *fused* routine (also
# called a kernel; not the kernel of unit 01) that does the same work but need not store
# the weights, and therefore does not return them. The first you will write in the
# assignment; here both run:

# %%
q, k, v = (
    normal(4, 50, 64, seed=0),
    normal(4, 70, 64, seed=1),
    normal(4, 70, 32, seed=2),
)
output, weights = scaled_dot_product_attention(q, k, v)  # (B, T, Dv), (B, T, S)
fused = fused_attention(q, k, v)  # (B, T, Dv)
print("output", tuple(output.shape), "weights", tuple(weights.shape))
print(f"largest difference to torch's kernel: {(output - fused).abs().max():.1e}")

# %% [markdown]
# ## Self-attention and cross-attention
#
# Where queries, keys and values come from is a separate question. **Self-attention**:
# all three are projections of one sequence. **Cross-attention**: queries from one
# sequence (what is being generated), keys *and* values from another (what is read). Three
# words that ask and five that are read make weights of shape $(3, 5)$. Heat maps of
# translations and of image captions, often shown under the title self-attention, are
# cross-attention: their two axes hold different things.
#
# For self-attention with three matrices the formula reads
#
# $$\mathrm{SelfAttention}(X) = \mathrm{Attention}(XW_q,\; XW_k,\; XW_v)$$
#
# Nothing in it is recurrent: every position is computed at once, by the same three
# matrices. Each token is *replaced* by a mixture; if the token itself should survive, it
# must be added back (the residual connection of unit 07). And now there *is* something
# to learn. The examination:

# %%
start = [normal(32, 32, seed=seed) / 32 for seed in (3, 4, 5)]  # w_q, w_k, w_v
projections = [matrix.requires_grad_() for matrix in start]  # (D, D) each
name = "self-attention"
reader = (normal(32, 2, seed=9) / 6).requires_grad_()  # (D, entries): kept for later
accuracy[name] = examine(
    lambda x: self_attention(x, *projections)[0], projections, reader
)

# %% alt="Accuracy of four context vectors: the word itself and softmax of XX transposed guess at one half, the mean reaches three quarters, self-attention is right almost always"
ax = bars(accuracy, "accuracy on new sentences", "learned comparisons know both")
for level, meaning in ((0.5, "a guess"), (0.75, "both clues,\nnot knowing whose")):
    ax.axhline(level, color="0.5", ls="--")
    ax.text(1.01, level, meaning, transform=ax.get_yaxis_transform(), va="center")
ax.set_ylim(0, 1.1);

# %% [markdown]
# With learned comparisons guessing turns into knowing, with three other sets of word
# vectors, too (see the appendix). (The scaled form without projections is not among the
# bars: only the reader by least squares examined it.) In a sentence of our own the heat map
# shows how, two of its nine rows at least: *letter* looks for *writing*, *bank* looks for
# *river*, and each of them ignores the other's clue.

# %% alt="Learned weights of a sentence of nine words: the row of letter is dark at writing, the row of bank at river"
sentence = ["I", "am", "writing", "a", "letter", "on", "the", "river", "bank"]
x = vectors[[words.index(word) for word in sentence]][None]  # (1, T, D)
weights = self_attention(x, *projections)[1][0]  # (T, T)
asked = [sentence.index("letter"), sentence.index("bank")]
title = "letter finds writing, bank finds river"
heatmap(weights[asked], ["letter", "bank"], sentence, title);

# %% [markdown]
# A heat map is a picture, not a proof. Does the answer really come from where the weights
# point? **Intervene**: change one part, leave the rest of the trained model alone, and see
# whether the answers follow. Four experiments on the 1000 test sentences:
#
# 1. *letter* asks with the **query** of *bank*, and *bank* with that of *letter*;
# 2. the two clues of a sentence exchange their **keys** and keep their values (in the
#    sentence above *writing* gets the key of *river*, and *river* that of *writing*);
# 3. each clue gets the **key** of a clue with the opposite meaning (*writing* that of
#    *alphabet*, *river* that of *money*), and keeps its value;
# 4. each clue gets the **value** of a clue with the opposite meaning, and keeps its key.
#
# What do you expect of each? Decide before you look. (The code from here to the next
# section is mostly indexing. You can skip it and read the tables.)


# %%
def clues(ids):
    """(N, 8) -> (N, 2) each: where the clues of letter and bank stand, and their ids."""
    first = torch.tensor([[13], [21]])  # (2, 1): the first clue of letter, and of bank
    mine = (ids[:, None] >= first) & (ids[:, None] < first + 8)  # (N, 2, 8) bool
    spot = mine.int().argmax(-1)  # (N, 2)
    return spot, ids.gather(1, spot)


# %%
ids, entry = test  # (N, 8), (N, 2)
w_q, w_k, w_v = projections
opposite = torch.arange(len(words))  # (V,)
opposite[13:] = opposite[13:].view(4, 4)[[1, 0, 3, 2]].flatten()  # carta <-> letra, ...
x, changed = vectors[ids], vectors[opposite[ids]]  # (N, 8, D) each
(here, place), (spot, clue) = ambiguous(ids), clues(ids)  # (N, 1), (N, 2); (N, 2) each


def exchanged(rows, two):
    """(N, 8, D), (N, 2) -> (N, 8, D): the rows at the two places have changed places."""
    return rows.index_put((here, two), rows[here, two.flip(1)])


trials = {
    "nothing": (x @ w_q, x @ w_k, x @ w_v),
    "1. queries exchanged": (exchanged(x @ w_q, place), x @ w_k, x @ w_v),
    "2. keys of the clues exchanged": (x @ w_q, exchanged(x @ w_k, spot), x @ w_v),
    "3. opposite keys": (x @ w_q, changed @ w_k, x @ w_v),
    "4. opposite values": (x @ w_q, x @ w_k, changed @ w_v),
}

# %%
answers = {}
for name, parts in trials.items():
    context = scaled_dot_product_attention(*parts)[0]  # (N, 8, D)
    answers[name] = (context[here, place] @ reader).argmax(-1)  # (N, 2)


def tally(some):
    """The table of answers for the sentences `some`, (N,) bool."""
    wanted, rows = (entry, entry.flip(1)), []  # (N, 2) each
    for name, answer in answers.items():
        rows.append((name, *((answer == w)[some].float().mean() for w in wanted)))
    return Table(rows, ["what was changed", "right", "right for the other word"])


tally(torch.ones(len(ids), dtype=torch.bool))

# %% [markdown]
# The first experiment could not fail. Nothing is added back to the output, so it knows its
# place only through the query: exchanged queries exchange the answers. That checks our
# code. (In half of the sentences the two answers are the same, so one column at 1 leaves
# the other at about .5.)
#
# The others could fail, and they surprise. Suppose that the heat map tells the whole story. With exchanged
# keys each word is led to the other's clue (right for the other word: 1); opposite keys
# change nothing (right: 1), since *letter* finds its clue all the same; and opposite
# values turn every answer round (right: 0). In each of the three, between a tenth and a
# fifth of the answers do not follow this story. So look at *all* clues: how much weight
# does each get from the word that needs it?

# %%
def noticed(x, ids, matrices):
    """-> for each clue, the mean weight that it gets from the word that needs it."""
    here, place = ambiguous(ids)  # (N, 1), (N, 2)
    spot, clue = clues(ids)  # (N, 2), (N, 2)
    weights = self_attention(x, *matrices)[1].detach()  # (N, 8, 8)
    looks = weights[here, place, spot]  # (N, 2)
    return {words[i]: looks[clue == i].mean() for i in range(13, 29)}


# %% alt="Sixteen bars, the mean weight of each clue: fourteen are between 0.8 and 1, capital and loan are at 0"
found = noticed(x, ids, projections)
ax = bars(found, "mean weight", "who is looked at, by the word that needs it")
ax.tick_params(axis="x", labelrotation=60)

# %% [markdown]
# Nobody looks at *capital* and *loan*. Their keys lead nobody anywhere, and since nobody
# hears their values, these may say anything. Set aside the sentences with one of these
# two, and those with *sent* or *fishing*, which were given their keys and values. In all
# others the simple story holds exactly:

# %%
unseen = torch.tensor([i for i in range(13, 29) if found[words[i]] < 0.5])
aside = torch.cat([unseen, opposite[unseen]])  # and those that got their keys and values
simple = ~torch.isin(clue, aside).any(1)  # (N,) bool
print("sentences without any of", ", ".join(words[i] for i in aside), "-", int(simple.sum()))
tally(simple)

# %% [markdown]
# Look at the right column for the two exchanges, at the left one for the opposites. Give
# *letter* the other's query, or the other's clue the key that *letter* looks for: either
# way it looks at the other clue and gives the other answer, always. Opposite keys change
# nothing: the word finds its clue under either key, and hears the same value. Opposite
# values turn every single answer round. So **queries and keys decide where a word looks,
# and values decide what it gets**.
#
# But the answers are right in the sentences of *capital* and *loan*, too. How? A row of
# weights sums to one, so *letter* looks at *something* there. At what? And what does a
# value say if the reader hears nothing else?

# %%
looks = self_attention(x, *projections)[1].detach()[here, place]  # (N, 2, 8)
spots = (place, place.flip(1), spot, spot.flip(1))  # (N, 2) each
table = []
for i, word in enumerate(("letter", "bank")):
    lost = torch.isin(clue[:, i], unseen)  # (N,) bool: its clue goes unnoticed
    parts = [looks[lost, i].gather(1, some[lost, i, None]).mean() for some in spots]
    table.append((word, *(f"{part:.2f}" for part in (*parts, 1 - sum(parts)))))
says = (vectors @ w_v @ reader).argmax(-1)  # (V,): 0 the first entry, 1 the second
for word in ("letter", "bank", "capital", "loan"):
    print(f"the value of {word} says: entry {says[words.index(word)] + 1}")
print(f"fillers that say entry 1: {int((says[2:13] == 0).sum())} of {len(FILLERS)}")
columns = ["itself", "the other of the two", "its clue", "the other's clue", "fillers"]
Table(table, ["who looks", *columns], "where the weight goes if its clue is unnoticed")

# %% [markdown]
# *letter* looks at *bank*, which stands in every sentence, and whose value says *second
# entry*: a *letra*. *bank* looks at the words that say nothing, and nearly all of them say
# *first entry*: a *banco*. (The value of *loan* says *second entry*, which would be wrong.
# Nobody hears it.) So there should be a default for each word. Take both clues out of
# every test sentence, put *today* in their place, and ask again:

# %%
def without_clue(table, ids, matrices, reader):
    """-> (2,): how often letter and bank get their second entry with no clue left."""
    empty = table[ids.scatter(1, clues(ids)[0], words.index("today"))]  # (N, 8, D)
    context = self_attention(empty, *matrices)[0]  # (N, 8, D)
    return (context[ambiguous(ids)] @ reader).argmax(-1).float().mean(0)  # (2,)


second = without_clue(vectors, ids, projections, reader)  # (2,)
table = [(word, 1 - s, s) for word, s in zip(("letter", "bank"), second)]
Table(table, ["asked without a clue", "first entry", "second entry"])

# %% [markdown]
# Without its clue, *letter* is taken for a *letra* and *bank* for a *banco*: just the
# meanings of *capital* and *loan*. (That is with *today* in the gaps; another word might
# tip it.) The model has learned a default answer for each
# word, and has to find only what speaks against it. Some clues of the default go
# unnoticed, since finding nothing is a clue as well. Training asks for right answers,
# not for a tidy story. One heat map, chosen by us, hid the trick; an intervention
# brought it out. (With three other sets of word vectors and sentences, in the appendix,
# the same happens with other clues.)
#
# Does all that take three matrices? Try a single one in all three roles:

# %%
single = (normal(32, 32, seed=3) / 32).requires_grad_()  # (D, D)
roles = [single, single, single]  # queries, keys and values
share = examine(lambda x: self_attention(x, *roles)[0], [single])
print(f"one matrix for all three roles: {share:.2f}")

# %% [markdown]
# It passes as well. (This is the scaled attention without projections, on word vectors
# $xW$ that are trained.) This examination asks for a *learned* comparison, and no more.
# To see why queries and keys need two matrices takes a game. (That values need one of
# their own, this lecture does not show.)
#
# ## Rock, scissors, paper: why a query is not a key
#
# Could query and key not be the *same* learned projection, $q_i = k_i = x_i W$? Then the
# score is $e_{ij} = (x_i W)\cdot(x_j W)$. It is **symmetric**, $e_{ij} = e_{ji}$, and that
# of a word with itself is a **squared length**, $e_{ii} = |x_i W|^2$. The weights need not be
# symmetric, since each row is divided by its own sum. But two things are lost.
#
# First, by the squared lengths: $e_{ii} + e_{jj} - 2e_{ij} = |x_i W - x_j W|^2 \ge 0$. So two
# words can never *both* look at each other more than at themselves: *blue* and *sky* of the
# first picture cannot.
#
# Second, by symmetry alone, nobody can look round in a **circle**. Rock beats scissors, scissors beat paper,
# paper beats rock. Let each of the three look at the one that it beats, more than at the
# third. With symmetric scores that would mean
#
# $$e_{rs} > e_{rp} = e_{pr} > e_{ps} = e_{sp} > e_{sr} = e_{rs}$$
#
# (the first > is what rock wants, the second what paper wants, the third what scissors
# want). A number that is larger than itself: it is **impossible**, for every matrix $W$,
# every size $d_k$ and every amount of training. At most two of the three can look the
# right way. (The appendix lets them play. Three small matrices get every answer right; a
# shared one did in none of ten runs, not even with four times as many numbers.)
#
# So **queries and keys differ so that words can look round in a circle, or at each
# other and not at themselves**. The examination asked for neither: only *letter* and
# *bank* had to answer, and nobody cared whom *writing* looks at.

# %% [markdown]
# ## A family of scores
#
# The dot product is one way to compare a query $q$ with a key $k$, not the oldest.
# Softmax and weighted mean stay the same; only the score changes.
#
# | name | score | in code | remarks |
# |---|---|---|---|
# | content-based (Graves 2014) | $\beta\cos(q, k)$ | `cosine_scores` | length does not count; since a cosine lies in $[-1, 1]$, a *sharpness* $\beta$ is needed to get peaked weights |
# | additive (Bahdanau 2014) | $u\cdot\tanh(q W_q + k W_k)$ | `additive_scores` | $u$ is a learned vector (in code `v`); $q$ and $k$ may differ in size; bounded by $\sum\lvert u_i\rvert$; the first in *translation*, not the first attention |
# | location-based (Luong 2015) | $q W$, one column per *position* | `q @ w` | does not look at the keys at all; $W$ fixes how many keys there can be |
# | general, "multiplicative" (Luong 2015) | $q W k^\top$ | `general_scores` | sizes may differ |
# | dot (Luong 2015) | $q k^\top$ | `q @ k.mT` | sizes must agree; no parameters |
# | scaled dot (Vaswani 2017) | $q k^\top / \sqrt{d_k}$ | above | dot, of *projected* vectors, with a spread that does not depend on $d_k$ |
#
# With rows as vectors $q W_q (k W_k)^\top = q\,(W_q W_k^\top)\,k^\top$: scaled
# dot-product attention with projections *is* the general score, with the matrix
# $W_q W_k^\top/\sqrt{d_k}$, whose rank is at most $d_k$. (Texts that use columns write
# $(W_q q)^\top W_k k$. Mixing the two conventions gives formulas that do not multiply.)
#
# Additive attention is sometimes drawn as a network on the *concatenation* of query and
# key, $u\cdot\tanh([q; k]\,W)$, sometimes with a sum. They are the same function: the
# upper rows of $W$ meet $q$, the lower ones $k$. Both identities, for one query and one
# key:

# %%
query, key = normal(4, 32, seed=1), normal(6, 32, seed=2)  # (T, D), (S, D)
w_q, w_k = normal(32, 16, seed=3) / 4, normal(32, 16, seed=4) / 4  # (D, A), (D, A)
u = normal(16, seed=5)  # (A,)
additive = additive_scores(query, key, w_q, w_k, u)  # (T, S)
q, k = query[0], key[0]  # (D,), (D,): the first pair
joined = torch.cat([q, k]) @ torch.cat([w_q, w_k])  # (A,): (2D) times (2D, A)
print(f"concatenated {u @ joined.tanh():.4f}, as a sum {additive[0, 0]:.4f}")
general = general_scores(query, key, w_q @ w_k.T)  # (T, S)
print(f"general {general[0, 0]:.4f}, projected dot {(q @ w_q) @ (k @ w_k):.4f}")

# %% [markdown]
# ## Dropping the tanh
#
# A common claim: leave the tanh out of additive attention, and it *becomes*
# multiplicative attention. It sounds plausible: one nonlinearity less, a product left.
# Multiply out:
#
# $$u\cdot(qW_q + kW_k) = \underbrace{u\cdot qW_q}_{a(q)} + \underbrace{u\cdot kW_k}_{b(k)}
# \qquad\Rightarrow\qquad
# \mathrm{softmax}_k\big(a(q) + b(k)\big) = \mathrm{softmax}_k\big(b(k)\big)$$
#
# The query's part is the same for all keys, and softmax does not notice a constant.
# **The query cancels**: whoever asks, the answer is the same.


# %%
def without_tanh(query, key, w_q, w_k, u):
    a, b = query @ w_q @ u, key @ w_k @ u  # (..., T), (..., S): a(q) and b(k)
    return a[..., :, None] + b[..., None, :]  # (..., T, S)


# %% alt="Weights of four queries on six keys: with the tanh the rows differ, without it all rows are equal"
with_it = softmax(additive_scores(query, key, w_q, w_k, u))  # (T, S)
without = softmax(without_tanh(query, key, w_q, w_k, u))  # (T, S)
heatmaps({"with tanh": with_it, "without: all rows equal": without});

# %% [markdown]
# On the right all four queries look at the same keys, and no training can repair that. In
# the examination *letter* and *bank* would get the same vector again, and no reader could
# do better than with the mean: three quarters.

# %% [markdown]
# ## Two axes: global or local, soft or hard
#
# Two pairs of words that you will meet in surveys, for two independent questions:
#
# | | **soft**: a weighted mean | **hard**: one pick |
# |---|---|---|
# | **global**: all keys in reach | everything so far | Xu 2015: one place of the image is *drawn* from the weights |
# | **local**: a window of keys | Luong 2015: a mean around one position, which is predicted | one pick inside a window |
#
# Only the *pick* has no gradient: hard attention needs another way to learn (unit 10).

# %% [markdown]
# ## Summary
#
# - A look-up is a one-hot row times a table; attention is the same with a softmax row:
#   a look-up that gradients can improve.
# - Scores (any number) → softmax along the keys → weights (sum to one) → weighted mean
#   of the values.
# - A dot product counts direction *and* length.
# - Without projections attention has nothing of its own to learn: for random vectors
#   with many entries of variance 1 softmax$(XX^\top)$ is almost the identity, and for
#   much shorter ones nearly the plain mean. Queries, keys and values separate
#   *looking*, *being found* and *giving*. With one projection for queries and keys all
#   scores are symmetric, so nobody can look round in a circle; and a word's score with
#   itself is a squared length, so no two words can both prefer each other to themselves.
# - A heat map shows where a model looks in one sentence. Whether the answer comes from
#   there is found out by **intervention**: change one part, and see what follows.
# - Dot products of vectors with $d$ entries of variance 1 have variance $d$. Dividing by
#   $\sqrt{d_k}$ inside the softmax keeps the weights soft at the start of training, and
#   lets a gradient reach nearly every query.
# - Scores form a family. To compare, a score must let query and key **meet**: a plain
#   sum of one part each is blind to the query.
#
# ## Questions
#
# **1.** A program keeps its scores with the keys first, `scores = k @ q.mT`, of shape
# $(S, T)$. Along which axis must the softmax run, and what has to be done before the
# weights can meet the values $(S, D_v)$?
#
# <details><summary>Answer</summary>
#
# Along the first, `dim=0` (with a batch in front: `dim=-2`): the keys compete for one
# query, wherever they stand, so now the *columns* sum to one. The output needs one row
# per query, $(T, S)\,(S, D_v)$, so the weights are transposed first. With as many
# queries as keys, forgetting either step raises no error.
#
# </details>
#
# **2.** All scores of a query are 3 larger than before. What changes? All are three
# *times* as large: what changes now?
#
# <details><summary>Answer</summary>
#
# Adding a constant changes nothing: softmax only sees differences (that is also why
# dropping the tanh is fatal). A factor of 3 makes the weights sharper: the ratio of two
# weights is $\exp(\text{difference})$, and is now cubed.
#
# </details>
#
# **3.** You double the length of one key and keep its value. Who notices?
#
# <details><summary>Answer</summary>
#
# Every query whose dot product with it is not 0. Its scores double: queries that liked
# it give it more weight, queries that disliked it less. Because rows sum to one, all
# other keys feel it, too. With cosine scores nobody would notice.
#
# </details>
#
# ## Where next
#
# The
# [assignment](../assignments/02_dot_product_attention/02_dot_product_attention.ipynb)
# has you write all of it, and predict what small changes do to it. [Unit
# 03](03_masking.ipynb) asks who *may* look at whom: padding that must not count, and a
# future that must not be seen.

# %% [markdown]
# ## The game, played
#
# *From here on everything is appendix.* First rock, scissors and paper. The proof bounds
# where they can *look*; does it cost right answers, too? Each player holds a coin that
# shows heads or tails, and is asked which side the coin *of the player whom it beats*
# shows. A player's vector is the sum of two random ones, for who it is and for what its
# coin shows. There are only eight games, and all of them are trained on: the question is
# not whether a model generalises, but whether it can do the task at all. If two players
# look the right way and the third has to guess,
# $\frac{1 + 1 + 1/2}{3} = \frac56 \approx .83$ of the answers are right: a yardstick, not a
# bound, since the third may do better than guess.

# %%
side = torch.tensor([0, 1])  # heads, tails
coins = torch.cartesian_prod(side, side, side)  # (8, 3): of rock, scissors, paper
wanted = coins.roll(-1, dims=1)  # (8, 3): each beats the next, paper beats rock
runs = 10  # ten draws of everything, trained side by side
players = normal(runs, 1, 3, 16, seed=1)  # (runs, 1, 3, D): who it is
sides = normal(runs, 2, 16, seed=2)  # (runs, 2, D): what the coin shows
games = players + sides[:, coins]  # (runs, 8, 3, D)


# %%
def play(attend, *sizes, count=600, lr=0.02):
    """Train matrices (D, size) and a linear reader -> share right (runs,), weights."""
    shapes = [(runs, 1, 16, size) for size in (*sizes, 2)]
    drawn = [normal(*shape, seed=10 + i) / 8 for i, shape in enumerate(shapes)]
    *matrices, reader = learned = [matrix.requires_grad_() for matrix in drawn]

    def logits():
        return attend(games, *matrices)[0] @ reader  # (runs, 8, 3, 2)

    def loss(step):  # the sum over the runs: they do not influence each other
        target = wanted.expand(runs, 8, 3).flatten()  # (runs * 8 * 3,)
        return runs * F.cross_entropy(logits().flatten(0, 2), target)

    fit(loss, learned, steps(count), lr=lr)
    share = (logits().argmax(-1) == wanted).float().mean((1, 2))  # (runs,)
    return share, attend(games, *matrices)[1]  # (runs, 8, 3, 3)


# %% [markdown]
# The contestants: a plain mean of the three; one matrix in all three roles; values with
# their own matrix, but one matrix $W_q = W_k$ for queries and keys; and three separate
# ones. The shared matrix may be larger: with $d_k = 4$ it has as many numbers as the
# two separate ones of $d_k = 2$ together, with $d_k = 16$ four times as many. Each row
# sums up ten runs (about 15 seconds in all).

# %%
def average(x):
    return x.mean(-2, keepdim=True).expand_as(x), None  # (runs, 8, 3, D)


contests = {
    "plain mean": (average,),
    "one for all three": (lambda x, w: self_attention(x, w, w, w), 16),
    "Wq = Wk, 4 numbers": (lambda x, w, w_v: self_attention(x, w, w, w_v), 4, 16),
    "Wq = Wk, 16 numbers": (lambda x, w, w_v: self_attention(x, w, w, w_v), 16, 16),
    "three matrices, 2 numbers": (self_attention, 2, 2, 16),
}
rows, looks = [], {}
i = torch.arange(3)  # (3,): player i beats player i + 1
for name, (attend, *sizes) in contests.items():
    right, looks[name] = play(attend, *sizes)  # (runs,), (runs, 8, 3, 3)
    seen, most = looks[name], "-"
    if seen is not None:  # more weight on the one it beats than on the third
        towards = seen[..., i, (i + 1) % 3] > seen[..., i, (i + 2) % 3]  # (runs, 8, 3)
        most = str(int(towards.sum(-1).max()))
    scores = right.mean(), right.min(), right.max()
    rows.append((name, 16 * sum(sizes), *scores, most))
columns = ["attention", "parameters", "right: mean", "worst run", "best run"]
Table(rows, [*columns, "of 3 look the right way, at most"])

# %% [markdown]
# Three matrices with two numbers per query and key are right in every game of every
# run. With symmetric scores at most two of the three players look the right way, in
# every game of every run: that is the proof at work (last column). And none of them got
# above $\frac56$, not even the matrix with four times as many numbers. The plain mean
# reports the majority of three coins, which is right in three quarters of the cases; the
# worst run with a shared matrix, at .71, is below it.
# Here are the learned weights, as a mean over the games: of a middling and of the most
# decided of the ten runs with $W_q = W_k$ (4 numbers), and of a middling run with three
# matrices.

# %% alt="Weights of rock, scissors and paper: in a middling run with one shared matrix all are pale; in the most decided one scissors look at themselves with about one half, the rest is pale; with separate matrices rock looks at scissors, scissors at paper, paper at rock"
names = ["rock", "scissors", "paper"]
shared, separate = looks["Wq = Wk, 4 numbers"], looks["three matrices, 2 numbers"]
decided = shared.amax(-1).mean((1, 2))  # (runs,): the largest weight of a row
order, other = decided.argsort(), separate.amax(-1).mean((1, 2)).argsort()  # (runs,)
print("largest weight, Wq = Wk:", " ".join(f"{w:.2f}" for w in decided[order]))
panels = {"Wq = Wk, middling": shared[order[5]]}  # (8, 3, 3) each
panels["Wq = Wk, most decided"] = shared[order[-1]]
panels["three, middling"] = separate[other[5]]
heatmaps({name: w.mean(0).detach() for name, w in panels.items()}, names, names);

# %% [markdown]
# On the right each row is dark at the one that it beats. With one matrix all ten runs
# stay pale, not far from a plain mean, perhaps because a symmetric score that helps one
# player can harm another. Where one is a little more decided, scissors look at
# themselves.

# %% [markdown]
# ## Three other starts
#
# The lecture trained self-attention once. Were *capital* and *loan* bad luck? Train three
# more times, with everything drawn anew: word vectors, sentences, matrices, reader (about
# five seconds). A clue counts as unnoticed if it gets less than half of the weight from
# the word that needs it.


# %%
exams = [exam]
for seed in (20, 30, 40):
    new_vectors = normal(len(words), 32, seed=seed)  # (V, D)
    rng = seeded(seed + 1)
    exams.append((new_vectors, sentences(512, rng), sentences(1000, rng)))

# %%
table = []
for seed, other in zip((20, 30, 40), exams[1:]):
    start = [normal(32, 32, seed=seed + 3 + i) / 32 for i in range(3)]  # (D, D) each
    matrices = [matrix.requires_grad_() for matrix in start]
    reader = (normal(32, 2, seed=seed + 9) / 6).requires_grad_()  # (D, entries)
    share = examine(lambda x: self_attention(x, *matrices)[0], matrices, reader, other)
    ids = other[2][0]  # (N, 8): its test sentences
    second = without_clue(other[0], ids, matrices, reader)  # (2,)
    most = torch.maximum(second, 1 - second)  # (2,): so many sentences get that answer
    said = [f"{spanish[i][int(second[i] > 0.5)]} ({most[i]:.0%})" for i in (0, 1)]
    found = noticed(other[0][ids], ids, matrices)
    missed = ", ".join(word for word, weight in found.items() if weight < 0.5)
    table.append((seed, share, missed, *said))
columns = ["seed", "accuracy", "unnoticed clues"]
Table(table, [*columns, "letter without a clue", "bank without a clue"])

# %% [markdown]
# All three pass, and all three play the same trick. Every unnoticed clue means just what
# its word is taken for without a clue. Which meaning becomes the default, and which of
# its clues go unnoticed, differs from start to start; all four of ours have such a
# default. With two of the three, our sentence would not have made a tidy heat map: there
# *writing* itself goes unnoticed.

# %% [markdown]
# ## How much gradient comes back
#
# Ask for more weight on one of eight keys: how much gradient comes back through the
# softmax? We ask for a random key (the first), and for the key that is in front already.
# We take the gradient with respect to $q \cdot k$, before the division. So the scaled form
# pays for its factor $1/\sqrt d$, which makes gradients *smaller* on their way back.
# Counted are the queries that get a gradient of more than .0001. (The limit is arbitrary.
# For a very large $d$ the factor alone would push the scaled form below it.)


# %% alt="Share of queries whose gradient exceeds 0.0001 against d: without the scale it falls, further for a random key than for the best one; with it nearly all queries stay above"
def gradients(d, scale, best):
    """-> (500,): for each query, the mean size of the gradient of its eight q · k."""
    q, k = pairs[d][0][:500], pairs[d][1].view(500, 8, d)  # (N, d), (N, 8, d)
    products = (k @ q[:, :, None])[..., 0].requires_grad_()  # (N, 8)
    weights = softmax(scale * products)  # (N, 8)
    asked = weights.amax(-1) if best else weights[:, 0]  # (N,): more of this weight
    asked.sum().backward()
    return products.grad.abs().mean(-1)  # (N,)


sizes = list(pairs)
forms = {"without scale": lambda d: 1, "with 1/√d": lambda d: d**-0.5}
reached = {}
for name, scale in forms.items():
    for best, key in enumerate(("random key", "best key")):
        found = [gradients(d, scale(d), best) > 1e-4 for d in sizes]  # (500,) each
        reached[f"{name}, {key}"] = [some.float().mean() for some in found]
ax = curves(sizes, reached, "d", "share of queries", style="o-")
ax.set(xscale="log", ylim=(0, 1.05), title="without the scale, fewer and fewer get a gradient")
rows = []
for d in (64, 1024):
    for name, scale in forms.items():
        size = gradients(d, scale(d), best=False)  # (500,)
        rows.append((d, name, size.median(), size.mean()))
Table(rows, ["d", "scores", "median gradient", "mean"], "asked for a random key")

# %% [markdown]
# *On average* more comes back without the scale, but it is spread unevenly: the median
# is far below the mean. Asked for a random key, nearly nine queries in ten at
# $d = 1024$ get no gradient to speak of; even for the key that is in front, two in three get
# none. At $d = 64$ the harm is milder: it falls on the keys that lag behind. With the
# scale nearly every query gets a gradient above the limit, whichever key is asked for.
#
# That is the start of a training. What becomes of it? Let rock, scissors and paper play
# once more, with 128 numbers per query and key, with the scale and without. A form may
# just have got the wrong step size, so each is tried with three (ten runs each, about
# six seconds in all):


# %%
def unscaled(x, w_q, w_k, w_v):
    root = w_k.shape[-1] ** 0.25  # twice this factor undoes the division by √d
    return self_attention(x, root * w_q, root * w_k, w_v)


rows = []
for lr in (0.02, 0.005, 0.001):
    for name, attend in {"with 1/√d": self_attention, "without": unscaled}.items():
        right, seen = play(attend, 128, 128, 16, count=300, lr=lr)  # (runs,), weights
        perfect = f"{int((right == 1).sum())} of {runs}"
        rows.append((lr, name, right.mean(), perfect, seen.amax(-1).mean()))
columns = ["step size", "scale", "right: mean", "runs without a mistake"]
Table(rows, [*columns, "largest weight at the end"], "d = 128")

# %% [markdown]
# After 300 steps seven to nine of ten runs are without a mistake with the scale, none to
# three without it, and at every step size the scale wins. The step size matters, too: both
# forms have their best mean at the smallest of the three, so smaller ones or more steps
# might do better still. Larger steps end with harder weights (last column). Hard weights
# are no harm where the choice is right; a wrong one gets hardly any gradient that could
# correct it, and perhaps that is what holds the others back.

# %% [markdown]
# ## Is it the matrices, or only the scale?
#
# The weights without parameters depend on the *length* of the vectors: make them
# shorter, and the softmax mixes more. So give the parameter-free form its best chance:
# divide its scores by a temperature, and try six, among them the lecture's
# $\sqrt{32} \approx 5.7$, in the lecture's exam and in the three others. The reader gets its
# best chance, too. For context vectors that stay fixed it need not be trained step by step:
# *least squares* computes the linear layer whose answers, −1 for the first entry and 1 for
# the second, are off by as little as possible. So nothing depends on the number of steps.
# (The learned projections, dashed, keep the reader that was trained with them in 300
# steps.)


# %%
def mixed(table, ids, temperature):
    """softmax(XXᵀ / temperature) X at letter and bank, without any parameter."""
    root = math.sqrt(temperature)
    return root * context_vectors(table[ids] / root)[0][ambiguous(ids)]  # (N, 2, D)


def gather(part):
    """-> context vectors (exams, temperatures, N, 2, D), entries of the same axes."""
    found = [mixed(e[0], e[part][0], t) for e in exams for t in temperatures]
    entries = [e[part][1] for e in exams for t in temperatures]
    axes = len(exams), len(temperatures)
    return torch.stack(found).unflatten(0, axes), torch.stack(entries).unflatten(0, axes)


temperatures = [1, math.sqrt(32), 8, 16, 32, 128]
(seen, entries), (new, answers) = gather(1), gather(2)  # training, test
features = seen.flatten(2, 3).double()  # (exams, 6, 2N, D)
target = 2.0 * entries.flatten(2, 3)[..., None].double() - 1  # (exams, 6, 2N, 1)
# a reader (D, 1) for each; what is a million times smaller than the rest is left out
solved = torch.linalg.lstsq(features, target, rcond=1e-6, driver="gelsd")
said = new.double() @ solved.solution[:, :, None]  # (exams, 6, M, 2, 1)
shares = ((said[..., 0] > 0) == (answers == 1)).float().mean((-2, -1))  # (exams, 6)

# %% alt="Accuracy of parameter-free attention against the temperature, for four sets of word vectors: about one half at temperature 1, between .88 and .93 from 5.7 to 16, a little lower at 32 and 128, always below the dashed line of learned projections at 1"
sets = ["the lecture's vectors", *(f"other vectors {i}" for i in (1, 2, 3))]
ax = curves(temperatures, dict(zip(sets, shares)), "temperature", style="o-")
ax.legend(loc="lower right")
ax.axhline(accuracy["self-attention"], color="0.3", ls="--")
ax.text(1, accuracy["self-attention"] - 0.05, "learned projections", color="0.3")
ax.set(xscale="log", ylim=(0.4, 1.05), ylabel="accuracy on new sentences")
ax.set_title("no temperature does what learned matrices do")
print("temperature √32:", ", ".join(f"{s:.2f}" for s in shares[:, 1]))
print("best of the six:", ", ".join(f"{s:.2f}" for s in shares.amax(1)))

# %% [markdown]
# At a temperature of 1 every word sees only itself, and the reader guesses or nearly so.
# From then on each word gets a mixture of its own, since it resembles some clues more than
# others by chance, and the reader makes the most of that: the best of the six reaches
# .90 to .93, the $\sqrt{32}$ of the lecture hardly less. (A kind figure: the best
# temperature was read off the test sentences.) Towards high temperatures the mixtures become
# more alike; at 128 they still differ enough to beat the plain mean with its three
# quarters. What the learned matrices add is a
# reason to prefer one clue: *letter* has to find words about paper and spelling, which
# resemble it by chance at best.
