# %% [markdown]
# # 07 · The Transformer encoder
#
# Attention mixes tokens; by itself it is not yet a model that can be trained. This lecture adds what is missing, one part at
# a time, and each part earns its place in an experiment. After it you can
#
# - say what is linear in self-attention and what is not, and why a feed-forward layer needs its nonlinearity;
# - explain residual connections and layer norm by what happens without them, and tell layer norm from batch norm;
# - write an encoder block in both orders, pre-norm and post-norm, equal to torch's, and stack it without falling into the trap;
# - build a whole pipeline: texts, vocabulary, padding, model, training loop, evaluation;
# - judge a forecast honestly: against a linear model, against persistence, on later data.

# %%
import csv
import time
from functools import partial

import matplotlib.cbook
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.multi_head_attention import MultiHeadAttention, from_torch, recorded_weights
from course_utils.plotting import Table, bars, curves, heatmap, heatmaps, interactive, plt
from course_utils.positional_encoding import sinusoidal_encoding
from course_utils.reviews import ADJECTIVES, KINDS, reviews
from course_utils.training import fit, progress, seeded, steps
from course_utils.transformer_encoder import Encoder, EncoderBlock, masked_mean

# %% [markdown]
# ## A simple Transformer, and what it lacks
#
# If attention reaches every time step, is recurrence still needed? No, but four things that came for free with a recurrent
# network now have to be put in by hand. *Order*: a step no longer knows what came before it (unit 06, positions).
# *Several questions at once* (unit 05, heads). *No look into the future* where a model generates (unit 03, masks). And
# *nonlinearity between the layers*, the subject of this unit. Here is a first sketch without any of them, the kind that is
# often shown: embed, attend, project.

# %%
class Sketch(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed = nn.Embedding(words, 8)
        attention = nn.MultiheadAttention(8, 1, batch_first=True)
        nn.init.normal_(attention.in_proj_weight)
        self.out = nn.Linear(8, words)

    def forward(self, tokens):
        return self.out(self.attention(*[self.embed(tokens)] * 3))

# %% [markdown]
# Two mistakes hide in it, one behind the other. Run it, mend what it complains about, and run it again:

# %%
def complaint(model):
    try:
        return f"runs: {tuple(model(torch.tensor([[2, 0, 1]])).shape)}"
    except (AttributeError, TypeError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:75]}"

sketch = Sketch(5)
rows = [("as it stands", complaint(sketch))]
sketch.attention = nn.MultiheadAttention(8, 1, batch_first=True)
rows.append(("attention assigned to self", complaint(sketch)))
sketch.forward = lambda tokens: sketch.out(sketch.attention(*[sketch.embed(tokens)] * 3)[0])
rows.append(("output taken from the pair", complaint(sketch)))
Table(rows, ["version", "what happens"])

# %% [markdown]
# A layer is a part of the model only if it hangs on `self`; and attention returns a pair, output and weights. Now it runs, and it teaches two facts about every encoder. *How long may the input be?* As long as memory allows: no weight
# depends on the length. *How many vectors come out?* As many as went in: 100 words, 100 vectors. So by itself this
# cannot translate, where lengths differ (unit 08), but it can give each word, or a whole text, a label.
#
# What does it lack? Positions: shuffle the words and the outputs are shuffled along, nothing else. And all the rest of this page.

# %%
tokens = torch.tensor([[2, 0, 1, 3]])  # (1, 4)
order = torch.tensor([3, 1, 0, 2])  # (4,)
change = (sketch(tokens[:, order]) - sketch(tokens)[:, order]).abs().max()
print(f"words shuffled, outputs shuffled back: largest difference {change:.1e}")

# %% [markdown]
# ## Is self-attention linear?
#
# One reads that each self-attention layer is a linear map of the layer before: the output is a sum of values, and
# the values are $W_v h$. Linear means two things that can be tested, $f(2h) = 2f(h)$ and $f(g + h) = f(g) + f(h)$. We test both, once
# as it is, and once with the weights $\alpha$ computed beforehand and held fixed.

# %%
torch.manual_seed(0)
attention = MultiHeadAttention(16, 1)
for layer in (attention.query, attention.key, attention.value, attention.out):
    layer.bias.data.zero_()  # a bias would be a trivial reason
    nn.init.normal_(layer.weight, std=0.4)
g, h = torch.randn(2, 1, 6, 16, generator=seeded(0))  # (1, 6, 16) each: two inputs of 6 tokens

# %%
def attend(x):
    return attention(x, x, x)[0]  # (1, 6, 16)

fixed = attention(h, h, h)[1][:, 0]  # (1, 6, 6)

def mix(x):
    return attention.out(fixed @ attention.value(x))  # (1, 6, 16)

def far(a, b):
    return (a - b).norm() / b.norm()

# %%
with torch.no_grad():
    tested = (("self-attention", attend), ("weights held fixed", mix))
    rows = [(name, far(f(2 * h), 2 * f(h)), far(f(g + h), f(g) + f(h))) for name, f in tested]
Table(rows, ["", "f(2h) against 2 f(h)", "f(g + h) against f(g) + f(h)"], "relative difference")

# %% [markdown]
# So the claim is wrong as it stands and half right in spirit. Self-attention is linear *in the values*, for weights that stay
# as they are; but the weights are computed from $h$ too. Yet there is something it cannot do: whatever the weights, each
# output is an **average** of values, $W_v \sum_t \alpha_t h_t$. Averages lie between what is averaged. They gather; they do not compute.
# The figure multiplies the scores and leaves the values alone. The weights sharpen, and still no output leaves the *hull* of the
# values, the smallest region without dents that contains them all.

