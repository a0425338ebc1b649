# %% [markdown]
# # 08 · The Transformer decoder
#
# The encoder reads. This lecture adds the half that writes. After it you can
#
# - build a decoder block, and say who asks and who answers in each of its two attentions;
# - train all positions of a sentence in one pass, and explain why writing still takes one
#   pass per word;
# - smooth labels, warm up a learning rate, decode greedily, with a beam and by sampling,
#   and cache keys and values;
# - build a translator and a language model of real text from the same few blocks, and
#   check the first against `nn.Transformer`;
# - with the appendix, find out what a translation depends on, say what attention costs,
#   and read a results table more carefully than its headline.
#
# The lecture has three parts and an appendix. Read a part, do its exercises, come back:
#
# | part | from | to | minutes | then do exercises |
# |---|---|---|--:|---|
# | 1. The model | *Another length comes out* | *A whole Transformer* | 30 | 1 to 4 |
# | 2. Training it | *Label smoothing* | *Word by word* | 18 | 5 and 6 |
# | 3. Writing with it | *Greedy decoding* | *The KV cache* | 32 | 7 to 10, and 12 |
# | Appendix, optional | *What letter means* | *Two tables* | 60 | (11 needs none of it) |
#
# *The code runs in about a minute on a laptop.*
#
# Three attentions make the whole model. Who may look at whom (green), while *I want to
# go* becomes *quiero ir*; only the one in the middle hides anything:

# %% alt="Three masks. Encoder: four English words, all may look at all. Decoder: bos, quiero, ir, each looks at itself and back. Cross-attention: each target word looks at all source words"
import torch

from course_utils.masking import causal_mask
from course_utils.plotting import heatmap, mask_legend, mask_map, plt

source, target = ["I", "want", "to", "go"], ["<bos>", "quiero", "ir"]
figure, axes = plt.subplots(1, 3, figsize=(9, 3))
mask_map(torch.ones(4, 4), source, source, "encoder: all at all", axes[0])
mask_map(causal_mask(3), target, target, "decoder: only back", axes[1])
mask_map(torch.ones(3, 4), target, source, "cross: target at source", axes[2])
mask_legend(figure)

# %%
import itertools
import math
import re
import textwrap
import time
from collections import Counter
from pydoc_data.topics import topics

import torch.nn.functional as F
from torch import nn

from course_utils.data.letters import Vocabulary, sentences
from course_utils.masking import masked_attention
from course_utils.multi_head_attention import MultiHeadAttention, recorded_weights
from course_utils.plotting import Table, bars, curves, interactive
from course_utils.seq2seq_attention import shift_right
from course_utils.training import progress, seeded, steps
from course_utils.transformer_decoder import (
    CachedAttention, DecoderBlock, DecoderOnly, Transformer, beam_search,
    copy_from_torch, greedy_decode, sampling_weights, smoothed_loss, warmup_rate,
)
from course_utils.positional_encoding import sinusoidal_encoding
from course_utils.transformer_encoder import Encoder, EncoderBlock

torch.set_num_threads(1)  # so that the times below can be compared

# %% [markdown]
# (`seeded(0)` is a random generator that starts from 0. `steps(250)` is 250, or only a
# few where the environment variable `COURSE_FAST` is set. `recorded_weights(model)`
# collects the weights of every attention inside `model`, in the order in which they are
# computed. Sizes: `B` sentences, `S` source words, `T` target words, `D` features of a
# token, `H` heads of `d` = `D / H` features each, `V` words in the vocabulary.)
#
# ## Another length comes out
#
# An encoder gives back as many vectors as it was given. That is enough to classify a
# text, and not enough to answer a question, to translate, or to go on writing. *I want
# to go to the cinema* has seven words, *quiero ir al cine* four. Who decides how many
# come out?
#
# The decoder does, one word at a time. It is shown the whole source and what has been
# written so far, and predicts one more word, until it predicts that the sentence is
# over:
#
# | source, always complete | written so far | next |
# |---|---|---|
# | I want to go to the cinema | `<bos>` | quiero |
# | I want to go to the cinema | `<bos>` quiero | ir |
# | I want to go to the cinema | `<bos>` quiero ir | al |
# | I want to go to the cinema | `<bos>` quiero ir al | cine |
# | I want to go to the cinema | `<bos>` quiero ir al cine | `<eos>` |
#
# Two special tokens make this work. `<bos>` (begin of sentence) is what the decoder
# reads before there is anything to read; the *encoder* needs no such thing. `<eos>`
# (end of sentence) is what it writes when it is done: without a word for the end it
# could never say that it has finished.
#
# So the model has two halves. The **encoder** looks in both directions, since the
# source is there from the start. It does not press the sentence into one vector, as the
# first recurrent translators did: it hands over one vector per source word, a
# *sequence* called the **memory**. The **decoder** looks back, at what is written so
# far, the newest word included, and across, at the memory.
#
# ## A grammar of letters
#
# In unit 02 the word *letter* could not be translated on its own: a *carta* is sent, a
# *letra* is spelled. Here is a small language in which this must be decided in every
# sentence, and in which the adjective changes sides as well.

# %%
pairs = sentences()
chosen = [pairs[0], pairs[605], pairs[130], pairs[-1]]
Table([*chosen, (f"… {len(pairs)} sentences in all", "")], ["English", "Spanish"])

# %% [markdown]
# *Writing* and *reading* go with both meanings; only the words *after* the noun tell
# which one it is. We hold out 200 of those ambiguous sentences, which the model never
# sees in training. The vocabulary is made from the training sentences alone; every word
# of the 200 happens to be in it.

# %%
either = ("writing", "reading")
ambiguous = [pair for pair in pairs if any(verb in pair[0] for verb in either)]
order = torch.randperm(len(ambiguous), generator=seeded(0))[:200].tolist()  # 200 places
held_out = [ambiguous[i] for i in order]
training = [pair for pair in pairs if pair not in set(held_out)]
english, spanish = (Vocabulary(texts) for texts in zip(*training))
source = english.encode([e for e, _ in training])  # (N, S), padded with 0
target = spanish.encode([s for _, s in training], end=True)  # (N, T), ends in <eos>
tuple(source.shape), tuple(target.shape), len(english), len(spanish)

# %% [markdown]
# ## Teacher forcing: all positions at once
#
# Writing is sequential: word 5 has to be chosen before it can be read as input for word
# 6. Is *training* sequential too? No: in training we *know* word 5 already. So we feed
# in the right sentence, moved one place to the right, and ask for all next words at
# once. This is called *teacher forcing*:

# %%
first = target[:1]  # (1, T)
shifted = shift_right(first, spanish.bos)  # (1, T): <bos>, then all but the last
rows = [[spanish.words[i] for i in row[0]] for row in (shifted, first)]
columns = [f"t = {t}" for t in range(first.shape[1])]
Table(rows, columns, "above: read; below: to be predicted")

# %% [markdown]
# Each column is a small exercise: *given everything up to here, what comes next?* The
# `<bos>` in front matters. If we fed in *yo estoy …* and asked for *estoy escribiendo
# …*, no column would ever teach the model how to *begin*.
#
# The columns are computed together, so column 2 must not see column 3, where its own
# answer stands. That is the causal mask of unit 03, and it is the only difference
# between masked and ordinary self-attention. With it, one parallel pass gives what a
# pass per word would give, up to rounding:

# %%
torch.manual_seed(0)
sizes = {"dim": 32, "heads": 4, "hidden": 64, "depth": 2}
fresh = Transformer(len(english), len(spanish), **sizes)  # not trained yet
x, read = source[:8], shift_right(target[:8], spanish.bos)  # (8, S), (8, T)
together = fresh(x, read)  # (8, T, V): one pass
length = read.shape[1]
passes = [fresh(x, read[:, : t + 1])[:, -1] for t in range(length)]  # (8, V) each
(together - torch.stack(passes, dim=1)).abs().max().item()  # largest difference

# %% [markdown]
# So: **one** pass per sentence in training, **T** passes in writing. The mask is what
# makes the one pass possible. (Unit 03 trained a model without it: that model copied
# its answers, and its low loss said nothing.)
#
# And the *padding* of the target? It needs no mask. Padding stands at the end, so for
# every real word it lies in the future, which the causal mask hides already; and what
# the padded places themselves predict is left out of the loss.
#
# ## Cross-attention: the target asks, the source answers
#
# How does the decoder read the source? With the attention that we have, from one
# sequence to another. Suppose a French sentence, *Salut, je suis Alex*, and so far the
# English *Hello, my name*. Each English word asks, each French word offers a key and a
# value. Three queries, four keys: the lengths need not agree.

# %%
french, so_far = ["Salut", "je", "suis", "Alex"], ["Hello", "my", "name"]
similarity = torch.tensor(
    [[3.0, 0.2, 0.1, 0.3], [0.1, 2.1, 0.9, 0.8], [-0.3, 1.2, 1.1, 1.9]]
)  # (T, S)
weights = similarity.softmax(-1)  # (T, S): each English word shares out its attention
rows = [(word, *row, row.sum()) for word, row in zip(so_far, weights)]
Table(rows, ["", *french, "sum"])

