# %% [markdown]
# # 08 · The Transformer decoder
#
# The encoder reads. This lecture adds the half that writes, and with it the model of 2017 is complete. After it you can
#
# - build a decoder block, and say who asks and who answers in each of its two attentions;
# - train all positions of a sentence in one pass, and explain why writing still takes one pass per word;
# - smooth labels, warm up a learning rate, decode greedily and with a beam, and cache keys and values;
# - build a translator and a model that adds numbers, both from the same few blocks, and check them against `nn.Transformer`;
# - say what attention costs, measure it, and read a results table more carefully than its headline.

# %%
import itertools
import math
import time

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.letters import Vocabulary, sentences
from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import MultiHeadAttention, merge_heads, recorded_weights, split_heads
from course_utils.plotting import Table, bars, curves, heatmap, heatmaps, interactive, plt
from course_utils.seq2seq_attention import shift_right
from course_utils.toys import TableModel
from course_utils.training import progress, seeded, steps
from course_utils.transformer_decoder import CachedAttention, DecoderOnly, Transformer, beam_search, copy_from_torch
from course_utils.transformer_encoder import EncoderBlock, FeedForward

torch.set_num_threads(1)  # so that the times below can be compared

# %% [markdown]
# ## Another length comes out
#
# An encoder gives back as many vectors as it was given: 100 words in, 100 vectors out. That is enough to classify a text, and not
# enough to answer a question, to translate, or to go on writing. *I want to go to the cinema* has seven words, *quiero ir al cine* four.
# Who decides how many come out?
#
# The decoder does, one word at a time. It is shown the whole source and what has been written so far, and predicts one more word,
# until it predicts that the sentence is over:
#
# | source, always complete | written so far | next |
# |---|---|---|
# | I want to go to the cinema | `<bos>` | quiero |
# | I want to go to the cinema | `<bos>` quiero | ir |
# | I want to go to the cinema | `<bos>` quiero ir | al |
# | I want to go to the cinema | `<bos>` quiero ir al | cine |
# | I want to go to the cinema | `<bos>` quiero ir al cine | `<eos>` |
#
# Two special tokens make this work. `<bos>` (begin of sentence) is what the decoder reads before there is anything to read; the
# *encoder* needs no such thing. `<eos>` (end of sentence) is what it writes when it is done. Without a word for the end, nobody could stop.
#
# So the model has two halves. The **encoder** looks in both directions, since the source is there from the start. It does not press the
# sentence into one vector, as the first recurrent translators did: it hands over one vector per source word, a *sequence* called the
# **memory**. The **decoder** looks back only, at itself and what came before, and across, at the memory.
#
# ## A grammar of letters
#
# In unit 02 the word *letter* could not be translated on its own: a *carta* is sent, a *letra* is spelled. Here is a small language
# in which this must be decided in every sentence, and in which the adjective changes sides as well.

# %%
pairs = sentences()
chosen = [pairs[0], pairs[605], pairs[130], pairs[-1]]
Table([*chosen, (f"… {len(pairs)} sentences in all", "")], ["English", "Spanish"])

# %% [markdown]
# *Writing* and *reading* go with both meanings; only the words *after* the noun tell which one it is. We hold out 200 of those ambiguous
# sentences. The model never sees them in training, so it cannot know them by heart.

# %%
ambiguous = [i for i, (english, _) in enumerate(pairs) if "writing" in english or "reading" in english]
order = torch.randperm(len(ambiguous), generator=seeded(0))[:200].tolist()  # 200 places
held_out = [pairs[ambiguous[i]] for i in order]
training = [pair for pair in pairs if pair not in set(held_out)]
english, spanish = Vocabulary(e for e, _ in pairs), Vocabulary(s for _, s in pairs)
len(training), len(held_out), len(english), len(spanish)

# %%
source = english.encode([e for e, _ in training])  # (N, S), padded with 0
target = spanish.encode([s for _, s in training], end=True)  # (N, T), every sentence ends in <eos>
source.shape, target.shape

# %% [markdown]
# ## Teacher forcing: all positions at once
#
# Writing is sequential: word 5 cannot go in before it has been chosen. Is training sequential too? One of the decks behind this course
# calls the decoder a sequential model, full stop. But in training we *know* word 5. So we feed in the right sentence, moved one place to
# the right, and ask for all next words at once:

# %%
first = target[:1]  # (1, T)
shifted = shift_right(first, spanish.bos)  # (1, T): <bos>, then all but the last
Table([[spanish.words[i] for i in row[0]] for row in (shifted, first)], [f"t = {t}" for t in range(first.shape[1])], "above: read; below: to be predicted")

# %% [markdown]
# Each column is a small exercise: *given everything up to here, what comes next?* Both rows must be there. Feed in *yo estoy* and ask for
# *estoy escribiendo* without a `<bos>` in front, and no column ever teaches the model how to *begin*.
#
# The columns are computed together, so column 2 must not see column 3, where its own answer stands. That is the causal mask of unit 03, and it is
# the only difference between masked and ordinary self-attention. With it, one parallel pass gives exactly what a pass per word would give:

# %%
torch.manual_seed(0)
fresh = Transformer(len(english), len(spanish), dim=32, heads=4, hidden=64, depth=2)  # not trained yet
together = fresh(source[:8], shift_right(target[:8], spanish.bos))  # (8, T, V): one pass
one_by_one = [fresh(source[:8], shift_right(target[:8], spanish.bos)[:, : t + 1])[:, -1] for t in range(target.shape[1])]  # T passes
(together - torch.stack(one_by_one, dim=1)).abs().max().item()  # the largest difference of all logits

# %% [markdown]
# So: **one** pass per sentence in training, **T** passes in writing. The mask is what buys this. It is part of the model and stays on in
# evaluation as well; a mask that is switched on only while training makes the validation loss a lie.
#
# ## Cross-attention: the target asks, the source answers
#
# How does the decoder read the source? With the attention that we have, from one sequence to another. Suppose a French
# sentence, *Salut, je suis Alex*, and so far the English *Hello, my name*. Each English word asks, each French word offers a key and a
# value. Three queries, four keys: the lengths need not agree.

