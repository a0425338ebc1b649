# %% [markdown]
# # 10 · Image captioning
#
# A picture goes in, a sentence comes out. Here the two halves of the course meet: something that sees and something that writes, joined
# by attention. After this lecture you can
#
# - say what is lost when a picture becomes one vector, and measure it;
# - turn a feature map into a set of regions that a decoder can attend to;
# - write the captioner of *Show, Attend and Tell*, and show for every word where it looked;
# - put the decoder of unit 08 in its place, and find a task where that makes a difference, and say why;
# - explain why hard attention needs another gradient, and estimate it.

# %%
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.image_captioning import Eye, LSTMCaptioner, TransformerCaptioner, describe, train_captioner
from course_utils.images import looks, show
from course_utils.plotting import Table, curves, heatmap, interactive
from course_utils.scenes import LENGTH, RELATIONS, VOCABULARY, paint, relations, scenes, words
from course_utils.training import seeded, steps

# %% [markdown]
# ## Captions without attention
#
# Our pictures are generated, so that every caption has one right answer: one or two coloured shapes on a 3 x 3 grid, named in reading
# order, each with its place. 3,000 to learn from, 500 to test with.

# %% alt="Six generated pictures of one or two coloured shapes on a three by three grid, on white"
pictures, captions = scenes(3000, seeded(0))  # (3000, 3, 24, 24), (3000, 11)
test_pictures, test_captions = scenes(500, seeded(1))  # (500, 3, 24, 24), (500, 11)
show(test_pictures[:6], columns=6)
Table([(" ".join(words(c)),) for c in test_captions[:3]], ["captions of the first three"])

# %% [markdown]
# One of the first neural captioners (*Show and Tell*, 2014) is a translator whose source is a picture: a CNN makes one vector of it, and
# an LSTM unrolls that vector into words. The vector is the same at every step. That, not its being the *final* output of the CNN, is the
# limit: with attention the final layer is used as well, but each word reads it anew. Here is the static model: an LSTM that is fed the
# mean over the picture with every word.

# %%
def exact(model, pictures, captions):
    told = describe(model, pictures, captions.shape[1])  # (B, T)
    return (told == captions).all(1).float().mean().item()


torch.manual_seed(0)
static = LSTMCaptioner(len(VOCABULARY), attend=False)
train_captioner(static, pictures, captions, steps(300))
found = {"one static vector": exact(static, test_pictures, test_captions)}
told = describe(static, test_pictures, LENGTH)  # (500, 11)
rows = [(" ".join(words(a)), " ".join(words(b))) for a, b in zip(told[:3], test_captions)]
Table(rows, ["it says", "right"], f"captions right in every word: {found['one static vector']:.2f}")

# %% [markdown]
# It has learned to speak: colour, shape, row, column, perhaps *and*. Half of what it says is wrong. Where? Count the captions that are right in every word, and the four
# words of the first shape one by one, for pictures of one shape and of two.

# %%
both = (test_captions == VOCABULARY.index("and")).any(1)  # (500,): two shapes
rows = []
for name, which in (("one shape", ~both), ("two shapes", both)):
    good = (told == test_captions)[which]  # (n, 11)
    rows.append((name, good.all(1).float().mean(), *good[:, 1:5].float().mean(0)))
Table(rows, ["pictures of", "every word", "colour", "shape", "row", "column"], "share that is right")

# %% [markdown]
# One shape it describes well. Of two, it knows well in which rows they lie, but their colours and shapes run together: all that there is to see was poured into one mean, and has
# to be told apart from the mixture again. It is the bottleneck of unit 04 once more.
#
# ## A picture as a set of regions
#
# How can a picture be turned into a *set* of vectors to attend to? It already is one. Before anything is averaged, a CNN holds
# a feature map $(C, H, W)$: at each of $H \times W$ places a vector of $C$ features that describes the patch of picture around it. Take the
# places for regions, and you have what the encoder states of a sentence were.

# %%
def image_regions(features):
    return features.flatten(2).mT  # (B, C, H W) -> (B, H W, C): row by row