# %% [markdown]
# Why not weigh the French words by the similarities as they are? They may be negative
# and sum to anything: the row of *name* begins with −0.3 and sums to 3.9. The softmax
# along each row makes shares of them. In symbols, with $s_t$ for the decoder's step $t$,
# $h_j$ for word $j$ of the memory, and $d$ for the size of a head:
#
# $$q_t = s_t W_Q, \qquad k_j = h_j W_K, \qquad v_j = h_j W_V, \qquad
# \alpha_{tj} = \mathrm{softmax}_j\!\left(\frac{q_t \cdot k_j}{\sqrt d}\right), \qquad
# c_t = \sum_j \alpha_{tj}\, v_j$$
#
# Queries come from the target; keys **and** values come from the source. There is one
# result per *query*, so if the source asked, we would get one result per source word.

# %%
attention = MultiHeadAttention(dim=32, heads=4)
written = torch.randn(2, 3, 32, generator=seeded(1))  # (B, T, D)
memory = torch.randn(2, 5, 32, generator=seeded(2))  # (B, S, D)
context, weights = attention(written, memory, memory)
tuple(context.shape), tuple(weights.shape)  # (B, T, D), (B, H, T, S)

# %% [markdown]
# ## The decoder block
#
# A decoder block is an encoder block with the cross-attention put in between. It has
# three sub-layers, and around each of them a residual and a norm. The first looks at
# what is written so far, the second at the source, and the third works on each position
# by itself; what comes out, (B, T, D), is as long as the target.
#
# $$\begin{aligned}
# x &\leftarrow \mathrm{LN}_1\big(x +
# \mathrm{SelfAttention}(x, x, x, \text{causal})\big)\\
# x &\leftarrow \mathrm{LN}_2\big(x +
# \mathrm{CrossAttention}(x, \mathrm{memory}, \mathrm{memory}, \text{padding})\big)\\
# x &\leftarrow \mathrm{LN}_3\big(x + \mathrm{FeedForward}(x)\big)
# \end{aligned}$$
#
# The two masks are not the same thing. `self_mask` is (T, T) and hides the future of
# the *target*, so the decoder's attention to itself is never full.
# `memory_mask` is (B, 1, 1, S) and hides the padding of the *source*; it is never
# causal, since all of the source is known before the first word is written.
#
# ## Which layer of the encoder?
#
# Now stack such blocks. Every decoder block reads the **last** encoder layer, not the
# one at its own height; the comparison with torch below shows that torch does the same.
# So encoder and decoder may have different depths, and the source is encoded **once**,
# however long the translation gets. Each block makes its own keys and values of that
# memory, with two different matrices: by the key a word is found, by the value it
# answers. The queries come from the masked self-attention of the same block. And the
# scores are divided by $\sqrt d$, as everywhere (unit 02).
#
# ## A whole Transformer, equal to torch's
#
# Here is everything, in the order of the data. The source is embedded, gets positions
# and is encoded. The target so far is embedded, gets positions and is decoded. At the
# end one linear layer gives a score for each word of the vocabulary, and softmax makes
# probabilities of the scores.

# %%
from drawings import transformer as drawn

drawn()

# %% [markdown]
# And here it is as code. `Encoder` is the stack of unit 07; the decoder is a list of
# blocks, and the loop in `decode` hands the same memory to each of them. Two details:
# embeddings start small and are multiplied by $\sqrt D$, so that a word is about as
# large as its position vector; and `encode` and `decode` are two methods, because in
# writing the first is called once and the second again and again.

# %%
class Translator(nn.Module):
    def __init__(self, sources, targets, dim, heads, hidden, depth, pad=0):
        super().__init__()
        self.dim, self.pad = dim, pad
        self.embed_source = nn.Embedding(sources, dim)
        self.embed_target = nn.Embedding(targets, dim)
        for table in (self.embed_source, self.embed_target):
            nn.init.normal_(table.weight, std=dim**-0.5)
        self.encoder = Encoder(dim, heads, hidden, depth)  # post-norm, as in 2017
        blocks = (DecoderBlock(dim, heads, hidden) for _ in range(depth))
        self.decoder = nn.ModuleList(blocks)
        self.out = nn.Linear(dim, targets)

    def place(self, x):  # (B, T, D): scaled, with positions
        return x * self.dim**0.5 + sinusoidal_encoding(x.shape[1], self.dim)

    def encode(self, source):  # (B, S) tokens
        mask = (source != self.pad)[:, None, None, :]  # (B, 1, 1, S): hide the padding
        x = self.place(self.embed_source(source))  # (B, S, D)
        return self.encoder(x, mask), mask  # memory (B, S, D), and its mask

    def decode(self, target, memory, memory_mask):  # (B, T) tokens
        self_mask = causal_mask(target.shape[1])  # (T, T): hide the future
        x = self.place(self.embed_target(target))  # (B, T, D)
        for block in self.decoder:
            x = block(x, memory, self_mask, memory_mask)  # (B, T, D)
        return self.out(x)  # (B, T, V): logits of the next word, at every position

    def forward(self, source, target):  # (B, S), (B, T): the target shifted right
        return self.decode(target, *self.encode(source))  # (B, T, V)

# %% [markdown]
# The two lengths meet in one place only, the cross-attention: `T` queries, `S` keys.
# What comes out has the length of the queries, and so has everything after it.
#
# The course has the same model as `Transformer` in `course_utils`. Started from the
# same seed, the two have the same weights, so they must give the same logits. And
# torch's `nn.Transformer`, which is the two stacks without embeddings and output layer,
# must agree with ours as soon as its weights are copied. (Here there is no padding. And
# torch puts one more norm after each stack, which the paper does not have. We take
# those two away.)

# %%
small_x, small_y = source[:8], shift_right(target[:8], spanish.bos)  # (8, S), (8, T)
twins = []
for kind in (Translator, Transformer):
    torch.manual_seed(0)
    twin = kind(len(english), len(spanish), **sizes)
    twins.append(twin(small_x, small_y))  # (8, T, V)
f"written out and imported: {(twins[0] - twins[1]).abs().max()} apart"

# %%
torch.manual_seed(1)
layers = {"num_encoder_layers": 3, "num_decoder_layers": 3, "dim_feedforward": 64}
theirs = nn.Transformer(32, 4, **layers, dropout=0.0, batch_first=True)
theirs.encoder.norm = theirs.decoder.norm = None
ours = Transformer(50, 50, dim=32, heads=4, hidden=64, depth=3)
copy_from_torch(ours, theirs)
x = torch.randn(2, 5, 32, generator=seeded(3))  # (B, S, D)
y = torch.randn(2, 4, 32, generator=seeded(4))  # (B, T, D)
mask = causal_mask(4)  # (T, T); torch wants the opposite: True = blocked
result = ours.decoder(y, ours.encoder(x), mask)  # (B, T, D)
apart = result - theirs(x, y, tgt_mask=~mask)  # (B, T, D)
count = sum(p.numel() for p in theirs.parameters())
f"ours and torch's: {apart.abs().max():.1e} apart, with {count:,} weights copied"

# %% [markdown]
# Equal; and ours hands the last encoder layer to every decoder block. So torch does the
# same.
#
# Here part 1 ends; exercises 1 to 4 of the assignment belong to it. Part 2 trains the
# model.
#
# ## Label smoothing: do not be too sure
#
# Cross entropy is never satisfied. At a probability of .99 it still asks for .999: the
# logit of the right word should grow for ever. *Label smoothing* asks for less. It
# takes a share $\varepsilon$ of the target away from the right word and spreads it
# evenly over all $V$ words, the right one included:
#
# $$\mathrm{target}(v) = (1 - \varepsilon)\,[v = \mathrm{right}] +
# \frac{\varepsilon}{V}, \qquad
# \mathrm{loss} = -\sum_v \mathrm{target}(v) \log p(v)$$
#
# By hand, with four words, $\varepsilon = 0.2$, and a model that gives the right word
# .7 and the others .1 each: the target is $.8 + .05 = .85$ for the right word and .05
# for the others, and the loss is $-.85 \ln .7 - 3 \cdot .05 \ln .1 = .3032 + .3454 =
# .6486$. Without smoothing it would be $-\ln .7 = .357$. The loss of a batch is the
# mean over all its *real* words; padding teaches nothing.

# %%
logits = torch.tensor([[[0.7, 0.1, 0.1, 0.1]]]).log()  # (1, 1, V): one word
right = torch.tensor([[0]])  # (1, 1)
[smoothed_loss(logits, right, pad=3, smoothing=share).item() for share in (0.2, 0.0)]

