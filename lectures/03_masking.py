# %% [markdown]
# # 03 · Masking
#
# In unit 02 every query looked at every key. Sometimes it must not. Some places of a
# batch were only filled up to make it rectangular, and mean nothing. And a model that
# is to *predict* the next word must not read it. A mask is a matrix of permissions. Its
# bugs are hard to see, because nothing crashes: the loss may be wonderful and the model
# worthless.
#
# After this lecture you can
#
# - build padding and causal masks, combine them, and read the masks of practice: a
#   window, a prefix, several documents in one row;
# - say why forbidden scores become $-\infty$ and not 0, and what happens to a row in
#   which everything is forbidden;
# - recognise a model that cheats, from a loss that is too good to be true;
# - write a test that catches layers that look into the future, your own included;
# - survive torch's two opposite meanings of `True`.
#
# *About 75 minutes; the code runs in less than a minute on a laptop.*

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from drawings import masked_attention_flow
from course_utils.masking import causal_mask, fused_masked_attention, masked_attention
from course_utils.masking import masked_softmax, padding_mask, sees_the_future
from course_utils.plotting import COLOURS, Table, bars, curves, heatmap, heatmaps
from course_utils.plotting import interactive, mask_legend, mask_map, mask_maps, plt
from course_utils.training import fit, seeded, steps


def normal(*shape, seed):
    """Random numbers that are the same whatever ran before."""
    return torch.randn(shape, generator=seeded(seed))


# %% [markdown]
# Here are a mask and what it does. Left, who *may* look at whom while a sentence is
# written: each word at itself and at what stands before it. In the middle are the weights
# of an attention without the mask, on the right those with it. (The word vectors are
# random numbers: only the pattern matters.) Where the mask says no, the weight is
# exactly 0, and the others share what is free.


# %% alt="Left the causal mask of six words, a green lower triangle; in the middle dense weights of all words; right weights in the lower triangle only"
words = ["he", "hit", "me", "with", "a", "pie"]
x = normal(6, 16, seed=1) / 2  # (T, D)
figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
mask_map(causal_mask(6), words, words, "the mask", axes[0])
for ax, mask, title in zip(
    axes[1:], (None, causal_mask(6)), ("without", "with the mask")
):
    weights = masked_attention(x, x, x, mask)[1]  # (T, S)
    heatmap(weights, words, words, title, ax, vmax=1)
mask_legend(figure)

# %% [markdown]
# ## Padding
#
# Sentences have different lengths, tensors do not. So short ones are filled up with a
# *padding* token, and a mask remembers what is real. In this course a mask is boolean,
# and **True means: may attend**. When it is applied, it has one row per query and one
# column per key, like the weights that it governs. A *padding mask* starts smaller,
# with one row per sentence $b$: True at place $s$ if
#
# $$s < \text{length}_b$$

# %% alt="Padding mask of three sentences of lengths 2, 5 and 3: each row is True up to its length"
lengths = torch.tensor([2, 5, 3])  # (B,)
mask = padding_mask(lengths, 5)  # (B, S) bool
figure, ax = plt.subplots(figsize=(4.6, 2.6))
mask_map(mask, "012", title="three sentences of lengths 2, 5 and 3", ax=ax)
ax.set(ylabel="sentences ↓", xlabel="places →")
mask_legend(figure)

# %% [markdown]
# Each row is green as far as its sentence goes.
#
# What if we forget the mask? A sentence of six tokens is put into batches in which the
# longest sentence gets longer and longer. Its own output should not care. We measure by
# how much it moves, with padding vectors that are zero, and with random ones (a padding
# token has an embedding like any other, if nobody prevents it).

# %% alt="How far a sentence's output moves as padding is added: without a mask it moves for zero and for random padding, with the mask it stays at 0"
x = normal(1, 6, 16, seed=0)  # (1, T, D)
alone = masked_attention(x, x, x)[0]  # (1, T, D)
moved = {"zeros, no mask": [], "random, no mask": [], "random, masked": []}
added = range(0, 31, 5)
for extra in added:
    zeros = torch.zeros(1, extra, 16)  # (1, extra, D)
    random = normal(1, extra, 16, seed=1)  # (1, extra, D)
    for name, pads in {"zeros": zeros, "random": random}.items():
        longer = torch.cat([x, pads], dim=1)  # (1, T + extra, D)
        output = masked_attention(x, longer, longer)[0]  # (1, T, D)
        moved[f"{name}, no mask"].append((output - alone).norm() / alone.norm())
    mask = padding_mask(torch.tensor([6]), 6 + extra)[:, None, :]  # (1, 1, T + extra)
    output = masked_attention(x, longer, longer, mask)[0]  # (1, T, D)
    moved["random, masked"].append((output - alone).norm() / alone.norm())
ax = curves(added, moved, "padding added", "change, relative to the output", style="o-")
ax.set_title("padding is attended to");


# %% [markdown]
# Without a mask the output moves, and the more padding there is, the more it moves. That
# holds for vectors of zeros as well: their scores are 0, and 0 is an ordinary score. With
# the mask nothing moves.
#
# Note `[:, None, :]` in the code. A padding mask $(B, S)$ becomes $(B, 1, S)$: padding
# disappears as a **column**, for all queries of its sentence. With the new axis at the
# end, $(B, S, 1)$, you silence *queries* instead. Where there are as many queries as
# keys, as in self-attention, no error tells you. Passed as it is, $(B, S)$ is usually an
# error; but with as many sentences as queries it silently means one row per *query*.
# (The outputs *at* padded places are computed all the same. They mean nothing: leave
# them out of the loss.)
#
# ## Cheating through attention
#
# Now the future. We train a small language model (it reads the words so far and
# predicts the next one) on sentences of a tiny language, in which everything comes back
# the other way round: *the king saw the fox and the fox saw the king.*

