# %% [markdown]
# # Assignment 07 · The Transformer encoder
#
# You build an encoder from layer norm upwards, train it on texts in which the order of
# the words decides, find two mistakes that others made, and predict what two changes
# do.
#
# - Expected time: about three hours. You can do it in three sittings, beside the
#   lecture: exercises 1, 2, 7 to 9 and 11 after its part 1 (60 minutes), 3 to 5 after
#   part 2 (65 minutes), 6 after part 3 (45 minutes). Exercises 10 and 12 (15 minutes)
#   go with its appendix, and can be solved without it.
# - Below each answer stands a cell that checks it at once. It says what is wrong, and
#   often which misunderstanding caused it. The grader uses the same checks with other
#   numbers.
# - Sizes: `B` batch, `T` length, `D` features of a token, `H` heads. Masks are boolean
#   and True means *may attend*, or: *this token counts*.
# - Functions and modules must not change the tensors that they are given, and must let
#   gradients flow (no `.detach()`, no NumPy). Constructors that are given stay as they
#   are: the checks copy weights into the layers by their names.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary
from course_utils.multi_head_attention import MultiHeadAttention
from course_utils.positional_encoding import LearnedPositions, sinusoidal_encoding
from course_utils.data.reviews import KINDS, reviews

# %% [markdown]
# ## 1. Layer norm
# *easy · 20 minutes · {{points layer_norm}}*
#
# Write `layer_norm(x, gamma, beta, eps)`. `x` has any number of axes; the last one, of
# size `D`, holds the features of a token. For every token by itself:
#
# $$\mu = \frac1D \sum_j x_j, \qquad \sigma^2 = \frac1D \sum_j (x_j - \mu)^2, \qquad
# y = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta$$
#
# - The variance divides by `D`. `eps` is added to the variance, under the root.
# - It must also be accurate for a token whose mean is much larger than its spread (a
#   mean of 60, a spread of 1), and give `beta` for a token whose features are all
#   equal.
# - Not allowed: torch's own normalisations (`nn.LayerNorm`, `F.layer_norm`,
#   `F.group_norm`, `F.batch_norm` and their kin).
#
# Example: with `gamma` of ones, `beta` of zeros and `eps = 0`, the token `[1, 2, 3, 6]`
# (mean 3, variance 3.5) becomes `[-1.07, -0.53, 0, 1.60]`.

# %% nbgrader={"grade_id": "layer_norm"}
def layer_norm(x, gamma, beta, eps=1e-5):
    """(..., D), (D,), (D,) -> (..., D)."""
    ### BEGIN SOLUTION
    centred = x - x.mean(-1, keepdim=True)  # (..., D)
    variance = (centred**2).mean(-1, keepdim=True)  # (..., 1)
    return gamma * centred / (variance + eps).sqrt() + beta  # (..., D)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_layer_norm"}
check(layer_norm)

# %% [markdown]
# ## 2. The feed-forward layer
# *easy · 10 minutes · {{points FeedForward}}*
#
# Complete `forward`: the layer `inner`, a ReLU, the layer `outer`. `x` may have any
# leading axes, `(..., D)`; every token is treated by itself. No residual here, no
# dropout.
#
# Example: with one feature, two hidden units, the weights 1 and −1 in `inner`, 1 and 1
# in `outer`, and no bias, it computes $|x|$: the tokens −3, 0, 2 become 3, 0, 2.

# %% nbgrader={"grade_id": "FeedForward"}
class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x):
        """(..., D) -> (..., D)."""
        ### BEGIN SOLUTION
        hidden = F.relu(self.inner(x))  # (..., hidden)
        return self.outer(hidden)  # (..., D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "test_FeedForward"}
check(FeedForward)

# %% [markdown]
# ## 3. The encoder block
# *medium · 30 minutes · {{points EncoderBlock}}*
#
# Complete `forward`. A block has two halves: self-attention with `norm1`, then the
# feed-forward layer with `norm2`. With $f$ for the layer of a half:
#
# - post-norm, the default: $x \leftarrow \mathrm{norm}(x + f(x))$
# - pre-norm, if `norm_first`: $x \leftarrow x + f(\mathrm{norm}(x))$
#
# In both orders the second half starts from what the first half returned. A check by
# hand, for one half with $f(v) = 2v$, a fresh norm and the token $(1, 3)$: post-norm
# gives $(-1, 1)$, pre-norm $(-1, 5)$.
#
# What else there is to know:
#
# - `self.attention(query, key, value, mask)` is the module of unit 05; it returns
#   `(output, weights)`. In self-attention query, key and value are the same tensor.
# - The mask, if there is one, can be handed on as it is: it is broadcastable to
#   `(B, H, T, T)`, for padding it has shape `(B, 1, 1, T)`.
# - Return the output alone. The block uses your `FeedForward` from above, so do that
#   one first.
# - Not allowed: `nn.TransformerEncoderLayer` and its kin.