torch.manual_seed(0)
eye = Eye(64)
features = eye.features(4 * (1 - test_pictures[:2]))  # (2, 64, 6, 6)
print("feature map", tuple(features.shape), "-> regions", tuple(image_regions(features).shape))

# %% [markdown]
# Our `Eye` has two convolutions; each of its 6 x 6 regions stands for a square of 4 x 4 pixels and sees a little around it. As in the Vision
# Transformer, each place gets a learned vector added, because *top left* cannot be seen from within a region.
#
# ## Where to look: soft attention
#
# Before each word, the state of the LSTM asks all regions. Xu and others took the additive score of unit 02, with regions $a_i$ and the previous
# state $h_{t-1}$:
#
# $$e_{ti} = v^\top \tanh(W_r a_i + W_s h_{t-1}), \qquad \alpha_{ti} = \frac{\exp e_{ti}}{\sum_{k=1}^{R} \exp e_{tk}}, \qquad z_t = \sum_i \alpha_{ti}\, a_i$$

# %%
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None])  # (B, R, A)
    weights = (hidden @ v).softmax(-1)  # (B, R)
    context = (weights[:, None] @ regions).squeeze(1)  # (B, 1, R) @ (B, R, D) -> (B, D)
    return context, weights


# %% [markdown]
# One of the decks files this under *self*-attention. Look who asks whom: the query comes from the text, keys and values come from the picture.
# Two sources, so it is **cross**-attention, like every alignment in unit 04. Self-attention would be regions asking regions.
#
# ## One word at a time
#
# The LSTM reads the last word's embedding $E y_{t-1}$ and what was seen, $z_t$, and its four gates decide what to keep:
#
# $$\begin{pmatrix} i_t \\ f_t \\ o_t \\ g_t \end{pmatrix} = \begin{pmatrix} \sigma \\ \sigma \\ \sigma \\ \tanh \end{pmatrix}
# T \begin{pmatrix} E y_{t-1} \\ h_{t-1} \\ z_t \end{pmatrix}, \qquad c_t = f_t \odot c_{t-1} + i_t \odot g_t, \qquad h_t = o_t \odot \tanh c_t$$
#
# With an embedding of $m$ numbers, a state of $n$ and regions of $D$, the map $T$ has $m + n + D$ inputs and **$4n$** outputs. A deck (and the paper)
# prints $n$, which leaves a quarter of a number per gate, and does not say what $z_t$ is made of. torch agrees with $4n$:

# %%
cell = nn.LSTMCell(5 + 7, 3)  # m + D = 12 inputs, n = 3
Table([(name, tuple(p.shape)) for name, p in cell.named_parameters()], ["parameter", "shape"])

# %%
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
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)  # (B, D), (B, R)
        h, c = self.cell(torch.cat([self.embed(token), context], -1), state)  # (B, hidden) each
        return self.out(h), (h, c), weights  # (B, V), ..., (B, R)


# %% [markdown]
# `LSTMCaptioner` (in `course_utils/image_captioning.py`) puts the eye before this step and repeats it. Its first state is made from the mean of the
# regions. It attends with the *previous* state, as Bahdanau does; Luong's variant looks with the *current* one, after the LSTM
# has read the word. Both work, as long as training and writing do the same.

# %% alt="Training loss of the LSTM with soft attention, falling from 3 to nearly 0"
torch.manual_seed(0)
attentive = LSTMCaptioner(len(VOCABULARY))
losses = train_captioner(attentive, pictures, captions, steps(300))
found["LSTM, soft attention"] = exact(attentive, test_pictures, test_captions)
curves(None, {"loss": losses}, "step", "cross entropy", "an LSTM learns where to look");

# %%
Table(list(found.items()), ["model", "captions right in every word"])

# %% [markdown]
# As many steps, the same eye, the same LSTM; the difference is one weighted sum per word. And we can see where it looked for each one: the darker a region, the larger its
# weight (in each map, the largest is darkest).

# %% alt="One picture, once for each word of its caption, with the attention of that word laid over it: colour and shape words fall on the shape they name"
def word_by_word(model, picture):
    told = describe(model, picture[None], LENGTH)  # (1, 11)
    with torch.no_grad():
        weights = model.look(picture[None], told[:, :-1])[1][0]  # (10, 36): one row per word
    names = words(told[0])
    looks(picture, [(name, w.reshape(6, 6)) for name, w in zip([*names, "(end)"], weights)], columns=5)


