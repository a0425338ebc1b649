# %% [markdown]
# # 01 · Nadaraya-Watson: assignment
#
# You write the oldest attention there is in four small functions and a fifth one that
# prepares data. Then come three short puzzles, and one question to answer in words.
# Read [the lecture](../../lectures/01_nadaraya_watson.ipynb) first; plan two hours.
#
# **How it works.** Replace the line `...  # YOUR CODE HERE` in an answer cell by your
# code, run the cell, then run the test cell below it. A card tells you at once what
# passes, shows the smallest case that fails, and often what was misunderstood. You may
# run it as often as you like. When your work is graded, the same checks run again with
# other numbers. Do not change, copy or delete the test cells.
#
# **Conventions.** `Q` is the number of queries, `K` that of keys; a shape such as
# `(Q, K)` stands in each docstring. Inputs are tensors of floating-point numbers. Leave
# them as you got them, let gradients flow (no `.detach()`, no NumPy), and use any
# tensor operation that is not ruled out.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary

# %% [markdown]
# ## 1. Softmax
# *easy · 15 minutes · {{points softmax}}*
#
# Write `softmax(scores, dim=-1)`: exponentials, divided by their sum along the axis
# `dim`.
#
# $$\operatorname{softmax}(z)_i = \frac{\exp(z_i)}{\sum_{j} \exp(z_j)}$$
#
# - Tensors of any shape come in; the same shape comes out.
# - `dim` is one axis and may be any of them, counted from the front or (negative) from
#   the back.
# - Scores may be as large as ±10000. The result is never NaN or infinite. Rows may lie
#   on very different levels: one at 0, the next at 200.
# - Not allowed: torch's own softmax in any form (`torch.softmax`, `F.softmax`,
#   `nn.Softmax`, `log_softmax`, …).
#
# An example to try by hand: the scores $\ln 1, \ln 2, \ln 5$ have the weights ⅛, ²⁄₈
# and ⅝.


# %% nbgrader={"grade_id": "softmax"}
def softmax(scores, dim=-1):
    """Any shape -> same shape: positive numbers that sum to one along `dim`."""
    ### BEGIN SOLUTION
    shifted = scores - scores.amax(dim, keepdim=True)
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_softmax"}
check(softmax)

# %% [markdown]
# ## 2. Gaussian weights
# *easy · 15 minutes · {{points gaussian_weights}}*
#
# Write `gaussian_weights(queries, keys, bandwidth)`: how much does each key count for
# each query?
#
# $$\alpha_{qk} = \operatorname{softmax}_k\left(-\frac{(x_q - x_k)^2}{2\,\sigma^2}\right)$$
#
# - `queries` has shape (Q,) and `keys` has shape (K,); Q and K are usually different.
#   The result has shape (Q, K): one row per query, and each row sums to one.
# - `bandwidth` σ is one positive number: a Python float, or a tensor without axes. In
#   the second case gradients must flow back to it.
# - A query may be so far from all keys that each single exponential rounds to 0. Its
#   row still sums to one.
# - From here on `torch.softmax` is allowed, so a mistake in exercise 1 need not stop
#   you.
#
# With queries 0 and 1, keys 0 and 2 and a bandwidth of 1, the first row is about .881,
# .119 and the second .5, .5.


# %% nbgrader={"grade_id": "gaussian_weights"}
def gaussian_weights(queries, keys, bandwidth):
    """(Q,), (K,), scalar -> (Q, K): how much each key counts for each query."""
    ### BEGIN SOLUTION
    distances = queries[:, None] - keys[None, :]  # (Q, K)
    return softmax(-(distances**2) / (2 * bandwidth**2), dim=-1)  # (Q, K)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_gaussian_weights"}
check(gaussian_weights)

# %% [markdown]
# ## 3. Nadaraya-Watson regression
# *easy · 10 minutes · {{points nadaraya_watson}}*
#
# Write `nadaraya_watson(queries, keys, values, bandwidth)`: for each query, the mean of
# the values weighted by `gaussian_weights`. (If you call your own function, get
# exercise 2 right first: its mistakes would come along.)
#
# - `values` has shape (K,): one number for each key.
# - Return **two** tensors: the predictions, of shape (Q,), and the weights, of shape
#   (Q, K), in this order. All functions of the course that attend return both, since
#   one wants to see where a model looked.
# - Gradients must flow to all inputs that are tensors.
#
# With the example of exercise 2 and the values 10 and 20, the predictions are about
# 11.19 and 15.