# %%
NOUNS = ["dog", "cat", "bird", "horse", "child", "king"]
NOUNS += ["queen", "fox", "bear", "wolf", "nurse", "baker"]
WORDS = ["<go>", ".", "the", "and", *NOUNS, "saw", "met", "fed", "led"]


def build(a, verb, b):
    """Three times (N,) -> (N, 13): <go> the A VERB the B and the B VERB the A ."""
    go, dot, the, also = (torch.full_like(a, word) for word in range(4))  # (N,) each
    first, second = [go, the, a, verb, the, b], [also, the, b, verb, the, a, dot]
    return torch.stack(first + second, dim=1)  # (N, 13)


def sentences(count, rng):
    a, b = torch.randint(4, 16, (2, count), generator=rng)  # (N,), (N,): two nouns
    return build(a, torch.randint(16, 20, (count,), generator=rng), b)  # (N, 13)


# %% [markdown]
# The inputs are all tokens but the last, the targets all but the first: at every place
# the model has to say what comes **next**. `<go>` is there so that the first word can
# be predicted as well. (With the inputs *I am* and the targets *am calm* no place would
# ever learn to say *I*.)

# %%
tokens = sentences(1, seeded(0))  # (1, 13)
example = [WORDS[i] for i in tokens[0]]
Table([["input", *example[:-1]], ["target", *example[1:]]], ["place", *range(12)])


# %% [markdown]
# Look at the table diagonally: the target of each place *is* the input of the next one.
# A layer that may look one place ahead need not learn the language. It can copy.
#
# The model is one attention layer, followed by a small network. (Each place has a
# learned vector, so that the model knows where it is: unit 06.) Its mask is an
# argument. What happens after the look-up of the word vectors is a method of its own,
# `read`: at the end of the lecture we shall change these vectors. One training could
# be luck, so we train **three times**, with other first weights and other sentences
# each time (seeds 0, 1 and 2).


# %%
class LanguageModel(nn.Module):
    def __init__(self, mask, dim=32):
        super().__init__()
        self.mask = mask  # (12, 12) bool
        self.words, self.places = nn.Embedding(len(WORDS), dim), nn.Embedding(12, dim)
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim, bias=False)
        self.hidden, self.out = nn.Linear(2 * dim, 64), nn.Linear(64, len(WORDS))

    def forward(self, tokens):
        return self.read(self.words(tokens))  # (B, T, words)

    def read(self, vectors):
        length = vectors.shape[1]
        x = vectors + self.places.weight[:length]  # (B, T, D)
        query, key, value = self.query(x), self.key(x), self.value(x)  # (B, T, D) each
        mask = self.mask[:length, :length]  # (T, T)
        # (B, T, D), (B, T, T)
        found, self.weights = masked_attention(query, key, value, mask)
        hidden = self.hidden(torch.cat([x, found], dim=-1)).relu()  # (B, T, 64)
        return self.out(hidden)  # (B, T, words)


# %%
def loss(model, count, rng):
    # drawn afresh each time: no draw tells what the next one will be
    tokens = sentences(count, rng)  # (N, 13)
    return F.cross_entropy(model(tokens[:, :-1]).mT, tokens[:, 1:])


def train(mask, seed, count):
    torch.manual_seed(seed)
    model, rng = LanguageModel(mask), seeded(seed + 1)
    for table in (model.words, model.places):
        table.weight.data *= 0.3  # small at first: training gets stuck less often
    history = fit(
        lambda step: loss(model, 128, rng), model.parameters(), steps(count), lr=5e-3
    )
    return model, history


everything = torch.ones(12, 12, dtype=torch.bool)  # (12, 12): all may look at all
trained = [train(everything, seed, 150) for seed in range(3)]
cheaters, cheating = zip(*trained)  # three models, three lists of losses
cheater = cheaters[0]

# %% [markdown]
# How good can a model of this language be? We made it, so we know. It has just 576
# sentences, and training meets each of them many times. That does not help: each is
# drawn independently, so those before it say nothing about it. Twelve nouns are equally
# likely, twice, and four verbs; all the rest follows. Nobody who has not seen the next
# word can, on average, predict it better than the **entropy** of these choices allows: a
# choice among $n$ equally likely words costs $\ln n$ (in *nats*, the unit of natural
# logarithms), and three such choices are spread over twelve places.

# %% alt="Loss of the model without a mask over its training: it falls far below the dashed line of the best possible loss"
best = (2 * math.log(12) + math.log(4)) / 12  # nats per token
runs = {f"without a mask, seed {seed}": each for seed, each in enumerate(cheating)}
ax = curves(None, runs, "step", "cross entropy per token", "too good to be true")
ax.axhline(best, color="0.3", ls="--")
ax.text(len(cheating[0]), best, f"best possible: {best:.2f}", ha="right", va="bottom")
for seed, model in enumerate(cheaters):
    reached = loss(model, 2000, seeded(2))
    print(f"seed {seed}: loss on newly drawn sentences {reached:.4f}")

# %% [markdown]
# A loss so far *below* what is possible, on 2000 sentences, is not a great model; it is
# a proof of cheating. The weights show how it is done. Take the places 1, 2 and 4, whose
# answers are a noun, the verb and a noun: the model looks where the answer stands, at
# the next place or at its echo in the second half of the sentence. Both lie right of
# the diagonal, in the **future**. (Where the answer is the same in every sentence, as
# at place 3, it need not look at all.)