two = both.nonzero()[:, 0]  # the numbers of the pictures of two shapes
word_by_word(attentive, test_pictures[two[0]])

# %% [markdown]
# For colour and shape it looks at the shape that it names, for the place it looks anywhere else. Move the slider to see other pictures.

# %% alt="A slider over six test pictures; for each one the attention of every word of its caption"
def draw(i):
    word_by_word(attentive, test_pictures[two[i]])


interactive(draw, "picture", list(range(6)), alt="The attention of every word over a picture")

# %% [markdown]
# ## What a map shows, and what it does not
#
# Should it not look at the shape when it says *top* and *left*? Six pictures prove nothing, so measure it. How much weight falls on the shape that is being described, on its
# four regions of 36? (By chance it would be .11.) And a counter-check: *take the look away*. Give the LSTM the mean of all regions at one word, the picture as before at all
# the others, and see whether it still finds that word.

# %%
with torch.no_grad():
    seen = attentive.look(test_pictures, test_captions[:, :-1])[1]  # (500, 10, 36): a row per word
row = test_captions[:, 3] - VOCABULARY.index("top")  # (500,): 0, 1 or 2, of the first shape
column = test_captions[:, 4] - VOCABULARY.index("left")  # (500,)
half = torch.arange(6) // 2  # (6,): two regions to a cell
here = (half[:, None] == row[:, None, None]) & (half == column[:, None, None])  # (500, 6, 6)
on_shape = (seen[:, :4] * here.flatten(1)[:, None]).sum(-1).mean(0)  # (4,)


# %%
@torch.no_grad()
def still_right(model, blind):
    """How often is word number `blind` right, if the look before it is taken away?"""
    regions = model.eye(test_pictures)  # (500, 36, 64)
    h, c = model.start(regions.mean(1)).tanh().chunk(2, -1)  # (500, 64) each
    for t in range(blind + 1):
        view = regions.mean(1, keepdim=True) if t == blind else regions  # (500, 1 or 36, 64)
        logits, (h, c), _ = model.step(test_captions[:, t], (h, c), view)
    return (logits.argmax(-1) == test_captions[:, blind + 1]).float().mean()


kinds = ("colour", "shape", "row", "column")
rows = [(kind, on_shape[i], still_right(attentive, i)) for i, kind in enumerate(kinds)]
Table(rows, ["word", "weight on the shape", "right without its look"])

# %% [markdown]
# For the colour it looks at the shape and at little else, and without that look it guesses. That first look brings more than a colour: the word for the shape is mostly right
# without a look of its own, though it looks there too. The place is stranger still. It hardly looks at the shape, and the row stays right even if it may not look at all: the
# region that it saw first brought along the vector of its place, and the state has kept it. The column is kept in part, and in part read off from somewhere else.
#
# So a map shows what was *read* before a word. It does not show what the word was *made from*: that may have been read long before. Remember the counter-check
# whenever a heat map is offered to you as an explanation.
#
# ## Look everywhere once: coverage
#
# Nothing forces the model to look at everything. It may name one shape twice and forget the other. Xu and others added a wish to the loss: over
# all words, every region should get about as much attention as every other, one in sum:
#
# $$\lambda \sum_i \Big(1 - \sum_t \alpha_{ti}\Big)^2$$

# %%
def coverage_penalty(weights):
    total = weights.sum(1)  # (B, T, R) -> (B, R): what each region got
    return ((1 - total) ** 2).sum(-1).mean()


even = torch.full_like(seen, 1 / 36)  # (500, 10, 36)
fixed = F.one_hot(torch.zeros(500, 10, dtype=torch.long), 36).float()  # (500, 10, 36): always the first
attention = {"our captioner": seen, "spread evenly": even, "one region, always": fixed}
Table([(name, coverage_penalty(w)) for name, w in attention.items()], ["attention", "coverage penalty"])

