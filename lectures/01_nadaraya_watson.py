# %% [markdown]
# # 01 · Where to look: prediction by similarity
#
# A model is given hundreds of numbers, and a handful of them decide the answer. Which
# ones? This course is about one way to find them: compare what you are looking for with
# everything you have, turn the comparisons into weights that sum to one, and take the
# weighted mean. That is *attention*. Its smallest form is a formula of one line, is
# older than most neural networks, and is the subject of this lecture.
#
# After this lecture you can
#
# - turn distances into weights that sum to one, whatever the size of the numbers;
# - predict with Nadaraya-Watson regression, and name its queries, keys and values;
# - explain what a bandwidth does, and why the choice of units decides who counts as a
#   neighbour;
# - learn a bandwidth without fooling yourself, by leaving one point out;
# - read handwritten digits with nothing but a weighted mean, and see whom it looked at;
# - show when a dot product gives the same weights as a distance.
#
# *About 75 minutes; the code runs in about half a minute on a laptop. The appendix can
# wait, and takes half an hour: what it is worth to know where to look, what sets
# attention apart from other layers, traps in PyTorch, two more experiments, a short
# history. You need Python and a little PyTorch: tensors, broadcasting, `backward`. Every
# figure but one drawing is computed by the cell that shows it; change a number and run it
# again.*

# %%
import warnings

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F
from torch import nn

import drawings
from course_utils.data.images import digits
from course_utils.nadaraya_watson import gaussian_weights, leave_one_out_error
from course_utils.nadaraya_watson import nadaraya_watson, softmax
from course_utils.plotting import Table, curves, heatmap, heatmaps, interactive
from course_utils.training import fit, progress, seeded, steps

# %% [markdown]
# Here is all of it in one picture. The grey dots are known: a place (the *key*) and a
# height (the *value*). The orange line is a new place, the *query*: how high is it
# there? Every dot gets a weight, the larger the nearer it is, and the orange dot is the
# weighted mean of the heights. Move the query.


# %%
def ask(place):
    known = torch.tensor([0.5, 1.0, 1.6, 2.4, 3.0, 3.5, 4.4])  # (7,): keys
    heights = torch.tensor([1.4, 2.6, 3.4, 3.3, 2.6, 1.9, 1.3])  # (7,): values
    query = torch.tensor([place])  # (1,)
    answer, weights = nadaraya_watson(query, known, heights, 0.5)  # (1,), (1, 7)
    ax = plt.subplots(figsize=(7, 3))[1]
    ax.axvline(place, color="#D55E00", lw=1)
    ax.plot(known, heights, "k.", markersize=3)
    ax.scatter(known, heights, s=600 * weights[0], color="grey", alpha=0.6)
    for x, y, weight in zip(known.tolist(), heights.tolist(), weights[0]):
        ax.text(x, y + 0.4, f"{weight:.2f}", ha="center", fontsize=9)
    ax.plot(place, answer, "o", color="#D55E00", markersize=9)
    ax.set(xlim=(0, 5), ylim=(0.5, 4.5), xlabel="place", ylabel="height")
    ax.set_title(f"asked at {place}: {answer.item():.2f} (area of a dot = its weight)")


alt = "Seven known points with their weights, and the weighted mean at the query"
interactive(
    ask, "query", [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5], start=2.0, alt=alt
)

# %% [markdown]
# ## Notation of the course
#
# In this unit queries are counted by $Q$ and keys by $K$, as is usual in statistics.
# Nearly every line of code that makes a tensor ends in its shape, `# (Q, K)`. Random
# numbers come from `seeded(0)`, a generator that starts from 0, so that you see the same
# ones as we do.
#
# <details><summary>The letters from unit 02 on (to look up when you meet
# them)</summary>
#
# | letter | meaning |
# |---|---|
# | $B$ | batch: how many examples are computed side by side |
# | $T$ | number of queries (in sequences: length of the target) |
# | $S$ | number of keys (length of the source) |
# | $t$, $s$ | the one that asks, the one that is looked at; among words of one sentence also $i$, $j$ |
# | $D$ | numbers in a vector; $d_k$, $d_v$ those of a key and a value |
# | $H$ | heads (from unit 05 on), each of $d = D / H$ numbers |
# | $V$ | words in a vocabulary (as a matrix: the values) |
# | $e$, $\alpha$ | score (any number), weight (positive; a row of them sums to one) |
# | $z$ | any list of numbers that goes into a softmax |
# | $u$ | the vector of the additive score (in code the argument `v`); $v$ is a value |
#
# The exponential is always written $\exp(\cdot)$, so $e$ is a score wherever you see
# it. Unit 04 has states called $s_t$, and says so.
#
# </details>

# %% [markdown]
# ## Where to look
#
# Your eyes see sharply in a spot as wide as a thumbnail at arm's length; all around it
# is a blur. You do not notice, because they are always pointed at what you need next.
# Many tasks have this form: much comes in, little of it matters.
#
# | the task | what comes in | what one part of the answer needs |
# |---|---|---|
# | dog or cat? | all the pixels of a photo | the few around the ears and the snout |
# | speech to text | about a hundred sound frames per second | for one letter: a few neighbouring frames |
# | translation | a sentence | for one target word: one to three source words |
# | the profit of a new shop | the books of all other shops | the towns of a similar size |
#
# (Frames are slices of sound some 10 ms apart. No phonemes are given: what is heard in
# a frame has to be found out.)
#
# The rest does harm. With noisy drawings of cats and dogs the appendix measures that a
# simple classifier which sees *all* pixels needs five to six times as many examples as
# one that sees only those around the ears. Knowing *where to look* is worth data.
#
# And no fixed list of pixels will do. In the next photo the ears are somewhere else, so
# where to look has to be found *anew for every input*. Attention does that by comparing.
# (The appendix sets it beside the layers that you may know: linear, CNN, RNN.) How it
# compares, we work out with three towns.

# %% [markdown]
# ## Three towns
#
# A chain runs shops in three towns. How much profit should it expect in a fourth one,
# with 65000 people?

# %%
population = torch.tensor([60_000.0, 70_000.0, 85_000.0])  # (3,)
profit = torch.tensor([175_000.0, 200_000.0, 210_000.0])  # (3,)
rows = [[f"{p:,.0f}", f"{m:,.0f}"] for p, m in zip(population, profit)]
Table(rows, ["population", "profit"])

# %% [markdown]
# The simplest idea is to ask the neighbours. 65000 lies halfway between the first two
# towns, so take their mean, 187500. In general: sort the towns by distance, and average
# the profits of the nearest *k*.

# %% alt="Predicted profit over population as step functions for one, two and three nearest towns, with the three towns as dots"
towns = torch.linspace(52_000, 93_000, 412)  # (Q,): towns to predict
order = (towns[:, None] - population).abs().argsort(-1)  # (Q, 3): nearest first
nearest = {f"nearest {k}": profit[order[:, :k]].mean(-1) for k in (1, 2, 3)}  # (Q,)
ax = curves(towns, nearest, "population", "predicted profit", "the mean of the nearest")
ax.plot(population, profit, "ko");
# %% [markdown]
# None of these curves will do. The first two **jump** and **waste**: with *k* = 2 the
# third town has no say at all below 72500 people, and above it suddenly counts half.
# The third, *k* = 3, neither jumps nor wastes, but promises every town the same.
# Nearness ought to fade.

# %% [markdown]
# ## A weighted mean
#
# So let every town have a say, the near ones more than the far one. Say, 40 %, 40 % and
# 20 %:

# %%
weights = torch.tensor([0.4, 0.4, 0.2])  # (3,)
print(f"weights sum to {weights.sum():.1f}, prediction {weights @ profit:,.0f}")