# %% alt="Weights of the model without a mask for one sentence: in the three framed rows, places 1, 2 and 4, the dark cells lie right of the diagonal, at words that come later"
cheater(tokens[:, :-1])
places = [f"{i} {word}" for i, word in enumerate(example[:-1])]
ax = plt.subplots(figsize=(6.4, 5.4))[1]
title = "where the cheater of seed 0 looks (framed: places 1, 2 and 4)"
heatmap(cheater.weights[0], places, places, title, ax, values=False)
for place in (1, 2, 4):
    frame = {"fill": False, "edgecolor": "#D55E00", "lw": 2}
    ax.add_patch(plt.Rectangle((-0.5, place - 0.5), 12, 1, **frame))

# %% [markdown]
# Weights are a hint; an **intervention** is a proof. The answer stands at two places of
# the future: at the next place, and in the echo. In a thousand sentences we put another
# noun there (or another verb), leave the rest alone, and see how often the model now
# predicts the word that we put there:


# %%
def follows(model, place, kind, *changes):
    """How often the prediction at a place becomes another word, put at `changes`."""
    read = sentences(1000, seeded(6))[:, :-1]  # (N, 12)
    further = torch.randint(1, len(kind), (1000,), generator=seeded(7))  # (N,)
    # a word of the same kind, but never the true one
    other = kind[0] + (read[:, place + 1] - kind[0] + further) % len(kind)  # (N,)
    for change in changes:
        read[:, change] = other
    said = model(read)[:, place].argmax(-1)  # (N,)
    return f"{(said == other).float().mean():.0%}"


rows, nouns, verbs = [], range(4, 16), range(16, 20)
for place, echo, kind in ((1, 11, nouns), (2, 9, verbs), (4, 8, nouns)):
    tries = ((place + 1,), (echo,), (place + 1, echo))
    for seed, model in enumerate(cheaters):
        found = (follows(model, place, kind, *each) for each in tries)
        rows.append((place, echo, seed, *found))
columns = ["place", "its echo", "seed", "next place changed", "echo changed", "both"]
Table(rows, columns, "the prediction becomes the new word, in 1000 sentences")

# %% [markdown]
# Look at the last column first: where both places of the future are changed, the
# prediction follows them in 100 % of the sentences (rounded), at all three places, in
# all three trainings. So the answer comes from the future. From *which* of the two
# places depends on the place, and at place 2 on the training: seed 1 takes the verb
# from the echo, seed 0 now from here, now from there. One figure of one sentence would
# not tell.

# %% [markdown]
# Is that a problem, if the loss is so low? Let it write. Now the next word does not
# exist yet; it is what we are asking for.


# %%
def write(model, tokens, rng):
    while tokens.shape[1] < 13:  # (N, t)
        probabilities = model(tokens)[:, -1].softmax(-1)  # (N, words)
        word = torch.multinomial(probabilities, 1, generator=rng)  # (N, 1)
        tokens = torch.cat([tokens, word], dim=1)  # (N, t + 1)
    return tokens  # (N, 13)


def texts(tokens):
    return [" ".join(WORDS[i] for i in row[1:]) for row in tokens]


begin = torch.zeros(1000, 1, dtype=torch.long)  # (N, 1): <go>
written = write(cheater, begin, seeded(3))  # (N, 13)
Table([[text] for text in texts(written)[:5]], ["what the cheater of seed 0 writes"])

# %% [markdown]
# It says the same again and again. In numbers: which share of a thousand sentences
# belongs to the language, and how many of the thousand differ from one another? We also
# set it a task: we write the first half of a sentence, *the king saw the fox and*, and
# let it do the rest.


# %%
def correct(tokens):
    """(N, 13) -> share of sentences whose second half answers the first."""
    a, verb, b = tokens[:, 2], tokens[:, 3], tokens[:, 5]  # (N,) each
    # the right kinds of words
    nouns = (a >= 4) & (a < 16) & (b >= 4) & (b < 16) & (verb >= 16)  # (N,)
    return float(((tokens == build(a, verb, b)).all(1) & nouns).float().mean())


def judged(model):
    """Shares of correct sentences, written alone and after a given half."""
    alone = write(model, begin, seeded(3))  # (N, 13)
    halves = sentences(1000, seeded(4))[:, :7]  # (N, 7): up to "and"
    helped = write(model, halves, seeded(5))  # (N, 13)
    return correct(alone), len(set(texts(alone))), correct(helped)


columns = ["model", "seed", "correct, written alone", "different ones"]
columns += ["correct, helped"]
results = [("without a mask", i, *judged(model)) for i, model in enumerate(cheaters)]
Table(results, columns, "of 1000 sentences (the language has 576)")

# %% [markdown]
# Alone, 35 to 77 % of the sentences are right. That sounds good, until you count the
# *different* ones: 57 to 154, wrong ones included. A thousand fair draws from the 576
# sentences give $576\,(1 - (575/576)^{1000}) \approx 475$ on average. These models have
# not learned to begin: in training every word of the first half stood before their
# eyes, later in the sentence. Given a half that they did not choose, they get 59, 43
# and 14 % right. Which words are wrong?

# %%
whole = sentences(1000, seeded(4))  # (N, 13): the same sentences as in `judged`
rows = []
for seed, model in enumerate(cheaters):
    helped = write(model, whole[:, :7], seeded(5))  # (N, 13)
    shares = (helped == whole).float().mean(0)[7:]  # (6,): of the words that it wrote
    rows.append([seed, *(f"{share:.2f}" for share in shares)])
Table(rows, ["seed", *(f"place {i}" for i in range(6, 12))], "right next word")