# %% [markdown]
# A wish, not a law: 10 words cannot give 36 regions one each, so the best they can get is an even spread, which says nothing. On photographs, where every corner may matter, the
# wish helped. On our scenes, mostly empty, it would pull the eyes towards nothing, and we leave it out.
#
# ## A Transformer tells the same
#
# With attention, do we still need the recurrence? Take the decoder of unit 08 and give it the regions as memory: its cross-attention asks the picture, its masked
# self-attention replaces the state of the LSTM, and all words are trained at once.

# %%
torch.manual_seed(0)
transformer = TransformerCaptioner(len(VOCABULARY), LENGTH)
train_captioner(transformer, pictures, captions, steps(250))
found["Transformer decoder"] = exact(transformer, test_pictures, test_captions)
Table(list(found.items()), ["model", "captions right in every word"])

# %% alt="The same picture as before, with the Transformer's cross-attention for every word"
word_by_word(transformer, test_pictures[two[0]])

# %% [markdown]
# Both reach at least .98. The maps are another matter: they are the mean over the four heads of the last of two layers, and most of what the words need may have been fetched
# in the first. One layer with one head, as in the LSTM, is easier to read than it is powerful.
#
# ## Good captions and bad ones
#
# The published captioners were shown off with six good examples, a frisbee in a park, a dog on a wooden floor, a stop sign before mountains, a girl with a teddy bear, people
# in a boat, a giraffe among trees: for each, the region of the underlined word is bright. As instructive are the six bad ones beside them: a clock in a woman's hand
# that is none, a man with "a hat and a hat", a surfboard, a pizza and a cell phone that are not there. The maps show what was *taken* for a clock. Ours
# makes no such mistakes on 500 pictures of its own kind, so send it to places where it has never been.

# %% alt="Four pictures unlike the training pictures (three shapes, five shapes, an empty one, a purple circle), each with the caption that the model gives"
purple = paint([("red", "circle", 4)])  # (3, 24, 24)
purple[2] = torch.where(purple[0] < 1, 0.9, purple[2])  # red and blue
three = [("red", "square", 0), ("blue", "circle", 4), ("green", "cross", 8)]
five = [("yellow", "cross", 2 * i) for i in range(5)]
strange = torch.stack([paint(three), paint(five), paint([]), purple])  # (4, 3, 24, 24)
told = [" ".join(words(t)) for t in describe(attentive, strange, LENGTH)]
show(strange, columns=4)
names = ["three shapes", "five shapes", "nothing at all", "a purple circle"]
Table(list(zip(names, told)), ["picture", "it says"])

# %% [markdown]
# It has seen one or two shapes, so it counts to two. Of five crosses, in the corners and in the middle, it places two where there is none: a soft look at left *and* right is a mixture,
# and the mixture passes for *centre*. It has never seen *nothing*, so it names something. It has no word for purple. And it says all of this without
# hesitation: a captioner writes what a caption would be, whether or not the picture gives reason to.
#
# ## The relation that stalls
#
# Another task on the same kind of pictures: two shapes in one row or column, and a sentence that says how they lie: *blue cross left-of red
# square*. The one that comes first in the alphabet comes first in the sentence, so either may be left or right, above or below. Same eyes, same LSTM, and half as many words to learn.

# %%
pairs, sentences = relations(3000, seeded(0))  # (3000, 3, 24, 24), (3000, 7)
test_pairs, test_sentences = relations(500, seeded(1))  # (500, 3, 24, 24), (500, 7)
torch.manual_seed(0)
relator = LSTMCaptioner(len(VOCABULARY))
slow = train_captioner(relator, pairs, sentences, steps(250))
told = describe(relator, test_pairs, 7)  # (500, 7)
right = (told == test_sentences).float().mean(0)[1:6]  # (5,): word by word
Table([("right", *[f"{r:.2f}" for r in right])], ["", "colour", "shape", "relation", "colour", "shape"])

# %% [markdown]
# The shapes are right, and about every second relation is wrong. The heat map says what kind of failure this is: one row for each right answer, one column for what was said.

# %% alt="Confusion matrix of the four relations: only about half of the mass lies on the diagonal"
def confusion(told, right):
    ids = torch.tensor([VOCABULARY.index(r) for r in RELATIONS])  # (4,)
    said, true = (told[:, 3, None] == ids).float(), (right[:, 3, None] == ids).float()  # (500, 4) each
    return true.T @ said / true.sum(0)[:, None]  # (4, 4): rows sum to one, unless another word was said