# %%
french, so_far = ["Salut", "je", "suis", "Alex"], ["Hello", "my", "name"]
similarity = torch.tensor([[3.0, 0.2, 0.1, 0.3], [0.1, 2.1, 0.9, 0.8], [-0.3, 1.2, 1.1, 1.9]])  # (T, S)
weights = similarity.softmax(-1)  # (T, S): each English word shares out its attention among the French ones
Table([(word, *row, row.sum()) for word, row in zip(so_far, weights)], ["", *french, "sum"])

# %% [markdown]
# A deck stops one step earlier: it replaces *Hello* by $\mathrm{sim}(\textit{Hello}, \textit{Salut}) \cdot \textit{Salut} + \dots$ with the raw
# similarities. Those may be negative and sum to anything: in the code above the row of *name* begins with −0.3 and sums to 3.9. The softmax along each row turns
# similarities into shares. In symbols, with $s_l$ for the decoder's step $l$, $h_t$ for word $t$ of the memory, and $d$ for the size of a head:
#
# $$q_l = W_q s_l, \qquad k_t = W_k h_t, \qquad v_t = W_v h_t, \qquad
# \alpha_{l,t} = \mathrm{softmax}_t\!\left(\frac{q_l \cdot k_t}{\sqrt d}\right), \qquad c_l = \sum_t \alpha_{l,t}\, v_t$$
#
# Queries come from the target; keys **and** values come from the source. Turn it round and there is one result per source word. Take values from
# elsewhere than keys, and what is brought back is not what was found.

# %%
attention = MultiHeadAttention(dim=32, heads=4)
written, memory = torch.randn(2, 3, 32, generator=seeded(1)), torch.randn(2, 5, 32, generator=seeded(2))  # (B, T, D), (B, S, D)
context, weights = attention(written, memory, memory)  # (B, T, D), (B, H, T, S)
context.shape, weights.shape

# %% [markdown]
# ## The decoder block
#
# A decoder block is an encoder block with the cross-attention put in between. Three sub-layers, and around each of them a residual and
# a norm: *look at what is written so far; look at the source; think.*
#
# $$\begin{aligned}
# x &\leftarrow \mathrm{LN}_1\big(x + \mathrm{SelfAttention}(x, x, x, \text{causal})\big)\\
# x &\leftarrow \mathrm{LN}_2\big(x + \mathrm{CrossAttention}(x, \mathrm{memory}, \mathrm{memory}, \text{padding})\big)\\
# x &\leftarrow \mathrm{LN}_3\big(x + \mathrm{FeedForward}(x)\big)
# \end{aligned}$$

# %%
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention, self.cross_attention = MultiHeadAttention(dim, heads), MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])  # (B, T, D)
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])  # (B, T, D)
        return self.norm3(x + self.feed_forward(x))  # (B, T, D)


# %% [markdown]
# The two masks are not the same thing, and a slide that says “the decoder uses full attention” hides both. `self_mask` is (T, T) and hides
# the future of the *target*. `memory_mask` is (B, 1, 1, S) and hides the padding of the *source*; it is never causal, since all of the source is known
# before the first word is written.

# %% alt="Two masks side by side: a lower triangle of 5 by 5 target steps, and a 5 by 6 mask in which the last two source columns, padding, are empty"
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 2.8))
real = torch.tensor([True, True, True, True, False, False])  # (S,): four words and two places of padding
heatmap(causal_mask(5).float(), title="self-attention: may attend", ax=left, values=False)
heatmap(real.expand(5, 6).float(), title="cross-attention: may attend", ax=right, values=False);

# %% [markdown]
# ## Which layer of the encoder?
#
# Stack such blocks, and a question comes up on which two decks disagree. One lets decoder layer $\ell$ read *encoder layer* $\ell$, with queries from the
# feed-forward network below. The other lets every decoder layer read the **last** encoder layer, with queries from the masked self-attention of the same
# block. Which memory is read, torch's own model can decide. We give its decoder, layer by layer, one memory or the other, and compare with what `nn.Transformer` does:

# %%
torch.manual_seed(1)
theirs = nn.Transformer(32, 4, num_encoder_layers=3, num_decoder_layers=3, dim_feedforward=64, dropout=0.0, batch_first=True)
x, y = torch.randn(2, 5, 32, generator=seeded(3)), torch.randn(2, 4, 32, generator=seeded(4))  # (B, S, D), (B, T, D)
outputs, h = [], x
for layer in theirs.encoder.layers:
    h = layer(h)  # (B, S, D)
    outputs.append(h)
last = theirs.encoder.norm(h)  # (B, S, D)


# %%
def decode_with(memories):  # one memory (B, S, D) per decoder layer
    h = y
    for layer, memory in zip(theirs.decoder.layers, memories):
        h = layer(h, memory)  # (B, T, D)
    return theirs.decoder.norm(h)


choices = {"the last layer, for all": [last, last, last], "layer by layer": outputs}
rows = [(name, (decode_with(memories) - theirs(x, y)).abs().max()) for name, memories in choices.items()]
Table(rows, ["what the decoder reads", "difference from nn.Transformer"])

# %% [markdown]
# The last layer, for all of them. (Where the query comes from stands in the block above: from $\mathrm{LN}_1$, behind the self-attention.) That has practical consequences: encoder and decoder may have different depths, and the source is encoded **once**,
# however long the translation gets. (The slide with the layer-by-layer version has two more slips: it makes the values with $W_k$, and it leaves out
# the $\sqrt d$. With $v = k$ a word could only hand over what it is found by.)
#
# ## A whole Transformer, equal to torch's
#
# Here is everything, in the order of the data: embed, add positions, encode; embed, add positions, decode; and at the end one linear layer that
# gives a score for each word of the vocabulary, of which softmax makes probabilities. This is `Transformer` in
# `course_utils/transformer_decoder.py`, worth reading from top to bottom (`place` adds the positions):
#
# ```python
# def encode(self, source):                                # (B, S) tokens
#     mask = (source != self.pad)[:, None, None, :]        # (B, 1, 1, S)
#     return self.encoder(self.place(self.embed_source(source)), mask), mask
#
# def decode(self, target, memory, memory_mask):           # (B, T) tokens, (B, S, D), (B, 1, 1, S)
#     self_mask = causal_mask(target.shape[1])             # (T, T)
#     x = self.decoder(self.place(self.embed_target(target)), memory, self_mask, memory_mask)
#     return self.out(x)                                   # (B, T, V)
# ```
#
# Is it right? Copy the weights of torch's layers into ours and compare. One subtlety: `nn.Transformer` puts one more norm behind each stack, which
# the paper does not have; without those two, the numbers agree.

