# %% [markdown]
# # 04 · Sequence to sequence with attention
#
# Attention became famous as a repair: a network that translates had to squeeze a whole
# sentence into one vector, and got worse the longer the sentence was. This lecture
# builds that network, measures where it breaks, and repairs it. After it you can
#
# - build an encoder and a decoder from two recurrent networks, start it with a go
#   symbol and train it with teacher forcing;
# - measure the information bottleneck instead of believing in it;
# - compute Luong's and Bahdanau's attention, and say which decoder state asks in each;
# - read an alignment matrix the right way round, and test by an intervention whether a
#   model uses what it looks at;
# - in the appendix: measure what one mistake costs a decoder, put attention on top of an
#   LSTM classifier, and find a bug that another line hides.
#
# *About 70 minutes, and 45 more for the appendix; the code runs in about a minute on a
# laptop, most of it in trainings.*

# %%
import re

import torch
import torch.nn.functional as F
from torch import nn

import drawings
from course_utils.data.letters import Vocabulary
from course_utils.data.reviews import KINDS, reviews
from course_utils.data.sequences import read_rows, spell
from course_utils.masking import masked_attention, padding_mask
from course_utils.plotting import COLOURS, Table, curves, heatmap, heatmaps
from course_utils.plotting import interactive, plt
from course_utils.seq2seq_attention import BOS, PAD, Bahdanau, Luong, Seq2Seq
from course_utils.seq2seq_attention import bahdanau_context, exact_match, luong_context
from course_utils.seq2seq_attention import sequence_loss, shift_right
from course_utils.training import fit, seeded, steps

# these networks are small: more threads would only wait for each other
torch.set_num_threads(1)

# %% [markdown]
# This is where we are going: while it writes, the decoder looks back at everything that
# was read, and at each step at something else. (It begins with the encoder's last
# state; that arrow is left out.)

# %%
drawings.encoder_decoder_with_attention()

# %% [markdown]
# ## Two networks with one vector between them
#
# A sequence goes in, another one of another length comes out: a translation, a
# summary, a transcript. The classic neural design has two recurrent networks. The
# **encoder** reads the source, one token after the other, and its last state is a
# summary of all of it. The **decoder** begins with that summary as its own first state
# (ours also has it at hand at every step), and writes:

# %%
drawings.encoder_decoder()

# %% [markdown]
# Our recurrent networks are GRUs, later also an LSTM. All you need to know here: at
# every step such a layer makes a new *state* of the old one and the next token, with
# the same parameters each time. `nn.GRU` returns the states of all steps, and the last
# one once more.
#
# | letter | meaning |
# |---|---|
# | $B$ | batch |
# | $S$, $T$ | length of the source, length of the target |
# | $E$, $V$ | size of an embedded token, number of words in the vocabulary |
# | $D$ | size of a state |
# | $h_1 \dots h_S$ | encoder states, together the **memory** |
# | $s_1 \dots s_T$ | decoder states |
#
# Two of these differ from the table in unit 01. Since $s$ is taken by the states,
# places of the source are counted by $i$ here; and $E$, which was the table of word
# vectors in unit 02, is a size.

# %%
torch.manual_seed(0)  # layers draw their first weights from the global generator
encoder, decoder = nn.GRU(8, 16, batch_first=True), nn.GRU(8, 16, batch_first=True)
source = torch.randn(2, 7, 8, generator=seeded(0))  # (B, S, E): seven embedded tokens
target = torch.randn(2, 5, 8, generator=seeded(1))  # (B, T, E): five embedded tokens
memory, last = encoder(source)  # (B, S, D), (1, B, D)
states, _ = decoder(target, last)  # (B, T, D)
named = {"memory": memory, "last": last, "states": states}
rows = [(name, tuple(tensor.shape)) for name, tensor in named.items()]
Table(rows, ["tensor", "shape"])

# %% [markdown]
# Recurrent networks are good at this: order is built in, the number of weights does
# not depend on the length, and any length will do. They have two weaknesses. They
# forget, as we shall measure. And they are slow, but be precise about it: the work is
# serial over *time* only. Within one step, all sentences of a batch and all units of a
# state are computed together.
#
# Now a question whose answer is the reason for this whole course: how does the size of
# the summary depend on the length of the source?

# %%
rows = []
for length in (5, 50, 500):
    words = torch.randn(1, length, 8, generator=seeded(0))  # (1, S, E)
    memory, last = encoder(words)  # (1, S, D), (1, 1, D)
    rows.append((length, last.numel(), memory.numel()))
Table(rows, ["tokens in the source", "numbers in the last state", "in the memory"])

# %% [markdown]
# Not at all. Five words or five hundred, the decoder gets 16 numbers: that is the
# **information bottleneck**. Think of a sentence from a parliament's minutes, a hundred
# words long with three dashes in it. Nobody translates it by reading it once and then
# looking away. The memory, which does grow with the source, was computed and thrown
# away.

# %% [markdown]
# ## The go symbol and teacher forcing
#
# The decoder is a language model with a condition: it gives each next token a
# probability, given the tokens so far and the source,
#
# $$p(y_1, \dots, y_T \mid x) = \prod_{t=1}^{T} p(y_t \mid y_1, \dots, y_{t-1}, x).$$
#
# Before the first token there is none that could be its input. So a special symbol,
# *go* or BOS (begin of sequence), starts the machine. From then on the input at step
# $t$ is token $t - 1$. But is that the true token $t - 1$, or the one that the model
# wrote?
#
# - **In training** the true one, whatever the model wrote. This is called **teacher
#   forcing**. All inputs are known beforehand, so they can be prepared at once: the
#   targets, shifted to the right by one, $\text{input}_1 = \text{BOS}$ and
#   $\text{input}_t = y_{t-1}$.
# - **At test time** its own, since there is no other. A diagram in which every output
#   is fed back as the next input shows test time, not training.


# %%
vocabulary = Vocabulary(["I am Alex ."])  # words to ids and back; 0 is PAD, 1 is BOS
targets = vocabulary.encode(["I am Alex ."])  # (1, T)
inputs = shift_right(targets, BOS)  # (1, T)
print("targets", targets.tolist(), " inputs", inputs.tolist())
given, wanted = ([vocabulary.words[i] for i in ids[0]] for ids in (inputs, targets))
Table(list(zip((1, 2, 3, 4), given, wanted)), ["step", "is given", "must write"])

# %% [markdown]
# Each row gives the decoder the token before its target (the earlier ones are in its
# state), and never the target itself. Forget the shift, and the network learns to copy
# its input. It is the cheater of unit 03 once more: a wonderful loss, and at test time
# nothing to copy.
#
# Teacher forcing has a price, too. In training the decoder only ever sees true
# beginnings. At test time it sees its own, mistakes included, and has never learned
# what to do after a mistake. This gap is called **exposure bias**. (The appendix plants
# a mistake and measures what follows.)
#
# When does it stop writing? In translation every target ends in a second special
# symbol, *end* or EOS, and a sentence is over when the decoder has written it. In a
# batch, what has ended is filled up with padding while the others go on:

# %%
ended = vocabulary.encode(["I am Alex .", "I am"], end=True)  # (2, T + 1)
print("EOS is", vocabulary.eos, "and PAD is", vocabulary.pad, " targets", ended.tolist())

# %% [markdown]
# In this lecture the length of every answer is known beforehand, so we stop by counting
# and need no EOS. You write the loop that stops by itself in exercise 7 (and in unit
# 08).

# %% [markdown]
# ## A loss that does not count padding
#
# Every step is a classification over the vocabulary, so the loss is cross entropy.
# Targets of a batch differ in length and are padded. Padding must not count: otherwise
# a model looks better the further its batch is padded, since it is easy to know that
# after padding comes padding. So the mean divides by the number of *real* tokens:
#
# $$L = -\frac{1}{\#\{(b, t) : y_{b,t} \ne \text{pad}\}} \sum_{(b,t)\,:\,y_{b,t} \ne \text{pad}} \log p(y_{b,t})$$


# %% [markdown]
# By hand: a sentence of two words and one pad. The model gives the right words the
# probabilities ½ and ¼; what it says at the pad does not matter. The loss is
# $-(\ln\tfrac12 + \ln\tfrac14)/2 = 1.04$, divided by two and not by three.
# `sequence_loss` wants raw logits, of which these are one example:

# %%
logits = torch.tensor([[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.1, 0.1, 0.8]]]).log()
targets = torch.tensor([[0, 2, 1]])  # (1, T): words 0 and 2, then a pad, whose id is 1
sequence_loss(logits, targets, pad=1)  # scalar

# %% [markdown]
# ## Exact match: all or nothing
#
# A date with nine right characters out of ten is a wrong date. So we count whole
# answers: `exact_match` is the share of sequences that are right at *every* position
# where the target is not padding.


# %%
target = torch.tensor([[7, 8, 9], [7, 8, PAD], [7, 8, 9]])  # (B, T)
# right, right, too short
predicted = torch.tensor([[7, 8, 9], [7, 8, 5], [7, 8, PAD]])  # (B, T)
print(f"exact match {exact_match(predicted, target, PAD):.2f}")

# %% [markdown]
# It is a hard measure. If every token were right with probability .95, independently, a
# whole answer of 16 tokens would be right with $.95^{16} = .44$.

# %% [markdown]
# ## The bottleneck, measured
#
# The task: reverse a string of letters from *a* to *n*, *badge* to *egdab*. No letter
# stands twice in a string. Nothing has to be understood, everything has to be
# remembered, and the length is ours to choose.
# The model is what we have built: a GRU of 64 units reads, another one writes. To be
# fair to it, the summary is not only the decoder's first state but at hand at every
# step. This is all that its `forward` does:


# %%
def strings(count, length, generator):
    # each row a random order of ids 2 to 15 (0 is PAD, 1 is BOS), cut to the length
    order = torch.rand(count, 14, generator=generator).argsort(1) + 2  # (B, 14)
    source = order[:, :length]  # (B, S): no letter twice
    return source, source.flip(1)  # (B, S), (B, T)


source, targets = strings(2, 5, seeded(0))  # (B, S), (B, T)
model = Seq2Seq(16, 16, dim=64)  # ids in the source, ids in the target
memory, last, mask = model.encode(source)  # (B, S, D), (B, D), (B, S)
words = model.embed_target(shift_right(targets, BOS))  # (B, T, D)
states, _ = model.decoder(words, last[None])  # (B, T, D)
summary = last[:, None].expand_as(states)  # (B, T, D): the same at every step
logits = model.out(torch.cat([summary, states], dim=-1))  # (B, T, V)
print("as in the model:", torch.equal(logits, model(source, targets)[0]))

# %% [markdown]
# To write freely, at test time, the model is called step by step: each time it is given
# the letter that it wrote last, and its own state after the step before. This is what
# its method `generate` does. (The arguments of `decode`: inputs, the state before the
# first of them, memory, its mask, summary.)


# %%
@torch.no_grad()
def write(model, encoded, length):
    memory, last, mask = encoded  # (B, S, D), (B, D), (B, S)
    # (B, 1), (B, D), and what is written
    token, state, written = torch.full((len(last), 1), BOS), last, []
    for _ in range(length):
        # (B, 1, V), (B, D)
        logits, state, _ = model.decode(token, state, memory, mask, last)
        token = logits.argmax(-1)  # (B, 1): the likeliest letter, and the next input
        written.append(token)
    return torch.cat(written, dim=1)  # (B, T)


ours, theirs = write(model, model.encode(source), 5), model.generate(source, 5)[0]
print("as in the model:", torch.equal(ours, theirs))

# %% [markdown]
# Training draws strings of 4 to 14 letters, one length per batch, so there is nothing
# to pad. One training could be luck. So we train **three times**, with other first
# weights and other strings, and show the mean and the range. (Do not compare the losses
# that are printed below: each is that of the last batch alone, whose strings have one
# random length, with true letters as inputs.)
#
# The recipe: 400 steps with 32 strings each, Adam with a learning rate of 0.01 that
# falls to 0 (`decay`), gradients of bounded size (`clip`). The model with attention,
# which comes later, gets exactly the same. We chose strings and recipe so that *that*
# model learns the task in a few seconds, on seeds not shown here, and before we had
# trained one without attention on such strings. If anything, this favours attention.


# %%
def train_reversal(kind, seed, dim=64, count=400):
    torch.manual_seed(seed)
    model, generator = kind(16, 16, dim=dim), seeded(seed)

    def loss(step):
        length = int(torch.randint(4, 15, (), generator=generator))  # 4 to 14 letters
        source, targets = strings(32, length, generator)  # (B, S), (B, T)
        return sequence_loss(model(source, targets)[0], targets, PAD)

    rate = {"lr": 1e-2, "clip": 1.0, "decay": True}
    fit(loss, model.parameters(), steps(count), label=kind.__name__, **rate)
    return model


# %%
def reversal_score(model, length):
    source, targets = strings(400, length, seeded(length))  # (B, S), (B, T)
    written, _ = model.generate(source, length)  # (B, T)
    return exact_match(written, targets, PAD)


def reversal_scores(models, lengths):
    rows = [[reversal_score(model, length) for length in lengths] for model in models]
    return torch.tensor(rows)  # (models, lengths)


plain = [train_reversal(Seq2Seq, seed) for seed in range(3)]
lengths = list(range(4, 15, 2))
scores = {"without attention": reversal_scores(plain, lengths)}  # (3, lengths)