# %% [markdown]
# $$\hat y = \sum_i \alpha_i\, y_i, \qquad \alpha_i \ge 0, \qquad \sum_i \alpha_i = 1$$
#
# The weight $\alpha_i$ is the *share* of the answer that comes from point $i$. (It is
# not a correlation: that may be negative, and a list of them sums to anything.) Because
# no share is negative and nothing is left over, the prediction always lies between the
# smallest and the largest $y_i$.
#
# Such a list of shares is what attention computes: how much each known thing counts for
# the one to be predicted, be it towns, pixels, or the words of a sentence.
#
# We made these three numbers up. Each new town needs its own, so we need a *function*
# that computes them from the new town $x$ and the known ones $x_i$. It should be large
# where $x$ and $x_i$ are similar.

# %% [markdown]
# ## From distance to similarity
#
# Is the squared difference $(x - x_i)^2$ a good measure of similarity? Try it for
# $x = 65000$, and divide the three numbers by their sum to make shares of them:

# %%
squares = (65_000 - population) ** 2  # (3,)
shares = squares / squares.sum()  # (3,)
rows = []
for people, square, share in zip(population, squares, shares):
    rows.append([f"{people:,.0f}", f"{square.sqrt():,.0f}²", f"{share:.2f}"])
columns = ["population", "squared difference", "share"]
Table(rows, columns, f"prediction {shares @ profit:,.0f}")

# %% [markdown]
# It is the opposite of a similarity: the town that is furthest away, by 20000 people,
# takes 89 % of the say.
#
# A *distance* is 0 between equal things and grows as they differ; a *similarity* is
# largest between equal things and falls. A minus sign turns one into the other. But
# divide negative numbers by their sum, which is negative as well: the two minus signs
# cancel, and the furthest town wins again. We need a function that keeps the order, makes
# everything positive, and lets far points fade away: the **exponential**. Dividing by the
# sum then gives shares. Together:
#
# $$\alpha_i = \frac{\exp(-(x - x_i)^2)}{\sum_j \exp(-(x - x_j)^2)}$$
#
# With small numbers you can follow each step. Three known points at 10, 20 and 30, and
# three queries. (In the code `softmax` does the last two steps, exponentials and
# division; the next section is about it.)

# %%
known = torch.tensor([10.0, 20.0, 30.0])  # (3,)
rows = []
for query in (5.0, 14.9, 15.0):
    distances = (query - known).abs()  # (3,)
    scores = -(distances**2)  # (3,): similarity
    parts = (distances, scores, softmax(scores))
    texts = [", ".join(f"{number:.3g}" for number in part) for part in parts]
    rows.append([f"{query:g}", *texts])
Table(rows, ["x", "distances to 10, 20, 30", "minus their squares", "weights"])

# %% [markdown]
# Each row belongs to one query: another query has other distances. From 15 the points 10
# and 20 are equally near and share the weight. From 14.9 the scores of these two differ
# by 2, so the first weight is $\exp(2) \approx 7.4$ times the second: .88 against .12. And
# from 5, with scores of −25 and −225, the second weight is $\exp(-200)$ times the first,
# practically nothing. A step of a tenth decides nearly everything. That is a matter of
# units, as we shall see.

# %% [markdown]
# ## Softmax: weights that sum to one
#
# "Exponentials, divided by their sum" is the **softmax** of a list of scores $z$:
#
# $$\operatorname{softmax}(z)_i = \frac{\exp(z_i)}{\sum_{j} \exp(z_j)}$$
#
# Mind the two indices: $i$ is the one we ask about, $j$ runs over all of them.

# %%
scores = torch.tensor([2.0, 1.0, 0.0])  # (3,)
exponentials = scores.exp()  # (3,)
weights = exponentials / exponentials.sum()  # (3,)
named = {"score": scores, "exponential": exponentials, "weight": weights}
rows = [[name, *numbers.tolist()] for name, numbers in named.items()]
Table(rows, ["", "1st", "2nd", "3rd"], "one more in the score is 2.72 times the weight")

# %% [markdown]
# **Only differences count.** Add the same number to all scores: every exponential grows
# by the same factor, and the factor cancels. That is a nice law and a practical one,
# because on a computer exponentials overflow. In float32 the largest one is
# $\exp(88.7)$.


# %%
def naive(scores):
    return scores.exp() / scores.exp().sum()


rows = []
for shift in (0, 80, 100, -110):
    texts = [", ".join(f"{w:.3f}" for w in f(scores + shift)) for f in (naive, softmax)]
    rows.append([f"2, 1, 0, all {shift:+d}", *texts])
Table(rows, ["scores", "as in the formula", "after subtracting the maximum"])

# %% [markdown]
# At +100 the formula computes ∞/∞, at −110 it computes 0/0. Subtract the largest score
# first, and neither can happen: the largest exponential is $\exp(0) = 1$, so nothing
# overflows and the sum is at least 1. The softmax of torch does this, too.
#
# **Scale is sharpness.** Differences count, so multiplying all scores by a number
# changes the weights. Small factors make everybody equal, large ones let the winner
# take it all. This knob will return under other names: bandwidth, temperature,
# $1/\sqrt{d}$.

# %% alt="Weights of the scores 2, 1 and 0 against a factor: all one third at small factors, one winner at large ones"
factor = torch.logspace(-2, 1.5, 100)  # (100,)
weights = softmax(factor[:, None] * scores, dim=-1)  # (100, 3)
three = dict(zip(["score 2", "score 1", "score 0"], weights.T))  # (100,) each
ax = curves(factor, three, "factor", "weight", "softmax of factor × (2, 1, 0)")
ax.set_xscale("log")

# %% [markdown]
# **A weight is never exactly zero** on paper. The zeros in the last section were at
# most $\exp(-200)$, which is smaller than the smallest positive number of float32, and
# were rounded. If a weight *must* be zero there is a better way; you meet it below, and
# again in unit 03.
#
# **Along which axis?** With two queries and three keys the scores are a matrix, and
# softmax must be told which numbers compete. The shares of all *keys* for one *query*
# sum to one: that is a row, the last axis, `dim=-1`. Along `dim=0` queries would
# compete for a key. (Three traps that Python and PyTorch set here are shown at the end,
# in the appendix.)

# %% alt="Two small matrices of weights of the same scores: with dim=-1 each row sums to one, with dim=0 each column does"
matrix = torch.tensor([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])  # (2, 3): 2 queries, 3 keys
rows_sum, columns_sum = softmax(matrix, dim=-1), softmax(matrix, dim=0)  # (2, 3) each
heatmaps({"dim=-1: rows sum to 1": rows_sum, "dim=0: columns do": columns_sum});

# %% [markdown]
# ## The Gaussian kernel and its bandwidth
#
# How fast should similarity fade with distance? So far the formula decided that by
# itself. Give it a dial, the **bandwidth** $\sigma$:
#
# $$\alpha(x, x_i) = \operatorname{softmax}_i\left(-\frac{(x - x_i)^2}{2\sigma^2}\right)$$
#
# $\exp(-d^2 / 2\sigma^2)$ is the bell curve of Gauss without its constant, which the
# division would cancel anyway. At a distance of one bandwidth it has fallen to .61, at
# two to .14, at three to .01: *a bandwidth is how far a neighbourhood reaches*. Without
# the dial, as in the section before, $2\sigma^2 = 1$: a bandwidth of
# $1/\sqrt 2 \approx .7$, fixed for ever, in whatever units $x$ came in.

# %% alt="Bell curves of bandwidth one half, one and two over the distance"
distance = torch.linspace(-5, 5, 201)  # (201,)
bells = {f"σ = {s}": torch.exp(-((distance / s) ** 2) / 2) for s in (0.5, 1, 2)}
ax = curves(distance, bells, "distance between query and key", "similarity")
ax.set_title("similarity fades within a few bandwidths");

# %% [markdown]
# A function like this bell, which turns a distance into a similarity, is a **kernel**.
# *Nadaraya-Watson* is the name of the estimator that uses it, the weighted mean,
# whatever the kernel.
#
# For our towns a neighbourhood of 5000 people seems reasonable. One row per town to be
# predicted, one column per known town:

# %% alt="Heat map of weights for eight towns: small towns look at the first known town, middle ones at the second, large ones at the third"
queries = torch.arange(55_000.0, 95_000.0, 5_000.0)  # (8,)
weights = gaussian_weights(queries, population, bandwidth=5_000.0)  # (8, 3)
names = [[f"{town / 1000:.0f}k" for town in group] for group in (queries, population)]
heatmap(weights, *names, title="the shares fade (bandwidth 5000)");
# %% [markdown]
# Read it row by row. (All heat maps of attention in this course are drawn this way:
# queries down, keys across, dark for much.) 65k is torn between its two neighbours; 70k
# and 75k lean on the second; at 90k the third town speaks alone. Nothing jumps any
# more: the shares fade into one another.

# %% [markdown]
# ## Units decide who is a neighbour
#
# Now the same three towns and the same formula, with a bandwidth of 1 and the
# population counted in people, in thousands, in tens of thousands, and in standard
# deviations. What will a town of 64000 hear from each of the others?

# %%
town = torch.tensor([64_000.0])  # (1,)
units = {"people": 1, "thousands": 1_000, "tens of thousands": 10_000}
units["standard deviations"] = population.std()
rows = []
for name, unit in units.items():
    known = population / unit  # (3,)
    # (1,), (1, 3)
    prediction, weights = nadaraya_watson(town / unit, known, profit, 1.0)
    rows.append([name, *(f"{w:.2f}" for w in weights[0]), f"{prediction.item():,.0f}"])
columns = ["x is counted in", "60000", "70000", "85000", "prediction"]
Table(rows, columns, "bandwidth 1, a town of 64000")

# %% [markdown]
# In people the answer is 1, 0, 0: the difference between two scores is ten million, so
# softmax becomes a hard choice of the nearest neighbour, and the jumps are back. The
# formula is not to blame: a bandwidth of 1, with $x$ counted in people, says that a
# neighbourhood reaches about one person far.
#
# There are two ways out, and they are the same: choose the bandwidth in the units of
# $x$, or choose the units such that 1 is a sensible bandwidth. Only the ratio of
# distance to bandwidth enters the formula. (The .4, .4, .2 that we made up for a town of
# 65000 are what a bandwidth of about 16000 people gives. With a bandwidth of one person
# no town has such weights.)

# %% [markdown]
# **Standardising** ("subtract the mean, divide by the standard deviation") is the usual
# choice when there are many features in many units. It has one rule: mean and standard
# deviation come from the *known* points, and the new ones are measured with the same
# ruler. With a ruler of their own, two new towns of 64000 and 66000 people come out at
# −.71 and +.71, and so would *any* two towns, of 6 and of 6 million people. How large
# they are compared with the known towns is lost. (And a single new town has no standard
# deviation at all.)

# %% [markdown]
# ## Nadaraya-Watson regression
#
# Weights and weighted mean together are the estimator of 1964. Its parts have names,
# which stay the same up to the last unit of this course:
#
# $$\hat y(\underbrace{x}_{\text{query}}) = \sum_i \operatorname{softmax}_i\left(-\frac{(x - x_i)^2}{2\sigma^2}\right)
# \underbrace{y_i}_{\text{value}}, \qquad x_i: \text{key}$$
#
# A **query** is what we want to know about. It is compared with the **keys**; from each
# one it takes its share of the **value** that is kept under that key. By hand, for a
# town of 64000 and a bandwidth of 5000 people:
#
# | key $x_i$ | distance in bandwidths | score | weight | value $y_i$ |
# |---|---|---|---|---|
# | 60000 | 0.8 | −0.32 | .599 | 175000 |
# | 70000 | 1.2 | −0.72 | .401 | 200000 |
# | 85000 | 4.2 | −8.82 | .000 | 210000 |
#
# and $.599 \cdot 175000 + .401 \cdot 200000 \approx 185000$. For $Q$ queries and $K$
# keys the weights are a matrix $(Q, K)$; times the values $(K)$ it gives the
# predictions $(Q)$. `nadaraya_watson` returns both, predictions and weights. As a
# drawing:

# %%
drawings.nadaraya_watson()

# %% [markdown]
# Here is the answer for towns of every size. Compare it with the steps above:

# %% alt="Predicted profit over population for bandwidths of 2000, 6000 and 20000 people: rounded steps, a smooth curve, almost a straight line"
widths = (2_000, 6_000, 20_000)
predicted = {}
for width in widths:
    predicted[f"σ = {width:,}"] = nadaraya_watson(towns, population, profit, width)[0]
ax = curves(towns, predicted, "population", "predicted profit")
ax.set_title("asking all towns, the near ones more")
ax.plot(population, profit, "ko");

# %% [markdown]
# Narrow bandwidths give rounded steps, a wide one nearly a straight line, which gets
# flatter the wider it is. Three towns are too few to say which is right. So take 50
# noisy points of $2 \sin x + x^{0.8}$, a curve that we pretend not to know, and move
# the bandwidth yourself. On the left you see the fit, on the right the weights behind
# it: one row for every fourth query, one column per known point, both in order of $x$.
# (The error in the title compares with the curve itself. Only we can compute it, who made
# the data up.)


# %%
def truth(x):
    return 2 * torch.sin(x) + x**0.8


def sample(seed, count=50):
    """-> keys (count,) in order, values (count,): the curve in noise of 0.5."""
    generator = seeded(seed)
    keys = (5 * torch.rand(count, generator=generator)).sort().values  # (count,)
    noise = 0.5 * torch.randn(count, generator=generator)  # (count,)
    return keys, truth(keys) + noise


# %%
def draw_data(ax, x):
    """The known points in grey, the curve behind them dashed: so in every figure."""
    ax.plot(x, truth(x), "k--", label="truth", zorder=1)
    ax.plot(keys, values, "o", color="grey", markersize=3)
    ax.legend()


# %%
keys, values = sample(seed=0)  # (50,), (50,)
queries = torch.linspace(0, 5, 200)  # (200,)


def show(bandwidth):
    """The fit on the left; on the right, one row of weights per query."""
    # (200,), (200, 50)
    predictions, weights = nadaraya_watson(queries, keys, values, bandwidth)
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    off = (predictions - truth(queries)).square().mean()  # scalar
    title = f"bandwidth {bandwidth:g}: mean squared error {off:.2f}"
    curves(queries, {"fit": predictions}, title=title, ax=left)
    draw_data(left, queries)
    left.set_ylim(-1, 5.2)
    title = f"largest weight of a row, on average {weights.amax(-1).mean():.2f}"
    heatmap(weights[::4], title=title, ax=right, values=False, vmax=0.5)


widths = [0.01, 0.03, 0.06, 0.1, 0.18, 0.25, 0.4, 0.7, 1.2, 2.0, 5.0]
alt = "A fit of fifty noisy points, and its weights"
interactive(show, "bandwidth", widths, start=0.25, alt=alt)

# %% [markdown]
# At .01 nearly every row of the heat map is one dark cell: one neighbour takes all, and
# the fit believes each point, noise and all. Towards 5 the picture turns pale:
# everybody counts the same, and the fit is the plain mean. In between lies a soft band
# along the diagonal (queries and keys are both in order of $x$), and the fit comes close
# to the curve. This single number trades *variance* against *bias*: a narrow bell gives
# another curve for every draw of the noise, a wide one much the same wrong curve each
# time.
#
# **The weights look at queries and keys only.** Values are what is fetched; they have no
# part in deciding from where. Replace them all, and not one weight changes:

# %%
_, before = nadaraya_watson(queries, keys, values, 0.25)  # (200, 50)
_, after = nadaraya_watson(queries, keys, 100 - values**2, 0.25)  # (200, 50)
print("largest change of a weight:", (before - after).abs().max().item())

# %% [markdown]
# **A mean cannot leave its data.** Ask for $x$ beyond the known points. The nearest key has
# the best score, and the further away we go the larger its lead (the difference of two
# squared distances grows with the distance): in the end one point speaks alone.