# %%
ours = Transformer(50, 50, dim=32, heads=4, hidden=64, depth=3)
copy_from_torch(ours, theirs)
theirs.encoder.norm = theirs.decoder.norm = None
mask = causal_mask(4)  # (T, T); torch wants the opposite: True = blocked
apart = ours.decoder(y, ours.encoder(x), mask) - theirs(x, y, tgt_mask=~mask)  # (B, T, D)
f"{apart.abs().max():.1e} apart, with {sum(p.numel() for p in theirs.parameters()):,} weights copied"

# %% [markdown]
# ## Label smoothing: do not be too sure
#
# Cross entropy is never satisfied. At a probability of .99 it still asks for .999: the logit of the right word should grow for ever. *Label smoothing*
# asks for less. Of the target it keeps a share $s$ back and spreads it evenly over all $V$ words, the right one included:
#
# $$\mathrm{target}(v) = (1 - s)\,[v = \mathrm{right}] + \frac{s}{V}, \qquad \mathrm{loss} = -\sum_v \mathrm{target}(v) \log p(v)$$

# %%
def smoothed_loss(logits, targets, pad, smoothing):
    log_probs = F.log_softmax(logits, dim=-1)  # (B, T, V)
    right = log_probs.gather(-1, targets[..., None]).squeeze(-1)  # (B, T)
    loss = -(1 - smoothing) * right - smoothing * log_probs.mean(-1)  # (B, T)
    return loss[targets != pad].mean()  # padding teaches nothing


# %% alt="Loss against the logit of the right word: without smoothing it falls for ever, with smoothing 0.1 and 0.3 it has a minimum and rises again"
logits = torch.zeros(81, 1, 10)  # (81, 1, V): ten words, and only the right one has a logit
logits[:, 0, 3] = torch.linspace(-2, 14, 81)  # (81,)
losses = {f"s = {s}": [smoothed_loss(z[None], torch.tensor([[3]]), 0, s) for z in logits] for s in (0.0, 0.1, 0.3)}
curves(logits[:, 0, 3], losses, "logit of the right word (all others 0)", "loss");

# %% [markdown]
# With $s > 0$ the best logit is finite: there $p(\mathrm{right}) = 1 - s + s / V$, and wanting more costs. A loss with smoothing never reaches 0,
# so do not compare it with one without.
#
# ## Warm-up: small steps first
#
# Adam divides by a running mean of squared gradients, which at the start knows a handful of batches. Post-norm stacks are touchy at that time. So the paper
# lets the rate rise in a straight line for `warmup` steps, and then fall with the root of the step:
#
# $$\mathrm{rate}(\mathrm{step}) = D^{-0.5} \cdot \min\!\big(\mathrm{step}^{-0.5},\ \mathrm{step} \cdot \mathrm{warmup}^{-1.5}\big)$$

# %%
def warmup_rate(step, dim, warmup):
    return dim**-0.5 * min(step**-0.5, step * warmup**-1.5)  # the two meet at step = warmup


def draw(warmup):
    grid = range(1, 801)
    curves(grid, {f"warmup {warmup}": [warmup_rate(s, 64, warmup) for s in grid]}, "step", "learning rate", f"highest at step {warmup}")
    plt.ylim(0, 0.03)


interactive(draw, "warmup", [20, 50, 100, 200, 400], start=100, alt="Learning rate against the step: a straight rise, a peak at the end of the warm-up, a slow fall")

# %% [markdown]
# Does it matter? We train the deepest model of this lecture, six layers on each side as in the paper, for a hundred steps. Once with this curve,
# scaled so that its top is 0.01; once with the same curve without its rise, high from the first step on.

# %%
def train(model, loss, count, rate, label):
    optimiser = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98))  # as in the paper
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate(step + 1))  # steps count from 1
    losses = []
    for step in progress(range(count), count, label):
        value = loss(step)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        schedule.step()
        losses.append(value.item())
    return losses


def warmed(peak, warmup):
    return lambda step: peak * warmup_rate(step, 1, warmup) / warmup_rate(warmup, 1, warmup)


# %%
def translation_loss(model, smoothing, size, seed):
    batches = torch.randint(len(source), (2000, size), generator=seeded(seed))  # (steps, B)

    def loss(step):
        x, y = source[batches[step]], target[batches[step]]  # (B, S), (B, T)
        return smoothed_loss(model(x, shift_right(y, spanish.bos)), y, spanish.pad, smoothing)

    return loss


# %% alt="Loss against step for a six-layer Transformer: with warm-up it falls to nearly zero, without it stays high"
rates = {"with warm-up": warmed(0.01, 50), "without": lambda step: min(0.01, warmed(0.01, 50)(max(step, 50)))}
histories = {}
for name, rate in rates.items():
    torch.manual_seed(0)
    deep = Transformer(len(english), len(spanish), dim=32, heads=4, hidden=64, depth=6)
    histories[name] = train(deep, translation_loss(deep, 0.0, 32, 1), steps(100), rate, name)
curves(None, histories, "step", "loss", "six layers on each side");

# %% [markdown]
# The same model, the same data, the same rate after step 50; only the first steps differ. Without the rise the loss falls even faster at first, and then gets stuck.
# Shallow models, smaller rates, or the norm in front (unit 07) can mostly do without: warm-up is a remedy for deep post-norm stacks, not a law.
#
# ## Training a translator
#
# Now a model for the grammar: two layers on each side, 64 features, smoothing 0.1. Every step draws 64 sentences.

# %% alt="Training loss of the translator against step: it falls within a hundred steps to about 0.67 and stays there"
torch.manual_seed(0)
translator = Transformer(len(english), len(spanish), dim=64, heads=4, hidden=128, depth=2)
history = train(translator, translation_loss(translator, 0.1, 64, 2), steps(250), warmed(3e-3, 100), "translator")
ax = curves(None, {"training loss": history}, "step", "smoothed loss")
asked_for = torch.full((len(spanish),), 0.1 / len(spanish))  # (V,)
asked_for[0] += 0.9  # the right word, whichever it is
floor = -(asked_for * asked_for.log()).sum()
ax.axhline(floor, linestyle=":", color="black", label="the least that smoothing allows")
ax.legend();