# %% alt="Exact match of three models without attention by length: 1 at four letters, about 0.6 at ten, 0.4 at twelve and 0.2 at fourteen; the band of the three widens to a fifth"
def spread(x, runs, xlabel, ylabel):
    """Several trainings, (3, N) per name: their mean as a curve, their range as a band."""
    means = {name: each.mean(0) for name, each in runs.items()}  # (N,) each
    ax = curves(x, means, xlabel, ylabel, style="o-")
    for each, colour in zip(runs.values(), COLOURS):
        ax.fill_between(x, each.amin(0), each.amax(0), color=colour, alpha=0.25)
    ax.set(ylim=(0, 1.05))
    return ax


ax = spread(lengths, scores, "letters", "exact match")
ax.set_title("one vector: three trainings, mean and range");

# %% [markdown]
# Four letters practically always come back right, twelve in fewer than half of the
# cases, fourteen in about a fifth. It would be wrong to say that the network *cannot*
# remember: its memory degrades with length. Nor is the vector too small. The order of
# fourteen letters is $\log_2 14! = 36$ bits, which 64 numbers could *store* many times
# over. What we see
# is how much the network *learns to store*, and to find again (the appendix varies its
# units and its training). For any vector of fixed size and precision some length is too
# long; but the curve does not show that we have reached it.

# %% [markdown]
# ## Luong: the current state asks
#
# The memory has what the decoder needs, so let the decoder look at it, at every step
# anew. It is a soft look-up as in unit 02. The query is the decoder's state. Keys and
# values are both the encoder's states, unchanged: in recurrent attention one vector
# plays both parts.
#
# | in words | formula | shape |
# |---|---|---|
# | scores of the current state with every encoder state | $e_{t,i} = s_t \cdot h_i$ | $(B, S)$ |
# | weights, padding left out | $\alpha_t = \mathrm{softmax}(e_t)$ | $(B, S)$ |
# | context, a weighted mean of the memory | $c_t = \sum_i \alpha_{t,i} h_i$ | $(B, D)$ |
# | prediction from both, joined to one vector | $p(y_t) = \mathrm{softmax}([c_t; s_t]\, W_o)$ | $(B, V)$ |


# %% [markdown]
# By hand, with states that one can see through: three places with two numbers each, the
# third of them padding, and a state $(0.2, 1)$ that resembles the second place. The
# scores are $0.2\cdot 1 + 1\cdot 0 = 0.2$ and $0.2\cdot 0 + 1\cdot 4 = 4$; the padding
# takes no part. $\exp(0.2) = 1.2$ against $\exp(4) = 54.6$ gives weights of .022 and
# .978, and the context is $.022\,(1, 0) + .978\,(0, 4) = (.02, 3.91)$:

# %% alt="One row of weights over three places: 0.02, 0.98 and 0, the third being padding"
memory = torch.tensor([[[1.0, 0.0], [0.0, 4.0], [5.0, 5.0]]])  # (B, S, D)
state = torch.tensor([[0.2, 1.0]])  # (B, D)
mask = padding_mask(torch.tensor([2]), 3)  # (B, S): the third place is padding
context, weights = luong_context(state, memory, mask)  # (B, D), (B, S)
brought = ", ".join(f"{number:.2f}" for number in context[0])
names = ["h₁", "h₂", "pad"]
heatmap(weights, ["state"], names, title=f"context = [{brought}]", vmax=1);

# %% [markdown]
# Four things to get right:
#
# - The **context vector** is not the decoder state. It is what was brought back from
#   the source; the state is who asked. They are joined only afterwards, into $2D$
#   numbers.
# - A dot product needs **equal sizes** of encoder and decoder states. Where they
#   differ, or simply to let the model learn what to compare, use the *general* score
#   $(s_t W) \cdot h_i$: project the state first. Our model does.
# - There is **no scale** $1/\sqrt D$ in Luong's dot score. The Transformer brought it.
# - Ours is **simplified**. The paper sends $[c_t; s_t]$ through one more layer with a
#   tanh before it predicts, and feeds that layer's output into the next step as well
#   (*input feeding*).
#
# The current state $s_t$ does not need $c_t$ (with input feeding it would need
# $c_{t-1}$). So with teacher forcing the GRU can run over all steps first, and all
# steps can then ask at once. The third step of the model, by itself, gives the same:

# %%
model = Luong(16, 16, dim=64)
memory, last, mask = model.encode(source)  # (B, S, D), (B, D), (B, S)
words = model.embed_target(shift_right(targets, BOS))  # (B, T, D)
states, _ = model.decoder(words, last[None])  # (B, T, D)
state = states[:, 2]  # (B, D): of the third step
context, weights = luong_context(model.query(state), memory, mask)  # (B, D), (B, S)
logits = model.out(torch.cat([context, state], dim=-1))  # (B, V)
whole = model(source, targets)[0]  # (B, T, V): all steps at once
print("as in the model:", torch.allclose(logits, whole[:, 2], atol=1e-6))

# %% [markdown]
# ## Attention opens the bottleneck
#
# The same task, the same sizes, the same recipe, again three times.

# %%
luong = [train_reversal(Luong, seed) for seed in range(3)]
scores["with attention"] = reversal_scores(luong, lengths)  # (3, lengths)

# %% alt="Exact match by length, mean and range of three trainings: with attention 1 at four letters and still about 0.9 at fourteen; without attention 1 at four letters too, but 0.4 at twelve and 0.2 at fourteen"
ax = spread(lengths, scores, "letters", "exact match")
ax.set_title("attention opens the bottleneck");

# %% [markdown]
# At twelve letters, where the models without attention lose more than half of the
# strings, those with attention bring back more than nine in ten, after the same
# training; and at every length from eight on the worst of the three with attention lies
# above the best without. (They have one matrix more, for the general score.)
#
# What does it look at? To write the first letter, at the end of the string; and so on,
# backwards. Nobody told it so. Do not be surprised to find it one or two places to the
# right of the letter that it writes: the state there has read that letter too.

# %% alt="Alignment of the reversal of ten letters: dark cells near the anti-diagonal from the top right to the bottom left, one or two places to its right"
letters = "abcdefghijklmn"
text = "blackfiend"
ids = torch.tensor([[letters.index(c) + 2 for c in text]])  # (1, S)
written, weights = luong[0].generate(ids, 10)  # (1, T), (1, T, S)
answer = [letters[max(int(i), 2) - 2] for i in written[0]]
ax = plt.subplots(figsize=(4.4, 3.8))[1]
title = f"reversing {text}: from its end to its beginning"
heatmap(weights[0], answer, text, title, ax, values=False, vmax=1)
ax.set(xlabel="keys: read →", ylabel="queries: written ↓");