ax = heatmap(confusion(told, test_sentences), RELATIONS, RELATIONS)
ax.set(xlabel="what it said →", ylabel="what is right ↓");

# %% alt="One pair of shapes with the LSTM's attention for each word of the sentence"
def related(model, picture):
    told = describe(model, picture[None], 7)  # (1, 7)
    with torch.no_grad():
        weights = model.look(picture[None], told[:, :-1])[1][0]  # (6, 36)
    looks(picture, [(n, w.reshape(6, 6)) for n, w in zip(words(told[0]), weights)], columns=5)


related(relator, test_pairs[0])

# %% [markdown]
# For colours and shapes it looks at the shapes. For the relation it looks here and there, at nothing in particular: it does not know where to look.
#
# Why is a relation harder than a place? A place is *in* a region: one look, and the answer is there. A relation is in no region. It has to be computed from two places, and when its turn
# comes the LSTM has one look, whose weights sum to one: a mixture of both shapes, in which it is lost which vector came from which. It would have to carry the place of the first shape in its
# state for two words, and nothing has rewarded that so far (in the scenes, the words for the place did). The Transformer can look at both places with different heads, keep them apart, compare them in the next layer, and look back at what it
# saw for earlier words.

# %%
torch.manual_seed(0)
thinker = TransformerCaptioner(len(VOCABULARY), 7)
quick = train_captioner(thinker, pairs, sentences, steps(250))
models = {"LSTM, one look per word": relator, "Transformer, 4 heads, 2 layers": thinker}
scores = {name: exact(model, test_pairs, test_sentences) for name, model in models.items()}
Table(list(scores.items()), ["after 250 steps", "sentences right in every word"])

# %% [markdown]
# Is it a wall, then, or only a slope? A failure is understood when one can say what would mend it. If the story about the state is right, the LSTM *can* do it, and only has to find out
# by itself what to carry along. So give it time: 400 more steps.

# %% alt="Training losses on the relation task: the Transformer's falls quickly; the LSTM's stays on a plateau near 0.25 until step 250 and comes down slowly during 400 further steps"
slow += train_captioner(relator, pairs, sentences, steps(400), seed=1)
patient = exact(relator, test_pairs, test_sentences)
title = f"LSTM: {scores['LSTM, one look per word']:.2f} right at first, {patient:.2f} in the end"
curves(None, {"LSTM": slow, "Transformer": quick}, "step", "cross entropy", title).set_ylim(0, 1);

# %% [markdown]
# A slope. One look per word makes it hard to *learn*, not impossible to *do*: what the loss curve shows as a plateau is the time it takes to discover that a place is worth remembering.
# And "four words of five are perfect" would have hidden all of it. Report what the task is about, and look at what fails.
#
# ## Hard attention
#
# Soft attention looks everywhere a little. Xu and others also tried the other way: *draw* one region, with the weights as probabilities, and look at that one only.

# %%
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)  # (B, 1)
    log_prob = weights.gather(1, index).log().squeeze(1)  # (B,)
    index = index.squeeze(1)  # (B,)
    return regions[torch.arange(len(regions)), index], index, log_prob


# %% [markdown]
# It needs one region instead of all, and the map is honest: what was not drawn was not used. But a number that was drawn has no derivative: move the weights a little, and the drawn region stays the
# same, or jumps. Yet the *expected* loss does change smoothly, $L = \sum_i \alpha_i \ell_i$, and its gradient can be written as an expectation again (the score-function or REINFORCE trick):
#
# $$\nabla L = \sum_i \ell_i\, \nabla \alpha_i = \sum_i \alpha_i\, \ell_i\, \nabla \log \alpha_i = \mathbb{E}\big[\,\ell_i\, \nabla \log \alpha_i\,\big]$$
#
# So draw, look what loss came of it, and push the log probability of the draw by it. That is what `log_prob` is for. Check it on four regions, whose losses we know:

# %%
logits = torch.tensor([0.5, -1.0, 0.2, 0.0], requires_grad=True)  # (4,)
loss_of = torch.tensor([10.0, 11.0, 9.0, 12.0])  # (4,): the loss if region i is looked at
truth = torch.autograd.grad(logits.softmax(-1) @ loss_of, logits)[0]  # (4,): possible for four regions


def estimate(draws, seed, baseline=0.0):
    weights = logits.softmax(-1).expand(draws, -1)  # (draws, 4)
    losses = loss_of[None, :, None].expand(draws, -1, -1)  # (draws, 4, 1): a region is its loss here
    loss, _, log_prob = hard_attention(losses, weights, seeded(seed))  # (draws, 1), (draws,), (draws,)
    return torch.autograd.grad(((loss[:, 0] - baseline) * log_prob).mean(), logits)[0]  # (4,)


Table([("true gradient", *truth.tolist()), ("100,000 draws", *estimate(100_000, 0).tolist())], ["", *"abcd"])

# %% [markdown]
# Right on average, but noisy: the estimate needs many draws, and training has one. Subtracting a *baseline*, a typical loss, changes nothing on average
# (because $\mathbb{E}[\nabla \log \alpha_i] = 0$) and removes most of the noise.

# %% alt="Error of the gradient estimate against the number of draws on logarithmic axes: both fall with the root of the number; with a baseline the error is about ten times smaller"
counts = [1, 10, 100, 1000, 10_000]
baseline = (logits.softmax(-1) * loss_of).sum().item()


def error(draws, base):
    return sum((estimate(draws, seed, base) - truth).norm().item() for seed in range(30)) / 30


errors = {"plain": [error(n, 0.0) for n in counts], "with a baseline": [error(n, baseline) for n in counts]}
ax = curves(counts, errors, "draws", "mean error of the gradient")
ax.set_xscale("log"), ax.set_yscale("log");

# %% [markdown]
# Keep two questions apart that one deck pairs off as "global / soft" and "local / hard". *How much may be looked at*, everything or a window? And *what is brought back*, a mixture or one draw? Luong's local attention is a
# window with smooth weights: local and soft, trained by plain gradients. Only the draw needs REINFORCE.
#
# ## Summary
#
# - One vector for a whole picture is the bottleneck of unit 04. A feature map is a set of regions; attention reads it anew for every word.
# - Captioning is cross-attention: the text asks, the picture answers. Xu's LSTM asks with its previous state.
# - Maps of attention show what was read before a word, and what a wrong word was taken from. Whether the word needed it, only a counter-check can tell.
# - A relation lies in no single region. With one soft look per word, learning stalls on it for long; several heads and layers find it at once.
# - Hard attention draws a region. Its gradient is an expectation, estimated with the log probability and calmed by a baseline.
#
# ## Questions
#
# 1. The static model gets the mean of all regions, places included. In principle, could one vector hold two shapes and their places?
#
# <details><summary>Answer</summary>
#
# Yes. There are (9 · 12) + (36 · 144) = 5,292 different scenes, and 64 real numbers can tell far more apart. What it lacks is not room but a way in: a mean adds up all regions, so the eye would have to write every shape at every place in numbers
# of its own, and the LSTM would have to take the sum apart again. Attention needs to learn neither.
# </details>
#
# 2. In the first step there is no previous word and no previous look. What does the state know when it asks for the first time?
#
# <details><summary>Answer</summary>
#
# Here, the mean of the regions, through a linear layer: the gist of the picture. With a state of zeros the first look would be the same query for every picture, but still not the same weights, because the keys differ.
# </details>
#
# 3. Why can soft attention be trained without draws, although it, too, "chooses" where to look?
#
# <details><summary>Answer</summary>
#
# Because it does not choose. The context is a smooth function of the weights, so a small change of a weight changes the loss a little, and backpropagation says how much. It computes $\ell(\sum_i \alpha_i a_i)$, the loss of the mean region; hard attention minimises $\sum_i \alpha_i\,\ell(a_i)$, the mean of the losses.
# </details>
#
# ## Where next
#
# The [assignment](../assignments/10_image_captioning/10_image_captioning.ipynb) has you write the parts. After it comes the
# [project](../assignments/11_project/11_project.ipynb): a question of your own, with everything you have built.
