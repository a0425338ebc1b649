# %% [markdown]
# # 10 · Image captioning: assignment
#
# You write the parts of a captioner: regions of a picture, soft attention over them,
# one step of an LSTM that looks before it speaks. Then you take it apart: which look
# made which word? Last come a penalty for regions that were overlooked, hard attention,
# which draws, and a loss from which a draw can learn. The minutes beside the exercises
# add up to a little more than three hours; if all goes well, two will do. [The
# lecture](../../lectures/10_image_captioning.ipynb) explains every part by formulas and
# numbers; here you write it.
#
# - `B` is the batch, `R` the number of regions, `D` the size of a region, `T` the
#   number of words, `V` the size of the vocabulary.
# - Write your answer where it says `YOUR CODE HERE`, then run the cell below it: it
#   checks your answer and says what is wrong.
# - Loops, `einsum`, `einops`: all are welcome unless the exercise says otherwise. Do
#   not change the tensors you are given, and let gradients flow (no `.detach()`, no
#   NumPy).

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary

# %% [markdown]
# ## 1. A feature map as a set of regions
# *easy · 10 minutes · {{points image_regions}}*
#
# Write `image_regions(features)`: a feature map `(B, C, H, W)` → regions
# `(B, H * W, C)`. Region number `i * W + j` holds the `C` features of the place in row
# `i`, column `j`.
#
# An example with two features on 2 x 2 places: the maps `[[1, 2], [3, 4]]` and
# `[[5, 6], [7, 8]]` become the four regions `[1, 5]`, `[2, 6]`, `[3, 7]`, `[4, 8]`.

# %% nbgrader={"grade_id": "image_regions"}
def image_regions(features):
    """(B, C, H, W) -> (B, H * W, C)."""
    ### BEGIN SOLUTION
    return features.flatten(2).mT  # (B, C, H W) -> (B, H W, C)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_image_regions"}
check(image_regions)

# %% [markdown]
# ## 2. Soft attention
# *medium · 25 minutes · {{points soft_attention}}*
#
# Write `soft_attention(regions, state, w_r, w_s, v)`. One state per picture asks all of
# its regions, by additive scores:
#
# $$e_i = v \cdot \tanh(a_i W_r + s\, W_s), \qquad
# \alpha = \mathrm{softmax}(e), \qquad z = \sum_i \alpha_i\, a_i$$
#
# | argument | shape | |
# |---|---|---|
# | `regions` | `(B, R, D)` | $a_i$ are its rows |
# | `state` | `(B, Ds)` | $s$ |
# | `w_r`, `w_s`, `v` | `(D, A)`, `(Ds, A)`, `(A,)` | shared by all pictures; no bias, no scale |
#
# Return `(context, weights)`: `(B, D)` and `(B, R)`. The softmax runs over the regions.
# Scores may be large (hundreds).
#
# The numbers of the lecture: regions $(1, 0)$, $(0, 1)$, $(0.5, 0.5)$, state $0.5$,
# $W_r = (1, -1)^\top$, $W_s = 1$, $v = 2$ give the scores $1.81$, $-0.92$, $0.92$, the
# weights $0.677$, $0.044$, $0.279$ and the context $(0.82, 0.18)$.

# %% nbgrader={"grade_id": "soft_attention"}
def soft_attention(regions, state, w_r, w_s, v):
    """(B, R, D), (B, Ds), (D, A), (Ds, A), (A,) -> context (B, D), weights (B, R)."""
    ### BEGIN SOLUTION
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None])  # (B, R, A)
    weights = (hidden @ v).softmax(-1)  # (B, R)
    context = (weights[:, None] @ regions).squeeze(1)  # (B, 1, R) @ (B, R, D) -> (B, D)
    return context, weights
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_soft_attention"}
check(soft_attention)

# %% [markdown]
# ## 3. One word
# *medium · 25 minutes · {{points CaptionStep}}*
#
# `__init__` is given; leave it as it is, because the tests copy weights into it. Write
# `forward(token, state, regions)`:
#
# 1. Attend to the regions with the **previous** hidden state `h` (your
#    `soft_attention`, with `self.w_r`, `self.w_s`, `self.v`; get exercise 2 right
#    first, since its mistakes would come along).
# 2. Feed the LSTM cell with the embedding of `token` **followed by** the context, and
#    with the previous state `(h, c)`.
# 3. The logits of the next word are `self.out` of the **new** `h`.
#
# `token` is `(B,)`, `state` is a tuple `(h, c)` of two tensors `(B, hidden)`, `regions`
# is `(B, R, D)`. Return three things: logits `(B, V)`, the new state `(h, c)`, and the
# attention weights `(B, R)` of step 1.