# %% [markdown]
# Read it row by row, from the top: *d* and *n* are written while looking at *d*, *e* and
# *i* at *n*, *f* and *k* at *i*; from then on each letter while looking at the next one
# of the string.
#
# The bill for it: the memory of $S \cdot D$ numbers must be kept, and $T \cdot S$
# scores computed. And mind what was easy here. Since no letter stands twice, the letter
# written last is enough to say where to look next. Try it with letters that repeat
# (`torch.randint(2, 16, (count, length), generator=generator)` in `strings`). Nor have
# we shown strings longer than those of the training.

# %% [markdown]
# ## Bahdanau: the previous state asks
#
# The first attention for translation, a year before Luong's, works in another order.
# The *previous* state $s_{t-1}$ asks, with the additive score of unit 02, and the
# context goes *into* the GRU:
#
# | | Bahdanau, Cho and Bengio (2014) | Luong, Pham and Manning (2015) |
# |---|---|---|
# | who asks | the previous state $s_{t-1}$ | the current state $s_t$ |
# | score | $u \cdot \tanh(s_{t-1} W_s + h_i W_h)$ | $s_t \cdot h_i$, or $(s_t W) \cdot h_i$ |
# | the context | helps to make the state: $s_t = \mathrm{GRU}([y_{t-1}; c_t], s_{t-1})$ | is joined to it afterwards: $[c_t; s_t]$ |
# | with teacher forcing | one step after the other | all steps at once |
#
# Formulas for attention that disagree about the index of the state, $t$ or $t - 1$, may
# both be right: each describes one column of this table. (Ours is simplified here, too.
# The encoder of the paper of 2014 reads in both directions, so that each $h_i$ knows
# what comes after it, and its decoder predicts from $y_{t-1}$ as well, through one more
# layer.)


# %%
drawings.luong_and_bahdanau()

# %% [markdown]
# Again by hand, with a size of one for everything, so that all weights are numbers:
# $s = 1$, $h = (0, 2)$, $W_s = 1$, $W_h = -1$, $u = 3$. The scores are
# $3\tanh(1 - 0) = 2.28$ and $3\tanh(1 - 2) = -2.28$, the weights .99 and .01, the
# context $.99\cdot 0 + .01 \cdot 2 = 0.02$. The context is a mean of the *memory*; the
# projections serve the score alone.

# %%
one, memory = torch.tensor([[1.0]]), torch.tensor([[[0.0], [2.0]]])  # (B, D), (B, S, D)
mask = torch.tensor([[True, True]])  # (B, S)
bahdanau_context(one, memory, one, -one, torch.tensor([3.0]), mask)  # (B, D), (B, S)

# %% [markdown]
# One step of the decoder: look, then make the next state of the word *and* what was
# found, then predict.

# %%
model = Bahdanau(16, 16, dim=64)
memory, state, mask = model.encode(source)  # (B, S, D), (B, D), (B, S)
word = model.embed_target(torch.full((len(source),), BOS))  # (B, D)
learned = model.w_s, model.w_h, model.v  # (D, D), (D, D), (D,): u is called v here
context, weights = bahdanau_context(state, memory, *learned, mask)  # (B, D), (B, S)
state = model.decoder(torch.cat([word, context], dim=-1), state)  # (B, D), a GRUCell
logits = model.out(torch.cat([context, state], dim=-1))  # (B, V), then the next step
whole = model(source, targets)[0]  # (B, T, V)
print("as in the model:", torch.allclose(logits, whole[:, 0], atol=1e-6))

# %% [markdown]
# ## German number words
#
# A translation that needs more than copying: *viertausendsiebenhundertfünfundzwanzig*
# to 4725. German says the ones before the tens, *five-and-twenty*, so the order is
# crossed. The file holds 4000 different numbers below 10,000 in random order, each word
# cut into its parts. The first thousand are kept for the test. The words differ in
# length and are padded. So the model's summary is the state after the last *real* part,
# and the mask keeps it from looking at padding. Again we train three times. Here and
# with the dates below we ask *where* attention looks. Whether it is needed there we do
# not test: no model without it is trained on them.

# %%
rows = read_rows("number_words")  # digits, parts of the word
asked = [text for _, text in rows]  # "fünf und zwanzig"
wanted = [spell(number) for number, _ in rows]  # "0 0 2 5"
words, digits = Vocabulary(asked), Vocabulary(wanted)
source, targets = words.encode(asked), digits.encode(wanted)  # (N, S), (N, T)
Table(list(zip(asked, wanted))[:2], ["is read", "is to be written"])


# %%
def train(model, source, targets, chosen, count, label, seed=0):
    generator = seeded(seed)

    def loss(step):
        places = torch.randint(len(chosen), (64,), generator=generator)  # (B,)
        batch = chosen[places]  # (B,): rows of the data that are for training
        # no more padding than this batch needs
        longest = int((source[batch] != PAD).sum(1).max())
        logits, _ = model(source[batch, :longest], targets[batch])  # (B, T, V)
        return sequence_loss(logits, targets[batch], PAD)

    rate = {"lr": 8e-3, "clip": 1.0, "decay": True}
    fit(loss, model.parameters(), steps(count), label=label, **rate)


# %%
models, rest = [], torch.arange(1000, 4000)  # (3000,): rows for training
for seed in range(3):
    torch.manual_seed(seed)
    models.append(Bahdanau(len(words), len(digits)))
    train(models[seed], source, targets, rest, 250, "number words", seed)
    written, _ = models[seed].generate(source[:1000], 4)  # (1000, T)
    share = exact_match(written, targets[:1000], PAD)
    print(f"seed {seed}: exact match on 1000 numbers never seen {share:.3f}")
numbers = models[0]

# %% [markdown]
# ## Reading an alignment matrix
#
# The weights of all steps, one row per step, are the **alignment matrix**. This is the
# one of *viertausendsiebenhundertfünfundzwanzig*:

# %% alt="Alignment of vier tausend sieben hundert fünf und zwanzig with 4725: the rows of 4 and 7 look ever further right, the row of 2 at the last part, the row of 5 back before it"
text = "vier tausend sieben hundert fünf und zwanzig"
answer, looks = numbers.generate(words.encode([text]), 4)  # (1, T), (1, T, S)
shown = [digits.words[i] for i in answer[0]]
ax = heatmap(looks[0], shown, text.split(), "the last two rows are crossed", vmax=1)
ax.set(xlabel="keys: read →", ylabel="queries: written ↓")
print("part of the training:", "4725" in [number for number, _ in rows[1000:]])