# %% alt="Truth and prediction from 0 to 9: to the right of the data, which end at 4.8, the prediction is flat while the truth moves on"
beyond = torch.linspace(0, 9, 300)  # (300,): the data end at 4.8
predictions, weights = nadaraya_watson(beyond, keys, values, 0.25)  # (300,), (300, 50)
ax = curves(beyond, {"prediction": predictions}, "x", "y", "the last point is at 4.8")
draw_data(ax, beyond)
last = weights[-1]  # (50,)
print(f"at x = 9, key {last.argmax()} of 0 to 49 has a weight of {last.max():.3f}")
print(f"at x = 0 the prediction is {predictions[0]:.2f}, and the truth {truth(beyond[0]):.0f}")

# %% [markdown]
# A smoother interpolates; it has no idea of a trend. That shows at the edge of the data
# already: at 0 all neighbours lie on one side, higher up, and their mean is too high.
# (*Local linear regression* puts a weighted straight line in place of the mean, and
# repairs this.)

# %% [markdown]
# ## Leave one out
#
# Who sets the bandwidth? We want it *learned*. Everything is differentiable, so take
# the obvious road: predict the 50 known points, measure the squared error, follow its
# gradient. A bandwidth must stay positive, so the parameter is its logarithm. (`fit` is
# the course's training loop, with a progress bar; `steps(300)` is 300, and only a few when
# we test that the notebook runs.)


# %%
def error_on_itself(log_width):
    predictions, _ = nadaraya_watson(keys, keys, values, log_width.exp())  # (50,)
    return ((predictions - values) ** 2).mean()


selfish = torch.zeros((), requires_grad=True)  # scalar: a bandwidth of 1
label = "predict yourself"
fit(
    lambda step: error_on_itself(selfish), [selfish], steps(300), lr=0.05, label=label
);

# %% [markdown]
# The error goes to almost nothing. So does the bandwidth:

# %%
print(f"bandwidth {selfish.exp():.4f}, training error {error_on_itself(selfish):.4f}")

# %% [markdown]
# What happened? Every point was among its own keys, at a distance of 0. With a tiny
# bandwidth it finds itself, copies its own value, and the error vanishes. The model has
# learned to look up the answer, and nothing else. (Remember this when a decoder gets to
# see the word that it is meant to predict. That is unit 03, and it is the same
# mistake.)
#
# The remedy is to predict each point **from all the others**. In the matrix of scores
# that is the diagonal: point $i$ asking key $i$. Its weight must be exactly zero, while
# the others in the row still sum to one. So it has to go *before* the softmax, and the
# score whose exponential is zero is $-\infty$:

# %% alt="Two small matrices of weights of the three towns: with themselves as keys the diagonal is dark, with the diagonal masked it is empty and the other two share the weight"
# the scores of the three towns with a bandwidth of 10000 people, by hand
with_all = torch.tensor([[0, -0.5, -3.1], [-0.5, 0, -1.1], [-3.1, -1.1, 0]])  # (3, 3)
no = -torch.inf
without = torch.tensor([[no, -0.5, -3.1], [-0.5, no, -1.1], [-3.1, -1.1, no]])  # (3, 3)
towns_of = ["60k", "70k", "85k"]
panels = {"with themselves": softmax(with_all), "one left out": softmax(without)}
heatmaps(panels, towns_of, towns_of);

# %% [markdown]
# This is the first *mask* of the course. Read the right picture row by row: the town of
# 60000 is predicted from the other two, mostly from 70000. A score of 0 on the diagonal
# would not do: $\exp(0) = 1$, and 0 is the largest score there is here, so the point
# would keep its full say. Now train again, with `leave_one_out_error`, which is the
# mean squared error under this mask. (300 steps; a second or two.)


# %%
def error_left_out(log_width):
    return leave_one_out_error(keys, values, log_width.exp())


honest = torch.zeros((), requires_grad=True)  # scalar
label = "leave one out"
fit(lambda step: error_left_out(honest), [honest], steps(300), lr=0.05, label=label)
trained = {"predict yourself": (selfish, error_on_itself)}
trained["leave one out"] = (honest, error_left_out)
rows = []
for name, (log_width, error) in trained.items():
    curve, _ = nadaraya_watson(queries, keys, values, log_width.exp())  # (200,)
    test = ((curve - truth(queries)) ** 2).mean()  # scalar: against the true curve
    rows.append([name, log_width.exp(), error(log_width), test])
Table(rows, ["how it was trained", "bandwidth", "training error", "test error"])

# %% [markdown]
# The honest training error is some 250 times larger, and the test error nearly six
# times smaller. (The two columns measure different things: the training error compares
# with noisy values, and the noise alone is worth $0.5^2 = .25$; the test error compares
# with the true curve.)
#
# The whole story in one figure: the three errors for every bandwidth.

# %% alt="Three errors over the bandwidth on a logarithmic axis: the error on itself falls to zero for narrow bandwidths, leave-one-out and test error have a minimum near one quarter"
grid = torch.logspace(-2.4, 0.7, 60)  # (60,)
fits = [nadaraya_watson(queries, keys, values, w)[0] for w in grid]  # 60 times (200,)
predicted = torch.stack(fits)  # (60, 200)
errors = {
    "predict yourself": [error_on_itself(w.log()) for w in grid],
    "leave one out": [error_left_out(w.log()) for w in grid],
    "test": ((predicted - truth(queries)) ** 2).mean(-1).tolist(),
}
ax = curves(grid, errors, "bandwidth", "mean squared error")
ax.set_title("leave one out turns where the test error does")
ends = [(w.exp().item(), error(w).item()) for w, error in trained.values()]
ax.plot(*zip(*ends), "ko", label="where training ended")
ax.set_xscale("log")
ax.legend()
for name in ("leave one out", "test"):
    lowest = grid[torch.tensor(errors[name]).argmin()]  # scalar
    print(f"{name}: lowest at a bandwidth of {lowest:.2f}")

# %% [markdown]
# The error on itself has no minimum inside the figure: the narrower the bandwidth, the
# better it looks. Leave-one-out has one, and it lies only one step of the grid from the
# minimum of the test error, although it has never seen the true curve.
#
# One warning before you let a bandwidth learn elsewhere: **it can start too small to
# learn at all.** Take the three towns, and begin with a bandwidth of one person. Every
# weight is a hard 1 or 0 and stays so if the bell gets slightly wider: the gradient is
# exactly zero.

# %%
rows = []
for start in (1.0, 1_000.0, 5_000.0):
    bandwidth = torch.tensor(start, requires_grad=True)  # scalar
    leave_one_out_error(population, profit, bandwidth).backward()
    rows.append([f"{start:,.0f}", bandwidth.grad])
Table(rows, ["bandwidth in people", "gradient"], "leave one out, three towns")

# %% [markdown]
# A choice that is too sure of itself cannot be corrected by gradients. In unit 02 the
# same thing happens to dot products of vectors with many entries, and a factor of
# $1/\sqrt d$ keeps training from starting there.
#
# One draw of 50 points is an anecdote, of course. The appendix repeats the experiment
# with 40 other draws, and with other shapes of the bell: the error after leave-one-out
# stays close to the best possible one in most of them, and the width matters more than
# the shape.

# %% [markdown]
# ## Real data: whom does this digit look like?
#
# Towns and a made-up curve are easy to follow. Does the same formula work on something
# real? Here are 1797 digits that people wrote by hand (the set of the UCI archive that
# comes with scikit-learn), each a picture of 8 × 8 pixels with grey values from 0 to 1.
# Nothing has to change but the sizes:
#
# - a **key** is a known picture, now 64 numbers instead of one; the squared distance is
#   the sum of 64 squared differences;
# - the **value** under it is the digit that it shows, written as ten numbers: a 1 in its
#   place, and nine 0s;
# - the **query** is a new picture. The mean of the values is a list of ten shares, and the
#   digit with the largest share is our answer.
#
# 1347 of the pictures are known, 450 wait as a test. The bandwidth is chosen honestly: a
# thousand known pictures are the keys, and the other 347 are predicted from them.