# %% alt="Two-dimensional values as points with their convex hull; outputs of attention for growing scale move from the centre towards single values but never leave the hull"
points = torch.randn(9, 2, generator=seeded(3))  # (9, 2): tokens that are their own queries, keys and values
angles = torch.linspace(0, 6.28, 2000)  # in each direction the farthest point is a corner of the hull
corners = (points @ torch.stack([angles.cos(), angles.sin()])).argmax(0).unique_consecutive()  # (n,), in turn
hull = points[corners]  # (n, 2)
ax = plt.subplots(figsize=(5, 3.6))[1]
ax.fill(*hull.T, alpha=0.12)
ax.plot(*points.T, "o", label="values")
for scale, mark in ((0.3, "^"), (1.0, "s"), (4.0, "*")):
    ax.plot(*((scale * points @ points.T).softmax(-1) @ points).T, mark, label=f"outputs, scores × {scale}")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1));

# %% [markdown]
# ## The feed-forward layer
#
# So between two attentions something must compute. The same small network is applied to every position by itself: attention moves
# information *between* words, the feed-forward layer works *on each* word.
#
# $$\mathrm{FF}(x) = W_2\,\mathrm{relu}(W_1 x + b_1) + b_2$$

# %%
class Feed(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)  # widens: hidden = 4 D is customary
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        return self.outer(F.relu(self.inner(x)))  # (..., D) -> (..., hidden) -> (..., D)

# %% [markdown]
# A slide that calls it "linear layers in sequence" leaves out the one part that matters. Without the ReLU,
# $W_2(W_1x + b_1) + b_2 = (W_2W_1)\,x + (W_2b_1 + b_2)$: a single linear layer, however wide it is inside. The numbers agree:

# %%
feed = Feed(8, 2048)
x = torch.randn(5, 8, generator=seeded(0))  # (5, 8)
two = feed.outer(feed.inner(x))  # (5, 8)
weight = feed.outer.weight @ feed.inner.weight  # (8, 8)
one = x @ weight.T + feed.outer.weight @ feed.inner.bias + feed.outer.bias  # (5, 8)
print(f"largest difference: {(two - one).abs().max():.0e}, with {8 * 2048 * 2:,} weights against {8 * 8}")

# %% [markdown]
# And it matters: a token that carries two signs $a$ and $b$ is to compute their product (is exactly one of them negative?). No linear
# map can; its loss below stays near 1, that of always answering 0, whatever the width. With the ReLU four units suffice here.

# %%
signs = 2.0 * torch.randint(2, (256, 2), generator=seeded(0)) - 1  # (256, 2), each 1 or -1
product = signs.prod(1, keepdim=True)  # (256, 1)

# %% alt="Final loss against hidden width: without ReLU it stays near 1 for every width, with ReLU it falls to 0 as soon as there are a few units"
torch.manual_seed(0)
widths, bends = [1, 2, 4, 8, 32, 128], {"without ReLU": nn.Identity(), "with ReLU": nn.ReLU()}
nets = nn.ModuleList(nn.Sequential(nn.Linear(2, w), bend, nn.Linear(w, 1)) for bend in bends.values() for w in widths)

def losses():
    return torch.stack([F.mse_loss(net(signs), product) for net in nets])  # (12,): all trained side by side

fit(lambda step: losses().sum(), nets.parameters(), steps(300), lr=0.02, label="12 nets")
final = dict(zip(bends, losses().split(len(widths))))  # (6,) each
ax = curves(widths, final, "width inside", "loss after training", style="o-")
ax.set(xscale="log", xticks=widths, xticklabels=widths);

# %% [markdown]
# ## Residual connections
#
# Now stack them: attention, feed-forward, attention, feed-forward. A layer that only *replaces* its input must first learn
# not to destroy it. A residual connection *adds* instead: $x \leftarrow x + f(x)$. What arrives at layer 20 is then the input plus
# twenty corrections. We build the stack in three ways, with fresh weights: bare, with a norm after each layer (it keeps the numbers at size 1; the next section has the formula), and with residual connections
# too. Two things are measured at each depth: how large the gradient is that comes back from the top, and how similar the tokens of a sequence have become (mean cosine).

# %%
class Bare(EncoderBlock):
    def forward(self, x, mask=None):
        return self.feed_forward(self.attend(x, mask))  # (B, T, D): no residual, no norm

class Normed(EncoderBlock):
    def forward(self, x, mask=None):
        return self.norm2(self.feed_forward(self.norm1(self.attend(x, mask))))  # (B, T, D): no residual

# %%
def through(make, depth, dim=32):
    torch.manual_seed(0)
    blocks = [make(dim, 2, 4 * dim) for _ in range(depth)]
    stream = [torch.randn(8, 12, dim, generator=seeded(0), requires_grad=True)]  # (8, 12, 32)
    for block in blocks:
        stream.append(block(stream[-1]))  # (8, 12, 32)
    return stream

# %%
def health(stream):
    top = stream[-1]
    loss = (top * torch.randn(top.shape, generator=seeded(1))).sum()  # not a plain sum, which is constant behind a norm
    gradients = torch.autograd.grad(loss, stream)  # (8, 12, 32) each
    sizes = [g.norm().item() for g in gradients]
    alike = [F.cosine_similarity(x[:, :1], x[:, 1:], dim=-1).mean().item() for x in stream]
    return sizes, alike

# %% alt="Left: size of the gradient at each block on a logarithmic axis, falling by many orders of magnitude for the bare stack and level for the others. Right: mean cosine between tokens, 1 after two blocks without residuals, with or without a norm, and slowly rising with residuals. A slider sets the depth"
def draw(depth):
    kinds = {"bare": Bare, "norm": Normed, "norm and residual": EncoderBlock}
    measured = {name: health(through(kind, depth)) for name, kind in kinds.items()}
    axes = plt.subplots(1, 2, figsize=(8.6, 3.2))[1]
    for ax, part, what in zip(axes, (0, 1), ("gradient that arrives", "cosine between tokens")):
        curves(None, {name: both[part] for name, both in measured.items()}, "after block", what, ax=ax)
    axes[0].set_yscale("log")

interactive(draw, "depth", [2, 4, 8, 12, 16], start=12, alt="gradient and similarity of tokens in three stacks")