# %% [markdown]
# The loss stops where smoothing stops it, not at 0. How good is the translator? The loss was measured with the teacher holding the
# pen. The honest test is to let the model write alone, each word on top of its *own* earlier words, and to count a translation as right only if all of
# it is right:

# %%
@torch.no_grad()
def translate(texts):
    memory, mask = translator.encode(english.encode(texts))  # (B, S, D), (B, 1, 1, S): once
    written = torch.full((len(texts), 1), spanish.bos)  # (B, 1)
    for _ in range(target.shape[1]):
        logits = translator.decode(written, memory, mask)[:, -1]  # (B, V): the newest position alone
        written = torch.cat([written, logits.argmax(-1, keepdim=True)], dim=1)  # (B, t + 1)
    return [spanish.decode(row) for row in written]


# %%
translations = translate([e for e, _ in held_out])
exact = sum(ours == right for ours, (_, right) in zip(translations, held_out)) / len(held_out)
noun = sum(("carta" in ours) == ("carta" in right) for ours, (_, right) in zip(translations, held_out)) / len(held_out)
Table([("exact match on held-out sentences", exact), ("carta or letra right", noun)], ["", "share"])

# %% [markdown]
# And is it as sure as label smoothing lets it be, $1 - s + s/V$, and no more?

# %%
held_x = english.encode([e for e, _ in held_out])  # (B, S)
held_y = spanish.encode([s for _, s in held_out], end=True)  # (B, T)
with torch.no_grad():
    held_logits = translator(held_x, shift_right(held_y, spanish.bos))  # (B, T, V)
probabilities = held_logits.softmax(-1)[held_y != spanish.pad]  # (tokens, V)
f"mean of the largest probability {probabilities.amax(-1).mean():.3f}, asked for {0.9 + 0.1 / len(spanish):.3f}"

# %% [markdown]
# ## Word by word, and where it looks
#
# The cross-attention of every layer and head is a matrix with one row per written word and one column per source word. Let the translator write, and
# record it:

# %%
def look(text):
    x = english.encode([text])  # (1, S)
    y = spanish.encode(translate([text]), end=True)  # (1, T): what it writes
    with torch.no_grad(), recorded_weights(translator.decoder) as recorded:
        translator(x, shift_right(y, spanish.bos))
    crossed = torch.stack(recorded[1::2])[:, 0]  # (layers, H, T, S): every second attention is the cross-attention
    return text.split(), [spanish.words[i] for i in y[0]], crossed


# %% alt="Cross-attention of the last layer, mean over heads: rows are the Spanish words, columns the English ones; larga is written while looking at long, although the order is crossed"
words, spanish_words, crossed = look("she is writing a long letter to my friend")
heatmap(crossed[-1].mean(0), spanish_words, words, "cross-attention of the last layer, mean over heads", values=False);

# %% [markdown]
# Read it row by row: the row named *larga* is the step that *writes* larga. English puts *long* before *letter*, Spanish *larga* after
# *carta*, and the bright cells cross. (That *carta* hardly looks at *letter* is the subject of the next section.) Slide through the steps to see the same thing as it happens: what has been written, and where the next word comes from.

# %%
def draw(step):
    _, ax = plt.subplots(figsize=(7, 2.8))
    bars(dict(zip([f"{i}\n{w}" for i, w in enumerate(words)], crossed[-1].mean(0)[step])), "weight", f"{' '.join(['<bos>', *spanish_words[:step]])} → {spanish_words[step]}", ax)
    ax.set_ylim(0, 1)


interactive(draw, "step", list(range(len(spanish_words))), start=4, alt="Bars of cross-attention over the nine English words, for one step of writing")

# %% [markdown]
# ## What letter means
#
# The step that writes the noun has to choose between *carta* and *letra*. Where does it look? Over 50 held-out sentences, last layer, mean over heads:

# %% alt="Three bars: where the step that writes carta or letra looks; most of the weight lies on the words behind letter"
totals = torch.zeros(3)  # (3,): on the noun, behind it, before it
for text, _ in held_out[:50]:
    words, spanish_words, crossed = look(text)
    step, place = next((i for i, w in enumerate(spanish_words) if w in ("carta", "letra")), 0), words.index("letter")
    row = crossed[-1].mean(0)[step]  # (S,)
    totals += torch.stack([row[place], row[place + 1 :].sum(), row[:place].sum()]) / 50
shares = dict(zip(["on letter", "on the words behind it", "on the words before it"], totals))
bars(shares, "weight", "the row that writes the noun").set_ylim(0, 1);

# %% [markdown]
# Little of it on *letter* itself! Every sentence has that word; what is open is *which* letter, and the words behind it know. But they are not the only ones. Here is the vector of the word *letter* in
# all sentences, before the encoder and behind it, in its two main directions:

# %% alt="Two scatter plots of the vectors of the word letter: before the encoder a few points shared by both meanings, behind the encoder two separate clouds, carta and letra"
with torch.no_grad():
    texts = english.encode([e for e, _ in pairs])  # (N, S)
    place = texts == english.ids["letter"]  # (N, S), one True per row
    before, behind = translator.place(translator.embed_source(texts))[place], translator.encode(texts)[0][place]  # (N, D) each
is_carta = torch.tensor(["carta" in s for _, s in pairs])  # (N,)
figure, axes = plt.subplots(1, 2, figsize=(8, 3))
for ax, vectors, title in zip(axes, (before, behind), ("before the encoder", "behind the encoder: the memory")):
    centred = vectors - vectors.mean(0)  # (N, D)
    flat = centred @ torch.linalg.svd(centred, full_matrices=False).Vh[:2].T  # (N, 2)
    for name, chosen, marker in (("carta", is_carta, "o"), ("letra", ~is_carta, "x")):
        ax.plot(*flat[chosen].T, marker, markersize=4, alpha=0.5, label=name)
    ax.set(title=title, xticks=[], yticks=[])