# %% alt="Loss against the logit of the right word: without smoothing it falls for ever, with smoothing 0.1 and 0.3 it has a minimum and rises again"
logits = torch.zeros(81, 1, 10)  # (81, 1, V): only the right one of ten has a logit
logits[:, 0, 3] = torch.linspace(-2, 14, 81)  # (81,)
right, losses = torch.tensor([[3]]), {}  # (1, 1)
for share in (0.0, 0.1, 0.3):
    losses[f"ε = {share}"] = [smoothed_loss(z[None], right, 0, share) for z in logits]
xlabel = "logit of the right word (all others 0)"
curves(logits[:, 0, 3], losses, xlabel, "loss", "with smoothing, too sure costs");

# %% [markdown]
# With $\varepsilon > 0$ the best logit is finite: there $p(\mathrm{right}) = 1 -
# \varepsilon + \varepsilon / V$, and wanting more costs. A loss with smoothing never
# reaches 0, so do not compare it with one without.
#
# ## Warm-up: small steps first
#
# Deep post-norm stacks can be thrown off course in their first steps. Two causes
# are discussed. Adam divides each step by the root of a running mean of squared
# gradients, which at first rests on a handful of batches; and the first gradients of a
# post-norm stack are large near its top. The remedy is the same: for `warmup` steps the
# rate rises in a straight line, from 0 at step 0. From there on it falls with the root
# of the step:
#
# $$\mathrm{rate}(\mathrm{step}) = \frac{1}{\sqrt{D}} \cdot
# \frac{1}{\sqrt{\mathrm{step}}} \qquad (\mathrm{step} \ge \mathrm{warmup})$$
#
# The line and the curve meet at $\mathrm{step} = \mathrm{warmup}$, which settles how
# steep the line is; you work it out in the assignment. With $D = 64$ and a warm-up of
# 100, the top is $\frac18 \cdot \frac1{10} = 0.0125$, and at step 50 the rate is half
# of that.

# %%
def draw(warmup):
    grid = range(1, 801)
    rates = {"rate": [warmup_rate(step, 64, warmup) for step in grid]}
    title = f"D = 64: highest at step {warmup}"
    ax = curves(grid, rates, "step", "learning rate", title)
    ax.set_ylim(0, 0.03)


alt = "Learning rate against the step: a straight rise, a peak, a slow fall"
interactive(draw, "warmup", [50, 100, 200], start=100, alt=alt)

# %% [markdown]
# Does it matter? In unit 07 (*Six blocks deep*, in the appendix) a deep post-norm stack
# stays at chance at a rate of .01, and trains if it is warmed up to that rate. A
# smaller rate, or the norm in front, did as well. So a warm-up is one way through the
# first steps, not the only one.
#
# ## Training a translator
#
# Now a model for the grammar: two layers on each side, 64 features, smoothing 0.1.
# `train` takes Adam's steps, each at its own rate; `warmed` is the curve from above,
# scaled to a peak of our choice. Every step draws 64 sentences. We train three
# translators, from three seeds: what all three do is not an accident of one training.

# %%
def train(model, loss, count, rate, label):
    betas = 0.9, 0.98  # as in the paper
    optimiser = torch.optim.Adam(model.parameters(), lr=1.0, betas=betas)
    from_one = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda k: rate(k + 1))
    losses = []
    for step in progress(range(count), count, label):
        value = loss(step)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        from_one.step()
        losses.append(value.item())
    return losses


def warmed(peak, warmup):
    top = warmup_rate(warmup, 1, warmup)
    return lambda step: peak * warmup_rate(step, 1, warmup) / top

# %%
sizes = {"dim": 64, "heads": 4, "hidden": 128, "depth": 2}


def translating(seed):
    torch.manual_seed(seed)
    model, dice = Transformer(len(english), len(spanish), **sizes), seeded(seed)

    def loss(step):
        batch = torch.randint(len(source), (64,), generator=dice)  # (B,)
        x, y = source[batch], target[batch]  # (B, S), (B, T)
        logits = model(x, shift_right(y, spanish.bos))  # (B, T, V)
        return smoothed_loss(logits, y, spanish.pad, smoothing=0.1)

    rate = warmed(3e-3, 60)
    return model, train(model, loss, steps(120), rate, f"translator {seed}")

# %% alt="Training loss of three translators against step: each falls within about eighty steps to the floor that smoothing sets and stays there"
translators, histories = zip(*(translating(seed) for seed in range(3)))
runs = {f"seed {seed}": history for seed, history in enumerate(histories)}
ax = curves(None, runs, "step", "training loss", "down to the floor")
asked_for = torch.full((len(spanish),), 0.1 / len(spanish))  # (V,)
asked_for[0] += 0.9  # the right word, whichever it is
floor = -(asked_for * asked_for.log()).sum()
ax.axhline(floor, linestyle=":", color="black", label="the least that smoothing allows")
ax.legend();

# %% [markdown]
# The losses stop where smoothing stops them, not at 0. How good are the translators? The
# test is to let one write alone, on top of its *own* earlier words. `greedy_decode` takes
# the likeliest word again and again; it needs a function from what is written so far to
# the logits of the next word. The source is encoded only once:

# %%
@torch.no_grad()
def translate(text, model=translators[0]):
    memory, mask = model.encode(english.encode([text]))  # (1, S, D), (1, 1, 1, S)

    def next_logits(tokens):  # (1, t) -> (1, V): the newest position alone
        return model.decode(tokens, memory, mask)[:, -1]

    return spanish.decode(greedy_decode(next_logits, spanish.bos, spanish.eos, 12))


Table([(text, translate(text)) for text, _ in held_out[:3]], ["held out", "written"])

# %% [markdown]
# How many of the 200 held-out sentences does each of the three get right, all words of
# them? That takes no writing. The first mistake of a sentence is made after *right*
# words. So a sentence is written without a mistake exactly if each of its words is the
# likeliest one after the right words before it, and one pass with teacher forcing tells.
# (From the first mistake on the two differ: then a writing model reads words that it
# never met in training. This is called *exposure bias*.)

# %%
held_x = english.encode([e for e, _ in held_out])  # (B, S)
held_y = spanish.encode([s for _, s in held_out], end=True)  # (B, T)
read = shift_right(held_y, spanish.bos)  # (B, T)
rows = []
for seed, model in enumerate(translators):
    with torch.no_grad():
        found = model(held_x, read).argmax(-1)  # (B, T)
    right = ((found == held_y) | (held_y == spanish.pad)).all(1)  # (B,)
    written = sum(translate(text, model) == good for text, good in held_out[:20])
    rows.append((f"seed {seed}", right.float().mean(), f"{written} of 20"))
Table(rows, ["", "200 held-out sentences: all words right", "the first 20, written"])

# %% [markdown]
# ## Word by word, and where it looks
#
# The cross-attention of every layer and head is a matrix with one row per written word
# and one column per source word. Let the first translator write, and record it:

# %%
def look(text, model=translators[0]):
    x = english.encode([text])  # (1, S)
    y = spanish.encode([translate(text, model)], end=True)  # (1, T): what it writes
    with torch.no_grad(), recorded_weights(model.decoder) as recorded:
        model(x, shift_right(y, spanish.bos))
    crossed = torch.stack(recorded[1::2])[:, 0]  # (layers, H, T, S): every second one
    return text.split(), [spanish.words[i] for i in y[0]], crossed

# %% alt="Cross-attention of the last layer, mean over heads: rows are the Spanish words, columns the English ones; larga is written while looking at long, although the order is crossed"
words, spanish_words, crossed = look("she is writing a long letter to my friend")
title = "where each written word looks: last layer, mean of the heads"
heatmap(crossed[-1].mean(0), spanish_words, words, title, values=False);

# %% [markdown]
# Read it row by row: the row named *larga* is the step that *writes* larga. It looks at
# *long*, although English puts *long* before the noun and Spanish *larga* after it. The
# row of *carta* hardly looks at *letter*; it looks behind it, most of all at *to*, which
# tells a *carta* from a *letra*. That is one sentence and one training; another
# translator looks elsewhere, and looking is not depending. *What letter means*, in the
# appendix, measures both, by an intervention as in unit 07.
#
# Here part 2 ends; exercises 5 and 6 belong to it. Part 3 is about writing: which word
# to take when the model offers a probability for each.
#
# ## Greedy decoding
#
# `greedy_decode` takes the likeliest word at every step and never looks back. Two
# things end it: the model says `<eos>`, or a limit on the length is reached. The limit
# is necessary, since nothing forces a model to stop. And each call gets *everything*
# written so far, `<bos>` included.
#
# The likeliest word is not always the way to the likeliest sentence. Take a language of
# five sentences, with the probabilities below. *One beam* is greedy decoding; *two*
# keep the two likeliest beginnings, by the method of the next section:

# %%
toy = ["<bos>", "<eos>", "la", "una", "carta", "letra", "vieja"]
follow = {
    "<bos>": {"la": 0.55, "una": 0.45},
    "la": {"carta": 0.4, "letra": 0.35, "vieja": 0.25},
    "una": {"carta": 0.95, "letra": 0.05},
}