# %% [markdown]
# Read it like this:
# 1. **A row is a moment of writing.** It belongs to the token that is being written
#    (the query). Each row sums to one.
# 2. **A column is a place that can be read.** It belongs to the source (the keys).
#    Columns need not sum to anything.
# 3. Follow one row to its dark cells: *while writing this, it looked there*. Never the
#    other way round.
#
# The row of the **2** is dark at the end of the word, the row of the **5** to the left
# of it: the alignment is **crossed**, because the languages are.
#
# The best-known matrix of this kind is figure 3 of the paper of 2014: English along the
# top, French down the side, a bright cell where *Area* and *zone* meet. It is easily
# read the wrong way round. English was read and French was written: it is the row of
# *zone* that looks at *Area*. And one sequence asks while another is looked at, so this
# is **cross-attention**, not self-attention.
#
# ### Does it use what it looks at?
#
# A weight says *where* a model looked, not *what* it took. The **4** looks at *tausend*
# and not at *vier*: can it find a 4 there? It can if the state at *tausend* has read
# *vier* too. We test it by an intervention. Take the memory of a second word that has
# other digits in the same places, 8369, and put *one* of its states into the memory of
# 4725, at the same place (this is called *patching*). Which digits change?

# %%
donor = "acht tausend drei hundert neun und sechzig"
memory, last, mask = numbers.encode(words.encode([text]))  # (1, S, D), (1, D), (1, S)
other = numbers.encode(words.encode([donor]))[0]  # (1, S, D)
rows = []
for i, (here, there) in enumerate(zip(text.split(), donor.split())):
    patched = memory.clone()  # (1, S, D)
    patched[:, i] = other[:, i]  # one state of the other word
    result = write(numbers, (patched, last, mask), 4)[0]  # (T,)
    weight = f"{looks[0, :, i].max():.2f}"
    rows.append((f"{here} ← {there}", weight, digits.decode(result)))
result = write(numbers, (other, last, mask), 4)[0]  # (T,)
rows.append(("all seven", "", digits.decode(result)))
Table(rows, ["state exchanged", "largest weight on it", "is written"], "4725, patched")

# %% [markdown]
# Each of the four places that the model looks at carries one digit: exchange the state,
# and that digit is exchanged, and no other. The places with next to no weight can be
# exchanged, one at a time, and the same digits are written. And the 4 does sit at
# *tausend*: a new state at *vier* changes nothing. With all seven states exchanged,
# 8369 is written, although the decoder still began with the last state of 4725: what it
# writes comes through the attention.
#
# One pair proves little. Here are all words of the test that are built like this one,
# each patched with the one before it: on the left where they look on average, on the
# right how often a digit becomes that of the other word (where the two differ). The
# parts of 4725 name the columns here, and stand for the seven places of all words.

# %%
form = r"\w+ tausend \w+ hundert \w+ und \w+"
tokens = words.encode([word for word in asked[:1000] if re.fullmatch(form, word)])  # (N, S)


def patch_all(model):
    """-> mean weights (T, S), how often a digit follows a patch (T, S), strays."""
    memory, last, mask = model.encode(tokens)  # (N, S, D), (N, D), (N, S)
    own, found = model.generate(tokens, 4)  # (N, T), (N, T, S)
    new = own.roll(1, 0)  # (N, T): the digits of the other word
    effect, strays = [], 0
    for i in range(7):
        patched = memory.clone()  # (N, S, D)
        patched[:, i] = memory[:, i].roll(1, 0)
        result = write(model, (patched, last, mask), 4)  # (N, T)
        became = (result == new) & (own != new)  # (N, T)
        effect.append(became.sum(0) / (own != new).sum(0))  # (T,)
        strays += int(((result != new) & (result != own)).sum())
    return found.mean(0), torch.stack(effect, dim=1), strays  # (T, S), (T, S), number


# %% alt="Left: mean weights of the four digits on the seven parts of a word; right: how often a digit follows a patched state. The dark cells of both lie at the same places"
patches = [patch_all(model) for model in models]
panels = dict(zip(("mean weight", "digit follows"), patches[0]))
figure = heatmaps(panels, ["1st", "2nd", "3rd", "4th"], text.split())
figure.suptitle(f"seed 0, {len(tokens)} words of this form")
for ax in figure.axes:
    ax.set(xlabel="keys: read →", ylabel="queries: written ↓")

# %% [markdown]
# The same in numbers, for all three trainings: the place at which each digit looks
# most, how often the digit follows a patch there (the least of the four digits), how
# often at any other place (the most), and how many digits became something else.

# %%
rows = []
for seed, (found, effect, strays) in enumerate(patches):
    most = found.argmax(1)  # (T,): the place with the largest weight
    at = effect.gather(1, most[:, None]).min()  # scalar
    elsewhere = effect.scatter(1, most[:, None], 0.0).max()  # scalar
    places = ", ".join(text.split()[i] for i in most)
    rows.append((seed, places, f"{at:.2f}", f"{elsewhere:.2f}", strays))
columns = ["seed", "the four digits look at", "follows there", "elsewhere", "neither"]
Table(rows, columns)

# %% [markdown]
# In all three trainings the digits follow the place with the most weight, and hardly
# any other. But the places differ: the first digit sits at *tausend* after one training
# and at the part before it after the others. A weight is a question, and a patch is the answer.

# %% [markdown]
# ## Dates in six languages
#
# Now letter by letter. The source is a date in English, German, French, Spanish,
# Italian or Hungarian, in five formats each (some as people write them, some simply put
# together); the target is the ISO form, ten characters. Nobody tells the model which
# language it is reading. The same day may occur twice, so the split is **by day**:
# whatever shares its day with one of the thousand test texts is left out of the
# training. We train Luong's attention, once: the rest of this section describes that
# one model.

# %%
dates = read_rows("dates")  # ISO date, language, text
Table(dates[:5], ["to be written", "language", "is read"])

# %%
# letters with spaces between them: "3 ␣ m a y"
asked = [spell(text) for *_, text in dates]
wanted = [spell(day) for day, *_ in dates]
letters, iso = Vocabulary(asked), Vocabulary(wanted)
source, targets = letters.encode(asked), iso.encode(wanted)  # (N, S), (N, T)
tested = {day for day, *_ in dates[:1000]}
kept = [i for i in range(1000, len(dates)) if dates[i][0] not in tested]
kept = torch.tensor(kept)  # (N,): rows whose day is not tested
print(f"{len(kept)} texts for training, {4000 - len(kept)} left out for their day")

# %%
torch.manual_seed(0)
calendar = Luong(len(letters), len(iso))
train(calendar, source, targets, kept, 300, "dates")
written, weights = calendar.generate(source[:1000], 10)  # (1000, T), (1000, T, S)
share = exact_match(written, targets[:1000], PAD)
print(f"exact match on 1000 texts of days never seen: {share:.3f}")