# %%
def attend(new, known, values, widths):
    """(N, D), (K, D), (K, ...), (D,) or one for all -> (N, ...), weights (N, K)."""
    distances = torch.cdist(new / widths, known / widths)  # (N, K), in bandwidths
    weights = softmax(-(distances**2) / 2)  # (N, K)
    return weights @ values, weights


images, labels, test_images, test_labels = digits()
pixels, test_pixels = images.flatten(1), test_images.flatten(1)  # (1347, 64), (450, 64)
shown = torch.eye(10)[labels]  # (1347, 10): a 1 at the digit

# %%
rows = []
for width in (0.01, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 2.0):
    shares, _ = attend(pixels[1000:], pixels[:1000], shown[:1000], width)  # (347, 10)
    error = (shares - shown[1000:]).square().sum(-1).mean()  # scalar
    right = (shares.argmax(-1) == labels[1000:]).float().mean()  # scalar
    rows.append([width, error, f"{right:.1%}"])
Table(rows, ["bandwidth", "squared error", "digits read rightly"], "347 left out")

# %% [markdown]
# The error is smallest at a bandwidth of .35. Now, once, the test, with all 1347 known
# pictures as keys. Beside it stands what the *nearest* picture alone would have answered,
# the limit of a narrow bandwidth. And since attention keeps its weights, we can look up
# *why* it answered as it did: here are two test pictures, and the five known ones that
# had the most to say about each.

# %% alt="Two rows of small pictures: a handwritten digit that is asked about, and the five known digits with the largest weights; the first is read rightly, the second wrongly"
shares, weights = attend(test_pixels, pixels, shown, 0.35)  # (450, 10), (450, 1347)
right = shares.argmax(-1) == test_labels  # (450,) bool
alone = labels[weights.argmax(-1)] == test_labels  # (450,) bool: the nearest decides
print(f"test digits read rightly: {right.float().mean():.1%}", end=", ")
print(f"by the nearest picture alone: {alone.float().mean():.1%}")
mistaken = (~right).nonzero()[0].item()
for row, query in zip(plt.subplots(2, 6, figsize=(8, 3.2))[1], (0, mistaken)):
    best = weights[query].topk(5)
    names = [f"asked: a {test_labels[query]}"]
    names += [f"{w:.2f}: a {labels[i]}" for w, i in zip(best.values, best.indices)]
    for ax, name, image in zip(row, names, [test_images[query], *images[best.indices]]):
        ax.imshow(image[0], cmap="Greys")
        ax.set_title(name, fontsize=9)
        ax.axis("off")

# %% [markdown]
# Nearly 99 of 100 are read rightly, without a network, and with one number chosen from
# the data, the bandwidth: the known pictures *are* the model. The soft mean has little
# part in that: the nearest picture alone is right nearly as often (two of the 450 fewer).
# What softness improves is the squared error, as the table above shows: where neighbours
# disagree, the shares say so.
#
# The upper row shows why it works: three well-written 2s share nearly all of the weight.
# The lower row shows how it fails: the picture is a 9 with a small, pale loop, and the
# nearest picture, a 3, takes .95 of the weight. Two 9s come fourth and fifth, and are not
# heard.
#
# Two limits are plain as well. Each answer costs a comparison with all 1347 keys. And
# what is compared are raw pixels. For you a 2 stays a 2 when it moves. Move every test
# picture to the right by one pixel, and ask again:

# %%
# an empty column comes in on the left, the last one is cut off
moved = F.pad(test_images, (1, -1)).flatten(1)  # (450, 64)
shares, _ = attend(moved, pixels, shown, 0.35)  # (450, 10)
right = (shares.argmax(-1) == test_labels).float().mean()  # scalar
print(f"moved by one pixel, read rightly: {right:.1%}")

# %% [markdown]
# One pixel, and a third of the digits are misread: every pixel is compared with the
# wrong one. What should count as similar has to be *learned*. The next section takes a
# first step (it cannot undo a move yet).

# %% [markdown]
# ## Learning what similar means
#
# Suppose every point has many features, and we do not know which matter: the population
# of a town, but also its altitude, the number of its bus line, the length of its name.
# Distance adds them all up, and points that are near in what matters end up far apart.
#
# So give each feature its own bandwidth, and learn them all. A very wide one means: this
# feature makes no difference. In code, divide every feature by its own bandwidth and
# compare as before; `attend` does that already if it is given several.
#
# To be honest without a mask, we split again: half of the points are the keys, and the
# *other* half are predicted in training.


# %%
def learn(points, values, count):
    """-> (count,): bandwidths with which the first half predicts the second half best."""
    half = len(points) // 2
    log_widths = torch.zeros(count, requires_grad=True)  # (count,)

    def error(step):
        widths = log_widths.exp()  # (count,)
        guess, _ = attend(points[half:], points[:half], values[:half], widths)
        return ((guess - values[half:]) ** 2).mean()

    optimiser = torch.optim.Adam([log_widths], lr=0.1)
    for step in range(steps(150)):
        optimiser.zero_grad()
        error(step).backward()
        optimiser.step()
    return log_widths.detach().exp()


# %% [markdown]
# Each point has one feature that matters: first no other, then eight more of pure
# chance. We learn one width for all of them, or one for each. Five draws, so that it is
# no anecdote (a few seconds):

# %%
runs = steps(5, fast=1)
errors, listened = torch.zeros(runs, 2, 2), torch.zeros(runs, 9)
for draw in progress(range(runs), runs, "draws"):
    points = 5 * torch.rand(700, 9, generator=seeded(draw))  # (700, 9)
    y = truth(points[:, 0])  # (700,): only the first feature matters
    noisy = y + 0.5 * torch.randn(700, generator=seeded(100 + draw))  # (700,)
    for i, size in enumerate((1, 9)):  # features
        known, new = points[:200, :size], points[200:, :size]  # (200, D), (500, D)
        for j, dials in enumerate((1, size)):
            widths = learn(known, noisy[:200], dials)  # (dials,)
            guess, _ = attend(new, known[:100], noisy[:100], widths)  # (500,)
            errors[draw, i, j] = ((guess - y[200:]) ** 2).mean()
    listened[draw] = 1 / widths  # (9,): how much each feature counts

# %%
rows = []
for i, name in enumerate(("no useless feature", "eight useless features")):
    spans = zip(errors[:, i].mean(0), errors[:, i].amin(0), errors[:, i].amax(0))
    rows.append([name, *(f"{m:.3f} ({low:.3f} to {top:.3f})" for m, low, top in spans)])
print(f"test error of the plain mean: {truth(queries).var():.2f}")
times = listened[:, 0] / listened[:, 1:].amax(-1)  # (draws,): against the loudest other
print("the feature that matters counts, for each draw:")
print(", ".join(f"{t:.1f}" for t in times), "times as much as the loudest other one")
columns = ["test error", "one width for all", "a width for each"]
Table(rows, columns, "mean of five draws (lowest to highest)")

# %% [markdown]
# With one width for all, eight useless features ruin the model: it is about as bad as the
# plain mean of all values, which looks at nothing. (Among nine features hardly any of a
# hundred points is near in all of them: the *curse of dimension*.) With a width for each
# it finds out, from two hundred points, what to listen to: the feature that matters
# counts several times as much as any other in every draw (3.6 times at the least). It has
# learned *what similar means*.
#
# Learning has its price, though. Give each pixel of the digits its own bandwidth, and learn
# the 64 of them from two hundred pictures. New digits are then read *worse*, in each of
# six splits of the data (the appendix tries it): training finds pixels that happen to
# tell just these apart. This time nothing leaks, as it did in *predict yourself*: there
# are simply too many dials for so few pictures (*overfitting*). Every dial that is learned
# has to be paid for with data.
#
# Dividing by a bandwidth multiplies every feature by a number before it is compared.
# Replace these numbers by two learned matrices, one for the queries and one for the
# keys, and you are one step from the attention of the next unit.