# %% [markdown]
# In the second half the words that are asked for also stand in the *past*, and at most
# places the models have learned to find them there. At the last noun (place 10), and
# with seed 1 also at the verb (place 8), they often fail. Nothing in the loss told them
# to prefer the past.
#
# ## The causal mask
#
# The cure: place $t$ may look at place $s$ if
#
# $$s \le t$$
#
# **Itself included**: the token at place $t$ is an *input*, it is known; what must be
# hidden is the next one. (Texts that say "only items before" describe a *strict* mask,
# whose first row is empty.) As a matrix it is a lower triangle:

# %% alt="The causal mask of seven places beside a strict one, whose first row is empty, and one that leaks by a step"
causal = causal_mask(7)  # (7, 7)
strict = causal & ~torch.eye(7, dtype=torch.bool)  # (7, 7): itself excluded
leaks = causal_mask(8)[1:, :7]  # (7, 7): every row is one step ahead
mask_maps({"causal": causal, "strict": strict, "leaks": leaks});

# %% [markdown]
# The two masks on the right are the classic slips. *Strict* ends one diagonal too low,
# and the first row has nothing to attend to. *Leaks* ends one too high, and the next
# word is visible, which is all that a cheater needs. So draw a mask before you trust
# it, and compare the weights with and without it: if they are equal, the mask was
# never applied. Now the same model and the same data with the mask, again three times:

# %%
trained = [train(causal_mask(12), seed, 300) for seed in range(3)]
models, losses = zip(*trained)  # three models, three lists of losses
honest = models[0]
for seed, model in enumerate(models):
    reached = loss(model, 2000, seeded(2))
    print(f"seed {seed}: loss {reached:.4f}, best possible {best:.4f}")
written = write(honest, begin, seeded(3))  # (N, 13)
Table([[text] for text in texts(written)[:5]], ["what the honest model of seed 0 writes"])

# %%
results += [("causal mask", i, *judged(model)) for i, model in enumerate(models)]
Table(results, columns, "of 1000 sentences (the language has 576)")

# %% alt="Losses of the three cheaters and of three honest models: the honest ones settle on the dashed line of the best possible loss, the cheaters fall below it to 0"
ax = curves(None, {"without a mask": cheating[0], "causal mask": losses[0]}, "step", "loss")
for several, colour in ((cheating, COLOURS[0]), (losses, COLOURS[1])):
    for history in several[1:]:
        ax.plot(history, color=colour)  # seeds 1 and 2
ax.axhline(best, color="0.3", ls="--")
ax.set_title("three cheaters below the dashed line, three honest models on it");

# %% [markdown]
# The loss of the honest models (orange) is *higher*: on the 2000 new sentences it stays
# just above the dashed line, at 0.532 to 0.534. (The bound is for the average. A single
# batch may fall a hair below by luck: the last ones of two trainings have 0.5292 and
# 0.5296.)
# One of the three stays near 0.95 for more than a hundred steps before it gets there:
# stopped at step 150, it would have looked finished. About 99 % of their sentences are
# right, and 461 to 480 differ, close to the 475 of fair draws. The mask also gives
# something in return: all twelve places are trained **at once**, each as if the
# sentence ended there. Without it we would have to cut each sentence into twelve.
#
# One trap is left: a mask that is only applied `if self.training`. Then training is
# honest, but the *validation* sees the future. Is the validation loss now too good?
# Decide before you read on. The next cell takes the mask away from the honest model,
# and shows the loss, and how much of the weight then falls on later words:
#
# Not every start gets there. Of eight that were tried outside this notebook with these
# small embeddings, one was still near 0.95 at the end; with embeddings of the usual size
# most of the starts beyond the three shown here got stuck. The setting was chosen by that.

# %%
rows = []
for seed, model in enumerate(models):
    with_mask = loss(model, 2000, seeded(2))
    model.mask = everything  # (12, 12): what an `if self.training` gives
    without = loss(model, 2000, seeded(2))
    later = model.weights.triu(1).sum(-1).mean()  # scalar, of (B, T, T)
    rows.append((seed, f"{with_mask:.3f}", f"{without:.3f}", f"{later:.0%}"))
    model.mask = causal_mask(12)  # (12, 12)
columns = ["seed", "loss with its mask", "loss without", "weight on later words"]
Table(rows, columns, "honest models, validated with and without their mask")

# %% [markdown]
# It depends on the seed. About a third of the weight goes to later places, where in
# training it never went. With seeds 0 and 1 that makes the loss *worse*: it looks like
# overfitting, and sends you in search of more data. With seed 2 it makes it better, and
# far lower than is possible. Either way the number belongs to a model that nobody
# trained, and the bug is one `if`.
#
# ## Minus infinity, not zero
#
# How does a mask enter? A first idea: set the *similarity* of forbidden words to 0. But
# similarities go through a softmax, and $\exp(0) = 1$:

# %%
scores = torch.tensor([2.0, 1.0])  # (S,): the second key is forbidden
rows = [("score set to 0", torch.tensor([2.0, 0.0]).softmax(-1))]  # each: (S,)
rows += [
    ("weight set to 0 after the softmax", scores.softmax(-1) * torch.tensor([1.0, 0.0]))
]
rows += [("score set to -inf", torch.tensor([2.0, -torch.inf]).softmax(-1))]
rows = [(how, *weights, weights.sum()) for how, weights in rows]
Table(rows, ["forbidden by", "allowed key", "forbidden key", "sum"])

# %% [markdown]
# With a score of 0 the forbidden key keeps a weight. Setting the *weight* to 0 after
# the softmax takes away what the key had, but does not give it to the others: the row
# no longer sums to 1. And what is missing depends on the forbidden score, so it still
# leaks (question 2). A score of $-\infty$ before the softmax removes the key *and*
# shares out what it had: $\exp(-\infty) = 0$, in the numerator and in the sum below
# it. (Equivalent: subtract the largest *allowed* score, take exponentials, set the
# forbidden ones to 0, and only then sum and divide.)
#
# Would a large negative number do as well? That depends on the other scores. If all
# allowed scores are near −20, a forbidden one that was set to 0 is the *highest* of the
# row. Move the level of the allowed scores:


# %%
def leak(level):
    # five allowed keys; three more are forbidden
    allowed = level + normal(5, seed=2)  # (S,)
    share = {}
    for fill in [0.0, -10.0, -100.0, -1e9, -torch.inf]:
        weights = torch.cat([allowed, torch.full((3,), fill)]).softmax(-1)  # (S + 3,)
        share[f"{fill:g}"] = float(weights[5:].sum())
    leaking = sum(weight > 1e-4 for weight in share.values())
    title = f"allowed scores near {level}: {leaking} of 5 fills leak more than 0.0001"
    ax = bars(share, "weight on the forbidden keys", title)
    ax.set(xlabel="fill", ylim=(0, 1.15))
    for label, weight in zip(ax.texts, share.values()):
        label.set_text(f"{weight:.2g}")  # 0 only where it is exactly 0


alt = "Weight of three forbidden keys, for fills of 0, -10, -100, -1e9, minus infinity"
levels = [20, 5, -5, -20, -50, -150]
interactive(leak, "level of the allowed scores", levels, start=-20, alt=alt)

# %% [markdown]
# Move the slider to the left and to the right: a fill leaks as soon as the allowed
# scores lie near it or below. Read the numbers, too: at a level of 5 the bar of the
# fill 0 cannot be seen, and yet 0.0033 leaks. So test a masked softmax with allowed
# scores near −50: there a fill of 0 or of −10 is found out. Fills of $-10^9$, of
# `torch.finfo(dtype).min` and of $-\infty$ give the same weights in every row that has
# an allowed key with a score far above them. Two popular lines fail in other ways:

# %%
half = torch.zeros(2, dtype=torch.float16)  # (S,): numbers of 16 bits
may = torch.tensor([True, False])  # (S,)
print("scores + (~mask) * -inf:    ", (torch.zeros(2) + ~may * -torch.inf).tolist())
try:
    half.masked_fill(~may, -1e9)  # (S,)
except RuntimeError as error:
    print("a fill of -1e9 in float16:  ", error)

# %% [markdown]
# Where the mask says yes, $0\cdot\infty$ is NaN. And $-10^9$ does not exist in `float16`.
#
# ## A row with nothing to attend to
#
# $-\infty$ has one weak spot: a row in which *everything* is forbidden. An empty
# sentence in a batch is enough, or a strict causal mask. So is a mask that isolates
# padding altogether, as in our example: the last of four places neither looks nor is
# looked at. Its row of the softmax is $0/0$.

# %%
nothing = torch.full((4,), -torch.inf)  # (S,): a row in which all is forbidden
print("softmax of an empty row:", nothing.softmax(-1).tolist())
# the others share what they may see, and not the last
third = [1 / 3, 1 / 3, 1 / 3, 0.0]
weights = torch.tensor([third, third, third, [torch.nan] * 4])  # (T, S)
x = normal(4, 3, seed=3)  # (T, D)
for layer in (1, 2):
    x = weights @ x  # (T, D)
    print(f"after layer {layer}: {int(x.isnan().any(-1).sum())} of 4 rows are NaN")

# %% [markdown]
# NaN spreads. Nobody attends to the last place: all weights on it are exactly 0. But a
# weight of 0 does not protect, since $0\cdot\mathrm{NaN} = \mathrm{NaN}$. Nor is it
# always enough to replace the NaN afterwards, with `nan_to_num`. The weights then look
# right, but gradients go *back* through the same softmax. Here $-\infty$ is added to the
# scores, as many programs do:

# %%
matrix = normal(3, 3, seed=4).requires_grad_()  # (D, D): something to be learned
x = normal(4, 3, seed=3)  # (T, D)
forbidden = torch.zeros(4, 4)  # (T, S)
forbidden[3] = -torch.inf  # the last row may look at nothing
weights = (x @ matrix @ x.T + forbidden).softmax(-1).nan_to_num()  # (T, S)
print("weights of the last row:", weights[3].tolist())
weights.square().sum().backward()
print(f"gradient: {int(matrix.grad.isnan().sum())} of 9 entries are NaN")

# %% [markdown]
# One empty row in one sentence, one step of training, and the whole matrix is NaN. So
# a rule is needed, and this course has one: **a row with nothing to attend to is all
# zeros.** In all other rows $-\infty$ already gives these zeros; in an empty row you
# have to put them there. An example with two rows:
#
# | | scores | may attend | weights |
# |---|---|---|---|
# | row 0 | $\ln 2$, $\ln 6$, 50 | yes, yes, no | $2/8$, $6/8$, 0 |
# | row 1 | 3, 4, 5 | no, no, no | 0, 0, 0 |
#
# There are two safe ways to write it.
#
# - Fill what is forbidden with a finite number that is low enough, take the softmax, and
#   put zeros where the mask is False. No NaN ever arises. (Forget the zeros, and the
#   empty row is *uniform*: it attends to everything that was forbidden.)
# - *Fill* with $-\infty$, and overwrite the NaN of an empty row with 0. A filled place
#   passes no gradient back, so the NaN stops there. (Where $-\infty$ is *added*, as
#   above, it does not.) The course's `masked_softmax` does this:

# %%
scores = torch.tensor([[math.log(2), math.log(6), 50], [3, 4, 5]])  # (T, S)
may = torch.tensor([[True, True, False], [False, False, False]])  # (T, S)
masked_softmax(scores, may)  # (T, S)

# %% [markdown]
# ## Attention with a mask
#
# The mask comes in at one place, between the scores and the softmax. Everything else is
# the attention of unit 02:

# %%
masked_attention_flow()

# %% [markdown]
# The course's `masked_attention(query, key, value, mask)` returns the output and the
# weights; without a mask nothing is forbidden. A mask only has to be *broadcastable* to
# the scores, so masks combine with `&`, each in its own small shape: causal $(T, T)$,
# padding $(B, 1, S)$, both together $(B, T, S)$.

# %% alt="Causal and padding masks combined for a batch of two sentences of lengths 5 and 3"
lengths = torch.tensor([5, 3])  # (B,)
# (T, T) & (B, 1, S) -> (B, T, S)
both = causal_mask(5) & padding_mask(lengths, 5)[:, None, :]
mask_maps({f"length {n}": mask for n, mask in zip(lengths, both)});

# %% [markdown]
# Compare the two panels: in the first three rows, those of real queries, they are
# alike. Under a causal mask, padding *at the end* lies in the future anyway, and the
# padding mask changes only rows that mean nothing. So where is it needed? In an
# encoder, which has no causal mask; where a decoder looks at a padded source (unit
# 04); and where the padding stands *first*, so that all sentences of a batch end at
# the same place and can be continued together. Padding first is the first of four
# masks that you will meet in practice:

# %% alt="Four masks of six places: padding first, whose first two rows and columns are empty; a window, a band of three below the diagonal; a prefix, a triangle with its first two columns full; two documents, two small triangles"
causal, place = causal_mask(6), torch.arange(6)  # (T, T), (T,)
document = torch.tensor([0, 0, 0, 0, 1, 1])  # (T,): which text a place belongs to
masks = {"padding first": causal & (place >= 2)}  # (T, T) each
masks["window of 3"] = causal.triu(-2)
masks["prefix of 2"] = causal | (place < 2)
masks["two documents"] = causal & (document[:, None] == document)
mask_maps(masks);

# %% [markdown]
# - **Padding first**: two columns are hidden, and two rows are *empty*. Here the rule for
#   empty rows is at work in ordinary programs.
# - **A window** (sliding window attention): each word sees itself and the two before it.
#   A program that skips the hidden part has a cost that no longer grows with the square
#   of the length. What lies further back must come through several layers.
# - **A prefix**: the first two words, a question perhaps, see each other in both
#   directions; the answer is written causally. This mask lets the future in, which is
#   fine if the places of the prefix are left out of the loss. (The test at the end of
#   this lecture convicts it all the same.)
# - **Two documents** in one row (*packing*), so that no place is wasted on padding. The
#   second text must not read the first, although that lies in its past. (So that test,
#   which watches the future, would not find this mistake.)
#
# torch's fused kernel takes the same mask with the same meaning, and, in the version
# that ran this lecture, with the same rule for empty rows:

# %%
q, k = normal(2, 5, 8, seed=0), normal(2, 5, 8, seed=1)  # (B, T, D), (B, S, D)
v = normal(2, 5, 6, seed=2)  # (B, S, Dv)
both[0, 2] = False  # a query with nothing to attend to
ours = masked_attention(q, k, v, both)[0]  # (B, T, Dv)
theirs = fused_masked_attention(q, k, v, both)  # (B, T, Dv)
print(f"largest difference: {(ours - theirs).abs().max():.1e}")

# %% [markdown]
# ## Two libraries in one: what True means
#
# Unfortunately torch has two conventions for boolean masks. The function
# `F.scaled_dot_product_attention` (F.sdpa in the figure) reads True as *may attend*,
# like this course. The module `nn.MultiheadAttention` (MHA; unit 05 takes it apart)
# reads True as *blocked*, also in `key_padding_mask`, its argument for padding. Neither
# complains about a mask that was meant for the other. To make it visible, we set all
# projections of an `nn.MultiheadAttention` to the identity, so that it computes what
# the function computes, and give both the same lower triangle. Before you look: what
# will the module's last row be?

# %%
mha = nn.MultiheadAttention(4, 1, bias=False, batch_first=True)
with torch.no_grad():
    mha.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))  # (3D, D)
    mha.out_proj.weight.copy_(torch.eye(4))  # (D, D)
x, lower = normal(1, 5, 4, seed=4), causal_mask(5)  # (1, T, D), (T, T)

# %% alt="Weights under the same boolean mask: the function keeps the lower triangle, the module keeps the upper one and its last row, hatched, is NaN, the module with the mask negated agrees with the function"
see = torch.eye(5)[None]  # (1, S, S): with these values the output is the weights
function = F.scaled_dot_product_attention(x, x, see, lower)[0]  # (T, T)
module = mha(x, x, x, attn_mask=lower)[1][0].detach()  # (T, T)
negated = mha(x, x, x, attn_mask=~lower)[1][0].detach()  # (T, T)
print("last row of the module is NaN:", bool(module[-1].isnan().all()))
print("the module with ~mask agrees: ", torch.allclose(function, negated, atol=1e-6))
panels = {"F.sdpa: mask": function, "MHA: mask": module.nan_to_num()}
figure = heatmaps(panels | {"MHA: ~mask": negated})
nan_row = {"hatch": "//", "facecolor": "white", "edgecolor": "grey"}
figure.axes[1].axhspan(3.5, 4.5, **nan_row)
for label in figure.axes[1].texts[-5:]:  # the five cells of the last row
    label.set_text("NaN")

# %% [markdown]
# The same triangle, read three times. The function keeps the past. The module keeps the
# *future*, and its last row, in which everything is blocked, is NaN. With the mask
# negated, `~mask`, the module agrees with the function.
#
# A float mask of 0 and $-\infty$, which is *added*, means the same in both;
# `nn.Transformer.generate_square_subsequent_mask(4)` makes one:

# %%
print(nn.Transformer.generate_square_subsequent_mask(4))

# %% [markdown]
# And there is `is_causal`. In the function it *replaces* a mask, and giving both is an
# error. In the module it is a *promise* that the mask, which you must pass as well, is
# causal. Do not make it for any other mask: with `need_weights=False` and no
# `key_padding_mask` the module may drop your mask and compute plain causal attention,
# silently. (*Works*, below, only says that no error was raised.)


# %%
def attempt(call):
    try:
        call()
        return "works"
    except (RuntimeError, ValueError, AssertionError) as error:
        return str(error).split("\n")[0]


sdpa = F.scaled_dot_product_attention
lower = nn.Transformer.generate_square_subsequent_mask(5)  # (T, T)
calls = {
    "function, is_causal": lambda: sdpa(x, x, x, is_causal=True),
    "function, both": lambda: sdpa(x, x, x, lower, is_causal=True),
    "module, is_causal": lambda: mha(x, x, x, is_causal=True),
    "module, both": lambda: mha(x, x, x, attn_mask=lower, is_causal=True),
}
rows = [(name, attempt(call)) for name, call in calls.items()]
Table(rows, ["call", "what happens"])

# %% [markdown]
# ## A test that catches the leak
#
# With so many ways to get it wrong, do not trust yourself: **test**. The test follows
# from the definition: an output depends on a later input if it *changes* when that input
# changes. So change the future and watch the past. By hand, with five numbers and a cut
# before the fourth:

# %%
x = torch.tensor([1.0, 2, 3, 4, 5])  # (T,)
changed = torch.tensor([1.0, 2, 3, 9, -2])  # (T,): another future from place 3 on
running = {
    "sum so far": lambda x: x.cumsum(0),
    "with the next": lambda x: x + x.roll(-1),
}
rows = []
for name, layer in running.items():
    moved = (layer(changed) - layer(x))[:3].tolist()  # the outputs at places 0, 1, 2
    rows.append((name, layer(x).tolist(), layer(changed).tolist(), moved))
Table(rows, ["layer", "before", "after", "how the past moved"])

# %% [markdown]
# The running sum is innocent: at places 0, 1 and 2 nothing moved. The second layer is
# guilty: at place 2 it has seen the change at place 3. One cut shows the leaks across
# that cut; a test has to make every cut. The course's `sees_the_future(layer, x)` does.
# It needs no look inside the layer. An output has moved if it differs by more than
# $10^{-6}$ plus $10^{-5}$ of its size (`torch.allclose`); less may be rounding. Let us
# put some old acquaintances on trial, and our two models. (The test adds noise, and one
# cannot add noise to the number of a word. So a model is tested from its word vectors
# on: that is what `read` is for. `nan_to_num` clears the NaN row of the module.)

# %%
torch.manual_seed(0)
x, causal = normal(3, 6, 8, seed=5), causal_mask(6)  # (B, T, D), (T, T)
leaky = leaks[:6, :6]  # (T, T)
gru = nn.GRU(8, 8, batch_first=True)
both_ways = nn.GRU(8, 8, batch_first=True, bidirectional=True)
conv, batch_norm = nn.Conv1d(8, 8, 3, padding=1), nn.BatchNorm1d(8)
mha = nn.MultiheadAttention(8, 2, batch_first=True)

# %%
layers = {
    "attention without a mask": lambda x: masked_attention(x, x, x)[0],
    "attention, causal": lambda x: masked_attention(x, x, x, causal)[0],
    "attention, a step too far": lambda x: masked_attention(x, x, x, leaky)[0],
    "MHA, True for allowed": lambda x: mha(x, x, x, attn_mask=causal)[0].nan_to_num(),
    "GRU": lambda x: gru(x)[0],
    "GRU in both directions": lambda x: both_ways(x)[0],
    "convolution of width 3": lambda x: conv(x.mT).mT,
    "layer norm": nn.LayerNorm(8),
    "batch norm in training": lambda x: batch_norm(x.mT).mT,
}

# %%
rows = [(name, sees_the_future(layer, x)) for name, layer in layers.items()]
for name, model in {"our cheater": cheater, "our honest model": honest}.items():
    vectors = model.words(tokens[:, :-1])  # (1, T, D)
    rows.append((name, sees_the_future(model.read, vectors)))
Table(rows, ["layer", "sees the future?"])

# %% [markdown]
# The cheater is found out, without a look at its loss or its weights. Two others
# surprise many: a centred convolution looks one step ahead, and batch norm *in
# training* mixes the statistics of all steps, the later ones included. (That is one
# reason not to use batch norm in a language model.) And *innocent* only means that no
# leak was seen with these inputs.
#
# How not to write the test:
#
# - *Change only the last step, or cut only once in the middle.* A leak may be a single
#   step wide, anywhere.
# - *Compare the whole output.* The changed steps themselves change, of course.
# - *Add a constant.* A layer norm does not notice a shift that is the same in all
#   features; change at random.
# - *Use a generous tolerance.* What does not depend does not change, but for rounding.
# - *Leave dropout on.* Two calls then differ by chance, and everybody is guilty: call
#   `eval()` first.
# - *Put NaN into the future.* A weight of exactly 0 lets it through: innocent layers
#   are convicted.
# - *Take the gradient of `out.sum()`.* After a layer norm whose scales are all equal,
#   as in a fresh one, this sum is constant whatever the input, and its gradient is 0.
#   Project at random instead:

# %%
normed = nn.LayerNorm(8, elementwise_affine=False)
x = normal(2, 6, 8, seed=6).requires_grad_()  # (B, T, D)
first = normed(conv(x.mT).mT)[:, 0]  # (B, D): the first output, which sees step 1
projected = first * normal(2, 8, seed=7)  # (B, D)
for how, total in {
    "plain sum": first.sum(),
    "random projection": projected.sum(),
}.items():
    future = torch.autograd.grad(total, x, retain_graph=True)[0][:, 1:]  # (B, T - 1, D)
    print(f"{how}: largest gradient from the future {future.abs().max():.0e}")

# %% [markdown]
# Gradients also give a picture of who influences whom. These are the two models from
# above, without a look at their weights: the size of the derivative of each place's
# output (projected at random) by each place's word vector, each row divided by its
# largest.


# %% alt="Influence of each input place on each output place: the model without a mask has influence above the diagonal, the honest one only on and below it"
def influence(model):
    """-> (T, T): how strongly each output depends on the word vector of each place."""
    vectors = model.words(tokens[:, :-1]).detach().requires_grad_()  # (1, T, D)
    projection = normal(12, len(WORDS), seed=8)  # (T, words): at random
    output = model.read(vectors)[0] * projection  # (T, words)
    gradients = []  # T times (1, T, D)
    for place in output:
        gradients += torch.autograd.grad(place.sum(), vectors, retain_graph=True)
    size = torch.cat(gradients).norm(dim=-1)  # (T, T)
    return size / size.amax(1, keepdim=True)  # (T, T)


seen = {"without a mask": influence(cheater), "causal mask": influence(honest)}
figure = heatmaps(seen, example[:-1], example[:-1], values=False)
for ax in figure.axes:
    ax.set(xlabel="inputs →", ylabel="outputs ↓")

# %% [markdown]
# Look at the triangle above the diagonal. On the left it has dark cells: outputs that
# depend on later inputs. In the second row (place 1) it is the last input, place 11, as
# the interventions said. On the right no cell there stands out. A derivative speaks of
# small changes, at this one sentence; `sees_the_future`, whose changes are large, agrees.

# %% [markdown]
# ## Summary
#
# - A mask says who may look at whom: rows are queries, columns keys, True means *may
#   attend*. Padding is hidden as a column, $(B, 1, S)$; the future as an upper
#   triangle; masks combine with `&`. A window, a prefix and packed texts are masks too.
# - Forbidden scores become $-\infty$ *before* the softmax. A score of 0 is an ordinary
#   score; a weight zeroed afterwards leaves a hole.
# - A row with nothing to attend to is zeros, by rule; otherwise NaN spreads through
#   weights of 0.
# - A model that can see its target can reach a loss below what is possible without. Ours
#   wrote 57 to 154 different texts instead of about 475, and often failed to finish a
#   half that they were given. The causal mask, diagonal included, is what makes
#   training in parallel honest.
# - Weights hint at what a model uses. To know it, change an input and see what moves.
# - `F.scaled_dot_product_attention` and `nn.MultiheadAttention` read a boolean mask in
#   opposite ways. Test with `sees_the_future`, which asks what a layer *does*.
#
# ## Questions
#
# **1.** Why $-\infty$, when $-1000$ would look just as good in most tests?
#
# <details><summary>Answer</summary>
#
# Because softmax only sees differences. A fill is safe if it lies far below every
# *allowed* score, and nobody bounds these: where the allowed ones are near $-1000$
# themselves, the forbidden keys get their share. $-\infty$ lies below everything. Its
# price is the empty row, which needs a rule.
#
# </details>
#
# **2.** A colleague masks in the numerator only:
# $m_j \exp(z_j) / \sum_k \exp(z_k)$. What do you see in the weights, and does the
# future leak?
#
# <details><summary>Answer</summary>
#
# Rows sum to less than one, by the share that the forbidden keys would have had. It
# leaks: that share depends on the forbidden scores, so the *norm* of the output vector
# says something about the future. `sees_the_future` finds it.
#
# </details>
#
# **3.** While generating, the future does not exist. Is the causal mask needed then?
#
# <details><summary>Answer</summary>
#
# For the newest place it makes no difference: everything that exists lies before it.
# But with several layers the *earlier* places are computed again, and without the mask
# they would now look at later ones, which they never did in training: their states
# would change with every new word. So the mask stays (and because earlier states do not
# change under it, they can be stored: the cache of unit 08).
#
# </details>
#
# ## Where next
#
# The [assignment](../assignments/03_masking/03_masking.ipynb) has you build all of
# this, the leak detector included. [Unit 04](04_seq2seq_attention.ipynb) puts attention
# to its first real work: translation, with a memory that does not run out.

# %% [markdown]
# ## Appendix: fewer queries than keys
#
# One more thing about `is_causal`, for whoever builds a cache in unit 08. It numbers
# queries *and* keys from 0. While a model writes, the keys of older words are often
# kept, and only the newest words send queries: for example the words at places 3 and 4
# of five. torch takes them for places 0 and 1: the first may see key 0, the second
# keys 0 and 1, and neither sees its own key. What we want are the last two rows of the
# full mask:

# %% alt="Weights of two queries on five keys: with is_causal they see one and two keys, with the last two rows of the causal mask four and five"
query, key = normal(2, 4, seed=9), normal(5, 4, seed=10)  # (T, D), (S, D)
see = torch.eye(5)  # (S, S): with the identity as values, the output is the weights
by_torch = sdpa(query[None], key[None], see[None], is_causal=True)[0]  # (T, S)
meant = masked_attention(query, key, see, causal_mask(5)[-2:])[1]  # (T, S)
queries = ["place 3", "place 4"]
heatmaps({"is_causal=True": by_torch, "causal_mask(5)[-2:]": meant}, queries);

# %% [markdown]
# On the left place 3 sees one key and place 4 two. On the right they see four and five,
# the last of them their own.