def next_logits(tokens):  # (1, t) -> (1, V)
    probability = follow.get(toy[int(tokens[0, -1])], {"<eos>": 1.0})
    logs = [math.log(probability.get(word, 1e-9)) for word in toy]
    return torch.tensor([logs])  # (1, V)

# %%
rows = []
for beams in (1, 2):
    tokens, score = beam_search(next_logits, bos=0, eos=1, max_len=5, beams=beams)
    rows.append((beams, " ".join(toy[i] for i in tokens), math.exp(score)))
Table(rows, ["beams", "sentence", "probability"])

# %% [markdown]
# Greedy takes *la*, the better word, and is then stuck with the worse sentence. By the
# time it could know, *una* is gone.
#
# ## Beam search
#
# Beam search keeps the `beams` likeliest beginnings instead of one. At each step it
# extends all of them by all words, adds up *log* probabilities (a sentence's
# probability is a product, and products of hundreds of numbers round to 0), and keeps
# the best `beams` of everything. A beginning that has reached `<eos>` is not extended,
# and competes as it is. With two beams, by hand:
#
# | step | all extensions (probability) | kept |
# |---|---|---|
# | 1 | la (.55), una (.45) | la, una |
# | 2 | la carta (.22), la letra (.19), la vieja (.14), una carta (.43), una letra (.02) | una carta, la carta |
# | 3 | una carta `<eos>` (.43), la carta `<eos>` (.22) | both, finished |
#
# Look at step 2: all five extensions compete with one another, not only those of the
# same beginning.
#
# A wider beam usually finds likelier sentences, but not always the likeliest. Nor is
# the likeliest always the best: every further word multiplies the probability by a
# number below 1, which favours short sentences. Many systems therefore divide the score
# by a power of the length. For our translator none of this matters. It gives each right
# word about .9 (as smoothing asks), and a sentence of nine words about $.9^9 \approx
# .4$. Any other sentence leaves this one somewhere, by a word of at most .1 or so. So
# greedy decoding finds the likeliest sentence.
#
# ## Without an encoder
#
# Does writing need an encoder? Not if question and answer are put into one sequence.
# Without a source there is no cross-attention, and a decoder block without
# cross-attention is an *encoder* block under a causal mask. So the three families of
# models are built of the same parts:
#
# | | self-attention | trained to | examples | good for |
# |---|---|---|---|---|
# | encoder only | both directions | fill in blanked words, or classify | BERT, ViT (unit 09) | classify, tag, search |
# | encoder-decoder | both, then causal, plus cross-attention | write the target | the Transformer of 2017 (English to German and to French) | translate, transcribe |
# | decoder only | causal | predict the next token | GPT | go on writing, and all that can be put as that |
#
# So BERT and GPT are language models of two kinds: BERT sees both sides of a gap and is
# not trained to write from left to right.
#
# ## Real text: the manual of Python
#
# A grammar is a toy: there is a right answer, and the model finds it. What does a
# decoder do with real text? Every Python brings one along, its reference manual;
# `help("for")` shows a page of it. We take each paragraph once, keep words and some
# punctuation, and number the 999 most frequent ones; `<unk>` stands for all others, ¶
# for the end of a paragraph. We train on the first nine tenths and hold out the last
# tenth. Its topics are new, except the one that the cut goes through. (Each Python has
# its own edition, so here your numbers may differ a little from ours.)

# %%
paragraphs = list(dict.fromkeys("\n\n".join(topics.values()).split("\n\n")))
cut = len(paragraphs) * 9 // 10


def words_of(some):
    return re.findall(r"[a-z]+|[.,:;()¶]", " ¶ ".join(some).lower())


known, new = words_of(paragraphs[:cut]), words_of(paragraphs[cut:])
lexicon = ["<unk>", *(word for word, _ in Counter(known).most_common(999))]
number = {word: i for i, word in enumerate(lexicon)}
known, new = (torch.tensor([number.get(w, 0) for w in ws]) for ws in (known, new))
print(f"{len(known):,} words to learn from, {len(new):,} held out")


def say(numbers):
    return textwrap.fill(" ".join(lexicon[i] for i in numbers), 84)


print(say(known[:40]))

# %% [markdown]
# The model is `DecoderOnly` of `course_utils`. It has four parts: an embedding, learned
# positions, a pre-norm `Encoder` (unit 07) under a causal mask, and a linear layer. The
# training is the one that large models have: predict the next word at all places of a
# random window, here of 32 words. Nobody labels anything.

# %%
torch.manual_seed(0)
sizes = {"dim": 64, "heads": 4, "hidden": 256, "depth": 2}
reader = DecoderOnly(vocabulary=1000, **sizes, max_len=32)
for table in (reader.embed, reader.positions.table):
    table.weight.data *= 0.1  # start small: it learns faster
starts = torch.randint(len(known) - 32, (300, 32, 1), generator=seeded(1))
windows = starts + torch.arange(33)  # (steps, B, 33): places in the text


def reading_loss(step):
    x = known[windows[step]]  # (B, 33)
    return F.cross_entropy(reader(x[:, :-1]).mT, x[:, 1:])  # (B, V, 32), (B, 32)


def rise_and_fade(peak, count):
    return lambda step: peak * min(step / 50, 1) * (1 - step / (count + 1))


train(reader, reading_loss, steps(300), rise_and_fade(4e-3, 300), "reader");

# %% [markdown]
# Is it any good? A loss needs something to be compared with. *Perplexity* is $\exp$ of
# the mean loss per word; a model that wavers between ten words, all equally likely, has
# perplexity 10. Two simple rivals: all words are equally likely, or as likely as they
# are frequent. (`<unk>` counts as a word.)

# %%
single = torch.bincount(known, minlength=1000) + 1.0  # (V,): how frequent a word is
count = (len(new) - 1) // 32 * 32
read_words = new[:count].view(-1, 32)  # (N / 32, 32)
following = new[1 : count + 1].view(-1, 32)  # (N / 32, 32)
with torch.no_grad():
    by_model = F.cross_entropy(reader(read_words).mT, following)  # (N / 32, V, 32)
by_count = -(single / single.sum())[following].log().mean()
rivals = {"nothing": math.log(1000), "how frequent a word is": by_count}
rivals["up to 32 words before it: our model"] = by_model
rows = [(name, f"{math.exp(loss):.0f}") for name, loss in rivals.items()]
Table(rows, ["what the next word is guessed from", "perplexity on new topics"])

# %% [markdown]
# The model halves the perplexity of the better rival (one training). But these rivals
# are weak. In the
# appendix a stronger one, which counts runs of three words with care, *beats* the
# model: a loss that falls nicely would never have told us.
#
# Does it write like the manual? It starts with the word *the* and always takes the
# likeliest next word (never `<unk>`):

# %%
@torch.no_grad()
def tell(count, copies=1, **shape):  # -> (copies, 1 + count), and how many words stayed
    text, dice, kept = torch.full((copies, 1), number["the"]), seeded(0), []
    for _ in range(count):
        z = reader(text[:, -32:])[:, -1]  # (copies, V)
        z[:, 0] = -torch.inf  # never <unk>
        weights = sampling_weights(z, **shape)  # (copies, V)
        kept.append((weights > 0).sum(-1).float().mean())
        drawn = torch.multinomial(weights, 1, generator=dice)  # (copies, 1)
        text = torch.cat([text, drawn], dim=1)  # (copies, t + 1)
    return text, torch.stack(kept).mean()


print(say(tell(60, top_k=1)[0][0]))

# %% [markdown]
# It has learned which words belong together, and then it goes round in circles. Greedy
# writing often does, in larger models too.
#
# ## Sampling
#
# So for a text we *draw* the next word, with the probabilities as weights. Three ways
# to shape them first:
#
# - **temperature** $\tau$: $\mathrm{softmax}(z / \tau)$ instead of $\mathrm{softmax}(z)$.
#   Below 1 it makes the likely words likelier; near 0 it is greedy decoding. Above 1 it
#   makes all words more alike.
# - **top-k**: only the `k` likeliest words stay.
# - **top-p**, also called *nucleus*: only the likeliest words stay, as few as are needed to
#   reach the probability `p` together.
#
# What stays is scaled up to sum to 1. By hand, with the probabilities .5, .2, .15, .1,
# .05: top-k with `k = 2` leaves .5 and .2, which become .71 and .29. Top-p with `p =
# .8` leaves three words, since .5 + .2 is less than .8 and .5 + .2 + .15 is not. They
# become .59, .24 and .18. You write `sampling_weights` in the assignment. The slider
# shows what our model says after *the statement is*:

# %%
so_far = [number[word] for word in words_of(["the statement is"])]  # three words
with torch.no_grad():
    z = reader(torch.tensor([so_far]))[:, -1]  # (1, V)