# %% [markdown]
# In the bare stack the gradient shrinks by a factor of more than ten per block, from the top (right) to the input (left). A norm repairs that. But in both stacks without residuals all tokens of a sequence
# become *the same vector* within two blocks: averages of averages. Nothing that is built on top could tell the words apart any more, and no norm brings them back.
# Stacked attention gives a word more and more context only as long as the *residual stream*, the sum that runs from block to block, keeps the word itself.

# %% [markdown]
# ## Layer norm
#
# Sums of twenty corrections grow. A norm keeps their size in check, token by token: subtract the mean of the token's $D$ features,
# divide by their standard deviation, then let the model choose scale and shift again.
#
# $$\mu = \frac1D \sum_j x_j, \qquad \sigma^2 = \frac1D \sum_j (x_j - \mu)^2, \qquad
# \mathrm{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$
#
# $\mu$ and $\sigma$ are one number *per token*; $\gamma$ and $\beta$ have $D$ entries and are learned; $\epsilon$ stands under the root, so
# that a token whose features are all equal does not divide by zero. Slides like to leave one of these out.

# %%
def norm(x, gamma, beta, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)  # (..., D)
    variance = (centred**2).mean(-1, keepdim=True)  # (..., 1): divided by D, not D - 1
    return gamma * centred / (variance + eps).sqrt() + beta  # (..., D)

x = 5 + 3 * torch.randn(4, 6, 8, generator=seeded(0))  # (B, T, D)
theirs = nn.LayerNorm(8)
print(f"difference from torch's: {(norm(x, theirs.weight, theirs.bias) - theirs(x)).abs().max():.0e}")

# %% [markdown]
# It is often said that the statistics run over all neurons of a layer, for one example at a time. With images that is fair. Here an example
# is a whole sentence, and the mean is *not* taken over the sentence. Which of the three axes (sentences, tokens, features) are averaged makes all the difference:

# %%
def statistics(dims):
    mean = x.mean(dims, keepdim=True)  # one entry per mean that is computed
    return tuple(mean.shape), mean.numel()

axes = {"layer norm": -1, "over the whole example": (1, 2), "batch norm": (0, 1)}
rows = [(name, *statistics(dims)) for name, dims in axes.items()]
Table(rows, ["", "shape of the means", "how many"], "x has shape (4, 6, 8): sentences, tokens, features")

# %% [markdown]
# ## Layer norm against batch norm
#
# Batch norm takes the mean of each feature over all tokens of all sentences in the batch. For sequences that is awkward in three ways,
# and each can be measured. One sentence of 5 words is normalised in different company:

# %%
g = seeded(0)
mine = torch.randn(1, 5, 16, generator=g)  # (1, 5, D): our sentence
short = torch.cat([mine, torch.randn(7, 5, 16, generator=g)])  # (8, 5, D): among seven others
other = torch.cat([mine, 2 * torch.randn(7, 5, 16, generator=g) + 1])  # (8, 5, D): among seven different ones
padded = F.pad(short, (0, 0, 0, 15))  # (8, 20, D): padded to 20, for the sake of a longer sentence

# %%
def batch_norm(x):
    layer = nn.BatchNorm1d(x.shape[-1])
    return layer(x.flatten(0, 1)).view(x.shape)  # (B, T, D): a fresh layer in training mode

def moved(f, batch):
    return far(f(batch)[0, :5], f(short)[0, :5])

around = {"other neighbours": other, "15 steps of padding": padded}
rows = [(what, moved(batch_norm, batch), moved(nn.LayerNorm(16), batch)) for what, batch in around.items()]
Table(rows, ["what changed around it", "batch norm", "layer norm"], "relative change of the sentence's own features")

# %% [markdown]
# Third: long sequences mean small batches, and small batches mean noisy statistics. The figure normalises the *same* token
# in 200 batches of each size: how much does the result jump about? (And in evaluation mode batch norm uses running averages
# instead, so that training and prediction are different functions. Layer norm has no such switch.)

# %% alt="Standard deviation of one token's normalised features over random batches, against the number of tokens in the batch: falling like one over the root for batch norm, zero for layer norm"
def jitter(f, tokens):
    g = seeded(tokens)
    batches = torch.randn(200, 1, tokens, 16, generator=g)  # (200, 1, tokens, D)
    batches[:, :, 0] = mine[0, 0]  # our token, always the same
    return torch.stack([f(b)[0, 0] for b in batches]).std(0).mean()

sizes = [2, 4, 8, 16, 32, 64, 128]
norms = {"batch norm": batch_norm, "layer norm": nn.LayerNorm(16)}
with torch.no_grad():
    noise = {name: [jitter(f, size) for size in sizes] for name, f in norms.items()}
ax = curves(sizes, noise, "tokens in the batch", "spread of one token's features", style="o-")
ax.set_xscale("log", base=2);

# %% [markdown]
# ## Before or after: where the norm goes
#
# The original Transformer adds and then normalises, **post-norm**; nearly everything since GPT-2 normalises inside the branch, **pre-norm**:
#
# $$\text{post: } x \leftarrow \mathrm{LN}(x + f(x)) \qquad\qquad \text{pre: } x \leftarrow x + f(\mathrm{LN}(x))$$
#
# The two differ by a few characters, and texts that describe one over code that does the other are common. So we name
# them, and test. (`self.attend(x, mask)` is self-attention without its weights, `self.attention(x, x, x, mask)[0]`.) A block is two such steps: $f$ is first the self-attention, then the feed-forward layer.

# %%
class Block(EncoderBlock):  # takes over its __init__: attention, feed_forward, norm1, norm2, norm_first
    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)  # (B, T, D): the stream x itself is never normalised
            return x + self.feed_forward(self.norm2(x))  # (B, T, D)
        x = self.norm1(x + self.attend(x, mask))  # (B, T, D): the norm sits on the stream
        return self.norm2(x + self.feed_forward(x))  # (B, T, D)

# %% [markdown]
# Is it the block of the paper? Copy torch's weights and compare, in both orders. (The paper's sizes are $D = 512$, eight heads, a hidden width
# of 2048, six such blocks; the arithmetic is the same at 12. Dropout, which torch's layer has by default, is switched off.)