ax.legend();

# %% [markdown]
# On the left only the position differs, and each point belongs to both meanings: a dictionary, one entry per word. On the right the meanings have parted: a vector *in context*, because the
# encoder has already let *letter* look at its neighbours. The decoder could have taken the meaning from there. So a heat map of attention shows where something was *fetched*. It does not show
# where else it could have been had, nor where it came from.
#
# ## Greedy decoding
#
# The loop inside `translate` takes the likeliest word at every step and never looks back: *greedy* decoding. For one sentence, with a rule to stop:

# %%
def greedy(next_logits, bos, eos, max_len):  # next_logits: (1, t) tokens -> (1, V)
    tokens = []
    while len(tokens) < max_len and eos not in tokens:
        tokens.append(int(next_logits(torch.tensor([[bos, *tokens]])).argmax(-1)))
    return tokens


# %% [markdown]
# Two things end it: the model says `<eos>`, or there is no more room. The second is not a luxury: nothing forces a model to stop. And each call gets *everything*
# written so far, `<bos>` included.
#
# The likeliest word is not always the way to the likeliest sentence. Take a language of five sentences, with the
# probabilities below. *One beam* is greedy decoding; *two* keep the two likeliest beginnings, by the method of the next section:

# %%
toy = ["<bos>", "<eos>", "la", "una", "carta", "letra", "vieja"]
follow = {"<bos>": {"la": 0.55, "una": 0.45}, "la": {"carta": 0.4, "letra": 0.35, "vieja": 0.25}, "una": {"carta": 0.95, "letra": 0.05}}


def next_logits(tokens):  # (1, t) -> (1, V)
    probability = follow.get(toy[int(tokens[0, -1])], {"<eos>": 1.0})
    return torch.tensor([[math.log(probability.get(word, 1e-9)) for word in toy]])  # (1, V)


found = {beams: beam_search(next_logits, 0, 1, 5, beams) for beams in (1, 2)}
Table([(beams, " ".join(toy[i] for i in tokens), math.exp(score)) for beams, (tokens, score) in found.items()], ["beams", "sentence", "probability"])

# %% [markdown]
# Greedy takes *la*, the better word, and is then stuck with the worse sentence. By the time it could know, *una* is gone.
#
# ## Beam search
#
# Beam search keeps the `beams` likeliest beginnings instead of one. At each step it extends all of them by all words, adds up *log* probabilities (a sentence's
# probability is a product, and products of hundreds of numbers round to 0), and keeps the best `beams` of everything. A beginning that has reached `<eos>` is
# not extended, and competes as it is.

# %%
def beam(next_logits, bos, eos, max_len, beams):
    kept = [(0.0, [])]  # (log probability, tokens)
    for _ in range(max_len):
        done = [(score, tokens) for score, tokens in kept if eos in tokens]
        for score, tokens in kept:
            if eos not in tokens:
                steps = next_logits(torch.tensor([[bos, *tokens]])).log_softmax(-1)[0]  # (V,)
                done += [(score + step, [*tokens, token]) for token, step in enumerate(steps.tolist())]
        kept = sorted(done, reverse=True)[:beams]
    return kept[0][1], kept[0][0]


# %% [markdown]
# How wide should a beam be? We try it on 100 random language models: five words, sentences of up to five, and odds of the next word that depend on the last one and on the place. Keeping *everything* finds the truly best sentence;
# how often does a narrow beam find it too?

# %% alt="Share of random models in which beam search finds the best sentence, against the number of beams: it rises from about half to nearly one"
models = [TableModel({"table": 1.5 * torch.randn(5, 5, 5, generator=seeded(i))}, {}) for i in range(steps(100, 5))]
best = [beam(model, 0, 1, 5, 10**6)[1] for model in models]
widths = [1, 2, 3, 4, 6, 8]
results = [[beam(model, 0, 1, 5, width) for model in models] for width in widths]
rate = [sum(math.isclose(r[1], b, abs_tol=1e-4) for r, b in zip(row, best)) / len(models) for row in results]
curves(widths, {"found": rate}, "beams", "share where the best sentence is found", style="o-").set_ylim(0, 1.05);

# %%
lengths = [(width, sum(score for _, score in row) / len(row), sum(len(tokens) for tokens, _ in row) / len(row)) for width, row in zip(widths, results)]
Table(lengths, ["beams", "mean log probability", "mean length"])

# %% [markdown]
# A few beams find nearly everything. Look at the last column as well: the *better* the search, the *shorter* what it finds. Every further word multiplies by a
# number below 1, so the likeliest sentence tends to be a short one. Practical systems divide the score by a power of the length; they do not search for the likeliest
# sentence, because it is not the best one. For our translator all of this is idle: it is so sure of each word that greedy decoding is already exact.
#
# ## Decoder-only: a model that adds
#
# Does writing need an encoder? Only if there is a source that is *another* text. Put question and answer into one sequence, and a decoder alone will do:
# drop the cross-attention, and what is left is an *encoder* block with a causal mask. So the three families of models are built of the same parts:
#
# | | self-attention | trained to | examples | good for |
# |---|---|---|---|---|
# | encoder only | both directions | fill in blanked words, or classify | BERT, ViT (unit 09) | classify, tag, search |
# | encoder-decoder | both, then causal, plus cross-attention | write the target | the Transformer of 2017 (English to German and to French) | translate, transcribe |
# | decoder only | causal | predict the next token | GPT | go on writing, and all that can be put as that |
#
# So BERT and GPT are not two language models of one kind: BERT sees both sides of a gap and cannot write from left to right. (The paper of 2017 does not say
# where the name *Transformer* comes from, by the way; the explanations on slides are guesses.)
#
# Let a decoder learn to add. `47+85=132` is nine tokens. Given six of them, the model writes the other three, most significant digit first, so that it must know all carries
# before it writes anything. There are 10,000 sums; 1,000 are held out.

# %%
a, b = torch.cartesian_prod(torch.arange(100), torch.arange(100)).T  # (N,) each