z[:, 0] = -torch.inf  # never <unk>
best = z[0].argsort(descending=True)[:12].tolist()  # the twelve likeliest words


def draw(temperature):
    shares = sampling_weights(z, temperature)[0]  # (V,)
    stays = sampling_weights(z, temperature, top_p=0.5)[0] > 0  # (V,)
    title = f"temperature {temperature}: top-p keeps {int(stays.sum())} words of 999"
    ax = bars(dict(zip([lexicon[i] for i in best], shares[best])), "probability", title)
    for bar, word in zip(ax.patches, best):
        bar.set_alpha(1.0 if stays[word] else 0.3)
    ax.set(ylim=(0, 0.6), xlabel="the twelve likeliest; solid: kept by top-p = 0.5")
    ax.tick_params(axis="x", rotation=30)


alt = "Bars of the probabilities of twelve words; those that top-p leaves out are pale"
interactive(draw, "temperature", [0.3, 0.7, 1.0, 2.0], start=0.7, alt=alt)

# %% [markdown]
# At 0.7 four words reach a half together, and top-p keeps these. At 0.3 it keeps one.
# At 2 the likely words have lost most of their lead, and top-p has to let in almost two
# hundred.
#
# Why not simply draw, without any shaping? Each unlikely word has little probability,
# but there are hundreds of them, the *tail*. Here is one text that is drawn from all
# words, and one by top-p:

# %%
for name, shape in {"from all words": {}, "top-p = 0.5": {"top_p": 0.5}}.items():
    print(f"{name}:\n{say(tell(40, **shape)[0][0])}")

# %% [markdown]
# Neither goes round in circles. The first stumbles every few words; the second keeps to
# likely ones, though it does not make sense for long either. (The appendix measures
# both, and shows where top-k and top-p differ.)
#
# ## The KV cache
#
# To write a text takes one pass per token, and so far each pass computes everything
# from the beginning. Under the causal mask earlier steps do not depend on later ones,
# so their keys and values are the *same* in every pass. So keep them. Then a step
# computes one query, one key and one value, adds key and value to what is kept, and lets
# the query look at all of it. In shapes, for the 100th token: query (B, H, 1, d), kept
# keys and values (B, H, 100, d) each, weights (B, H, 1, 100).
#
# Three points to get right. There is no mask: the future is not in the cache. The
# newest key and value must be put in *before* the look, or a step could not see itself.
# And queries are not kept: no later step ever uses the query of an earlier one.
#
# `CachedAttention` does it: `reset()` forgets, `step(x)` takes the newest token (B, 1,
# D) and returns (B, 1, D). Here is a whole decoder-only model that writes with a cache
# per layer. (It is untrained, since this is about time. Its blocks are pre-norm;
# `writer.blocks` is an `Encoder`, whose list of blocks is called `blocks` as well.)

# %%
torch.manual_seed(0)
sizes = {"dim": 128, "heads": 4, "hidden": 512, "depth": 2}
writer = DecoderOnly(vocabulary=50, **sizes, max_len=512).eval()
caches = [CachedAttention(128, 4) for _ in writer.blocks.blocks]
for cache, block in zip(caches, writer.blocks.blocks):
    cache.load_state_dict(block.attention.state_dict())


def next_token(token, position):  # (1, 1) -> (1, 1, V)
    x = writer.embed(token) + writer.positions.table.weight[position]  # (1, 1, D)
    for cache, block in zip(caches, writer.blocks.blocks):
        x = x + cache.step(block.norm1(x))  # (1, 1, D)
        x = x + block.feed_forward(block.norm2(x))  # (1, 1, D)
    return writer.out(writer.blocks.norm(x))  # (1, 1, V)

# %%
@torch.no_grad()
def write(count, cached):
    for cache in caches:
        cache.reset()
    tokens, clock = torch.zeros(1, 1, dtype=torch.long), []  # (1, 1)
    for t in range(count):
        start = time.process_time()
        logits = next_token(tokens[:, -1:], t) if cached else writer(tokens)[:, -1:]
        clock.append(1000 * (time.process_time() - start))
        tokens = torch.cat([tokens, logits.argmax(-1)], dim=1)  # (1, t + 2)
    return tokens, logits, torch.tensor(clock)  # the last logits: (1, 1, V)


(plain, logits, _), (quick, same, _) = write(64, cached=False), write(64, cached=True)
apart = (logits - same).abs().max()
f"64 tokens: the same? {torch.equal(plain, quick)}; last logits {apart:.1e} apart"

# %% [markdown]
# The same text. Now the time of each token as the text grows (processor time, the best of
# two texts, then the mean of 32 neighbouring tokens):

# %% alt="Milliseconds for one token against its place in the text: nearly flat with the cache, rising steadily without it"
spent = {}
for name, cached in {"with the cache": True, "without": False}.items():
    both = torch.stack([write(256, cached)[2] for _ in range(2)])  # (2, 256)
    spent[name] = both.amin(0).view(-1, 32).mean(1)  # (8,)
title = "without a cache, later tokens cost more"
middle = range(16, 256, 32)
ax = curves(middle, spent, "place in the text", "milliseconds", title, style="o-")
ax.set_ylim(0);

# %% [markdown]
# The gain grows with the length. Without a cache, token $t$ costs a pass over $t$
# tokens: $1 + 2 + \dots + n$, of order $n^2$ just for the linear layers. With it, those
# cost the same for every token. What the cache costs is memory: for every token of
# every sentence, a key and a value in each layer. With 32 layers of width 4096 (a
# common open model), 4096 tokens and 2 bytes a number, that is
# $2 \cdot 32 \cdot 4096 \cdot 4096 \cdot 2$ bytes, 2 GiB for one text. (Heads that share
# their keys and values make it smaller: grouped queries, unit 05. And the prompt fills
# the cache in *one* pass, since all its tokens are known; only what is written comes
# token by token.)
#
# That is the model, and how it writes. **The core of the lecture ends here**; exercises
# 7 to 10 and 12 belong to this part, and the *Summary* stands at the very end of the
# page. What comes in between is an appendix of eight sections, in any order (only the
# second follows the first):
#
# - *What letter means.* What does the choice between *carta* and *letra* depend on?
# - *Where the meaning is kept.* Does the vector of *letter* know which one it is?
# - *Decoder-only: a model that adds.* Can a decoder learn to compute?
# - *What the reader of the manual has learned.* Does it beat counting?
# - *Sampling, measured.* What do temperature, top-k and top-p do to a text?
# - *Four details of the original.* What else belongs to the model of 2017?
# - *What attention costs.* Where does the time go?
# - *Two tables, read critically.* What do published results show?
#
# ## What letter means
#
# The step that writes the noun has to choose between *carta* and *letra*. Where does it
# look? And does its choice depend on what it looks at? For the second question we
# intervene: close some columns of the cross-attention, in all layers, and see what the
# model says now. (A column is a vector of the *memory*, in which the encoder has mixed
# the words already: closing that of *letter* does not take the word away everywhere.)
# Over the 200 held-out sentences, weights of the last layer, mean over heads, for each
# of the three translators:

# %%
nouns = torch.tensor([spanish.ids["carta"], spanish.ids["letra"]])  # (2,)
row, step = torch.isin(held_y, nouns).nonzero().T  # (B,) each: one noun per sentence
at = (held_x == english.ids["letter"]).int().argmax(1)[:, None]  # (B, 1)
places = torch.arange(held_x.shape[1])  # (S,)
closings = {"nothing": places < 0, "the words before letter": places < at}
closings |= {"letter": places == at, "the words after letter": places > at}

# %%
@torch.no_grad()
def closing(model, closed):  # (B, S), or (S,) for all
    memory, mask = model.encode(held_x)  # (B, S, D), (B, 1, 1, S)
    with recorded_weights(model.decoder) as recorded:
        model.decode(read, memory, mask)
    closed = closed.expand_as(held_x)  # (B, S)
    weight = (recorded[-1].mean(1)[row, step] * closed).sum(1)  # (B,): before it is closed
    logits = model.decode(read, memory, mask & ~closed[:, None, None])  # (B, T, V)
    found = logits[row, step].argmax(-1)  # (B,)
    numbers = weight, found == held_y[row, step], found == nouns[0]  # (B,) each
    return [f"{part.float().mean():.2f}" for part in numbers]


rows = []
for name, closed in closings.items():
    seeds = zip(*(closing(model, closed) for model in translators))
    rows.append((name, *(", ".join(three) for three in seeds)))
columns = ["closed", "weight on it", "right noun", "says carta"]
Table(rows, columns, "three translators: seeds 0, 1, 2")