# %%
def with_weights_of(layer):
    block = Block(12, 3, 20, layer.norm_first)
    block.attention = from_torch(layer.self_attn)
    block.feed_forward.inner, block.feed_forward.outer = layer.linear1, layer.linear2
    block.norm1, block.norm2 = layer.norm1, layer.norm2
    return block

# %%
x = torch.randn(4, 7, 12, generator=seeded(0))  # (B, T, D)
layer = partial(nn.TransformerEncoderLayer, 12, 3, 20, dropout=0, batch_first=True)
theirs = {"post-norm": layer(norm_first=False), "pre-norm": layer(norm_first=True)}

def differences(layer):
    ours = with_weights_of(layer)(x)  # (B, T, D)
    return [f"{(ours - other(x)).abs().max():.0e}" for other in theirs.values()]

rows = [(name, *differences(layer)) for name, layer in theirs.items()]
Table(rows, ["ours", "torch, post-norm", "torch, pre-norm"], "largest difference, weights copied from the layer named first")

# %% [markdown]
# Does the order matter? First what happens to the size of the stream: post-norm brings it back to 1 after every step, pre-norm
# lets it grow with depth. That is why a pre-norm stack ends in one more norm.

# %% alt="Root mean square of the residual stream against depth: constant at one for post-norm, growing steadily for pre-norm"
def size(norm_first):
    stream = through(lambda *sizes: EncoderBlock(*sizes, norm_first=norm_first), 24)
    return [x.square().mean().sqrt().item() for x in stream]

curves(None, {"post-norm": size(False), "pre-norm": size(True)}, "after block", "size of the stream");

# %% [markdown]
# ## Stacking, and a trap
#
# An encoder is a number of blocks that are *identical in form, with weights of their own*. In Python the short way to a list of six is `[block] * 6`,
# and it is a trap: six references to one block. A plain list of six real blocks is a second trap: `nn.Module` does not look into it.
# Count what an optimiser would get:

# %%
def parameters(blocks):
    module = nn.Module()
    module.blocks = blocks
    return sum(p.numel() for p in module.parameters())

make = partial(EncoderBlock, 32, 4, 128)
rows = [
    ("nn.ModuleList([make()] * 6)", parameters(nn.ModuleList([make()] * 6))),
    ("[make() for _ in range(6)]", parameters([make() for _ in range(6)])),
    ("nn.ModuleList(make() for _ in range(6))", parameters(nn.ModuleList(make() for _ in range(6)))),
]
Table(rows, ["self.blocks =", "parameters that are trained"])

# %% [markdown]
# All three run, and none complains. The first trains one block that is applied six times; the second trains nothing at all.
# (`nn.TransformerEncoder` avoids the trap by copying the layer it is given. The copies have weights of their own, which start out equal.)
#
# $$h^{(\ell)} = \mathrm{Block}_\ell\big(h^{(\ell-1)}\big), \qquad \ell = 1, \dots, N$$

# %%
class Stack(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D): every block gets the mask
        return self.norm(x)  # (B, T, D)

# %% [markdown]
# ## One vector for a sequence
#
# To classify a text we need one vector from its $T$. The mean is the simplest, but of the real words only: padding is there
# because tensors are rectangular, and means nothing. The same sentence, padded further and further:

# %% alt="Distance of a sentence's mean vector from its true mean against the amount of padding: growing for the plain mean, zero for the masked mean"
words = torch.randn(1, 6, 16, generator=seeded(0)) + 1  # (1, 6, D)
amounts = list(range(0, 25, 4))
padded = [F.pad(words, (0, 0, 0, extra)) for extra in amounts]  # (1, 6 + extra, D) each
real = [torch.arange(6 + extra)[None] < 6 for extra in amounts]  # (1, 6 + extra) each
drift = {
    "plain mean": [far(x.mean(1), words.mean(1)) for x in padded],
    "masked mean": [far(masked_mean(x, m), words.mean(1)) for x, m in zip(padded, real)],
}
curves(amounts, drift, "steps of padding", "relative distance from the true mean", style="o-");

# %% [markdown]
# The masked mean adds up what is real and divides by how much of it there is, $\sum_t m_t x_t / \max(1, \sum_t m_t)$: a text without any word gets
# zeros, never $0/0$. (The other habit, a learned CLS token that is prepended and read out, comes with unit 09.)
#
# ## From texts to tensors
#
# Now a whole pipeline, from texts to an evaluated model. The texts are film reviews from a small grammar. Each names two impressions,
# and *the last one counts*. The same words in the other order belong to another class, so counting words cannot solve this.

# %%
texts, labels = reviews(seeded(0), 1600)  # 1600 lists of words, (1600,)
rows = [(" ".join(text), KINDS[label]) for text, label in zip(texts[:4], labels)]
Table(rows, ["review", "class"])

# %% [markdown]
# **Split first.** 1000 reviews to learn from, 200 to watch the training (validation), 400 that are looked at once, at the end.
# **Vocabulary**: every word that occurs in the *training* texts gets a number; 0 is padding, 1 stands for words never seen.

# %%
train, watch, test = slice(0, 1000), slice(1000, 1200), slice(1200, 1600)
PAD, UNKNOWN = 0, 1
known = sorted({word for text in texts[train] for word in text})
ids = {word: number for number, word in enumerate(known, start=2)}
lengths = torch.tensor([len(text) for text in texts])  # (1600,)
print(f"{len(known)} words; reviews of {lengths.min()} to {lengths.max()} words")

# %% [markdown]
# **Batching.** A batch is padded to its own longest text, not to the longest of all: `collate` makes a rectangle of what it gets.

# %%
def collate(texts):
    width = max(map(len, texts))
    rows = [[ids.get(word, UNKNOWN) for word in text] + [PAD] * (width - len(text)) for text in texts]
    return torch.tensor(rows)  # (B, T)