# %% [markdown]
# Where does it look? ISO begins with the year. In the formats shown here only
# Hungarian begins with it, all others end with it, and English and Hungarian put
# the month before the day. Move the slider: the same day, the same ten characters to be
# written, in six languages and three orders. (No text of this day is in the file.)

# %%
day = {
    "English": "thursday, march 25, 1999",
    "German": "donnerstag, 25. märz 1999",
    "French": "jeudi 25 mars 1999",
    "Spanish": "jueves, 25 de marzo de 1999",
    "Italian": "giovedì 25 marzo 1999",
    "Hungarian": "1999. március 25., csütörtök",
}


def draw_day(language):
    text = spell(day[language])
    answer, looks = calendar.generate(letters.encode([text]), 10)  # (1, T), (1, T, S)
    characters = [iso.words[i] for i in answer[0]]
    ax = plt.subplots(figsize=(8, 3.6))[1]
    year = looks[0, :4].mean(0).argmax()  # where the digits of the year look
    side = "beginning" if year < len(text.split()) / 2 else "end"
    title = f"{language}: {''.join(characters)}, the year is found at the {side}"
    heatmap(looks[0], characters, text.split(), title, ax, values=False, vmax=1)
    ax.set(xlabel="keys: read →", ylabel="queries: written ↓")


interactive(
    draw_day,
    "language",
    list(day),
    start="English",
    alt="Looks while 1999-03-25 is written",
)

# %% [markdown]
# Three of the four rows of the year look at the year, wherever it stands: their dark
# cells move from the right to the left as you come to Hungarian. (Count the columns,
# since the three nines look alike: the second and the third row both look mostly at the
# third digit.) On this day both rows of the day look at the day; over all test dates
# only the second one nearly always does (appendix). The very first row hardly looks at
# the year here. There are only two centuries in the data, and the summary with which
# the decoder begins may already know which.

# %% [markdown]
# ## Who asks, who answers
#
# The general form has two inputs: a sequence that **asks** gives the queries, a
# sequence that is **looked at** gives keys *and* values. The result has one row per
# query. Do not take the keys from one sequence and the values from the other: every
# value needs a key by which it is found, so both belong to the same places. The shapes
# complain only if the lengths differ.
#
# | task | who asks (queries) | who is looked at (keys and values) | what the alignment looks like |
# |---|---|---|---|
# | translation | the words written so far | the source sentence | near the diagonal, crossed where the languages differ |
# | speech to text (*Listen, Attend and Spell*) | the letters written so far | frames of audio, thinned out by a pyramid of LSTMs | nearly always from left to right: nobody speaks backwards |
# | question answering | the question | the text that holds the answer | dark where the answer stands |
# | captions (unit 10) | the words written so far | regions of an image | from object to object |
# | one series from another (unit 07) | one learned query | the last values of the series that drives it | a hill around the delay |
#
# In figure 2 of the paper of 2014 the quality of the models without attention falls
# with the length, as ours did above. With attention, trained on sentences of up to 50
# words, it hardly depends on the length any more.
#
# And if the decoder can look anywhere at every step, what is the recurrence still for?
# It could keep the place and the order; we have not tested it. That is the question of
# the next units.

# %% [markdown]
# ## Summary
#
# - An encoder reads, a decoder writes; without attention one vector of fixed size lies
#   between them, and exact match falls from 1 to about a fifth as strings grow from
#   4 to 14 letters; with attention and the same training it stays at about .9. Training
#   and units move that cliff (appendix): within our budgets it shows what the network
#   learns to store, not what a vector could hold.
# - The decoder starts with a go symbol. In training its inputs are the true targets
#   shifted right (teacher forcing); at test time its own words, which it has not been
#   trained on (exposure bias; the appendix measures what one wrong letter costs).
# - Loss and exact match leave out padding, and the target says what padding is.
# - Attention lets each step look at all encoder states. Luong: the current state asks,
#   the context is joined to it afterwards. Bahdanau: the previous state asks, the
#   context goes into the next state.
# - In an alignment matrix a row is what is being written, a column what can be read.
#   Whether a model uses what it looks at, only an intervention can say.
# - Attention also works on top of an LSTM, with a mask. Equal parameter counts and
#   right shapes do not prove a program right (appendix).

# %% [markdown]
# ## Questions
#
# **1.** A friend's model reaches a training loss of 0.001 within a minute; what it
# generates is one letter, repeated. What do you look at first?
# <details><summary>Answer</summary>
#
# The shift. If the decoder's inputs are the targets themselves, each step is given the
# token that it has to predict and learns to copy it. At test time it is given the go
# symbol, or its own last letter, and copies that. Compare inputs and targets of one
# batch side by side.
# </details>
#
# **2.** The source is twice as long. How does that change the encoder's last state, the
# memory, and the number of scores per written token, with and without attention?
# <details><summary>Answer</summary>
#
# The last state keeps its size: that is the bottleneck. The memory doubles. Without
# attention there are no scores, and the quality falls; with it every written token
# needs twice as many. Attention buys memory that grows with the text, at a price that
# grows with it too.
# </details>
#
# **3.** Why can Luong's decoder do all steps of a training example at once, while
# Bahdanau's cannot? And at test time?
# <details><summary>Answer</summary>
#
# Without input feeding, Luong's states depend on the encoder's last state and the
# inputs alone, and with teacher forcing all inputs are known: first all states, then
# all looks. Bahdanau's context goes into the state, so look, state, look, state must
# alternate. (The GRU inside is serial in both, but Luong's is one call of a fast
# routine, and Bahdanau's one call per step.) At test time the next input is the model's
# own last word, so both go step by step.
# </details>

# %% [markdown]
# ## Where next
#
# The [assignment](../assignments/04_seq2seq_attention/04_seq2seq_attention.ipynb) of
# this unit has you write `shift_right`, `sequence_loss`, `exact_match`, `generate` and
# both attentions, and find what is wrong in three common claims and programs. Then [unit
# 05](05_multi_head_attention.ipynb): one look per step is a single mixture; several
# heads look at several things at once. (Exercise 10 needs the last part of the appendix
# that follows here.)

# %% [markdown]
# ## Appendix: controls, and attention without a decoder
#
# Two measurements that were promised above, a second look at the dates, a classifier
# with attention, and a hidden bug.
#
# ### Exposure bias, measured
#
# What does one mistake cost a decoder? We plant one. The models without attention get
# the same strings of twelve letters three times: with the true letters as inputs; with
# their own; and with the true ones except for a *single* letter, the fourth, which we
# replace by a random other one.