# %% [markdown]
# ## From the Gaussian to the dot product
#
# One step is left. Expand the square of a distance between two vectors $q$ and $k$:
#
# $$-\tfrac12 \lVert q - k\rVert^2 = q \cdot k - \tfrac12 \lVert q\rVert^2 - \tfrac12 \lVert k\rVert^2$$
#
# The term with $q$ alone is the same for all keys of a row, so softmax does not see it.
# The term with $k$ alone disappears as well if all keys have the same length. What
# remains is the **dot product**. (Here the bandwidth is 1. With a bandwidth $\sigma$
# everything is divided by $\sigma^2$: the score is $q \cdot k / \sigma^2$. Unit 02
# divides by $\sqrt d$, so its $\sigma$ is $d^{1/4}$.)

# %%
generator = seeded(0)
q = torch.randn(4, 6, generator=generator)  # (4, 6)
k = torch.randn(5, 6, generator=generator)  # (5, 6)
unit = k / k.norm(dim=-1, keepdim=True)  # (5, 6): keys of length one


def apart(a, b):
    return (softmax(a) - softmax(b)).abs().max().item()


rows = []
for name, some in (("of length 1", unit), ("as they come", k)):
    gaussian = -(torch.cdist(q, some) ** 2) / 2  # (4, 5)
    rows.append([name, apart(gaussian, q @ some.T)])
columns = ["keys", "largest difference between two weights"]
Table(rows, columns, "Gaussian against dot product")

# %% [markdown]
# For keys of equal length attention by dot product *is* Nadaraya-Watson with a Gaussian
# kernel, down to rounding. For other keys it is not: the dot product gives long keys a
# bonus of $\tfrac12\lVert k\rVert^2$. Unit 02 shows what that bonus does to our digits.
# The rest of the course makes the comparison learnable, fast and large.

# %% [markdown]
# ## The course on one page
#
# | unit | the question |
# |---|---|
# | **01 Nadaraya-Watson** | how does similarity become a prediction? |
# | 02 dot-product attention | what if the things compared are vectors, and the comparison is learned? |
# | 03 masking | how do you forbid a look at the padding, or at the future? |
# | 04 seq2seq with attention | how did it save translation with recurrent networks? |
# | 05 multi-head attention | how can one layer look for several things at once? |
# | 06 positional encoding | attention does not see order: who tells it? |
# | 07 Transformer encoder | what must stand between two layers of attention, and why? |
# | 08 Transformer decoder | how is text written, word after word? |
# | 09 vision Transformer | can a picture be read like a sentence? |
# | 10 image captioning | can we watch a model look while it speaks? |
# | 11 project | your own model, from data to evaluation |
#
# Units 01 to 10 have a lecture like this one, which you run, and an assignment that
# checks your code while you write it; unit 11 is your project. In all of them you
# implement, train and evaluate. Attention itself is built from tensors, and torch's
# version serves to check that we got it right; layers such as `nn.Linear` and `nn.GRU`
# come from torch.

# %% [markdown]
# ## Summary
#
# - Attention is a weighted mean of **values**; the weights compare a **query** with
#   **keys**, and are computed from the input anew each time.
# - **Softmax** makes weights of scores: positive, summing to one. Only differences of
#   scores count, so subtract the maximum; their scale decides how sharp the choice is.
#   The axis is that of the keys.
# - **Nadaraya-Watson regression** (1964) scores by minus the squared distance over
#   $2\sigma^2$. The **bandwidth** σ says how far a neighbourhood reaches, and is
#   measured in the units of $x$. If it is far too small, softmax just picks the nearest
#   point; if it is far too large, it takes the plain mean.
# - A point that is its own key learns to copy itself. **Leave one out** by a score of
#   $-\infty$ before the softmax: the first mask.
# - Predictions stay within the range of the values. What makes or breaks them is what
#   "similar" means. Raw pixels are enough for digits that sit in the same place; in
#   general it has to be **learned**, and learning it takes data.
# - For keys of equal length the **dot product** gives the same weights as the distance.

# %% [markdown]
# ## Questions
#
# Answer before you unfold.
#
# **1.** You trained a bandwidth and report a training error of .001 on data whose noise
# has variance .25. Should your colleagues congratulate you?
#
# <details><summary>Answer</summary>
#
# No. On average no honest predictor gets below the noise on values that it has not
# seen, so .001 can only come from having seen them: each point was among its own keys.
# Leave it out, and the error rises to about .25 or more.
#
# </details>
#
# **2.** The head office now counts people in thousands, and profits in euros instead of
# dollars. Which bandwidth gives the same weights as before, and what happens to the
# predictions?
#
# <details><summary>Answer</summary>
#
# A bandwidth a thousand times smaller: only the ratio of distance to bandwidth enters.
# The profits are values, so they do not touch the weights; the predictions are
# converted by the same rate as the profits.
#
# </details>
#
# **3.** Each feature has learned a bandwidth of its own, and one of them has become a
# thousand times as wide as its feature varies. What has the model found out? And what
# does it predict if *all* of them become so wide?
#
# <details><summary>Answer</summary>
#
# That this feature does not matter: divided by its bandwidth, its differences are nearly
# zero and change no score. If all become so wide, all scores are nearly equal, and every
# prediction is the plain mean of the values.
#
# </details>

# %% [markdown]
# ## Where next
#
# - **Practise**: [the assignment of this
#   unit](../assignments/01_nadaraya_watson/01_nadaraya_watson.ipynb). You write
#   softmax, the Gaussian weights, the estimator and leave-one-out, read the digits with
#   them, and answer three short puzzles.
# - **Go on**: [02 · Dot-product attention](02_dot_product_attention.ipynb).
#
# To read more:
#
# - [Dive into Deep
#   Learning](https://d2l.ai/chapter_attention-mechanisms-and-transformers/attention-pooling.html),
#   "Attention Pooling by Similarity": a similar curve with other kernels, for
#   comparison.
# - Chris Olah and Shan Carter, [Attention and Augmented Recurrent Neural
#   Networks](https://distill.pub/2016/augmented-rnns/) (2016): the best pictures of a
#   network that looks around.
# - Lilian Weng, [Attention?
#   Attention!](https://lilianweng.github.io/posts/2018-06-24-attention/) (June
#   2018): the whole family in one table, useful from unit 02 on.
# - Sebastian Ruder, [Deep Learning for NLP Best
#   Practices](https://www.ruder.io/deep-learning-nlp-best-practices/#attention) (2017):
#   what worked just before the Transformer.
# - Alex Graves, Attention and Memory in Deep Learning (UCL × DeepMind lectures, 2020):
#   an hour and a half by one of its pioneers (2013 and 2014 in the history below).
# - Ashish Vaswani and others, [Attention Is All You
#   Need](https://arxiv.org/abs/1706.03762) (2017): look at its first figure now, and
#   again after unit 08.
# - François Fleuret, [Deep Learning course](https://fleuret.org/dlc/), unit 13:
#   attention with handouts, code and small demonstrations.

# %% [markdown]
# ## What it is worth to know where to look
#
# *From here on everything is appendix.* Here are a cat and a dog, drawn with five
# formulas. A "photo" is a drawing in heavy noise.

# %%
line = torch.linspace(-1, 1, 24)  # (24,)
# |x|, since a face is symmetric
y, x = torch.meshgrid(line, line.abs(), indexing="ij")  # (24, 24) each
eyes = (x - 0.28) ** 2 + (y - 0.1) ** 2 < 0.012  # (24, 24)
nose = x + (y - 0.35).abs() < 0.14  # (24, 24)
face = (x**2 + (y - 0.2) ** 2 < 0.42) & ~eyes & ~nose  # (24, 24)
pointed = (y < 0) & ((x - 0.42).abs() < 0.3 * (y + 1))  # (24, 24): a cat's ears
# a dog's ears
hanging = ((x - 0.68) / 0.17) ** 2 + ((y - 0.05) / 0.5) ** 2 < 1  # (24, 24)
cat, dog = (face | pointed).float(), (face | hanging).float()  # (24, 24) each
differ = cat != dog  # (24, 24)