collate([["the", "plot", "was", "grim"], ["popcorn", "helped"]])

# %%
def batches(texts, labels, size=50, generator=None):
    order = torch.randperm(len(texts), generator=generator)  # (N,): one order for texts and labels
    for batch in order.split(size):
        yield collate([texts[i] for i in batch]), labels[batch]  # (B, T), (B,)

tokens, target = next(batches(texts[train], labels[train], generator=seeded(0)))
print(f"tokens {tuple(tokens.shape)}, target {tuple(target.shape)}")
print(f"{(tokens == PAD).float().mean():.0%} of the tokens are padding")

# %% [markdown]
# ## The model
#
# Embed, add positions, encode under the padding mask, average the real words, project: every part is from this course. One line
# deserves a look: the mask has shape (B, 1, 1, T), *which keys may be attended to*, the same for all heads and all queries.

# %%
class Reader(nn.Module):
    def __init__(self, words, classes, dim=32, heads=2, hidden=64, depth=1):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != PAD  # (B, T)
        x = self.embed(tokens) + sinusoidal_encoding(tokens.shape[1], self.embed.embedding_dim)  # (B, T, D)
        x = self.encoder(x, real[:, None, None, :])  # (B, T, D)
        return self.head(masked_mean(x, real))  # (B, classes)

# %% [markdown]
# ## The training loop
#
# One epoch goes through all reviews once, in a new order. Each step: predict, compare, clear the old gradients, compute new ones, move.
# After each epoch the model is put into evaluation mode and asked about the validation set.

# %%
def accuracy(model, part):
    model.eval()
    with torch.no_grad():
        return (model(collate(texts[part])).argmax(-1) == labels[part]).float().mean().item()

# %%
def epoch(model, optimiser, generator):
    model.train()
    losses = []
    for tokens, target in batches(texts[train], labels[train], generator=generator):
        loss = F.cross_entropy(model(tokens), target)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)

# %%
def learn(model, epochs=12, lr=5e-3, label="epoch"):
    optimiser, generator = torch.optim.Adam(model.parameters(), lr=lr), seeded(0)
    history = []
    for _ in progress(range(epochs), epochs, label):
        history.append((epoch(model, optimiser, generator), accuracy(model, train), accuracy(model, watch)))
    return torch.tensor(history)  # (epochs, 3)

torch.manual_seed(0)
model = Reader(len(ids) + 2, len(KINDS))
history = learn(model, steps(12, fast=2))  # (12, 3)

# %% alt="Left: training loss falls to nearly zero within twelve epochs. Right: accuracy on training and validation reviews rises to almost one"
axes = plt.subplots(1, 2, figsize=(8.6, 3))[1]
curves(None, {"training": history[:, 0]}, "epoch", "loss", ax=axes[0])
curves(None, {"training": history[:, 1], "validation": history[:, 2]}, "epoch", "accuracy", ax=axes[1]);

# %% [markdown]
# ## Evaluation
#
# Now, once, the test set. A number alone says little, so beside it: what guessing reaches; what a model reaches that sees the words but not their
# order; and what becomes of a model that reads the padding as if it were words. Both rivals are the same `Reader` with one part changed.

# %%
def without_positions(tokens):
    real = tokens != PAD  # (B, T)
    x = blind.encoder(blind.embed(tokens), real[:, None, None, :])  # (B, T, D)
    return blind.head(masked_mean(x, real))  # (B, classes)

def without_mask(tokens):
    x = careless.embed(tokens) + sinusoidal_encoding(tokens.shape[1], 32)  # (B, T, D)
    return careless.head(careless.encoder(x).mean(1))  # (B, classes): padding is attended to and averaged

# %%
torch.manual_seed(0)
blind, careless = Reader(len(ids) + 2, len(KINDS)), Reader(len(ids) + 2, len(KINDS))
blind.forward, careless.forward = without_positions, without_mask
for other, name in ((blind, "without positions"), (careless, "without mask")):
    learn(other, steps(12, fast=1), label=name)

# %% alt="Bars of test accuracy: majority class about .2, without positions about .5, without padding mask nearly as good as the full model, which is at about .99"
reached = {"majority": (labels[test] == labels[train].mode().values).float().mean()}
for name, trained in (("no positions", blind), ("no mask", careless), ("full", model)):
    reached[name] = accuracy(trained, test)
bars(reached, "accuracy on the test set");

# %% [markdown]
# Without positions the model finds both impressions and tosses a coin. Without the mask the accuracy looks fine, because
# training and test are padded alike, and so the mistake is easily overlooked. Ask another question: pad the same 400 reviews by some more steps, which changes no
# word of any of them. How far do the predicted probabilities move, and how many reviews get another class?

# %%
def padded(model, extra):
    with torch.no_grad():
        return model(F.pad(collate(texts[test]), (0, extra), value=PAD)).softmax(-1)  # (400, classes)

def unrest(model, extra):
    before, after = padded(model, 0), padded(model, extra)  # (400, classes) each
    changed = (before.argmax(-1) != after.argmax(-1)).sum()
    return f"{(after - before).abs().max():.2g}", int(changed)

rows = [(extra, *unrest(model, extra), *unrest(careless, extra)) for extra in (5, 20, 80)]
Table(rows, ["more padding", "with mask: largest move", "changed", "without: largest move", "changed"])

# %% [markdown]
# With the mask nothing moves but the last digit. Without it the answer to a review depends on how long the *other* reviews of its batch happen to be.

# %% [markdown]
# Where does the full model look? The mean over heads of its attention, for one review. Rows are queries, columns keys. Whatever the query,
# nearly all the attention goes to one word: the adjective that was named *last*. Nobody told it to; it is what the labels reward.

# %% alt="Attention of the trained model on one review: one dark column, the last adjective, the same for every query"
review = texts[test][0]
with recorded_weights(model) as weights, torch.no_grad():
    guess = model(collate([review])).argmax().item()
title = f"{KINDS[labels[test][0]]}, predicted {KINDS[guess]}"
heatmap(weights[0][0].mean(0), review, review, title, values=False);