# %% nbgrader={"grade_id": "CaptionStep"}
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        """(B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""
        ### BEGIN SOLUTION
        asks = self.w_r, self.w_s, self.v
        context, weights = soft_attention(regions, state[0], *asks)  # (B, D), (B, R)
        inputs = torch.cat([self.embed(token), context], -1)  # (B, m + D)
        h, c = self.cell(inputs, state)  # (B, hidden) each
        return self.out(h), (h, c), weights
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_CaptionStep"}
check(CaptionStep)

# %% [markdown]
# ## 4. Which look made which word?
# *hard · 35 minutes · {{points look_effects}}*
#
# A map of attention shows what was read before a word, not what the word was made from.
# So intervene: change **one** look, and see which words fall. Write
# `look_effects(step, tokens, right, state, regions, others)`.
#
# | argument | shape | |
# |---|---|---|
# | `step` | | any step of a captioner, called like yours: `step(token, state, regions)` gives logits `(B, V)`, the new state, weights |
# | `tokens` | `(B, T)` | the words that it reads, `tokens[:, 0]` at the first step, and so on |
# | `right` | `(B, T)` | the words that it should say: `right[:, t]` at step `t` |
# | `state` | `(h, c)` | the state before the first step |
# | `regions`, `others` | `(B, R, D)` each | what it sees, and what it sees instead, of the same shape |
#
# Return a matrix `(T, T)`. Entry `[t, p]`: let the steps run twice, once as they are,
# and once with `others` in the place of `regions` **at step `t` alone**. How far does
# the logit of the right word of step `p` fall from the first run to the second? Take
# the mean over the captions.
#
# - All steps read the given `tokens`, in both runs, whatever they would have said.
# - In both runs the new state of a step goes into the next one. So a changed look may
#   be felt much later, and never earlier.
# - Logits, not probabilities. An entry may be negative. No gradients are needed here
#   (`torch.no_grad()` is fine).
#
# An example with one caption of two words, one region and a state of one number ($h$
# and $c$ are the same here). The step adds what it sees to its state, and the logits
# are $(h, -h)$ for the new $h$. It begins with 0 and sees a 1 at both steps; the others
# are 0; the right word is number 0 both times. As it is, $h$ becomes 1 and then 2. With
# the first look changed it becomes 0 and 1, with the second changed 1 and 1. The result
# is `[[1, 1], [0, 1]]`: the 1 at the upper right is what the state has *kept* of the
# first look.

# %% nbgrader={"grade_id": "look_effects"}
def look_effects(step, tokens, right, state, regions, others):
    """(B, T), (B, T), (h, c), (B, R, D), (B, R, D) -> (T, T)."""
    ### BEGIN SOLUTION
    def run(changed):
        now, found = state, []
        for t in range(tokens.shape[1]):
            view = others if t == changed else regions  # (B, R, D)
            logits, now, _ = step(tokens[:, t], now, view)
            found.append(logits.gather(1, right[:, t : t + 1]))  # (B, 1)
        return torch.cat(found, 1)  # (B, T)

    with torch.no_grad():
        before = run(None)  # (B, T)
        falls = [(before - run(t)).mean(0) for t in range(tokens.shape[1])]  # (T,) each
    return torch.stack(falls)  # (T, T)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_look_effects"}
check(look_effects)

# %% [markdown]
# ## 5. Coverage
# *easy · 10 minutes · {{points coverage_penalty}}*
#
# Has every region been looked at? (The lecture's appendix says what this is for.) Write
# `coverage_penalty(weights)`. `weights` is `(B, T, R)`: for each caption and each
# of its words, how the attention was shared out among the regions. Return a scalar: the
# **mean over the batch** of the **sum over the regions** of
# $\big(1 - \sum_t \alpha_{t}\big)^2$, with $\sum_t$ over the words. All `T` steps count:
# captions of unlike length, and their padding, are left aside here.
#
# One caption of two words, three regions, weights $(1, 0, 0)$ and $(0.5, 0.5, 0)$: the
# regions got $1.5$, $0.5$ and $0$, and the penalty is $0.25 + 0.25 + 1 = 1.5$.

# %% nbgrader={"grade_id": "coverage_penalty"}
def coverage_penalty(weights):
    """(B, T, R) -> scalar."""
    ### BEGIN SOLUTION
    total = weights.sum(1)  # (B, R)
    return ((1 - total) ** 2).sum(-1).mean()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_coverage_penalty"}
check(coverage_penalty)

# %% [markdown]
# ## 6. Hard attention
# *medium · 25 minutes · {{points hard_attention}}*
#
# Write `hard_attention(regions, weights, generator)`: for each row draw **one** region,
# with that row's weights as probabilities.
#
# - `regions` is `(B, R, D)`; `weights` is `(B, R)`, rows that sum to one (a weight may
#   be 0: such a region is never drawn).
# - Draw with the given `torch.Generator`, e.g. by
#   `torch.multinomial(..., generator=generator)`, so that a generator with the same
#   seed gives the same draws again. Any correct way to draw is accepted; the tests look
#   at how often each region comes up.
# - Return three things: `context (B, D)`, the drawn regions as they are; `index (B,)`,
#   their numbers as integers; `log_prob (B,)`, the logarithm of the weight of each
#   drawn region.
# - Gradients must flow from `context` to `regions` and from `log_prob` to `weights`: it
#   is the only way by which the weights can learn from a draw. They must be numbers, not
#   NaN, also where a weight is 0.

# %% nbgrader={"grade_id": "hard_attention"}
def hard_attention(regions, weights, generator):
    """(B, R, D), (B, R) -> context (B, D), index (B,), log_prob (B,)."""
    ### BEGIN SOLUTION
    index = torch.multinomial(weights, 1, generator=generator)  # (B, 1)
    log_prob = weights.gather(1, index).log().squeeze(1)  # (B,)
    index = index.squeeze(1)  # (B,)
    return regions[torch.arange(len(regions)), index], index, log_prob
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_hard_attention"}
check(hard_attention)

# %% [markdown]
# ## 7. A loss for draws
# *medium · 25 minutes · {{points reinforce_loss}}*
#
# Write `reinforce_loss(losses, log_prob)`. For each of `B` pictures, `K` regions were
# drawn (`K` is at least 2). `losses` `(B, K)` says what each draw has cost, `log_prob`
# `(B, K)` is the logarithm of its probability. Return a scalar: the **mean over all
# `B` x `K` draws** of
#
# $$\ell_k + (\ell_k - b_k)\, \log \alpha_k, \qquad
# b_k = \frac{1}{K - 1} \sum_{j \neq k} \ell_j$$
#
# - The baseline $b_k$ of a draw is the mean loss of the **other** draws for the **same**
#   picture.
# - The factor $(\ell_k - b_k)$ is a **mere number**: no gradient flows through it. (So
#   here, and only here, `.detach()` is right.) The first $\ell_k$ and $\log \alpha_k$
#   keep their gradients: from the first, whatever reads the drawn region learns; from
#   the second, the weights do.
# - The tests compare the value *and* the gradients.
#
# One picture, three draws with losses 1, 2, 6 and logarithms -1, -2, -3: the baselines
# are 4, 3.5 and 1.5, the factors -3, -1.5 and 4.5, and the result is
# ((1 + 3) + (2 + 3) + (6 - 13.5)) / 3 = 0.5.

# %% nbgrader={"grade_id": "reinforce_loss"}
def reinforce_loss(losses, log_prob):
    """(B, K), (B, K) -> scalar."""
    ### BEGIN SOLUTION
    others = losses.shape[1] - 1
    baseline = (losses.sum(1, keepdim=True) - losses) / others  # (B, K)
    factor = (losses - baseline).detach()  # (B, K)
    return (losses + factor * log_prob).mean()
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_reinforce_loss"}
check(reinforce_loss)

# %% [markdown]
# ## 8. Spot the mistake: whose attention?
# *5 minutes · {{points choice_self}}*
#
# In a captioner the eye is a trained Vision Transformer (unit 09), a decoder writes. To
# show where it looked for the word *frisbee*, somebody draws a map of the photograph
# from the attention of the *eye*: the row of CLS in its last layer. What is wrong with
# the very idea of that map?
#
# {{options choice_self}}

# %% nbgrader={"grade_id": "choice_self"}
choice_self = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_self = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_self"}
check(choice_self, "choice_self")

# %% [markdown]
# ## 9. Spot the mistake: the best region
# *10 minutes · {{points choice_soft_hard}}*
#
# Somebody wants hard attention without draws, and takes the region with the largest
# weight:
#
# ```python
# weights = softmax(scores)                    # (B, R), from v, W_r and W_s
# best = weights.argmax(-1)                    # (B,)
# context = regions[torch.arange(B), best]     # (B, D), into the LSTM
# ```
#
# The loss is cross entropy of the words, trained by plain gradients. Of the eye, `v`,
# `W_r` and `W_s`, which get a gradient?
#
# {{options choice_soft_hard}}

# %% nbgrader={"grade_id": "choice_soft_hard"}
choice_soft_hard = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_soft_hard = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_soft_hard"}
check(choice_soft_hard, "choice_soft_hard")

# %% [markdown]
# ## 10. Predict: the size of the gates
# *5 minutes · {{points choice_gates}}*
#
# A captioner's word embedding has 50 numbers, the state of its LSTM 200, a region (and
# so the context) 100. Now the state is made twice as large, 400, and all else stays.
# How many weights does the map then have that makes the four gates at each step? (Leave
# out the biases.)
#
# {{options choice_gates}}

# %% nbgrader={"grade_id": "choice_gates"}
choice_gates = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_gates = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_gates"}
check(choice_gates, "choice_gates")

# %% [markdown]
# ## 11. In your own words: a bad caption
# *15 minutes · 4 points, graded by hand*
#
# A captioner says "a man wearing a hat and a hat on a skateboard". Write about ten
# sentences. Describe two different causes that such a sentence may have, one in *where*
# the model looks and one in *what* it has learned to say. Say for each how the
# attention maps would look, word by word, and what you would change (in the loss, the
# data or the model) to mend it. Maps alone can mislead: name an intervention (such as
# that of exercise 4) and what it would show for each of the two causes.

# %% [markdown] nbgrader={"grade_id": "bad_caption", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
# - 1 point: a cause in the looking: the same region is attended to twice (or a region
#   is never attended to); nothing in the loss asks for coverage. Both *hat* maps fall
#   on the same place.
# - 1 point: a cause in the language: "a hat and a hat" is likely as text, the decoder
#   follows its language model, the maps are diffuse or lie on something else than a
#   hat.
# - 1 point: a fitting remedy for each: coverage penalty, or a state that remembers what
#   has been looked at; more or more varied captions, scheduled sampling or beam search
#   with a repetition rule, a stronger picture encoder.
# - 1 point: an intervention that tells the causes apart: change the look before the
#   second *hat* (another picture, or the region hidden). If the look made the word, it
#   falls; if the language did, it stays.
# ### END SOLUTION

# %% [markdown]
# ## Let it speak
#
# Not graded: your parts, put together, say what they see. The cell below gives *your*
# `CaptionStep` to a captioner, trains it on the scenes of the lecture (about half a
# minute), lets it describe three new ones, and draws where it looked for each word. The
# inner loop is all of its writing: a step, the likeliest word, and that word goes into
# the next step. Which words need to look, and which could be written with closed eyes?

# %%
if ready("soft_attention", "CaptionStep"):
    from course_utils.plotting import looks
    from course_utils.data.scenes import IDS, LENGTH, VOCABULARY, scenes
    from course_utils.image_captioning import LSTMCaptioner, train_captioner
    from course_utils.training import seeded, steps

    torch.manual_seed(0)
    captioner = LSTMCaptioner(len(VOCABULARY))
    captioner.step = CaptionStep(len(VOCABULARY), 64, 64, 64, 64)
    train_captioner(captioner, *scenes(3000, seeded(0)), steps(300))
    for picture in scenes(3, seeded(1))[0]:  # (3, 24, 24)
        word, said = torch.tensor([IDS["<bos>"]]), []  # (1,)
        with torch.no_grad():
            regions = captioner.eye(picture[None])  # (1, 36, 64)
            state = captioner.start(regions.mean(1)).tanh().chunk(2, -1)  # (1, 64) each
            while len(said) < LENGTH and word != IDS["<eos>"]:
                logits, state, where = captioner.step(word, state, regions)
                word = logits.argmax(-1)  # (1,): the likeliest, and the next input
                said.append((VOCABULARY[word], where[0].unflatten(0, (6, 6))))
        print(*(name for name, _ in said))
        looks(picture, said, columns=5)

# %% [markdown]
# ## Take its looks away
#
# Not graded: the captioner that the cell above has trained (run that one first), under
# *your* `look_effects`. The pictures have two shapes each; one look at a time goes to
# another picture. A row belongs to the look that was changed, a column to a word. Guess
# before you run it:
#
# - Which words hang on a look that was taken for another word, earlier on?
# - Two words hardly fall, whichever look is changed. Which ones, and why? (Every
#   picture here has two shapes.)
#
# Then compare with the orange maps above. Does the map of a word always show the look
# that made it?

# %%
if ready("soft_attention", "CaptionStep", "look_effects"):
    from course_utils.plotting import heatmap

    pictures, captions = scenes(400, seeded(1))  # (400, 3, 24, 24), (400, 11)
    two = (captions == IDS["and"]).any(1)  # (400,): two shapes, so all ten words
    pictures, captions = pictures[two], captions[two]
    with torch.no_grad():
        regions = captioner.eye(pictures)  # (B, 36, 64)
        state = captioner.start(regions.mean(1)).tanh().chunk(2, -1)  # (B, 64) each
    read, to_say = captions[:, :-1], captions[:, 1:]  # (B, 10) each
    falls = look_effects(captioner.step, read, to_say, state, regions, regions.roll(1, 0))
    names = ["colour", "shape", "row", "column", "and"] * 2  # of the ten words
    names[-1] = "end"
    ax = heatmap(falls, names, names, "how far the right word falls", values=True)
    ax.set(xlabel="word →", ylabel="look that was changed ↓")

# %% [markdown]
# ## Let it draw
#
# Not graded: hard attention, trained by draws alone. The cell below builds a small
# model that may look at **one** region of a picture and has to name the *shape* there.
# For each picture it draws four times with *your* `hard_attention`, and *your*
# `reinforce_loss` makes one number of the four losses (15 seconds). A region that
# does not touch the shape says nothing about it. Nobody tells the model where the shape
# is: watch the orange, the weights from which it draws, before and after the training.

# %%
if ready("hard_attention", "reinforce_loss"):
    from course_utils.data.scenes import IDS, scenes
    from course_utils.image_captioning import Eye
    from course_utils.plotting import look, plt
    from course_utils.training import fit, seeded, steps

    def singles(count, seed):  # pictures of one shape, and its kind: 0, 1 or 2
        pictures, captions = scenes(count, seeded(seed))  # (count, 3, 24, 24), ...
        single = ~(captions == IDS["and"]).any(1)  # (count,)
        return pictures[single], captions[single, 2] - IDS["square"]

    (pictures, kinds), (new, new_kinds) = singles(1500, 0), singles(400, 1)
    torch.manual_seed(0)
    eye, where, what, draw = Eye(32), nn.Linear(32, 1), nn.Linear(32, 3), seeded(0)

    def one_look(pictures):
        regions = eye(pictures)  # (B, 36, 32)
        weights = where(regions).squeeze(-1).softmax(-1)  # (B, 36)
        context, _, log_prob = hard_attention(regions, weights, draw)  # (B, 32), (B,)
        return what(context), log_prob, weights  # (B, 3), (B,), (B, 36)

    def loss(step):
        batch = torch.randint(len(kinds), (64,), generator=draw)  # (64,)
        costs, logs = [], []
        for _ in range(4):
            logits, log_prob, _ = one_look(pictures[batch])
            costs.append(F.cross_entropy(logits, kinds[batch], reduction="none"))
            logs.append(log_prob)
        return reinforce_loss(torch.stack(costs, 1), torch.stack(logs, 1))  # (64, 4)

    def try_it(axes, title):
        with torch.no_grad():
            logits, _, weights = one_look(new)  # (B, 3), ..., (B, 36)
        share = (logits.argmax(-1) == new_kinds).float().mean()
        print(f"{title}: {share:.2f} of {len(new)} new shapes are named rightly")
        for ax, picture, seen in zip(axes, new, weights.unflatten(1, (6, 6))):
            look(picture, seen, title, ax)

    rows = plt.subplots(2, 6, figsize=(9, 3.2))[1]
    try_it(rows[0], "before")
    parameters = [p for part in (eye, where, what) for p in part.parameters()]
    fit(loss, parameters, steps(400), lr=3e-3, clip=1.0)
    try_it(rows[1], "after")

# %% [markdown]
# ## Your result

# %%
summary("10")

# %% [markdown]
# ## Further reading
#
# - Xu et al., [Show, Attend and Tell](https://arxiv.org/abs/1502.03044) (2015): soft
#   and hard attention side by side, with the good and the bad captions and their maps.
# - Vinyals et al., [Show and Tell](https://arxiv.org/abs/1411.4555) (2014): the
#   captioner without attention, to see what was there before.
# - Williams, [Simple statistical gradient-following
#   algorithms](https://doi.org/10.1007/BF00992696) (1992): where REINFORCE and its
#   baseline come from.
# - Kool, van Hoof and Welling, [Buy 4 REINFORCE samples, get a baseline for
#   free!](https://openreview.net/forum?id=r1lgTGL5DE) (2019): the mean of the other
#   draws as a baseline. Ahmadian et al., [Back to
#   Basics](https://arxiv.org/abs/2402.14740) (2024), train language models with it.
# - Rohrbach et al., [Object Hallucination in Image
#   Captioning](https://arxiv.org/abs/1809.02156) (2018): captioners that name what is
#   not there, measured.