# %% [markdown]
# What the answer depends on is the same in all three: the words after *letter*. Without
# them a model says the same noun every time, and is right wherever that one happens to
# be right. (Which noun it is, is an accident: *letra* for one training, *carta* for the
# two others.) Where the models *look* is not the same: the third gives the words
# *before* *letter* a weight of .50, more than those after it, and if they are closed the
# noun is right all the same. So where a model looks and what its answer depends on are
# two questions, and each needs a measurement of its own.
#
# ## Where the meaning is kept
#
# The translators need the words after *letter*, and not *letter* itself. Is the meaning
# nowhere else? Here is the vector of the word *letter* in all sentences, before the
# encoder and after it, in its two main directions (first translator; the points are
# shaken a little, or those on the left would coincide):

# %%
texts = english.encode([e for e, _ in pairs])  # (N, S)
place = texts == english.ids["letter"]  # (N, S), one True per row
is_carta = torch.tensor(["carta" in s for _, s in pairs])  # (N,)


@torch.no_grad()
def clouds(model):  # (N, D) each
    before = model.place(model.embed_source(texts))[place]  # (N, D)
    after = model.encode(texts)[0][place]  # (N, D)
    return {"before the encoder": before, "after the encoder: the memory": after}

# %% alt="Two scatter plots of the vectors of the word letter: before the encoder two heaps shared by both meanings, after it several heaps, nearly all of one meaning each"
axes = plt.subplots(1, 2, figsize=(8, 3.2), sharex=True, sharey=True)[1]
for ax, (title, vectors) in zip(axes, clouds(translators[0]).items()):
    centred = vectors - vectors.mean(0)  # (N, D)
    flat = centred @ torch.linalg.svd(centred, full_matrices=False).Vh[:2].T  # (N, 2)
    flat = flat + 0.08 * torch.randn(flat.shape, generator=seeded(0))  # (N, 2): shaken
    for name, chosen, marker in (("carta", is_carta, "o"), ("letra", ~is_carta, "x")):
        ax.plot(*flat[chosen].T, marker, markersize=4, alpha=0.5, label=name)
    ax.set(title=title, xlabel="first main direction", ylabel="second")
axes[0].legend();

# %% [markdown]
# Two directions of 64 are only a picture. A number for it: a linear rule, fitted by
# least squares to the training sentences, tested on the 200 held-out ones, for each of
# the three translators.

# %%
apart = torch.tensor([pair in held_out for pair in pairs])  # (N,): held out
sign = 2.0 * is_carta - 1  # (N,): 1 or -1


def readable(vectors):  # (N, D) -> share right
    inputs = F.pad(vectors, (0, 1), value=1.0)  # (N, D + 1): ones for a bias
    rule = torch.linalg.lstsq(inputs[~apart], sign[~apart, None]).solution  # (D + 1, 1)
    right = (inputs[apart] @ rule)[:, 0] * sign[apart] > 0  # (200,)
    return f"{right.float().mean():.2f}"


rows = []
for name in clouds(translators[0]):
    rows.append((name, *(readable(clouds(model)[name]) for model in translators)))
Table(rows, ["share that a linear rule gets right", "seed 0", "seed 1", "seed 2"])

# %% [markdown]
# On the left *letter* has one vector per position, and both meanings share it, like one
# entry in a dictionary: the rule does no better than a coin. On the right the heaps
# hardly mix, and the rule is always right, in all three trainings: the encoder has let
# *letter* look at its neighbours, and its vector now stands for the word *in context*.
# So the meaning is there, at *letter*, and these decoders do not use it: when only
# *letter* and the words before it were left open, each said the same noun every time.
# What can be *found* in a vector is a third question, beside where a model *looks* and
# what its answer *depends on*.
#
# ## Decoder-only: a model that adds
#
# Let a decoder learn to add. `47+85=132` is nine tokens. The model is given six of them
# and writes the other three. It begins with the most significant digit, so it must know
# the carry before it writes anything. Of the 10,000 sums we hold out a tenth, each
# together with its mirror: where 47+85 is held out, 85+47 is too.

# %%
a, b = torch.cartesian_prod(torch.arange(100), torch.arange(100)).T  # (N,) each