# %% [markdown]
# One heat map is an anecdote. Over all 400 test reviews: how often is the word that draws most attention the last adjective?

# %%
adjectives = {ids[word] for words in ADJECTIVES.values() for word in words if word in ids}
tokens = collate(texts[test])  # (400, T)
spots = [[t for t, token in enumerate(row) if token in adjectives] for row in tokens.tolist()]
last = torch.tensor([max(spot) for spot in spots])  # (400,)
with recorded_weights(model) as weights, torch.no_grad():
    model(tokens)
favourite = weights[0].mean(1).sum(1).argmax(-1)  # (400, H, T, T) -> (400,): the key that draws most
print(f"{(favourite == last).float().mean():.0%} of the reviews")

# %% [markdown]
# ## Six blocks deep
#
# The order of the norm again, now in training: six blocks, a large step size, no tricks. Post-norm gets nowhere; pre-norm trains.
# Give post-norm a *warm-up* (a learning rate that starts small and rises, here over 80 steps), and it trains too. That is why the original needed one (its formula is in unit 08).

# %%
full = collate(texts[train])  # (1000, T): padded once, for speed

def deep(norm_first, warm):
    torch.manual_seed(0)
    net = Reader(len(ids) + 2, len(KINDS))
    net.encoder = Encoder(32, 2, 64, 6, norm_first)
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    rate = (lambda k: min((k + 1) / warm, (warm / (k + 1)) ** 0.5)) if warm else (lambda k: 1.0)  # up, then slowly down
    return net, optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, rate)

# %%
def run(net, optimiser, schedule, label):
    losses, count, g = [], steps(140, fast=3), seeded(0)
    for _ in progress(range(count), count, label):
        batch = torch.randint(1000, (50,), generator=g)  # (50,)
        loss = F.cross_entropy(net(full[batch]), labels[train][batch])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
    return torch.tensor(losses).unfold(0, min(20, count), 1).mean(1)  # a running mean

# %% alt="Training loss of six blocks at a learning rate of .01: post-norm stays at chance, pre-norm falls, post-norm with warm-up falls too"
settings = {"post-norm": (False, 0), "pre-norm": (True, 0), "post-norm, warm-up": (False, 80)}
runs = {name: run(*deep(*setting), name) for name, setting in settings.items()}
curves(None, runs, "step", "loss (mean of 20 steps)");

# %% [markdown]
# ## MLP, CNN, RNN, attention
#
# Four ways for a position to get information from others. Take one layer of each with random weights and ask which inputs its outputs depend on: the size of
# $\partial\,\text{output}_t / \partial\,\text{input}_s$ for all pairs. In the figure, rows (“queries”) are outputs and columns (“keys”) inputs, also where there is no attention.

# %%
def reach(layer, length=12, dim=8):
    x = torch.randn(1, length, dim, generator=seeded(0))  # (1, T, D)
    jacobian = torch.autograd.functional.jacobian(lambda x: layer(x)[0], x)[:, :, 0]  # (T, D, T, D)
    return jacobian.norm(dim=(1, 3)) / jacobian.norm(dim=(1, 3)).amax()  # (T, T)

torch.manual_seed(0)
mlp, cnn = nn.Linear(12 * 8, 12 * 8), nn.Conv1d(8, 8, 3, padding=1)
rnn, attention = nn.RNN(8, 8, batch_first=True), MultiHeadAttention(8, 2)

# %% alt="Four maps of influence, inputs across and outputs down: the MLP full and irregular, the convolution a band of width three, the recurrent network a lower triangle fading away from the diagonal, attention full"
panels = {
    "MLP": reach(lambda x: mlp(x.flatten(1)).view(1, 12, 8)),
    "CNN, width 3": reach(lambda x: cnn(x.mT).mT),
    "RNN": reach(lambda x: rnn(x)[0]),
    "attention": reach(lambda x: attention(x, x, x)[0]),
}
heatmaps(panels, values=False);

# %% [markdown]
# The MLP connects all with all, but by *fixed* weights for one fixed length. The CNN sees a neighbourhood; distant steps meet only after many layers.
# The RNN sees the whole past, fading, and must take one step after the other. Attention reaches everything in one layer, at any length,
# by weights that depend on the content. Now the same four on the reviews, one
# layer each, same embedding, same masked mean at the end, counted and timed. The recurrent network also gets the read-out that is natural to it: its last state.

# %%
class Other(Reader):
    def __init__(self, layer):
        super().__init__(len(ids) + 2, len(KINDS))
        self.encoder = layer

class Recurrent(nn.GRU):
    def forward(self, x, mask):
        return super().forward(x)[0]  # (B, T, D)

class LastState(Recurrent):
    def forward(self, x, mask):
        end = mask[:, 0, 0].sum(1) - 1  # (B,): the last real word
        state = super().forward(x, mask)[torch.arange(len(x)), end]  # (B, D)
        return state[:, None].expand_as(x)  # (B, T, D): the same everywhere, so that the mean is this state

# %%
class Convolution(nn.Conv1d):
    def forward(self, x, mask):
        x = x * mask[:, 0, 0, :, None]  # (B, T, D): padding must not leak into its neighbours
        return F.relu(super().forward(x.mT)).mT  # (B, T, D)

class Flat(nn.Linear):
    def forward(self, x, mask):
        x = x * mask[:, 0, 0, :, None]  # (B, T, D)
        wide = F.pad(x, (0, 0, 0, 23 - x.shape[1])).flatten(1)  # (B, 23 D): one fixed length
        return x + super().forward(wide)[:, None].relu()  # (B, T, D)

# %%
makers = {
    "MLP": lambda: Flat(23 * 32, 32),
    "CNN": lambda: Convolution(32, 32, 3, padding=1),
    "RNN (GRU)": lambda: Recurrent(32, 32, batch_first=True),
    "RNN, last state": lambda: LastState(32, 32, batch_first=True),
    "attention block": lambda: Encoder(32, 2, 64, 1, norm_first=True),
}