# %% alt="Four small pictures: a cat with pointed ears, a dog with hanging ears, the pixels in which they differ, which are the ears, and a very noisy photo of the cat"
def photos(animal, count, seed):
    """(24, 24) -> (count, 576): the same animal, each time in other noise."""
    noise = torch.randn(count, animal.numel(), generator=seeded(seed))  # (count, 576)
    return animal.flatten() + 2 * noise


photo = photos(cat, 1, seed=0).view(24, 24)  # (24, 24)
pictures = {"cat": cat, "dog": dog, f"{differ.sum()} pixels differ": differ}
pictures["a photo of the cat"] = photo
axes = plt.subplots(1, 4, figsize=(8, 2.2))[1]
for ax, (title, picture) in zip(axes, pictures.items()):
    ax.imshow(picture, cmap="Greys")
    ax.set_title(title)
    ax.axis("off")

# %% [markdown]
# Let a simple classifier learn from a few photos of each animal: it remembers the mean
# photo of each, and calls a new photo a cat if it lies nearer to the mean cat. We show
# it all 576 pixels, or only the 84 in which the animals differ, or only the others.


# %%
new = torch.cat([photos(cat, 500, seed=1), photos(dog, 500, seed=2)])  # (1000, 576)
is_dog = torch.arange(1000) // 500  # (1000,): 0 cat, 1 dog


def accuracy(pixels, count, draws=10):
    """Learn from `count` photos of each animal -> share of new ones named rightly."""
    right = 0.0
    for draw in range(draws):  # other photos to learn from each time
        pair = photos(cat, count, 10 + draw), photos(dog, count, 50 + draw)
        means = torch.stack([some.mean(0) for some in pair])  # (2, 576)
        distances = torch.cdist(new[:, pixels], means[:, pixels])  # (1000, 2)
        right += (distances.argmin(-1) == is_dog).float().mean().item()
    return right / draws


# %% alt="Accuracy against the number of training photos: with the deciding pixels it is high from few photos, with all pixels it catches up slowly, with the other pixels it stays at one half"
ears = differ.flatten()  # (576,)
views = {"the 84 that differ": ears, "all 576": ears | ~ears, "the other 492": ~ears}
sizes = [2, 5, 10, 20, 50, 100, 200]
shares = {name: [accuracy(view, n) for n in sizes] for name, view in views.items()}
ax = curves(sizes, shares, "photos of each animal to learn from", style="o-")
ax.set(
    xscale="log", ylabel="accuracy", title="who knows where to look learns from less"
)
ax.set_xticks(sizes, sizes, minor=False)
rows = [[name, *(f"{share:.2f}" for share in line)] for name, line in shares.items()]
Table(rows, ["pixels \\ photos of each animal", *sizes], "accuracy, mean of 10 draws")

# %% [markdown]
# The other 492 pixels hold nothing, so the classifier that sees only them guesses. They
# do harm, though. Compare the first two rows: what the 84 pixels reach with 2 photos
# takes a little more than 10 with all of them, and what they reach with 20 a little
# more than 100. That is five to six times as many, because the noise of the other
# pixels has to be averaged away. Knowing *where to look* is worth data.

# %% [markdown]
# ## Four ways to get information
#
# Take eight inputs and eight outputs. From which inputs does an output get its
# information, and with which factors? The kinds of layers that you may know answer
# differently:
#
# - **linear layer**, the stuff of an MLP: from all of them, with factors that were
#   learned;
# - **CNN**: from its neighbours, with factors that were learned and are the same
#   everywhere;
# - **RNN**: from everything so far, through a state that fades at every step;
# - **attention**: from those that are *similar* to what it is looking for.
#
# See for yourself. Take torch's own layers, with fresh random weights, and
# Nadaraya-Watson with the same eight numbers as queries, keys and values: how much does
# each output change with each input? That is a matrix of derivatives, one row per
# output, one column per input, red for positive and blue for negative. We ask twice, with
# the numbers 1 5 1 9 5 1 9 5 and with 9 9 9 1 1 5 5 5. (The RNN gets its inputs divided by
# 10, which keeps its tanh nearly linear. The MLP is two linear layers with a ReLU between
# them.)

# %%
inputs = torch.tensor([1.0, 5, 1, 9, 5, 1, 9, 5])  # (8,)
other = torch.tensor([9.0, 9, 9, 1, 1, 5, 5, 5])  # (8,)
torch.manual_seed(0)  # layers draw their first weights from the global generator
linear, conv = nn.Linear(8, 8), nn.Conv1d(1, 1, 3, padding=1)
rnn = nn.RNN(1, 4, batch_first=True)
layers = {
    "linear": linear,
    "MLP": nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8)),
    "CNN": lambda x: conv(x[None])[0],
    "RNN": lambda x: rnn(x[:, None] / 10)[0].sum(-1),
    "attention": lambda x: nadaraya_watson(x, x, x, 1.0)[0],
}


# %% alt="Matrices of five layers for two inputs, one above the other: linear dense and unchanged, MLP dense and changed, CNN a band around the diagonal, RNN a lower triangle, strong on the diagonal and faint below it, attention a pattern that links equal inputs and moves with them"
def influence(layer, x):
    """(8,) -> (8, 8): the derivative of every output by every input."""
    return torch.autograd.functional.jacobian(layer, x)


axes = plt.subplots(2, 5, figsize=(10, 4.4))[1]
for line, numbers in zip(axes, (inputs, other)):
    for ax, (name, layer) in zip(line, layers.items()):
        matrix = influence(layer, numbers)  # (8, 8)
        heatmap(matrix / matrix.abs().max(), title=name, ax=ax, values=False, vmax=1)
        ax.images[0].set(cmap="RdBu_r", clim=(-1, 1))
        ax.set(xlabel="", ylabel="", xticks=[], yticks=[])
        if name == "attention":  # which number stands where
            names = [f"{number:.0f}" for number in numbers]
            ax.set_xticks(range(8), names)
            ax.set_yticks(range(8), names)

# %% [markdown]
# The linear layer looks everywhere, the convolution in its window, the RNN at the
# present and a little at the step before, hardly further back. From the upper row to
# the lower the matrices of the linear layer and of the convolution do not change at
# all. Attention looks at what is similar: equal numbers share among themselves,
# wherever they stand. (What is drawn are derivatives; for these inputs they are very
# nearly the *weights*. In general an input is query and key as well, so it changes the
# weights too, and the derivative has a second part.)
#
# The matrices of MLP and RNN change as well: each input switches some units of the MLP
# off, and drives the tanh of the RNN into its flat parts (with inputs as small as ours
# only a little). But attention's matrix is made of *comparisons*: one rule for every
# pair. Who counts is decided by what an input *is*, not by where it stands. (An LSTM
# goes half the way: its gates decide by the input how fast the state fades, but what has
# faded cannot be looked up again.)

# %% [markdown]
# ## Three questions to five layers
#
# Put the five to the test. By how much does the matrix of a layer change from one input
# to the other (the largest change, relative to the largest entry)? Does it take sixteen
# numbers as well as eight? And if the inputs come in another order, do the outputs
# follow: the same outputs, in that order?


# %%
def takes(layer, x):
    try:
        return "yes" if len(layer(x)) == len(x) else "no"
    except RuntimeError:
        return "no"


order = torch.tensor([5, 2, 7, 0, 3, 6, 1, 4])  # (8,)
rows = []
for name, layer in layers.items():
    before, after = influence(layer, inputs), influence(layer, other)  # (8, 8) each
    change = (after - before).abs().max() / before.abs().max()  # scalar
    longer = takes(layer, torch.cat([inputs, other]))
    moved = (layer(inputs)[order] - layer(inputs[order])).abs().max()  # scalar
    rows.append([name, change, longer, "yes" if moved < 1e-4 else "no"])
Table(rows, ["layer", "its matrix changes by", "16 inputs", "outputs follow the order"])