# %%
def planted(model, source, targets, freely=False):
    """True inputs, but a wrong fourth letter -> what is written (B, T). `freely`: from
    then on its own letters as inputs, not the true ones."""
    inputs = shift_right(targets, BOS)  # (B, T)
    other = torch.randint(1, 14, inputs[:, 4].shape, generator=seeded(4))  # (B,)
    inputs[:, 4] = 2 + (inputs[:, 4] - 2 + other) % 14  # the input of the fifth step
    memory, state, mask = model.encode(source)  # (B, S, D), (B, D), (B, S)
    last, written = state, []
    for t, token in enumerate(inputs.split(1, dim=1)):  # (B, 1)
        token = written[-1] if freely and t > 4 else token  # (B, 1)
        logits, state, _ = model.decode(token, state, memory, mask, last)  # (B, 1, V)
        written.append(logits.argmax(-1))
    return torch.cat(written, dim=1)  # (B, T)


# %% alt="Share of right letters by position for strings of twelve: mean and range of three trainings. With true inputs it falls to about 0.8 and ends at 0.9, with its own inputs to about 0.7, with one wrong letter among true ones it drops at once to one tenth and then to 0"
source, targets = strings(1000, 12, seeded(3))  # (B, S), (B, T)


def right(models, answer):
    """Share of right letters at each of twelve positions -> (models, 12)."""
    with torch.no_grad():
        rows = [(answer(model) == targets).float().mean(0) for model in models]
    return torch.stack(rows)  # (models, 12)


given = {
    "true letters": lambda model: model(source, targets)[0].argmax(-1),
    "its own letters": lambda model: model.generate(source, 12)[0],
    "true letters but one": lambda model: planted(model, source, targets),
}
shares = {name: right(plain, answer) for name, answer in given.items()}
ax = spread(range(1, 13), shares, "position", "share of right letters")
ax.axvline(4.5, color="grey", linestyle=":")
ax.set_title("what the decoder is given, without attention");

# %% [markdown]
# At the first position all three are given the same go symbol, so the curves begin
# together. With its own letters the model falls behind. Two things could be the reason:
# its state is one for which it was never trained, or it simply lacks what the true
# letters would have told it. In the third curve every letter is true but one (dotted
# line), so little is missing. Yet the share of right letters drops at once, and goes on
# falling to 0: true letters afterwards do not bring the model back. Since 0 is below the
# share of a guess, it is not merely lost but wrong in some systematic way; we have not
# found which. Nor does this say how much of the second curve's fall has the same cause:
# our letter was random, and says something false; the model's own mistakes may be
# milder.
#
# And with attention? Again one wrong letter, after which each model is given true
# letters, or has to go on with its own (the colours mean something else here):

# %% alt="Share of right letters after one wrong letter at position 4: mean and range of three trainings. With attention and true letters it is back above 0.8 after three letters and above 0.9 from the eighth on; with its own letters it stays below 0.3 with attention and below 0.5 without; without attention and with true letters it falls to 0"
def freely(model):
    return planted(model, source, targets, freely=True)  # (B, T)


wrong = given["true letters but one"]
after = {"attention, true letters": right(luong, wrong)}  # (3, 12) each
after["attention, its own letters"] = right(luong, freely)
after["no attention, true letters"] = right(plain, wrong)
after["no attention, its own letters"] = right(plain, freely)
ax = spread(range(1, 13), after, "position", "share of right letters")
ax.axvline(4.5, color="grey", linestyle=":")
ax.set_title("after one wrong letter");

# %% [markdown]
# After the planted mistake, true letters bring the models with attention most of the way
# back within three steps: the rest of the string need not survive in the state, it can
# be looked up. Left to their own letters all models stay lost more often than not, those
# with attention even more so. That fits a decoder which looks for the letter it wrote
# last, and so goes on from the wrong place; but we have not tested it. (Nor why, without
# attention, true letters do worse than its own.) At test time there are no true letters,
# so exposure bias stays.
#
# Two remedies are usually named: show the decoder its own letters in training now and
# then (scheduled sampling), or keep several candidates alive while decoding (beam
# search, unit 08).
#
# ### A smaller vector, or less training?
#
# Two smaller budgets: a fifth of the training, with all 64 units and with half of them,
# three times each:

# %%
shown = (4, 6, 8, 10)
less = {"count": 80}
budgets = {
    "32 units, 80 steps": [train_reversal(Seq2Seq, i, 32, **less) for i in range(3)],
    "64 units, 80 steps": [train_reversal(Seq2Seq, i, **less) for i in range(3)],
    "64 units, 400 steps": plain,
}
rows = []
for name, several in budgets.items():
    found = reversal_scores(several, shown)  # (3, lengths)
    ranges = zip(found.mean(0), found.amin(0), found.amax(0))
    rows.append((name, *(f"{mean:.2f} ({a:.2f} to {b:.2f})" for mean, a, b in ranges)))
Table(rows, ["exact match: mean (range)", "4 letters", "6", "8", "10"])

# %% [markdown]
# Rows 1 and 2 differ in size only (of the states, and of the embeddings with them),
# rows 2 and 3 in training only. At four letters and at six no range touches another:
# after the same training, 64 units hold more than 32; and the same 64 units hold more
# after a longer training. So both move the cliff.
#
# ### Where all test dates look
#
# One day proves nothing. So take all test dates whose month is written as a word, and
# add up the weights by what stands where they fall: a digit of the year, a digit of
# the day, or a letter (of the month, of the weekday, or of the Spanish *de*). The last
# row has the largest weight of a step, on average over the same dates.


# %%
def kinds(text):
    """One letter per character: y(ear), d(ay), l(etter), or something else (.)."""
    text = re.sub(r"\d{4}", "yyyy", re.sub(r"[^\W\d]", "l", text))
    return re.sub(r"[^ydl]", ".", re.sub(r"\d", "d", text))


shares = {"the year": "y", "the day": "d", "letters": "l", "the rest": "."}
found = [kinds(text) for *_, text in dates[:1000]]
chosen = [i for i, kind in enumerate(found) if kind.count("d") < 3 and "l" in kind]
rows = []
for name, sign in shares.items():
    marks = [[mark == sign for mark in found[i].ljust(weights.shape[2])] for i in chosen]
    share = (weights[chosen] * torch.tensor(marks)[:, None]).sum(-1)  # (N, T)
    rows.append((name, *(f"{number:.2f}" for number in share.mean(0))))
largest = weights[chosen].amax(-1).mean(0)  # (T,)
rows.append(("largest weight", *(f"{number:.2f}" for number in largest)))
Table(rows, ["share of the weight on", *"YYYY-MM-DD"], f"{len(chosen)} dates")

# %% [markdown]
# From its second digit on, the year looks at the year with nearly all of its weight,
# wherever that stands. The second digit of the month, which has to tell most of the
# months apart, looks at letters, and the second digit of the day looks at the day. The
# first digits of year, month and day often look at what stands between the words. That
# is no waste: a state after a word has read the word. But which of these looks the
# model *uses*, only patching would tell. The hyphens are the same in every date, and
# it matters to nobody where they look. (Letters of the weekday, of the month and of
# *de* are not told apart here. The date does not depend on the weekday.)