# %%
rows = []
for name, make in makers.items():
    torch.manual_seed(0)
    contender, began = Other(make()), time.process_time()
    learn(contender, steps(8, fast=1), label=name)
    seconds, count = time.process_time() - began, sum(p.numel() for p in contender.encoder.parameters())
    waits = 23 if "RNN" in name else 1  # how many steps have to wait for each other
    rows.append((name, count, accuracy(contender, test), f"{seconds:.1f} s", waits))

# %%
Table(rows, ["layer", "parameters", "test accuracy", "CPU time", "steps in a row"], "8 epochs on the reviews")

# %% [markdown]
# Read it with care: one task, one layer, eight epochs, one setting of everything. With more epochs, layers or units each of them gets better, and a recurrent network
# that is read out at its end is made for "the last one counts". What does not depend on the setting: the MLP pays with parameters for a length that it can never
# exceed, the convolution sees three words at a time, and the recurrent network's 23 steps wait for each other while the others' do not. (It is a myth that recurrence "cannot run in parallel": over the batch and the units it can. Over *time* it cannot.)
#
# ## One series from another
#
# Tokens need not be words. Here is one time series that follows another: $A_t = \tanh(B_{t-7}) + \text{noise}$, the noise of variance .010. A model
# sees the last 24 values of $B$ and predicts $A_t$. It does not know the lag, nor the tanh. The split is by time: learn on the first 3000 steps, test on what comes after.

# %%
def coupled(length=4000, lag=7):
    g = seeded(0)
    b = torch.zeros(length)
    for t in range(2, length):
        b[t] = 1.6 * b[t - 1] - 0.8 * b[t - 2] + 0.3 * torch.randn((), generator=g)
    a = 0.1 * torch.randn(length, generator=g)
    a[lag:] += b[:-lag].tanh()
    return a, b

a, b = coupled()  # (4000,) each
windows, target, cut = b.unfold(0, 24, 1), a[23:], 3000  # (3977, 24), (3977,)

# %% alt="A stretch of the two series: A follows B seven steps later, flattened at plus and minus one"
curves(None, {"B": b[3000:3120], "A": a[3000:3120]}, "time", "", "A follows B, seven steps later and squeezed");

# %% [markdown]
# The model: each value becomes a token, with learned positions; one encoder block; then a learned *query* that looks over the window once and
# reads out. Its weights can be drawn: at which lag does it look?

# %%
class Forecaster(nn.Module):
    def __init__(self, window, features=1, dim=32):
        super().__init__()
        self.embed, self.head = nn.Linear(features, dim), nn.Linear(dim, 1)
        self.positions = nn.Parameter(0.02 * torch.randn(window, dim))
        self.query = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.block, self.look = EncoderBlock(dim, 2, 64, norm_first=True), MultiHeadAttention(dim, 1)

    def forward(self, x):
        x = self.block(self.embed(x) + self.positions)  # (B, T, D)
        out, weights = self.look(self.query.expand(len(x), -1, -1), x, x)  # (B, 1, D), (B, 1, 1, T)
        return self.head(out)[:, 0, 0], weights[:, 0, 0]  # (B,), (B, T)

# %%
torch.manual_seed(0)
forecaster, g = Forecaster(24), seeded(0)

def loss(step):
    batch = torch.randint(cut, (64,), generator=g)  # (64,)
    return F.mse_loss(forecaster(windows[batch][..., None])[0], target[batch])

fit(loss, forecaster.parameters(), steps(560), lr=2e-3, label="forecaster");

# %% [markdown]
# Two rivals without which a number means nothing. *Persistence*: $A_t$ will be what $A_{t-1}$ was. And a *linear* model on the same window, solved exactly.

# %%
def linear_forecast(inputs, target, cut):
    design = F.pad(inputs, (0, 1), value=1.0)  # (N, features + 1): a column of ones for the bias
    solution = torch.linalg.lstsq(design[:cut], target[:cut, None]).solution  # (features + 1, 1)
    return (design @ solution)[:, 0]  # (N,)

# %%
with torch.no_grad():
    predicted, weights = forecaster(windows[cut:][..., None])  # (977,), (977, 24)
linear = linear_forecast(windows, target, cut)[cut:]  # (977,)
forecasts = {"persistence": target[cut - 1 : -1], "linear": linear, "Transformer": predicted}
errors = {name: F.mse_loss(forecast, target[cut:]).item() for name, forecast in forecasts.items()}
rows = [*errors.items(), ("the noise, which nobody can predict", 0.01)]
Table(rows, ["forecast", "mean squared error on later data"])

# %% alt="Mean attention weight by lag: the largest weight at lag seven, its neighbours next"
by_lag = weights.mean(0).flip(0)  # (24,): lag 0 is the newest value
ax = plt.subplots()[1]
ax.bar(range(24), by_lag)
ax.set(xlabel="lag", ylabel="mean attention weight", xticks=range(0, 24, 7))
ax.set_title(f"it looks {by_lag.argmax()} steps back");

# %% [markdown]
# The linear model finds the lag as well; what it cannot do is bend. The Transformer comes down to the noise.
#
# ## Stock prices: an honest failure
#
# The example that decks love: the share price of company A from that of company B. We have monthly prices of Apple and Microsoft since 1990 (they ship with
# matplotlib as sample data). At first sight it looks promising:

# %%
with open(matplotlib.cbook.get_sample_data("Stocks.csv", asfileobj=False)) as file:
    table = list(csv.DictReader(line for line in file if not line.startswith("#")))
lines = [row for row in table if row["Date"].endswith("-01") and row["AAPL"] and row["MSFT"]]  # one price a month
prices = torch.tensor([[float(row["AAPL"]), float(row["MSFT"])] for row in lines])  # (months, 2)
changes = prices.log().diff(dim=0)  # (months - 1, 2): monthly changes, as logarithms
print(f"{len(lines)} months, {lines[0]['Date']} to {lines[-1]['Date']}")