def digits(number, count):  # (N,) -> (N, count)
    return torch.stack([number // 10**i % 10 for i in reversed(range(count))], dim=-1)


plus = torch.full((len(a), 1), 10)  # (N, 1): the token for "+"
equals = torch.full((len(a), 1), 11)  # (N, 1): the token for "="
parts = [digits(a, 2), plus, digits(b, 2), equals, digits(a + b, 3)]
sums = torch.cat(parts, dim=1)  # (N, 9)
drawn = torch.rand(100, 100, generator=seeded(0)).triu()  # (100, 100)
held = (drawn + drawn.triu(1).mT < 0.1)[a, b]  # (N,): the same for a+b and b+a
seen, unseen = sums[~held], sums[held]  # (about 9000, 9), (about 1000, 9)

# %% [markdown]
# The model is the `DecoderOnly` of the manual, with twelve tokens in place of 1000.
# Only the three tokens after `=` enter the loss.

# %%
torch.manual_seed(0)
adder = DecoderOnly(vocabulary=12, dim=64, heads=4, hidden=128, depth=2, max_len=8)
batches = torch.randint(len(seen), (500, 96), generator=seeded(1))  # (steps, B)


def addition_loss(step):
    x = seen[batches[step]]  # (B, 9)
    logits = adder(x[:, :-1])[:, 5:]  # (B, 3, 12): only what follows "="
    return F.cross_entropy(logits.mT, x[:, 6:])  # (B, 12, 3), (B, 3)


train(adder, addition_loss, steps(500), rise_and_fade(5e-3, 500), "adder");

# %%
@torch.no_grad()
def answer(questions):  # (B, 6) -> (B, 9)
    for _ in range(3):
        newest = adder(questions)[:, -1:].argmax(-1)  # (B, 1)
        questions = torch.cat([questions, newest], dim=1)  # (B, t + 1)
    return questions


right = (answer(unseen[:, :6]) == unseen).all(1).float()  # (sums,)
carry = (unseen[:, 1] + unseen[:, 4]) >= 10  # (sums,)
groups = {"all": right, "with a carry": right[carry], "without": right[~carry]}
rows = [(name, group.mean()) for name, group in groups.items()]
Table(rows, [f"{len(unseen)} sums, neither they nor their mirrors seen", "exact"])

# %% [markdown]
# It adds, also where a carry has to be known before the first digit is written, and it
# cannot have looked up the mirrored sum. (One training.)
#
# ## What the reader of the manual has learned
#
# First a stronger rival, which only counts as well: how often has a word followed the
# two words before it? A run that never occurred would get probability 0. So .75 is
# taken off each count, and what is saved is shared out among all words, according to
# the run that is one word shorter. In these shorter runs a word counts by how many
# *different* words it has followed, not by how often it occurs (Kneser-Ney smoothing).

# %%
def counting(length):  # runs of how many words -> perplexity on the held-out words
    runs = Counter(zip(*(known.tolist()[i:] for i in range(length))))
    seen, total, kinds = Counter(runs), Counter(), Counter()
    for _ in range(length - 1):
        runs = Counter(run[1:] for run in runs)  # each different run counts once
        seen.update(runs)
    for run, times in seen.items():
        total[run[:-1]] += times
        kinds[run[:-1]] += 1

    def chance(run):  # of its last word, after the others
        shorter = chance(run[1:]) if len(run) > 1 else 1 / 1000
        left, before = max(seen[run] - 0.75, 0), run[:-1]
        shared = 0.75 * kinds[before] * shorter
        return (left + shared) / total[before] if total[before] else shorter

    held = zip(*(new.tolist()[i:] for i in range(length)))
    return math.exp(-torch.tensor([chance(run) for run in held]).log().mean())

# %%
rows = []
for length, name in enumerate(["single words", "runs of two", "runs of three"], 1):
    rows.append((f"counts of {name}", f"{counting(length):.0f}"))
rows.append(("our model", f"{math.exp(by_model):.0f}"))
Table(rows, ["the next word is guessed by", "perplexity on new topics"])

# %% [markdown]
# The model loses to the counts of runs of three. It is close to those of two, too close
# for one training to say which is better. On so small a text, and after 300 steps, it
# does not beat careful counting.
#
# And which words does the model use? We let it read only the last few words before each
# word to be guessed. (Every third one, to save time, and never fewer: so with 32 words
# the number is not quite that of the table above.)

# %%
stretch, rows = new.unfold(0, 33, 1)[::3], []  # (N, 33): 32 words and the next one
for count in (1, 2, 4, 8, 32):
    with torch.no_grad():
        z = reader(stretch[:, -1 - count : -1])[:, -1]  # (N, V)
    rows.append((count, f"{F.cross_entropy(z, stretch[:, -1]).exp():.0f}"))
Table(rows, ["words that it may read", "perplexity on new topics"])

# %% [markdown]
# From one word it has 100; the counts of runs of two had 88, though on all words. The
# second, third and fourth word before help; what lies further away does not (80 with 32
# words, 79 with 4). So it has learned phrases, and not yet what a page is about.
#
# And which paragraph does it consider the likeliest? Beam search can look for it: begin
# with *the*, end with ¶, at most 24 words.

# %%
def next_word(tokens):  # (1, t) -> (1, V)
    z = reader(tokens[:, -32:])[:, -1]  # (1, V)
    z[:, 0] = -torch.inf  # never <unk>
    return z


rows = []
for beams in (1, 4, 16):
    with torch.no_grad():
        tokens, score = beam_search(next_word, number["the"], number["¶"], 24, beams)
    rows.append((beams, score, "the " + " ".join(lexicon[i] for i in tokens)))
Table(rows, ["beams", "log probability", "paragraph"])

# %% [markdown]
# The wider beams find a likelier paragraph, and it is even shorter. That is an example
# of what the main part only argued: a likelier text may be shorter, and not better.
#
# ## Sampling, measured
#
# We let the model of the manual write 16 texts of 60 words with each setting, and count
# three things: how many pairs of neighbouring words occur anywhere in the manual (a
# crude measure of *right*), how many runs of four words are different from one another
# (variety), and how many words could be drawn at each step.

# %%
manual = torch.cat([known, new])  # all words of the manual
pairs_there = torch.zeros(1000, 1000, dtype=torch.bool)  # (V, V)
pairs_there[manual[:-1], manual[1:]] = True
settings = {
    "greedy (top-k, k = 1)": {"top_k": 1},
    "as it is": {},
    "temperature 0.6": {"temperature": 0.6},
    "top-k, k = 20": {"top_k": 20},
    "top-p, p = 0.5": {"top_p": 0.5},
    "temperature 2, then top-p = 0.5": {"temperature": 2.0, "top_p": 0.5},
}
rows = []
for name, shape in settings.items():
    text, kept = tell(steps(60, 8), copies=16, **shape)
    right = pairs_there[text[:, :-1], text[:, 1:]].float().mean()
    runs = text.unfold(1, 4, 1).flatten(0, 1)  # (runs, 4)
    rows.append((name, right, len(runs.unique(dim=0)) / len(runs), f"{kept:.0f}"))
columns = ["", "pairs that occur in the manual", "runs of four that differ"]
Table(rows, [*columns, "words that could be drawn"])

# %% [markdown]
# Greedy is always right, and writes the same circle sixteen times. Drawn as it is, one
# pair of words in three is new to the manual: each unlikely word has little
# probability, but there are hundreds of them, the *tail*. Top-k and top-p cut it off, a
# temperature of 0.6 thins it out, and most of the variety stays. The last row has the
# same `p` and fails: the temperature came first, made the unlikely words likelier, and
# then it takes many of them to reach one half. So top-p does not protect from a high
# temperature that comes before it.
#
# Top-k and top-p keep about equally many words on average and do about equally well
# here. They differ in *where* they keep many. One sentence, and how many words stay at
# each of its places:

# %% alt="How many words are kept at each place of a sentence: top-k always twenty; top-p between one and about forty, depending on the place"
said = "the exception is raised if the value of the expression is not a tuple."
sentence = words_of([said])
with torch.no_grad():
    z = reader(torch.tensor([[number[w] for w in sentence[:-1]]]))[0]  # (places, V)
ax = plt.subplots(figsize=(7, 3.4))[1]
for name, shape in {"top-k = 20": {"top_k": 20}, "top-p = 0.5": {"top_p": 0.5}}.items():
    ax.plot((sampling_weights(z, **shape) > 0).sum(-1), "o", markersize=8, label=name)
ax.set_xticks(range(len(sentence) - 1), sentence[1:], rotation=35, ha="right")
ax.set(xlabel="the word to be drawn", ylabel="words kept", title="top-p adapts")
ax.legend();

# %% [markdown]
# After *the value of* one word has half of the probability, and top-p keeps it alone.
# Where a noun is to be drawn it keeps thirty or forty. A fixed `k` is too many at the
# first kind of place and may be too few at the second.
#
# ## Four details of the original
#
# Four details of the model of 2017. Our translator has the first and does without the
# other three.
#
# - **Scaled embeddings.** What is looked up is multiplied by $\sqrt D$; `place` does that.
#   (Our tables start with entries of size $1/\sqrt D$, so that a word is then about as
#   large as its position vector. How its tables start, the paper does not say.)
# - **Dropout**, 0.1: in training a random tenth of the numbers is set to zero and the rest
#   divided by 0.9, so that the mean stays; at the output of each sub-layer, before the
#   residual is added, and on the sum of words and positions.
# - **Weight tying.** The output layer needs one row per word and so does the embedding of
#   the target: the same table is used for both. Also for the source, if both languages
#   share a vocabulary.
# - **Subwords.** 37,000 *pieces of words* (for French 32,000) rather than words: no word is
#   unknown (our reader of the manual has `<unk>`), and the table stays small. Byte-pair
#   encoding finds the pieces: begin with letters, and again and again glue the pair that
#   occurs most often.
#
# Here it is on four words, each with how often it occurs. Nine merges, and *lower*,
# which was never in the text, is made of known pieces:

# %%
text = {"low": 5, "lowest": 2, "newer": 6, "wider": 3}
pieces = {word: list(word) for word in [*text, "lower"]}
merges = []
for _ in range(9):
    counts = Counter()
    for word, times in text.items():
        for pair in itertools.pairwise(pieces[word]):
            counts[pair] += times
    best = max(counts, key=counts.get)
    merges.append("".join(best))
    for word, parts in pieces.items():
        glued = "\0".join(parts).replace("\0".join(best), "".join(best))
        pieces[word] = glued.split("\0")

print("merges:", *merges)
print({word: " ".join(parts) for word, parts in pieces.items()})

# %% [markdown]
# ## What attention costs
#
# Every token is compared with every token. A comparison is a product of $d$ numbers in
# each of the $H$ heads, together $D$ numbers. So for a text of $n$ tokens the scores
# take $n^2 D$ multiplications, and the weighted sums of the values as many again:
# **time $O(n^2 D)$**. The weights themselves are $n^2$ numbers per head: **memory
# $O(n^2 H)$**. (To say just “$O(n^2)$” leaves out the factor, and whether time or
# memory is meant.) The linear layers around the attention take $O(n D^2)$. Which of the
# two takes longer in practice? We measure both, and torch's own attention beside ours
# (a few seconds):

# %%
def seconds(run):
    times = []
    for _ in range(3):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


lengths = [128, 256, 512, 1024, 2048]
layer = EncoderBlock(dim=256, heads=4, hidden=1024)
mha = layer.attention


def all_linear(x):  # (B, n, D): the four projections and the feed-forward layer
    return layer.feed_forward(mha.out(mha.value(mha.key(mha.query(x)))))


attend, fused, linear = [], [], []
with torch.no_grad():
    for n in lengths:
        q = torch.randn(1, 4, n, 64, generator=seeded(n))  # (B, H, n, d)
        x = torch.randn(1, n, 256, generator=seeded(n))  # (B, n, D)
        attend.append(seconds(lambda: masked_attention(q, q, q)))
        fused.append(seconds(lambda: F.scaled_dot_product_attention(q, q, q)))
        linear.append(seconds(lambda: all_linear(x)))

# %%
def slope(times):  # of log time over log length, by least squares
    logs = torch.tensor([lengths, times]).log()  # (2, 5)
    x, y = logs - logs.mean(1, keepdim=True)  # (5,) each
    return float((x * y).sum() / (x * x).sum())

# %% alt="Time against length on logarithmic axes: the line of plain attention is the steepest and crosses that of the linear layers; fused attention lies below it"
measured = {
    f"attention: n^{slope(attend):.2f}": attend,
    f"attention, fused: n^{slope(fused):.2f}": fused,
    f"linear layers: n^{slope(linear):.2f}": linear,
}
title = "attention grows faster than the linear layers (D = 256)"
ax = curves(lengths, measured, "length n", "seconds", title, style="o-")
ax.set(xscale="log", yscale="log")
ax.set_xticks(lengths, lengths)
ax.minorticks_off();

# %% [markdown]
# On paper the attention needs $2 n^2 D$ multiplications and the linear layers $12 n
# D^2$ (four projections, and a feed-forward layer four times as wide): they meet at $n
# = 6 D$, here 1536. Measured, the attention of this course meets the linear layers
# earlier, near 1000: it also writes all its weights to memory and reads them again for
# the softmax. The *fused* attention of torch never stores all of them; it is faster, and
# meets the linear layers later, not far from 1536. (The times are noisy and the points
# few: read the exponents as about 2, 2 and 1.) At lengths below the crossing, a
# Transformer is mostly linear layers.
#
# And recurrence? Transformers are said to be “much easier to parallelise”. Count the
# steps that must wait for one another:
#
# | | training on $n$ tokens | writing $n$ tokens | work per layer |
# |---|---|---|---|
# | recurrent network | $n$ steps | $n$ steps | $n D^2$ |
# | Transformer | 1 step per layer | $n$ passes | $n D^2 + n^2 D$ |
#
# In *training* a Transformer has no chain over time; in *writing* both have one. The
# advantage is a *short chain*, not little work.
#
# ## Two tables, read critically
#
# Two published tables, and three headlines that are often drawn from them: larger
# models are better, training is much faster, results are great. First translation, from
# Vaswani et al., *Attention Is All You Need* (2017): BLEU (higher is better), and the
# cost of training. An *ensemble* is several trained models that vote. BLEU asks which
# share of the translation's runs of 1 to 4 words occur in a reference, takes the
# geometric mean of the four shares, and punishes translations that are too short.

# %%
bleu = [  # model, BLEU EN-DE and EN-FR, training operations for each
    ("ByteNet", 23.75, None, None, None),
    ("Deep-Att + PosUnk", None, 39.2, None, 1.0e20),
    ("GNMT + RL", 24.6, 39.92, 2.3e19, 1.4e20),
    ("ConvS2S", 25.16, 40.46, 9.6e18, 1.5e20),
    ("MoE", 26.03, 40.56, 2.0e19, 1.2e20),
    ("Deep-Att + PosUnk, ensemble", None, 40.4, None, 8.0e20),
    ("GNMT + RL, ensemble", 26.30, 41.16, 1.8e20, 1.1e21),
    ("ConvS2S, ensemble", 26.36, 41.29, 7.7e19, 1.2e21),
    ("Transformer, base", 27.3, 38.1, 3.3e18, 3.3e18),
    ("Transformer, big", 28.4, 41.8, 2.3e19, 2.3e19),
]

# %% alt="Two scatter plots of BLEU against training cost. English to German: both Transformers above all others. English to French: the base Transformer is the lowest of all, the big one the highest"
figure, axes = plt.subplots(2, 1, figsize=(7, 7))
for ax, score, title in zip(axes, (1, 2), ("English to German", "English to French")):
    for row in (row for row in bleu if row[score] and row[score + 2]):
        cost, ours = row[score + 2], "Transformer" in row[0]
        style = {"marker": "*" if ours else "o", "color": f"C{int(ours)}"}
        ax.plot(cost, row[score], **style, markersize=9)
        lower = {"GNMT + RL, ensemble": -13, "ConvS2S": -4, "GNMT + RL": -10}
        offset = {"xytext": (8, lower.get(row[0], 5)), "textcoords": "offset points"}
        ax.annotate(row[0], (cost, row[score]), fontsize=9, **offset)
    ax.set(xscale="log", ylabel="BLEU", title=title, xlim=(2e18, 3e22))
    ax.margins(y=0.15)
ax.set_xlabel("training operations");

# %% [markdown]
# Above, the headlines hold: the base model beats all rivals, ensembles included, at a
# third of the cheapest one's cost. Below, the *same* architecture is the **worst of all
# nine**, more than two points below ConvS2S (though at a thirtieth of the cheapest
# rival's cost). It takes the big model, at seven times the price, to win there.
#
# But compare the costs first. Each Transformer has the *same* cost for both languages,
# although there is eight times as much French text (36 million pairs of sentences, 4.5
# for German): the number of steps was fixed. So for French the base model may just have
# been trained too little. And the big model is larger *and* was trained for three times
# as many steps, so that “larger is better” mixes two causes, and rests on two points.
# Across *families* of models more money need not buy a better score: the ensembles cost
# more than the big model and are worse than it. And a BLEU without an error bar, on one
# test set, says little about differences of half a point.
#
# The second table, from Liu et al., *Generating Wikipedia by Summarizing Long
# Sequences* (2018), is about summaries: perplexity (lower is better) and ROUGE-L, which
# counts the longest common subsequence with a reference (higher is better). L is how
# many tokens of input the model reads; ED is an encoder-decoder, D a decoder alone;
# DMCA and MoE are variants that do not matter here.
#
# | model | L | perplexity | ROUGE-L |
# |---|--:|--:|--:|
# | seq2seq with attention | 500 | 5.04952 | 12.7 |
# | Transformer-ED | 500 | 2.46645 | 34.2 |
# | Transformer-D | 4000 | 2.22216 | 33.6 |
# | Transformer-DMCA, no MoE | 11000 | 2.05159 | 36.2 |
# | Transformer-DMCA, MoE-128 | 11000 | 1.92871 | 37.9 |
# | Transformer-DMCA, MoE-256 | 7500 | 1.90325 | 38.8 |
#
# Perplexity, $\exp$ of the mean negative log likelihood *per token* of a *given* text,
# is one over the geometric mean of the probabilities. (Often it is called “one over the
# likelihood”, which would grow with every further word.) So it says how well the next
# word of a summary is guessed, not how well a summary is written. Do the two columns
# always agree on who is better? Compare them pair by pair. And the rows differ in what
# the models are allowed to read, from 500 to 11,000 tokens: with more to read, the same
# text may be easier to guess. Only two pairs of rows read equally much: the first two,
# where the Transformer halves the perplexity, and the two with 11,000. For all others
# this table cannot say whether the architecture or the input made the difference. Our
# translator has a perplexity as well:

# %%
with torch.no_grad():
    logits = [model(held_x, read) for model in translators]  # (B, T, V) each
nlls = [smoothed_loss(z, held_y, spanish.pad, smoothing=0.0) for z in logits]  # per token
"perplexity on the held-out sentences: " + ", ".join(f"{n.exp():.3f}" for n in nlls)

# %% [markdown]
# Every sentence is right, and still the perplexity is not 1, because label smoothing
# keeps the model from being quite sure. The two measures answer different questions.
#
# For and against Transformers, in one place. *Against*: time grows with the square of
# the length (memory too, unless the kernel is fused); positions, masks and often a
# warm-up have to be got right. *For*: any two words are one step apart, training has no
# chain over time, and deep stacks can be trained. Whether they are better at a task is
# a question for a table, and for a reader who checks it.
#
# ## Summary
#
# - Encoder: attention in both directions, one vector per source word. Decoder: causal
#   self-attention, cross-attention to the *last* encoder layer, feed-forward; then a
#   linear layer and a softmax over the vocabulary.
# - Queries from the target, keys and values from the source; two masks, one for the
#   future, one for the padding of the source. The padding of the target needs none.
# - Training is one pass (shift right, mask); writing is one pass per word, until
#   `<eos>`.
# - Label smoothing gives the logits a finite goal; warm-up gets deep post-norm stacks
#   through their first steps.
# - Greedy takes the best word, a beam the best few beginnings; the likeliest sentence
#   need not be the best.
# - Greedy writing can go round in circles. Drawing from all words meets the tail of
#   unlikely ones. Temperature, top-k and top-p lie between the two; only top-p keeps few
#   words where the model is sure and many where it is not.
# - Drop the cross-attention and you have a decoder-only model. It learns real text;
#   whether its loss is good, only strong rivals can tell.
# - Keep keys and values, and each new token costs a pass over one token and one look at
#   all that is kept.
# - To build a sequence model from attention you need: positions, several heads, a
#   nonlinearity per position, residuals and norms, and a mask if it is to write.
#
# ## Questions
#
# **1.** The source has 10 words, the translation 5. What are the shapes of the
# self-attention and of the cross-attention weights (H heads), and which changes if the
# source gets 8 words?
#
# <details><summary>Answer</summary>
#
# Self-attention (H, 5, 5), cross-attention (H, 5, 10). With 8 source words only the
# latter changes, to (H, 5, 8). No parameter has a length in it. (If `<eos>` is to be
# predicted too, the decoder reads `<bos>` and all five words: 6 in place of every 5.)
# </details>
#
# **2.** Someone trains a decoder, forgets the shift, and gets a loss near 0 after a few
# steps, *with* a correct causal mask. Why?
#
# <details><summary>Answer</summary>
#
# The diagonal is allowed: each step sees itself. Without the shift, the word to be
# predicted *is* the input of its own step, and copying it is the whole task. The mask
# hides the future; only the shift makes the answer part of the future.
# </details>
#
# **3.** With a KV cache the tokens per second still fall slowly for very long texts.
# What is left that grows?
#
# <details><summary>Answer</summary>
#
# The newest query still attends to all $t$ cached keys: $O(t D)$ per token, $O(n^2 D)$
# for the text. The cache saves computing keys, values and everything else of old tokens
# again; it does not save looking at them.
# </details>
#
# ## Where next
#
# Do the
# [assignment](../assignments/08_transformer_decoder/08_transformer_decoder.ipynb): you
# write the block, the loss, the two searches and the cache yourself. Then comes
# [unit 09](09_vision_transformer.ipynb), where the words are pieces of an image.
#
# To read on: the *Annotated Transformer* (in its newer edition of 2022) has the model
# of 2017 line by line; the *Illustrated Transformer* draws every step of it; the
# chapter on Transformers of *Dive into Deep Learning* has the same model with
# exercises.