# %% nbgrader={"grade_id": "EncoderBlock"}
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        ### BEGIN SOLUTION
        if self.norm_first:
            y = self.norm1(x)  # (B, T, D)
            x = x + self.attention(y, y, y, mask)[0]  # (B, T, D)
            return x + self.feed_forward(self.norm2(x))  # (B, T, D)
        x = self.norm1(x + self.attention(x, x, x, mask)[0])  # (B, T, D)
        return self.norm2(x + self.feed_forward(x))  # (B, T, D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "test_EncoderBlock"}
check(EncoderBlock)

# %% [markdown]
# ## 4. The encoder
# *medium · 20 minutes · {{points Encoder}}*
#
# Write the whole class this time, constructor and `forward`.
#
# - `self.blocks`: `depth` blocks (your `EncoderBlock`) each with its own weights, in a
#   container that registers them.
# - `self.norm`: an `nn.LayerNorm(dim)` after the last block if `norm_first`; in
#   post-norm there is no such layer (`None` or an `nn.Identity` is fine).
# - `forward(x, mask=None)` sends `x` through the blocks in order, each with the mask,
#   then through the last norm if there is one.
# - The checks copy weights in by name, such as `blocks.0.attention.query.weight` and
#   `norm.weight`. Nothing else may have parameters. To count them yourself:
#   `sum(p.numel() for p in Encoder(32, 4, 128, 6, norm_first=True).parameters())` is
#   76,288.
# - Not allowed: `nn.TransformerEncoder` and its kin.