# %%
def correlation(u, v):
    return torch.corrcoef(torch.stack([u, v]))[0, 1]

rows = [
    ("prices of the same month", correlation(*prices.T)),
    ("changes of the same month", correlation(*changes.T)),
    ("Apple's change and Microsoft's of the month before", correlation(changes[1:, 0], changes[:-1, 1])),
]
Table(rows, ["what is compared", "correlation"])

# %% [markdown]
# The .99 is an illusion: both prices rose for thirty years, and so did the price of almost everything. The changes correlate moderately, but
# *in the same month*: that is no forecast, it is reading the result off another screen. Last month's change, the one that could be used, tells next to nothing.
#
# We try all the same: from 12 months of changes of both companies to Apple's next one, trained on the first 240 months. Persistence here means: no change.

# %%
inputs = changes[:-1].unfold(0, 12, 1).mT  # (N, 12, 2): the twelve months before
change, cut = changes[12:, 0], 240  # (N,): the month to predict
torch.manual_seed(0)
trader = Forecaster(12, features=2)
tracks = []

def loss(step):
    now = trader(10 * inputs)[0] / 10  # (N,); a factor 10 brings monthly changes to a size near 1
    tracks.append([F.mse_loss(now[:cut], change[:cut]).item(), F.mse_loss(now[cut:], change[cut:]).item()])
    return F.mse_loss(now[:cut], change[:cut])

fit(loss, trader.parameters(), steps(400), lr=2e-3, label="trader");

# %% alt="Mean squared error against training steps: falling on the first 240 months, rising on later months above the dashed line of persistence"
seen, later = torch.tensor(tracks).T  # (steps,) each
still = change[cut:].square().mean()
ax = curves(None, {"first 240 months": seen, "later months": later}, "training step", "mean squared error")
ax.axhline(still, color="black", linestyle="--", label="persistence, later months")
ax.legend();

# %% [markdown]
# It learns the past by heart, and from step 50 on the future gets worse and worse. Stopped before that it is as good as persistence, no better. And the linear model? Whoever compares only the means might call it a
# success, so we add what is usually left out: the standard error of the difference to persistence, month by month.

# %%
truth = change[cut:]  # (N - cut,)
rivals = {"linear": linear_forecast(inputs.flatten(1), change, cut)[cut:]}  # (N - cut,) each
with torch.no_grad():
    rivals["Transformer"] = trader(10 * inputs[cut:])[0] / 10
rows = [("persistence", still, "")]
for name, forecast in rivals.items():
    gap = (forecast - truth).square() - truth.square()  # (N - cut,): worse than persistence by, month by month
    spread = gap.std() / len(gap) ** 0.5
    rows.append((name, (forecast - truth).square().mean(), f"{gap.mean():+.4f} ± {spread:.4f}"))
Table(rows, ["forecast", "error on later months", "difference from persistence"])

# %% [markdown]
# The linear model's advantage, if it is one, is of the size of its standard error, and mostly the knowledge that Apple rose in the years before. And here is how such a
# result is sold all the same: draw *prices*, one month ahead, and the forecast hugs the curve. It has to: it starts from last month's true price. The eye does not
# notice that the curve is one month late.

# %% alt="Apple's price over the last five years and the linear model's forecast one month ahead: the two curves look alike, the forecast shifted to the right"
before = prices[12:-1, 0][cut:]  # (N - cut,): last month's price
shown = {"price": prices[13:, 0][cut:][-60:], "“forecast”": (before * rivals["linear"].exp())[-60:]}
curves(None, shown, "month", "Apple, US$", "looks like a forecast, is last month's price");

# %% [markdown]
# ## Summary
#
# - Self-attention is linear in its values only for weights held fixed. It *averages*; the feed-forward layer, with its ReLU, *computes*, position by position.
# - Residual connections keep the word, and the gradient, alive: without them all tokens are one vector after two blocks.
# - Layer norm normalises each token over its own features. It knows no batch, no length, no padding, no training mode.
# - Post-norm: $\mathrm{LN}(x + f(x))$. Pre-norm: $x + f(\mathrm{LN}(x))$, and one more norm at the end. At large steps without warm-up only the second trains.
# - Blocks have weights of their own: `nn.ModuleList`, a new block for each place, never `[block] * N`.
# - Padding comes in at two doors, the attention and the mean; close both.
# - A forecast is judged on later data against persistence and a linear model, with an error bar.

# %% [markdown]
# ## Questions
#
# **1.** A student writes, in pre-norm, `x = norm1(x); x = x + attention(x)`. What is lost, and does torch's layer with the same weights agree?
#
# <details><summary>Answer</summary>
#
# The residual now carries the *normalised* x. The stream that should run untouched from the embedding to the end is rescaled in every block, as in post-norm, but
# without the norm after the sum. The values differ from torch's in either order. It trains, somehow, which is why the mistake is found in well-known repositories.
# </details>
#
# **2.** With batch norm in place of layer norm, in training mode, how could a model for language generation cheat?
#
# <details><summary>Answer</summary>
#
# The mean of a feature is taken over all positions, later ones included. Each token is shifted by something that depends on the future: a leak past any causal mask. The
# perturbation test of unit 03 finds it.
# </details>
#
# **3.** An encoder reads 100 words. How many vectors come out, what would it take to read 200, and what does it take to output 20?
#
# <details><summary>Answer</summary>
#
# 100 vectors, one per word. For 200 words nothing changes but four times as many attention weights; only a table of learned positions would have to be longer. For 20 outputs
# the encoder has to be asked 20 questions: by a decoder with cross-attention (unit 08), or by 20 learned queries like the one of the forecaster above.
# </details>

# %% [markdown]
# ## Where next
#
# - The assignment [`07_transformer_encoder`](../assignments/07_transformer_encoder/07_transformer_encoder.ipynb): layer norm, feed-forward, block, encoder, masked mean, and a classifier that you train.
# - [Unit 08](08_transformer_decoder.ipynb) puts a decoder beside the encoder: masked self-attention, cross-attention, translation.