# %% nbgrader={"grade_id": "nadaraya_watson"}
def nadaraya_watson(queries, keys, values, bandwidth):
    """(Q,), (K,), (K,), scalar -> predictions (Q,), weights (Q, K)."""
    ### BEGIN SOLUTION
    weights = gaussian_weights(queries, keys, bandwidth)  # (Q, K)
    return weights @ values, weights
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_nadaraya_watson"}
check(nadaraya_watson)

# %% [markdown]
# ## 4. Leave one out
# *medium · 30 minutes · {{points leave_one_out_error}}*
#
# Write `leave_one_out_error(keys, values, bandwidth)`: predict every point from **all
# the others** with Nadaraya-Watson regression, and return the mean squared error of
# these K predictions.
#
# - `keys` and `values` have shape (K,), with K ≥ 2. `bandwidth` is a tensor without
#   axes. The result is one number, a tensor without axes.
# - It must be differentiable in the bandwidth: somebody wants to learn it.
# - A point leaves out itself and nobody else. Two points may have the same key; then
#   one may help to predict the other.
# - A point may lie so far away that, next to itself, all others have a weight that
#   rounds to 0. Its prediction is still a weighted mean of the others.
#
# A loop over the points is fine; a matrix with something done to its diagonal is
# shorter. (Do that last, directly before the softmax: if $-\infty$ is still divided by the
# bandwidth, the gradient becomes NaN.) For the keys 0, 1, 3, the values 0, 1, 2 and a bandwidth of 1 the error is
# about .8657.


# %% nbgrader={"grade_id": "leave_one_out_error"}
def leave_one_out_error(keys, values, bandwidth):
    """(K,), (K,), scalar tensor -> scalar: each point predicted from all the others."""
    ### BEGIN SOLUTION
    distances = keys[:, None] - keys[None, :]  # (K, K)
    scores = -(distances**2) / (2 * bandwidth**2)  # (K, K)
    itself = torch.eye(len(keys), dtype=torch.bool)  # (K, K)
    scores = scores.masked_fill(itself, -torch.inf)  # nobody is their own neighbour
    predictions = softmax(scores, dim=-1) @ values  # (K,)
    return ((predictions - values) ** 2).mean()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_leave_one_out_error"}
check(leave_one_out_error)

# %% [markdown]
# ## Your own attention, at work
# *not graded · a few seconds of computing*
#
# The data of the lecture, and a bandwidth that your own functions learn. The cell runs
# as soon as the checks of exercises 3 and 4 are green. Then play: other noise, fewer
# points (`count`), or a start at a bandwidth of .001 (`log_width` of about −7). When does
# it fail to learn, and why? (The end of the lecture's section "Leave one out" knows.)

# %%
if ready("nadaraya_watson", "leave_one_out_error"):
    from course_utils.plotting import curves
    from course_utils.training import fit, seeded, steps

    draw, count = seeded(0), 50
    keys = (5 * torch.rand(count, generator=draw)).sort().values  # (K,)
    noise = 0.5 * torch.randn(count, generator=draw)  # (K,)
    values = 2 * torch.sin(keys) + keys**0.8 + noise  # (K,)
    log_width = torch.zeros((), requires_grad=True)  # scalar: a bandwidth of 1

    def error(step):
        return leave_one_out_error(keys, values, log_width.exp())

    fit(error, [log_width], steps(300), lr=0.05)
    width = log_width.detach().exp()  # scalar
    queries = torch.linspace(0, 5, 200)  # (Q,)
    curve, _ = nadaraya_watson(queries, keys, values, width)  # (Q,)
    ax = curves(queries, {"your prediction": curve}, "x", "y")
    ax.plot(keys, values, "o", color="grey", markersize=3)
    ax.set_title(f"a bandwidth of {width:.3f} (the lecture found 0.252)")