# %% [markdown]
# Attention alone does all three. The linear layer and the MLP have parameters of their
# own for every place, and take eight numbers and no others. The convolution does not
# change with its input, and the RNN depends on the order by design. (A plain mean of all
# inputs would take any number and follow every order, but its matrix would never change.)
# That attention does not see order is a weakness, too; unit 06 repairs it.

# %% [markdown]
# ## Three traps in one line of code
#
# The weights of the lecture are one line in PyTorch, `F.softmax(-(x - known) ** 2)`,
# and three traps lie near it.
#
# **Precedence.** In Python a power binds more tightly than a minus in front of it. The
# line above gets this right. One more pair of brackets, `(-(x - known)) ** 2`, and the
# square swallows the minus: the furthest point wins, and no error tells you. With
# $x = 3$:

# %%
for line in ("-x ** 2", "(-x) ** 2"):
    print(f"{line:>9} = {eval(line, {'x': 3})}")

# %% [markdown]
# **Whole numbers.** A table typed without decimal points is a tensor of integers, and
# softmax does not exist for those. Write `60_000.0`, or call `.float()`.

# %%
try:
    F.softmax(torch.tensor([2, 1, 0]), dim=-1)
except Exception as error:
    print(f"{type(error).__name__}: {error}")

# %% [markdown]
# **No axis.** Without `dim`, torch guesses the axis from the number of axes: the first
# for vectors and for three axes, the *second* for matrices. It warns, and it means it.

# %%
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    F.softmax(torch.zeros(2, 3))
print(caught[0].message)

# %% [markdown]
# ## Once more, and often
#
# The lecture learned a bandwidth from one draw of 50 points. Now take 40 other draws,
# choose the bandwidth by leave-one-out from the grid, and compare with the best bandwidth
# of the grid for that draw, which only an oracle knows. (`progress` draws a bar while a
# loop runs; this one takes a few seconds.)


# %%
def test_error(width, k, v):
    predictions, _ = nadaraya_watson(queries, k, v, width)  # (200,)
    return ((predictions - truth(queries)) ** 2).mean()


draws = steps(40, fast=3)
results = torch.zeros(draws, 3)
for seed in progress(range(draws), draws, "draws"):
    k, v = sample(seed + 1)  # (50,), (50,)
    left_out = torch.stack([leave_one_out_error(k, v, w) for w in grid])  # (60,)
    test = torch.stack([test_error(w, k, v) for w in grid])  # (60,)
    results[seed] = torch.stack([test[0], test[left_out.argmin()], test.min()])  # (3,)

# %% alt="Test errors of forty draws as dots: those of leave-one-out lie close above those of the oracle, far below those of the narrowest bandwidth"
results = results[results[:, 2].argsort()]  # (draws, 3): the easiest draw first
names = ("narrowest bandwidth", "leave one out", "oracle")
ax = curves(None, dict(zip(names, results.T)), style="o")
ax.set(xlabel="draw, the easiest first", ylabel="test error")
ax.set(title="leave one out stays near the oracle in most draws", ylim=(0, None))
ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
ratio = results[:, 1] / results[:, 2]  # (draws,)
print(f"leave one out / oracle: median {ratio.median():.2f}, largest {ratio.max():.1f};")
print(f"above 1.5 in {int((ratio > 1.5).sum())} of {draws} draws")
Table([results.mean(0).tolist()], names, "mean test error")

# %% [markdown]
# In half of the draws the error after leave-one-out is within a tenth of the oracle's;
# in 8 of the 40 it is more than half as large again, once three and a half times as
# large. The narrowest bandwidth is bad in all of them.
#
# Does the *shape* of the kernel matter, too? Any formula that falls with the distance
# will do as a score. For each of three shapes, take the best bandwidth for each draw:

# %%
kernels = {
    "Gauss": lambda d: -(d**2) / 2,
    "Laplace": lambda d: -d,  # a sharp peak, longer tails
    "Cauchy": lambda d: -torch.log1p(d**2),  # 1 / (1 + d²): very long tails
}
best = {name: [] for name in kernels}
for seed in range(draws):
    k, v = sample(seed + 1)  # (50,), (50,)
    distances = torch.cdist(queries[:, None], k[:, None])  # (200, 50)
    far = distances / grid[:, None, None]  # (60, 200, 50)
    for name, kernel in kernels.items():
        off = softmax(kernel(far)) @ v - truth(queries)  # (60, 200)
        best[name].append((off**2).mean(-1).min())

shapes = {name: torch.stack(errors) for name, errors in best.items()}  # (draws,) each
rows = []
for name, errors in shapes.items():
    worse = int((errors > shapes["Gauss"]).sum())
    rows.append([name, errors.mean(), f"{worse} of {draws}"])
columns = ["kernel", "test error with its best bandwidth, mean", "worse than Gauss in"]
Table(rows, columns, "the same draws for all")

# %% [markdown]
# The width matters much: with the narrowest of our grid the error is five times that of
# the best width. The shape matters less: Laplace is worse than Gauss in most draws, but
# by less than a tenth on average. Cauchy, whose very long tails listen to everybody a
# little, has an error half as large again. So the exponential of a square is not the
# secret of attention. What counts is *what is compared, and on which scale*, and both can
# be learned.

# %% [markdown]
# ## A width for every pixel
#
# Will the digits be read better if each of the 64 pixels has a bandwidth of its own? A
# hundred pictures are the keys, a hundred others are predicted in training, and the rest
# of the 1797 are the test. Six random splits (a few seconds):

# %%
all_pixels = torch.cat([pixels, test_pixels])  # (1797, 64)
all_labels = torch.cat([labels, test_labels])  # (1797,)


def read(dials, seed):
    """-> share of digits read rightly in training, in the test."""
    order = torch.randperm(1797, generator=seeded(seed))  # (1797,)
    x, target = all_pixels[order], all_labels[order]  # (1797, 64), (1797,)
    digit = torch.eye(10)[target]  # (1797, 10)
    widths = learn(x[:200], digit[:200], dials)  # (dials,)
    shares, _ = attend(x[100:], x[:100], digit[:100], widths)  # (1697, 10)
    right = (shares.argmax(-1) == target[100:]).float()  # (1697,)
    return right[:100].mean().item(), right[100:].mean().item()


# %%
rows = []
for name, dials in (("one for all", 1), ("one per pixel", 64)):
    splits = range(steps(6, fast=1))
    shares = zip(*[read(dials, seed) for seed in splits])  # of the training, of the test
    texts = [", ".join(f"{100 * share:.0f}" for share in some) for some in shares]
    rows.append([name, *texts])
columns = ["bandwidths", "% read rightly in training", "% in the test"]
Table(rows, columns, "six splits")

# %% [markdown]
# With a bandwidth per pixel the digits of the training are read better in every split,
# and those of the test *worse* in every split, by one to six points. With 64 dials and a
# hundred pictures to predict, training finds pixels that happen to tell these apart.

# %% [markdown]
# ## A short history
#
# Attention is a mechanism, not an architecture. It is older than the Transformer, and
# older than its use on images or in translation.
#
# | year | what was new |
# |---|---|
# | 1964 | **Nadaraya** and **Watson**, independently: predict by a mean weighted by similarity. Nothing is learned. |
# | 2010 | Larochelle and Hinton: a network learns where to place its next *glimpse* of an image. |
# | 2013 | Graves: a recurrent network that writes by hand moves a soft Gaussian window along the text to be written. |
# | 2014 | Mnih and others: glimpses learned by reinforcement. Graves and others: a memory addressed by content. **Bahdanau, Cho and Bengio**: soft alignment for translation, the first attention there. |
# | 2015 | Xu and others: image captions. Luong and others: simpler scores. Chan and others: speech, *Listen, Attend and Spell*. |
# | 2017 | **Vaswani and others**: no recurrence left, only layers of attention with something in between. The Transformer. |
# | since | the same block for language (2018), images (2020), proteins, weather, games. |
#
# What changed over the years is *what is compared* (numbers, then learned vectors) and
# *who chooses the comparison* (a person, then the training). The weighted mean stayed.