# %% nbgrader={"grade_id": "Encoder"}
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        ### BEGIN SOLUTION
        sizes = dim, heads, hidden, norm_first
        self.blocks = nn.ModuleList(EncoderBlock(*sizes) for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()
        ### END SOLUTION

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        ### BEGIN SOLUTION
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return self.norm(x)  # (B, T, D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "test_Encoder"}
check(Encoder)

# %% [markdown]
# ## 5. The mean of the real tokens
# *easy · 15 minutes · {{points masked_mean}}*
#
# Write `masked_mean(x, mask)`: `(B, T, D)` and a boolean `(B, T)` → `(B, D)`, for each
# sequence the mean over the positions where the mask is True. A sequence without any
# True gives zeros, never NaN.
#
# Example, one sequence of three tokens with two features, the last one padding:
#
# ```
# x    = [[[1, 4], [3, 0], [9, 9]]]
# mask = [[True,   True,   False]]
# masked_mean(x, mask) = [[2, 2]]
# ```

# %% nbgrader={"grade_id": "masked_mean"}
def masked_mean(x, mask):
    """(B, T, D), (B, T) bool -> (B, D)."""
    ### BEGIN SOLUTION
    total = (x * mask[..., None]).sum(1)  # (B, D)
    return total / mask.sum(1, keepdim=True).clamp(min=1)  # (B, D)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_masked_mean"}
check(masked_mean)

# %% [markdown]
# ## 6. Train a classifier
# *hard · 45 minutes · {{points train_classifier}}*
#
# The texts are film reviews from a small grammar, as in the lecture. Each names two
# impressions that contradict each other, and the **last** one is the class. Here are
# some, and as tensors the way your function will get them:

# %%
texts, practice_labels = reviews(torch.Generator().manual_seed(0), 1400)
words = sorted({word for text in texts for word in text})
practice_pad = 7  # any number: here the words get the numbers 0 … 6 and 8 …
ids = {word: number + (number >= practice_pad) for number, word in enumerate(words)}
width = max(len(text) for text in texts)
practice = torch.full((len(texts), width), practice_pad)  # (1400, T)
for row, text in zip(practice, texts):
    row[: len(text)] = torch.tensor([ids[word] for word in text])
for text, label in zip(texts[:3], practice_labels):
    print(f"{KINDS[label]:7}", " ".join(text))
print(practice[0])

# %% [markdown]
# Write `train_classifier(tokens, labels, classes, pad, seed)`. It builds a model,
# trains it, and returns it.
#
# - `tokens` `(N, T)` and `labels` `(N,)` are what you learn from, 1000 reviews.
#   `classes` is the number of classes (not always the same), `pad` the id of the
#   padding (**not** always 0). Every id that comes later also occurs in `tokens`, so
#   `int(tokens.max()) + 1` is the size of the vocabulary. The padding stands at the end
#   of the rows.
# - Return a model that is ready to predict: `model(tokens)` takes `(M, T′)` tokens,
#   with any `T′` up to `T`, and returns logits `(M, classes)`.
# - **Graded** on reviews that it never saw: at least 90 % of 400 must be right. A sound
#   encoder reaches 95 to 100 %, so there is room for bad luck; whoever ignores the
#   order of the words gets about 50 %. Three more laws hold: the same reviews get the
#   same answer twice; a review is judged by itself, whoever else is in the batch; and
#   cutting off padding columns changes nothing.
# - Positions: `sinusoidal_encoding(length, dim)` of unit 06 gives a table `(T, D)` to
#   add to the embeddings; `LearnedPositions(max_len, dim)` is a module that adds one.
# - Your `Encoder` is the natural choice, but not required: any model will do, torch's
#   encoder or a recurrent network as well. Call `torch.manual_seed(seed)` first, so
#   that your result can be repeated.
# - It should take a few seconds on one CPU; the limit is 60 seconds. A start that
#   works: `D = 32`, 2 heads, one pre-norm block of hidden width 64, Adam with a
#   learning rate of `5e-3`, batches of 50 in a new order in every epoch, 10 epochs.
#
# A way through it: (1) a class with `embed`, `encoder` and a last linear layer, whose
# `forward` goes from `(B, T)` tokens to `(B, classes)` logits; print the shape after
# every line once. (2) The loop over epochs and batches. (3) `model.eval()`, return. You
# may define the class in the same cell, above the function.
#
# The cell with the check takes a while, so try it on the practice data first:
#
# ```python
# data = practice[:1000], practice_labels[:1000]
# model = train_classifier(*data, 5, practice_pad, seed=0)
# found = model(practice[1000:]).argmax(-1)
# (found == practice_labels[1000:]).float().mean()
# ```
#
# What the number tells: near .20, it has learned nothing (is the loss falling?); near
# .50, it finds both impressions and not which came last (positions?).

# %% nbgrader={"grade_id": "train_classifier"}
def train_classifier(tokens, labels, classes, pad, seed):
    """(N, T) int, (N,) int -> a model: tokens (M, T') -> logits (M, classes)."""
    ### BEGIN SOLUTION
    class Classifier(nn.Module):
        def __init__(self, vocabulary, dim=32):
            super().__init__()
            self.embed = nn.Embedding(vocabulary, dim)
            self.encoder = Encoder(dim, heads=2, hidden=64, depth=1, norm_first=True)
            self.head = nn.Linear(dim, classes)

        def forward(self, tokens):
            real = tokens != pad  # (B, T)
            x = self.embed(tokens)  # (B, T, D)
            x = x + sinusoidal_encoding(*x.shape[1:])  # (B, T, D)
            x = self.encoder(x, real[:, None, None, :])  # (B, T, D)
            return self.head(masked_mean(x, real))  # (B, classes)

    torch.manual_seed(seed)
    model = Classifier(int(tokens.max()) + 1)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(10):
        for batch in torch.randperm(len(tokens)).split(50):  # (50,)
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_train_classifier"}
check(train_classifier)

# %% [markdown]
# ## 7. Spot the mistake: the feed-forward layer
# *5 minutes · {{points choice_feed_forward}}*
#
# In a pre-norm block, $x \leftarrow x + \mathrm{FF}(\mathrm{LN}(x))$, somebody builds
# the feed-forward layer like this:
#
# ```python
# nn.Sequential(nn.Linear(512, 2048), nn.Linear(2048, 512), nn.ReLU())
# ```
#
# It runs, and it trains. What is wrong with it?
#
# {{options choice_feed_forward}}

# %% nbgrader={"grade_id": "choice_feed_forward"}
choice_feed_forward = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_feed_forward = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_feed_forward"}
check(choice_feed_forward, "choice_feed_forward")

# %% [markdown]
# ## 8. Predict: who feels it?
# *5 minutes · {{points choice_layer_norm}}*
#
# A batch of `B` sentences with `T` tokens of `D` features goes through a fresh layer
# norm ($\gamma = 1$, $\beta = 0$). Now you add 5 to *all* `D` features of *one* token
# of the first sentence, and to *one* feature of *all* `T` tokens of the second. Which
# outputs can change (more than by rounding)?
#
# {{options choice_layer_norm}}

# %% nbgrader={"grade_id": "choice_layer_norm"}
choice_layer_norm = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_layer_norm = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_layer_norm"}
check(choice_layer_norm, "choice_layer_norm")

# %% [markdown]
# ## 9. Predict: a linear attention
# *5 minutes · {{points choice_linear}}*
#
# A common claim: self-attention maps the layer below *linearly* onto the next, because
# $a_t = \sum_s \alpha_{t,s}\, h_s W_V$. It does not. Somebody wants a variant for which
# it is true: a linear map of $h$. Which change makes it so?
#
# {{options choice_linear}}

# %% nbgrader={"grade_id": "choice_linear"}
choice_linear = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_linear = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_linear"}
check(choice_linear, "choice_linear")

# %% [markdown]
# ## 10. Spot the mistake: a random fifth
# *5 minutes · {{points choice_stocks}}*
#
# Somebody predicts a share price. The series is cut into windows of 24 days, one
# beginning at every day; a random fifth of the windows is kept for the test. There the
# error is half that of *tomorrow's price is today's*. What has to be changed before you
# believe it?
#
# {{options choice_stocks}}

# %% nbgrader={"grade_id": "choice_stocks"}
choice_stocks = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_stocks = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_stocks"}
check(choice_stocks, "choice_stocks")

# %% [markdown]
# ## 11. In your own words
# *15 minutes · 4 points, graded by hand*
#
# The lecture compares a norm over the features of one token with a norm over the batch.
# Here is a third one: somebody takes mean and variance over *time and features of one
# sentence*, all $T \cdot D$ numbers of it together, and builds it into a model that
# *writes*, under a causal mask. Explain in five to eight sentences: (1) what leaks in
# training, although the mask is right; (2) what padding does; (3) what happens while the
# model writes token by token. (4) Name one experiment, with what you would measure, that
# shows one of these to someone who does not believe you.

# %% [markdown] nbgrader={"grade_id": "batch_norm_review", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
#
# - 1 point: mean and variance run over later tokens too, so every position is shifted
#   and scaled by something that depends on the future, and so on its own answer; the
#   mask only closes the attention.
# - 1 point: padding takes part in mean and variance, so a sentence's features change
#   with the amount of padding, that is with the longest sentence of its batch. (The
#   values of the other sentences do not come in: a point is not lost for saying so.)
# - 1 point: in writing, the future is not there: position $t$ is normalised by the
#   tokens so far, in training it was by all of them, so the two are different functions;
#   and with every new token the statistics of all earlier ones change, so that nothing
#   computed for them can be kept. One of the two is enough.
# - 1 point: a concrete experiment with a measured quantity, e.g. change the last token
#   and measure how far the first one's output moves; or add ten steps of padding and
#   compare the features; or compare one pass over the whole sentence with a pass per
#   token. "Train it and see" without a quantity gets no point.
# ### END SOLUTION

# %% [markdown]
# ## 12. Fill in the table
# *10 minutes · 3 points, graded by hand*
#
# The lecture compares four layers by what reaches what. Here are four more. Each is
# stacked; the sequence has $n$ positions, $0, \dots, n - 1$. Fill in the cells:
# double-click, replace the dots. "Reach" means that the output there depends on the
# input here. Layers are counted one by one (dilations 1, 2 and 4 are three layers). A
# layer whose positions are all computed at once takes 1 step.
#
# - Convolutions of width 3 whose *dilation* doubles: layer $\ell = 0, 1, 2, \dots$ sees
#   the positions $t - 2^\ell$, $t$ and $t + 2^\ell$.
# - Self-attention under a causal mask.
# - Self-attention with a window: position $t$ may attend to $s$ where $|s - t| \le w$.
# - A bidirectional recurrent network: one from left to right, one from right to left.

# %% [markdown] nbgrader={"grade_id": "four_ways", "points": 3}
# | layer | which inputs reach output $t$ in one layer (layer $\ell$)? | how many layers until input 0 reaches output $n - 1$? | how many steps of one layer must wait for each other? |
# |---|---|---|---|
# | convolutions, dilation $2^\ell$ | … | … | … |
# | causal self-attention | … | … | … |
# | self-attention, window $w$ | … | … | … |
# | bidirectional recurrent network | … | … | … |
#
# ### BEGIN SOLUTION
# **Rubric.** A quarter of a point per cell, rounded to half points. Off by one in a
# number of layers is fine where the reasoning is right.
#
# | layer | which inputs reach output $t$ in one layer (layer $\ell$)? | how many layers until input 0 reaches output $n - 1$? | how many steps of one layer must wait for each other? |
# |---|---|---|---|
# | convolutions, dilation $2^\ell$ | three: $t - 2^\ell$, $t$, $t + 2^\ell$ | $\log_2 n$, rounded up ($L$ layers reach $2^L - 1$ steps) | 1 |
# | causal self-attention | all $s \le t$ | 1 | 1 |
# | self-attention, window $w$ | $t - w, \dots, t + w$ | $(n - 1) / w$, rounded up | 1 |
# | bidirectional recurrent network | all (fading) | 1 | $n$ (the two directions side by side) |
# ### END SOLUTION

# %% [markdown]
# ## Let it read
#
# Not graded: your parts, put together, read a review that you write. The cell below
# runs your `train_classifier` once more (a few seconds), asks the model about a review
# and about the same review with its two halves exchanged, and draws where the first
# block looks. Change the sentences; the words must be among those that the model knows
# (`sorted(ids)`). Does a head look at the adjectives, and at which of the two?
#
# If you want to know whether it also *relies* on what it looks at, intervene: hide the
# last adjective and ask again. Below the line that makes `tokens`, add
# `tokens[0, -1] = practice_pad`; then your masks hide the last word, from the attention
# and from the mean. Guess first: which class will it name now?

# %%
if ready("EncoderBlock", "Encoder", "masked_mean", "train_classifier"):
    from course_utils.multi_head_attention import recorded_weights
    from course_utils.plotting import heatmaps

    first, last = "the music was tender", "the ending was creepy"
    data = practice[:1000], practice_labels[:1000]  # (1000, T), (1000,)
    model = train_classifier(*data, 5, practice_pad, seed=0)
    with torch.no_grad():
        found = model(practice[1000:]).argmax(-1)  # (400,)
    right = (found == practice_labels[1000:]).float().mean()
    print(f"{right:.1%} of 400 new reviews are read rightly")
    for text in (f"{first} popcorn helped {last}", f"{last} popcorn helped {first}"):
        words = text.split()
        tokens = torch.tensor([[ids[word] for word in words]])  # (1, T)
        with recorded_weights(model) as weights, torch.no_grad():
            print(text, "→", KINDS[int(model(tokens).argmax())])
        if weights:  # a model without the attention of unit 05 has none to draw
            heads = enumerate(weights[0][0])  # (H, T, T)
            heatmaps({f"head {h}": w for h, w in heads}, words, words, values=False)

# %% [markdown]
# ## How far are you?

# %%
summary("07")

# %% [markdown]
# ## Further reading
#
# - Vaswani et al., [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
#   (2017), section 3: the encoder in one page, post-norm as it was.
# - Ba, Kiros and Hinton, [Layer Normalization](https://arxiv.org/abs/1607.06450)
#   (2016): why the statistics of one example are enough.
# - Xiong et al., [On Layer Normalization in the Transformer
#   Architecture](https://arxiv.org/abs/2002.04745) (2020): what the lecture's
#   experiment with six blocks hints at, with a proof.
# - Dong, Cordonnier and Loukas, [Attention Is Not All You
#   Need](https://arxiv.org/abs/2103.03404) (2021): why tokens become alike without
#   residual connections, and how fast.
# - Zeng et al., [Are Transformers Effective for Time Series
#   Forecasting?](https://arxiv.org/abs/2205.13504) (2022): a single linear layer as the
#   rival that many forecasters forgot to ask.