# %% [markdown]
# ## 5. One ruler for all
# *easy · 10 minutes · {{points standardise}}*
#
# Features in different units are put on one scale before they are compared. Write
# `standardise(train, test)`, which returns both tables on the scale of the *training*
# data: from each column subtract the mean of that column in `train`, and divide by its
# standard deviation in `train` (torch's `std`, which divides by N − 1).
#
# - `train` has shape (N, D) with N ≥ 2, `test` has shape (M, D) with M ≥ 1. Return two
#   tensors of the same shapes, in this order.
# - A column that is constant in `train` has a standard deviation of 0. Only subtract
#   its mean; do not divide. In `test` the same column may well vary. (Constant columns of
#   the tests hold small whole numbers, for which torch's `std` is exactly 0; for others
#   rounding may leave a tiny rest.)
# - This prepares data and learns nothing, so here gradients need not flow.
#
# With `train = [[1, 4], [3, 4]]` and `test = [[2, 9]]` the results are
# `[[-0.71, 0], [0.71, 0]]` and `[[0, 5]]`.


# %% nbgrader={"grade_id": "standardise"}
def standardise(train, test):
    """(N, D), (M, D) -> (N, D), (M, D): both on the scale of `train`."""
    ### BEGIN SOLUTION
    mean, deviation = train.mean(0), train.std(0)  # (D,), (D,)
    # a constant column is only centred
    deviation = torch.where(deviation == 0, 1.0, deviation)  # (D,)
    return (train - mean) / deviation, (test - mean) / deviation
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_standardise"}
check(standardise)

# %% [markdown]
# ## Your softmax reads handwriting
# *not graded · a few seconds of computing*
#
# The digits of the lecture, read by your own `softmax` after your own `standardise`.
# Somebody has measured the upper 32 pixels of each picture in other units, a hundred times
# as fine, so that they drown the lower ones. The cell runs as soon as the checks of
# exercises 1 and 5 are green; the bandwidth is chosen from pictures left out of the keys.
# Before you run it: does standardising repair the harm? Is it then as good as the pictures
# as they came? Look at the last two rows, and think of the pixels at the border, which are
# nearly always white.
#
# <details><summary>Answer, for afterwards</summary>
#
# It repairs most of the harm, not all. A border pixel that is nearly always white has a
# tiny standard deviation, so after division a single pale speck there is a large
# difference, and pixels that say little about the digit count as much as the others or
# more. One ruler for all is right where units differ by accident; grey values had the same
# unit from the start.
#
# </details>

# %%
if ready("softmax", "standardise"):
    from IPython.display import display

    from course_utils.data.images import digits
    from course_utils.plotting import Table

    images, labels, test_images, test_labels = digits()
    pixels, test_pixels = images.flatten(1), test_images.flatten(1)  # (N, 64), (M, 64)
    shown = torch.eye(10)[labels]  # (N, 10): a 1 at the digit

    def read(new, known, values, bandwidth):
        distances = torch.cdist(new, known) / bandwidth  # (M, N)
        return (softmax(-(distances**2) / 2) @ values).argmax(-1)  # (M,)

    def chosen(known):
        """The bandwidth with which 1000 of the known pictures read the others best."""
        widths = torch.logspace(-1, 2, 13)  # (13,)
        guesses = [read(known[1000:], known[:1000], shown[:1000], w) for w in widths]
        right = torch.stack([(guess == labels[1000:]).sum() for guess in guesses])  # (13,)
        return widths[right.argmax()]

    finer = torch.ones(64)  # (64,)
    finer[:32] = 100
    tables = {"upper half in other units": (pixels * finer, test_pixels * finer)}
    tables["the same, standardised"] = standardise(*tables["upper half in other units"])
    tables["as they came"] = (pixels, test_pixels)
    rows = []
    for name, (known, new) in tables.items():
        width = chosen(known)
        share = (read(new, known, shown, width) == test_labels).float().mean()
        rows.append([name, width, f"{share:.1%}"])
    display(Table(rows, ["pictures", "bandwidth chosen", "test digits read rightly"]))

# %% [markdown]
# ## 6. Predict: another unit
# *5 minutes · {{points choice_units}}*
#
# Somebody predicts the profit of a shop from those in three towns, with the weights
#
# $$\operatorname{softmax}_i\left(-(x - x_i)^2\right)$$
#
# | population $x_i$ | profit |
# |---|---|
# | 60000 | 175000 |
# | 70000 | 200000 |
# | 85000 | 210000 |
#
# They count in units of 5000 people: the known towns become 12, 14 and 17, and a new town
# of 64000 becomes 12.8. The formula (as it stands: no bandwidth, no factor ½) gives the
# first town 2.2 times the weight of the second. Then a colleague halves the unit, and
# counts everything in units of 2500 people. How many times the weight of the second town
# does the first one have now? {{options choice_units}}