# %% [markdown]
# ### Attention on top of an LSTM
#
# Attention can be added on top of any network that makes one vector per token, also
# where nothing is generated. A classic recipe for classifying texts: embedding → LSTM →
# self-attention → mean over the tokens → classifier. Here it is for film reviews that
# name two impressions. The last one counts, so the same words in another order can
# belong to the other class. (Four trainings of 200 steps, about three seconds each.)


# %%
class Classifier(nn.Module):
    def __init__(self, words, dim=20, recurrent=True, attends=True, masked=True):
        super().__init__()
        self.embed, self.out = nn.Embedding(words, dim), nn.Linear(dim, 2)
        self.lstm = nn.LSTM(dim, dim, batch_first=True) if recurrent else None
        self.attends, self.masked = attends, masked

    def forward(self, tokens):
        mask = (tokens != PAD) | (not self.masked)  # (B, T)
        x = self.embed(tokens)  # (B, T, D)
        x = self.lstm(x)[0] if self.lstm is not None else x  # (B, T, D)
        if self.attends:
            x, _ = masked_attention(x, x, x, mask[:, None, :])  # (B, T, D)
        total = (x * mask[..., None]).sum(1)  # (B, D): of the real tokens
        return self.out(total / mask.sum(1, keepdim=True))  # (B, 2)


# %%
made, labels = reviews(seeded(0), 2000, kinds=2)  # lists of words, (N,)
texts = [" ".join(review) for review in made]
lexicon = Vocabulary(texts)
tokens = lexicon.encode(texts)  # (N, T)
Table([(KINDS[labels[i]], texts[i]) for i in range(3)], ["class", "review"])


# %%
def train_classifier(label, **options):
    torch.manual_seed(0)
    model, generator = Classifier(len(lexicon), **options), seeded(0)

    def loss(step):
        # the first 500 are the test
        batch = torch.randint(500, 2000, (64,), generator=generator)  # (B,)
        return F.cross_entropy(model(tokens[batch]), labels[batch])

    fit(loss, model.parameters(), steps(200), lr=1e-2, label=label)
    return model


# %%
@torch.no_grad()
def log_odds(model, padding=0):
    logits = model(F.pad(tokens[:500], (0, padding), value=PAD))  # (500, 2)
    return logits[:, 1] - logits[:, 0]  # (500,): above 0 for funny


def accuracy(model, padding=0):
    return ((log_odds(model, padding) > 0) == labels[:500].bool()).float().mean()


both = train_classifier("LSTM and attention")
lstm_alone = train_classifier("LSTM alone", attends=False)
alone = train_classifier("attention alone", recurrent=False)
rows = [("LSTM and attention", accuracy(both)), ("LSTM alone", accuracy(lstm_alone))]
Table([*rows, ("attention alone", accuracy(alone))], ["model", "accuracy"])

# %% [markdown]
# Attention by itself treats its input as a bag of words, so on these reviews it can
# only guess. The LSTM knows about order, and the row in the middle shows that here it
# needs no attention: the recipe works, but this task does not prove that attention
# contributes. (Unit 06 gives attention the knowledge of order without an LSTM. If you
# take the layer from a library, check its scale: some do not divide by $\sqrt D$ by
# default.)
#
# Such programs often mask nothing: padding is attended to, and averaged. What does that
# do to a review that gets 80 pads more, because a long one came into its batch? We
# compare the log-odds of the two classes, $\log p(\text{funny}) - \log p(\text{dull})$,
# before and after.

# %%
unmasked = train_classifier("both, no mask", masked=False)
rows = []
for name, model in {"masked": both, "not masked": unmasked}.items():
    change = (log_odds(model, 80) - log_odds(model)).abs().mean()  # scalar
    rows.append((name, f"{change:.4f}", accuracy(model), accuracy(model, 80)))
columns = ["model", "mean change of the log-odds", "accuracy", "after 80 pads more"]
Table(rows, columns)

# %% [markdown]
# With the mask nothing moves. Without it a text's score depends on what else is in its
# batch. And the accuracy does not notice: the sign survives, perhaps because these
# reviews are so clear and the LSTM carries its verdict through the padding. A number
# that looks perfect is not a test. *Pad, and compare* is one.

# %% [markdown]
# ### A bug that another line hides
#
# Here is such a program with a bug that survives because of another line. It is meant
# for 2000 words, vectors of 100 numbers and an LSTM of 20 units. The embedding's two
# arguments are swapped. And the words come in with an axis of length one that nobody
# needs, which a `reshape` has to remove.

# %%
# the number of words comes first, then the size
swapped, correct = nn.Embedding(100, 2000), nn.Embedding(2000, 100)
lstm, head = nn.LSTM(100, 20, batch_first=True), nn.Linear(20, 1)
# four texts of twelve words
ids = torch.randint(0, 100, (4, 12, 1), generator=seeded(0))  # (B, T, 1)
rows = []
for name, embed in (("arguments swapped", swapped), ("arguments in order", correct)):
    x = embed(ids)  # (B, T, 1, E)
    y = x.reshape(4, -1, 100)  # (B, ?, 100)
    result = head(lstm(y)[0].mean(1))  # (B, 1)
    count = sum(p.numel() for layer in (embed, lstm, head) for p in layer.parameters())
    shapes = [tuple(tensor.shape) for tensor in (x, y, result)]
    rows.append((name, f"{count:,}", *shapes))
columns = [
    "program",
    "parameters",
    "after the embedding",
    "after the reshape",
    "result",
]
Table(rows, columns)

# %% [markdown]
# The number of parameters is the same, since $100 \cdot 2000 = 2000 \cdot 100$. The
# result has the right shape. Yet in the first row every word has been cut into **20
# pieces** that the LSTM reads as 20 words: twelve words have become 240. In this table
# only the inner shapes give it away.
#
# Without the line that hides it, or with a rare word, the bug shows itself:


# %%
def try_it(program):
    try:
        return f"runs, result {tuple(program().shape)}"
    except (RuntimeError, IndexError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


rare = ids + 1400  # (B, T, 1): words of higher ids
attempts = {
    "without the reshape": lambda: lstm(swapped(ids[..., 0]))[0],
    "ids from 1400 on": lambda: lstm(swapped(rare).view(4, -1, 100))[0],
    "arguments in order, no reshape": lambda: lstm(correct(rare[..., 0]))[0],
}
rows = [(name, try_it(program)) for name, program in attempts.items()]
Table(rows, ["program", "what happens"])

# %% [markdown]
# What would have found it? Not the parameter count, and not the shape of the result. A
# look at the *length* after each layer does; so does a text with a rare word; and so
# does the oldest test of all: one input for which you know what every step should
# give.