def digits(number, count):  # (N,) -> (N, count)
    return torch.stack([number // 10**i % 10 for i in reversed(range(count))], dim=-1)


plus, equals = torch.full((len(a), 1), 10), torch.full((len(a), 1), 11)  # tokens 10 and 11
sums = torch.cat([digits(a, 2), plus, digits(b, 2), equals, digits(a + b, 3)], dim=1)  # (N, 9)
sums = sums[torch.randperm(len(sums), generator=seeded(0))]  # (N, 9)
seen, unseen = sums[:-1000], sums[-1000:]  # (9000, 9), (1000, 9)

# %% alt="Loss of the addition model against step: a plateau at first, then a steep fall to nearly zero"
torch.manual_seed(0)
adder = DecoderOnly(vocabulary=12, dim=64, heads=4, hidden=128, depth=2, max_len=8)
batches = torch.randint(len(seen), (1000, 96), generator=seeded(1))  # (steps, B)


def addition_loss(step):
    x = seen[batches[step]]  # (B, 9)
    return F.cross_entropy(adder(x[:, :-1])[:, 5:].flatten(0, 1), x[:, 6:].flatten())  # only what follows "="


def rise_and_fade(step):
    return 5e-3 * min(step / 100, 1) * (1 - step / 1001)


curves(None, {"loss": train(adder, addition_loss, steps(1000), rise_and_fade, "adder")}, "step", "cross entropy");

# %%
@torch.no_grad()
def answer(questions):  # (B, 6) -> (B, 9)
    for _ in range(3):
        questions = torch.cat([questions, adder(questions)[:, -1:].argmax(-1)], dim=1)  # (B, t + 1)
    return questions


right = (answer(unseen[:, :6]) == unseen).all(1)  # (1000,)
carry = (unseen[:, 1] + unseen[:, 4]) >= 10  # (1000,)
Table([("all", right.float().mean()), ("with a carry", right[carry].float().mean()), ("without", right[~carry].float().mean())], ["1000 sums never seen", "exact"])

# %% [markdown]
# Where does it look? Below are the rows that write the three digits of $47 + 85$: at `=` it writes the hundreds, at the digit before each of the others. Look for the columns
# of school arithmetic: the ones, 7 and 5, in the row that writes the last digit; the tens, 4 and 8, in the rows before it.

# %% alt="Four heat maps, one per head: the rows that write the three digits of 132, over the eight tokens of the sum 47+85=13"
tokens = answer(torch.tensor([[4, 7, 10, 8, 5, 11]]))  # (1, 9)
with torch.no_grad(), recorded_weights(adder) as recorded:
    adder(tokens[:, :-1])
text = ["0123456789+="[i] for i in tokens[0]]
heatmaps({f"layer 0, head {h}": recorded[0][0, h, 5:] for h in range(4)}, [f"{a} → {b}" for a, b in zip(text[5:], text[6:])], text[:-1], values=False);

# %% [markdown]
# ## The KV cache
#
# Writing $n$ tokens takes $n$ passes, and so far each pass starts from the beginning. That is wasteful: the mask says that earlier steps do not depend on
# later ones, so their keys and values are the *same* in every pass. Keep them. Then a step computes one query, one key, one value, and attends to what is kept.

# %%
class Cached(MultiHeadAttention):
    def reset(self):
        self.keys, self.values = [], []

    def step(self, x):  # (B, 1, D) -> (B, 1, D)
        query, key, value = (split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value))  # (B, H, 1, d)
        self.keys.append(key)
        self.values.append(value)
        output, _ = masked_attention(query, torch.cat(self.keys, 2), torch.cat(self.values, 2))  # (B, H, 1, d): no mask needed
        return self.out(merge_heads(output))  # (B, 1, D)


# %% [markdown]
# No mask: the future is not in the cache. But the newest step must be, before it looks, or it could not see itself. Queries are not kept; who asked
# what in the past is of no interest to anyone. Here is a whole decoder-only model that writes with a cache per layer (`CachedAttention` is the class above, from
# `course_utils`; the blocks of `DecoderOnly` are pre-norm):

# %%
torch.manual_seed(0)
writer = DecoderOnly(vocabulary=50, dim=128, heads=4, hidden=512, depth=2, max_len=512).eval()
caches = [CachedAttention(128, 4) for _ in writer.blocks.blocks]
for cache, block in zip(caches, writer.blocks.blocks):
    cache.load_state_dict(block.attention.state_dict())


# %%
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
    tokens = torch.zeros(1, 1, dtype=torch.long)  # (1, 1)
    for t in range(count):
        logits = next_token(tokens[:, -1:], t) if cached else writer(tokens)[:, -1:]  # (1, 1, V)
        tokens = torch.cat([tokens, logits.argmax(-1)], dim=1)  # (1, t + 2)
    return tokens, logits


(plain, logits), (quick, same) = write(64, cached=False), write(64, cached=True)
f"64 tokens: the same? {torch.equal(plain, quick)}; last logits {(logits - same).abs().max():.1e} apart"

# %% [markdown]
# The same text. Now the time, as the text grows (processor time, so that a busy machine does not matter):

# %%
def seconds(run, repeat=1):
    times = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


# %% alt="Tokens per second against the length of the text: nearly constant with the cache, falling steeply without it"
counts = [16, 32, 64, 128, 256, steps(448, 300)]
times = {name: [seconds(lambda: write(n, cached)) for n in counts] for name, cached in {"with the cache": True, "without": False}.items()}
curves(counts, {name: [n / t for n, t in zip(counts, row)] for name, row in times.items()}, "tokens written", "tokens per second", style="o-").set_ylim(0);

# %%
Table([(n, slow, fast, slow / fast) for n, slow, fast in zip(counts, times["without"], times["with the cache"])], ["tokens", "seconds without", "seconds with", "times faster"])

# %% [markdown]
# The gain grows with the length; for a few tokens there is none. Without a cache, token $t$ costs a pass over $t$ tokens: $1 + 2 + \dots + n$, of order $n^2$ just for the linear layers.
# With it, those cost the same for every token. What the cache costs is memory: two vectors per token, layer and sentence.

# %%
layers, width, length = 32, 4096, 4096  # the size of a common open model
f"{2 * layers * width * length * 2 / 2**30:.1f} GiB of cache per text, at 2 bytes a number"

# %% [markdown]
# ## What attention costs
#
# In words: every token is compared with every token, by products of $d$ numbers ($d$ is now the width of the model: all heads together). Twice as long a text means four times the comparisons. The scores take $n^2 d$
# multiplications, the weighted sum of values as many: **time $O(n^2 d)$**. The weights themselves are $n^2$ numbers per head: **memory $O(n^2)$**. Slides that say
# “$O(n^2)$” leave out the factor and the question *of what*. The linear layers around it are $O(n d^2)$. Which of the two is felt? Measure both:

# %%
sizes, layer = [128, 256, 512, 1024, 2048], EncoderBlock(dim=256, heads=4, hidden=1024)
attend, linear = [], []
with torch.no_grad():
    for n in sizes:
        q, x = torch.randn(1, 4, n, 64, generator=seeded(n)), torch.randn(1, n, 256, generator=seeded(n))  # (B, H, n, d), (B, n, D)
        attend.append(seconds(lambda: masked_attention(q, q, q), 3))
        linear.append(seconds(lambda: layer.feed_forward(layer.attention.out(layer.attention.value(layer.attention.key(layer.attention.query(x))))), 3))


# %%
def slope(times):  # of log time over log length, by least squares
    logs = torch.tensor([sizes, times]).log()  # (2, 5)
    x, y = logs - logs.mean(1, keepdim=True)  # (5,) each
    return float((x * y).sum() / (x * x).sum())


# %% alt="Time against length on logarithmic axes: the attention's line is steeper than that of the linear layers and crosses it"
measured = {f"attention: n^{slope(attend):.2f}": attend, f"linear layers: n^{slope(linear):.2f}": linear}
ax = curves(sizes, measured, "length n", "seconds", "one block, D = 256, 4 heads", style="o-")
ax.set(xscale="log", yscale="log");

# %% [markdown]
# On paper the attention needs $2 n^2 D$ multiplications and the linear layers $12 n D^2$ (four projections, and a feed-forward layer four times as wide): they meet at
# $n = 6 D$, here 1536. Measured, they meet earlier, and the exponent may exceed 2, because the multiplications are not all: $n^2$ weights must be written to memory and
# read again for the softmax. That is why fused kernels, which never store them, are the default today. At lengths below the crossing, a Transformer is mostly linear layers.
#
# ## Recurrence or attention: what runs side by side
#
# “Much easier to parallelise” stands on every slide. What exactly? Count the steps that must wait for one another:
#
# | | training on $n$ tokens | writing $n$ tokens | work per layer |
# |---|---|---|---|
# | recurrent network | $n$ steps | $n$ steps | $n d^2$ |
# | Transformer | 1 step per layer | $n$ passes | $n d^2 + n^2 d$ |
#
# In *training* a Transformer has no chain over time; a recurrent network does, on any hardware. In *writing* both have one. And a recurrent network is parallel too, over
# sentences and over features, only not over time. One forward and backward pass, one layer each of 64 features:

# %%
def training_pass(model, x):
    result = model(x)
    (result[0] if isinstance(result, tuple) else result).square().mean().backward()


gru, block = nn.GRU(64, 64, batch_first=True), EncoderBlock(64, 4, 256)
shapes = [(1, 256), (16, 256), (16, 512), (16, 1024)]
inputs = [torch.randn(*shape, 64, generator=seeded(0)) for shape in shapes]  # (B, T, D)
rows = [(*x.shape[:2], *(1e3 * seconds(lambda: training_pass(model, x), 3) for model in (gru, block))) for x in inputs]
Table(rows, ["sentences B", "tokens T", "GRU, ms", "Transformer block, ms"])

# %% [markdown]
# Read it three ways. With one sentence the GRU is far behind, although it computes *less*: its time goes into waiting. With 16 sentences at once it does 16 times the work in little
# more time, so it is wrong that recurrence cannot be parallelised. And follow the last three rows: each time the text doubles, so does the time of the GRU, while that of the block grows faster, because the
# $n^2$ of attention comes due. The advantage of the Transformer is a *short chain*, not little work; it needs hardware that can use it, and this table was made by one processor core.
#
# ## Two tables, read critically
#
# A deck ends with two tables and three headlines: larger models are better, training is much faster, results are great. First translation: BLEU (higher is better; what it counts comes
# below), and the cost of training. An *ensemble* is several trained models that vote.

# %%
bleu = [  # model, BLEU from English to German and to French, training operations for each
    ("ByteNet", 23.75, None, None, None), ("Deep-Att + PosUnk", None, 39.2, None, 1.0e20), ("GNMT + RL", 24.6, 39.92, 2.3e19, 1.4e20),
    ("ConvS2S", 25.16, 40.46, 9.6e18, 1.5e20), ("MoE", 26.03, 40.56, 2.0e19, 1.2e20), ("Deep-Att + PosUnk, ensemble", None, 40.4, None, 8.0e20),
    ("GNMT + RL, ensemble", 26.30, 41.16, 1.8e20, 1.1e21), ("ConvS2S, ensemble", 26.36, 41.29, 7.7e19, 1.2e21),
    ("Transformer, base", 27.3, 38.1, 3.3e18, 3.3e18), ("Transformer, big", 28.4, 41.8, 2.3e19, 2.3e19),
]  # fmt: skip
Table([["–" if v is None else v if isinstance(v, str) else f"{v:g}" for v in row] for row in bleu], ["model", "EN-DE", "EN-FR", "operations EN-DE", "operations EN-FR"])

# %% alt="Two scatter plots of BLEU against training cost. English to German: both Transformers above all others. English to French: the base Transformer is the lowest of all, the big one the highest"
figure, axes = plt.subplots(1, 2, figsize=(9.5, 3.6))
for ax, score, cost, title in zip(axes, (1, 2), (3, 4), ("English to German", "English to French")):
    for row in (row for row in bleu if row[score] and row[cost]):
        ours, below = "Transformer" in row[0], row[0] in ("GNMT + RL, ensemble", "ConvS2S")
        ax.plot(row[cost], row[score], "*" if ours else "o", color="#D55E00" if ours else "#0072B2", markersize=8)
        name = row[0].replace(", ensemble", " (ens.)").replace("Transformer, ", "").replace(" + PosUnk", "").replace(" + RL", "")
        ax.annotate(name, (row[cost], row[score]), fontsize=8, xytext=(5, -11 if below else 4), textcoords="offset points")
    ax.set(xscale="log", xlabel="training operations", ylabel="BLEU", title=title, xlim=(2e18, 2e22))

# %% [markdown]
# Left, the headlines hold: the base model beats all rivals, ensembles included, at a third of the cheapest one's cost. Right, the *same* model is the **worst of all nine**, more than two points below
# ConvS2S. It takes the big model, at seven times the price, to win there. “Larger is better” rests on two points; between *families* it is false, since the
# ensembles are far larger and worse. And a BLEU without an error bar, on one test set, says little about differences of half a point.
#
# What does BLEU count? Runs of words that the translation shares with a reference. Take our own example, with the one mistake that this lecture is about:

# %%
def shared(ours, right, n):  # share of our n-grams that occur in the reference
    ours, right = ([tuple(words[i : i + n]) for i in range(len(words) - n + 1)] for words in (ours.split(), right.split()))
    return sum(gram in right for gram in ours) / len(ours)


right, wrong = "yo estoy escribiendo una carta para ella", "yo estoy escribiendo una letra para ella"
Table([(f"{n}-grams", shared(wrong, right, n)) for n in (1, 2, 3, 4)], ["", "shared with the reference"])

# %% [markdown]
# Six words of seven are right, and she gets a letter of the alphabet. The second table is about summaries: *perplexity* (lower is better) and ROUGE-L, which counts the longest common
# subsequence with a reference (higher is better). $L$ is how many tokens of input the model reads;
# ED is an encoder-decoder, D a decoder alone; DMCA and MoE are variants that do not matter here.

# %%
summaries = [
    ("seq2seq with attention", 500, 5.04952, 12.7), ("Transformer-ED", 500, 2.46645, 34.2), ("Transformer-D", 4000, 2.22216, 33.6),
    ("Transformer-DMCA, no MoE", 11000, 2.05159, 36.2), ("Transformer-DMCA, MoE-128", 11000, 1.92871, 37.9), ("Transformer-DMCA, MoE-256", 7500, 1.90325, 38.8),
]  # fmt: skip
against = [(a[0], b[0]) for a, b in itertools.combinations(summaries, 2) if (a[2] - b[2]) * (a[3] - b[3]) > 0]
Table([map(str, row) for row in summaries], ["model", "L", "perplexity", "ROUGE-L"], f"{len(against)} of 15 pairs contradicts “lower perplexity is better”: {against[0][0]} and {against[0][1]}")

# %% [markdown]
# Transformer-D predicts better and summarises worse. Perplexity is $\exp$ of the mean negative log likelihood *per token*, with the teacher holding the pen: the inverse of the geometric mean
# of the probabilities, not “one over the likelihood”, which would grow with every further word. It says how well the next word of a *given* text is guessed. And the rows differ in what the models
# are allowed to read, from 500 to 11,000 tokens: with more to read, the same text is easier to guess. Whether the architecture or the input made the difference, this table cannot say.
# Our translator has a perplexity as well:

# %%
nll = smoothed_loss(held_logits, held_y, spanish.pad, smoothing=0.0)  # mean negative log likelihood per token
f"perplexity {nll.exp():.3f}, exact match {exact:.2f}"

# %% [markdown]
# Every sentence is right, and the perplexity is not 1: label smoothing keeps it above. Two measures, two stories.
#
# For and against Transformers, in one place. *Against*: time and memory grow with the square of the length; positions, masks and warm-up have to be got right. *For*: any two words are one
# step apart, training has no chain over time, and deep stacks can be trained. Whether they are better at a task is a question for a table, and for a reader who checks it.
#
# ## Summary
#
# - Encoder: attention in both directions, one vector per source word. Decoder: causal self-attention, cross-attention to the *last* encoder layer, feed-forward; then a linear layer and a softmax over the vocabulary.
# - Queries from the target, keys and values from the source; two masks, one for the future, one for padding.
# - Training is one pass (shift right, mask); writing is one pass per word, until `<eos>`.
# - Label smoothing gives the logits a finite goal; warm-up gets deep post-norm stacks through their first steps.
# - Greedy takes the best word, a beam the best few beginnings; the likeliest sentence is often too short.
# - Drop the cross-attention and you have a decoder-only model. Keep keys and values and each new token costs one step.
# - To build a sequence model from attention you need: positions, several heads, a nonlinearity per position, residuals and norms, and a mask if it is to write.
#
# ## Questions
#
# **1.** The source has 10 words, the translation 5. What are the shapes of the self-attention and of the cross-attention weights (H heads), and which changes if the source gets 8 words?
#
# <details><summary>Answer</summary>
#
# Self-attention (H, 5, 5), cross-attention (H, 5, 10). With 8 source words only the latter changes, to (H, 5, 8). No parameter has a length in it. (If `<eos>` is to be predicted too, the decoder
# reads `<bos>` and all five words: 6 in place of every 5.)
# </details>
#
# **2.** Someone trains a decoder, forgets the shift, and gets a loss near 0 after a few steps, *with* a correct causal mask. Why?
#
# <details><summary>Answer</summary>
#
# The diagonal is allowed: each step sees itself. Without the shift, the word to be predicted *is* the input of its own step, and copying it is the whole task. The mask hides the future; only the
# shift makes the answer part of the future.
# </details>
#
# **3.** With a KV cache the tokens per second still fall slowly for very long texts. What is left that grows?
#
# <details><summary>Answer</summary>
#
# The newest query still attends to all $t$ cached keys: $O(t d)$ per token, $O(n^2 d)$ for the text. The cache saves computing keys, values and everything else of old tokens again; it does not save looking at them.
# </details>
#
# ## Where next
#
# Do the [assignment](../assignments/08_transformer_decoder/08_transformer_decoder.ipynb): you write the block, the loss, the two searches and the cache yourself. Then comes [unit 09](09_vision_transformer.ipynb), where the words are pieces of an image.
#
# To read on: the *Annotated Transformer* (in its newer edition of 2022) has the model of 2017 line by line; the *Illustrated Transformer* draws every step of it; the chapter on Transformers of *Dive into Deep
# Learning* has the same model with exercises.