# %% nbgrader={"grade_id": "choice_units"}
choice_units = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_units = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_units"}
check(choice_units, "choice_units")

# %% [markdown]
# ## 7. Check a worked table
# *5 minutes · {{points choice_distance}}*
#
# The same steps with small numbers. The query is $x = 4$, and the weights are to be the
# softmax of $-(x - x_i)^2$:
#
# | known $x_i$ | distance | minus its square | after softmax |
# |---|---|---|---|
# | 1 | 3 | −9 | .09 |
# | 5 | 1 | −1 | .67 |
# | 6 | 2 | −4 | .24 |
#
# Is the table right, and if not, what is wrong? {{options choice_distance}}

# %% nbgrader={"grade_id": "choice_distance"}
choice_distance = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_distance = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_distance"}
check(choice_distance, "choice_distance")

# %% [markdown]
# ## 8. Spot the bug: the same in code
# *5 minutes · {{points choice_code}}*
#
# Now the same in code, for any number of new towns at once. For the town at 1 one would
# expect about 13: mostly the profit of 10, and some of the 20. The last line returns 60.
#
# ```python
# def predict(known, profit, new):
#     # (K,), (K,), (Q,) -> (Q,)
#     scores = -(new[:, None] - known) ** 2
#     weights = F.softmax(scores, dim=0)
#     return weights @ profit
#
# known = torch.tensor([1.0, 2.0, 3.0])
# profit = torch.tensor([10.0, 20.0, 30.0])
# predict(known, profit, torch.tensor([1.0]))
# ```
#
# To find the bug, somebody asks for the same town twice in one call, with
# `torch.tensor([1.0, 1.0])`. What comes back? Decide before you try it.
# {{options choice_code}}

# %% nbgrader={"grade_id": "choice_code"}
choice_code = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_code = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_code"}
check(choice_code, "choice_code")

# %% [markdown]
# ## 9. A town of 200000
# *10 minutes · 3 points · read by a person*
#
# With the three towns of exercise 6 you are asked for the profit in a town of 200000
# people.
#
# 1. Without running anything: what does Nadaraya-Watson regression predict with a
#    bandwidth of 1000 people? What does its prediction tend to as the bandwidth grows
#    without end? Say why in both cases.
# 2. Is there a bandwidth for which it predicts more than 210000? Say why or why not.
# 3. Name a model that would predict more, and one reason not to trust it either.
#
# Five or six sentences will do. Write them into the next cell.

# %% [markdown] nbgrader={"grade_id": "town_of_200000", "points": 3}
# ### BEGIN SOLUTION
# **Rubric**, one point for each part; half a point where the answer is right and the
# reason is missing.
#
# 1. 210000 with a bandwidth of 1000: the town of 85000 is nearest, the next one is
#    15000 people further away, the difference of the scores is in the thousands, so
#    softmax gives it all the weight. As the bandwidth grows all scores tend to 0, the
#    weights to ⅓ each, and the prediction to the mean of the three profits, 195000.
# 2. No. The weights are not negative and sum to one, so the prediction lies between the
#    smallest and the largest value, whatever the bandwidth.
# 3. For example a straight line through the points (or any model with a trend). A
#    reason to doubt it: it assumes that the trend of three points between 60000 and
#    85000 goes on to 200000; nothing in the data says so. (The last two points already
#    rise less steeply than the first two.)
# ### END SOLUTION

# %% [markdown]
# ## How far you got

# %%
summary("01")

# %% [markdown]
# ## Further reading
#
# - E. A. Nadaraya, *On Estimating Regression*, and G. S. Watson, *Smooth Regression
#   Analysis* (both 1964): a page of each shows how much was there sixty years ago.
# - [Dive into Deep Learning, "Attention Pooling by
#   Similarity"](https://d2l.ai/chapter_attention-mechanisms-and-transformers/attention-pooling.html):
#   the same data with other kernels, to compare your curves with.
# - T. Hastie, R. Tibshirani, J. Friedman, [*The Elements of Statistical
#   Learning*](https://hastie.su.domains/ElemStatLearn/), chapter 6: why the width
#   matters more than the shape, with proofs; section 7.10 on cross-validation and how
#   to do it wrong.
# - D. W. Scott, *Multivariate Density Estimation*: what becomes of neighbours when
#   there are twenty features and not one.
