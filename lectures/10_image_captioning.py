# %% [markdown]
# # 10 · Image captioning
#
# A picture goes in, a sentence comes out. Something that sees and something that writes
# are joined by attention. After this lecture you can
#
# - measure how far a captioner that sees a picture as one vector stays behind, after the
#   same training;
# - turn a feature map into a set of regions that a decoder can attend to;
# - build the captioner of *Show, Attend and Tell*, and show for every word where it
#   looked;
# - find out by an intervention which look made which word;
# - put the decoder of unit 08 in its place;
# - explain why hard attention needs another gradient, and estimate it.
#
# *About 70 minutes. The appendix has 30 more, which can wait: coverage (for exercise
# 5), a task that stalls, a model that learns to draw, handwriting and a photograph.*
#
# This is what we hope for: for each word, the orange place is where a person would
# look. (Drawn by hand. You will see how far the hope comes true.)

# %% alt="A red circle and a yellow cross, once for each word of their caption; orange marks where a person would look for that word"
import torch

from course_utils.data.images import show
from course_utils.data.scenes import paint, words
from course_utils.plotting import looks

first, second = torch.zeros(2, 6, 6)  # (6, 6) each: weights over the picture
first[:2, :2] = second[4:, 2:4] = 1
hope = [(word, first) for word in ("red", "circle", "top", "left")]
hope += [(word, second) for word in ("yellow", "cross", "bottom", "centre")]
scene = paint([("red", "circle", 0), ("yellow", "cross", 7)])  # (3, 24, 24)
looks(scene, hope, columns=4, title="where one would look for each word");

# %%
import matplotlib.cbook
import torch.nn.functional as F
from torch import nn

from course_utils.data.images import digits
from course_utils.data.scenes import (
    HAND_VOCABULARY, LENGTH, VOCABULARY, handwriting, noisy, relations, scenes,
)
from course_utils.data.vision import models, transforms
from course_utils.dot_product_attention import scaled_dot_product_attention
from course_utils.image_captioning import (
    CaptionStep, Eye, LSTMCaptioner, TransformerCaptioner, coverage_penalty,
    describe, hard_attention, image_regions, reinforce_loss, soft_attention,
    train_captioner,
)
from course_utils.plotting import (
    Table, curves, heatmaps, interactive, look, plt,
)
from course_utils.training import fit, seeded, steps
from course_utils.vision_transformer import from_torchvision

# %% [markdown]
# Helpers that you will meet: `seeded(0)` is a random generator that starts from 0, so
# that you get the same pictures as we do; `steps(300)` is 300, or only a few where the
# environment variable `COURSE_FAST` is set; `Table` and `curves` draw.
#
# ## Captions without attention
#
# Our pictures are generated, so that every caption has one right answer: one or two
# coloured shapes on a 3 x 3 grid, named in reading order, each with its place. 3,000 to
# learn from, 500 to test with.

# %% alt="Six generated pictures of one or two coloured shapes on a three by three grid, on white"
pictures, captions = scenes(3000, seeded(0))  # (3000, 3, 24, 24), (3000, 11)
test_pictures, test_captions = scenes(500, seeded(1))  # (500, 3, 24, 24), (500, 11)
show(test_pictures[:6], columns=6, title="six of the 500 test pictures")
rows = [(" ".join(words(caption)),) for caption in test_captions[:3]]
Table(rows, ["captions of the first three"])

# %% [markdown]
# One of the first neural captioners (*Show and Tell*, 2014) is a translator whose
# source is a picture: a CNN makes one vector of it, and an LSTM turns that vector into
# words. We begin with such a model. Our LSTM is given the mean over the whole picture
# before *each* word, so that it can be compared with a *weighted* mean later. The
# vector is *static*: it is the same at every step. (The original shows its vector once,
# before the first word. The ReLU in the code keeps places from vanishing in the mean;
# question 1 at the end asks why.)
#
# `train_captioner` does teacher forcing (unit 08) on batches of 64 pictures; 300 steps
# take ten seconds or so. `describe` lets the model write, the likeliest word at each
# step.

# %%
def exact(told, captions):
    return (told == captions).all(1).float().mean().item()  # (B, T) each


torch.manual_seed(0)
static = LSTMCaptioner(len(VOCABULARY), attend=False)
static.eye = nn.Sequential(static.eye, nn.ReLU())  # so that places survive the mean
train_captioner(static, pictures, captions, steps(300))
told = describe(static, test_pictures, LENGTH)  # (500, 11)
found = {"one static vector": exact(told, test_captions)}

# %%
told_and_right = zip(told[:3], test_captions)
rows = [[" ".join(words(caption)) for caption in pair] for pair in told_and_right]
caption = f"captions right in every word: {found['one static vector']:.2f}"
Table(rows, ["it says", "right"], caption)

# %% [markdown]
# It has learned to speak: colour, shape, row, column, perhaps *and*. But more than four
# in ten of its captions contain a mistake. Which words are wrong? Count the captions
# that are right in every word, and the four words of the first shape one by one, for
# pictures of one shape and of two.

# %%
both = (test_captions == VOCABULARY.index("and")).any(1)  # (500,): two shapes
rows = []
for name, which in (("one shape", ~both), ("two shapes", both)):
    good = (told == test_captions)[which]  # (n, 11)
    rows.append((name, good.all(1).float().mean(), *good[:, 1:5].float().mean(0)))
columns = ["pictures of", "every word", "colour", "shape", "row", "column"]
Table(rows, columns, "share that is right")

# %% [markdown]
# It describes one shape well: only its kind is wrong, in one picture of 16. With two
# shapes it still knows in which row the first one lies, but it often gets its colour
# and shape wrong (.67 and .56 right), and its column in a fifth of the cases. Does it
# *guess*, or does it mix the two shapes up? There are three wrong colours. If it
# guessed among them, it would hit the other shape's by chance, in about a third of the
# cases at most.

# %%
missed = both & (told[:, 1] != test_captions[:, 1])  # (500,): the first colour is wrong
swapped = (told[:, 1] == test_captions[:, 6])[missed]  # said: that of the second shape
print(f"{missed.sum()} wrong first colours, {swapped.float().mean():.0%} of them the other's")

# %% [markdown]
# Mostly it mixes them up. All regions were added up into one mean, and the LSTM has to
# take the two shapes apart again; after 300 steps it cannot do so yet. As at the
# bottleneck of unit 04, everything has to pass through one vector. Does that vector
# lack room, or only training? We come back to this below.
#
# ## A picture as a set of regions
#
# How can a picture be turned into a *set* of vectors to attend to? It already is one.
# Before anything is averaged, a CNN holds a feature map $(C, H, W)$: at each of $H
# \times W$ places a vector of $C$ features that describes the patch of picture around
# it. Take the places for regions, row by row, and you have what the encoder states of a
# sentence were.

# %%
torch.manual_seed(0)
eye = Eye(64)
ink = 4 * (1 - test_pictures[:2])  # (2, 3, 24, 24): 0 where the picture is white
features = eye.features(ink)  # (2, 64, 6, 6)
regions = image_regions(features)  # (2, 36, 64)
same = torch.equal(regions[0, 6 * 4 + 1], features[0, :, 4, 1])  # row 4, column 1
print(tuple(features.shape), "->", tuple(regions.shape))
print("region 25 is the place in row 4, column 1:", same)

# %% [markdown]
# Mind the axes: the features come *second* in a feature map and *last* in a set of
# regions. A plain `reshape` to $(B, HW, C)$ has the right shape and tears every vector
# apart, like the torn photograph of unit 09.
#
# Our `Eye` turns white into 0 and has two convolutions; each of its 6 x 6 regions
# stands for a square of 4 x 4 pixels and sees the eight squares around it as well, 12 x
# 12 pixels in all. As in the Vision Transformer, each place gets a learned vector
# added, because a region hardly shows where it lies (at most that it is at the border,
# by the padding).
#
# ## Where to look: soft attention
#
# Before each word, the state of the LSTM asks all regions. Xu and others took the
# additive score of unit 02, with regions $a_i$ and the previous state $h_{t-1}$. (As in
# their paper, $v$ is here the vector of the score, which unit 02 calls $u$, and $z_t$
# the context.)
#
# $$e_{ti} = v \cdot \tanh(a_i W_r + h_{t-1} W_s), \qquad
# \alpha_{ti} = \frac{\exp e_{ti}}{\sum_{k=1}^{R} \exp e_{tk}}, \qquad
# z_t = \sum_i \alpha_{ti}\, a_i$$
#
# Work through a case with numbers. Three regions of two features; a state that is one
# number, 0.5; one hidden unit, so that $v$ is a number too, here 2. With $W_r = (1,
# -1)^\top$ and $W_s = 1$ the score of a region is $2 \tanh(a_{i1} - a_{i2} + 0.5)$.

# %%
three = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]])  # (1, 3, 2): one picture
asks, w_r = torch.tensor([[0.5]]), torch.tensor([[1.0], [-1.0]])  # (1, 1), (2, 1)
w_s, v = torch.ones(1, 1), torch.tensor([2.0])  # (1, 1), (1,)
context, weights = soft_attention(three, asks, w_r, w_s, v)  # (1, 2), (1, 3)
scores = [2 * torch.tensor(x).tanh().item() for x in (1.5, -0.5, 0.5)]
names = ["(1, 0)", "(0, 1)", "(0.5, 0.5)"]
z = ", ".join(f"{x:.2f}" for x in context[0])
caption = f"context z = ({z}), the weighted sum of the regions"
Table(list(zip(names, scores, weights[0])), ["region", "score e", "weight α"], caption)

# %% [markdown]
# A common claim: this is *self*-attention, because the model looks at its own input.
# But the query comes from the text, and keys and values come from the picture. These
# are two sources, so it is **cross**-attention, like every alignment in unit 04. In
# self-attention, regions would ask regions.
#
# ## One word at a time
#
# The whole captioner: the picture is turned into regions once, and then each word takes
# one look and one step.

# %%
from drawings import captioner as drawn

drawn()

# %% [markdown]
# The LSTM reads the last word's embedding $E y_{t-1}$ and what was seen, $z_t$, and its
# four gates decide what to keep:
#
# $$\begin{pmatrix} i_t \\ f_t \\ o_t \\ g_t \end{pmatrix} =
# \begin{pmatrix} \sigma \\ \sigma \\ \sigma \\ \tanh \end{pmatrix}
# G \begin{pmatrix} E y_{t-1} \\ h_{t-1} \\ z_t \end{pmatrix}, \qquad
# c_t = f_t \odot c_{t-1} + i_t \odot g_t, \qquad h_t = o_t \odot \tanh c_t$$
#
# $G$ is one linear map for all four gates. (How large it is can be read off the
# formula; the assignment asks.) The cell $c_t$ is what the LSTM keeps to itself; $h_t$
# is what it shows.
#
# One step of the captioner has three parts, in this order: look (with the state as it
# *was*), feed the LSTM (the last word beside what was seen), name the next word (from
# the state as it *is now*). `CaptionStep` does it; here are its shapes for two
# pictures:

# %%
step = CaptionStep(vocabulary=22, embedding=5, region_dim=64, hidden=3, attention=4)
state = torch.zeros(2, 3), torch.zeros(2, 3)  # h and c, (B, n) each
logits, (h, c), weights = step(torch.tensor([1, 1]), state, regions)  # after <bos>
results = {"logits": logits, "new h": h, "new c": c, "weights": weights}
rows = [(name, tuple(value.shape)) for name, value in results.items()]
Table(rows, ["result", "shape"])

# %% [markdown]
# `LSTMCaptioner` puts the eye before this step and repeats it. Its first state is made
# from the mean of the regions. It attends with the *previous* state, as Bahdanau does;
# Luong's variant looks with the *current* one, after the LSTM has read the word. Both
# work, as long as training and writing do the same. (Xu's model has three things more,
# which our scenes do not need: an eye that was trained on photographs; a gate that
# scales the context at each step; and an output that reads word and context as well as
# the state.) The training takes 15 seconds.

# %% alt="Training loss of the LSTM with soft attention, falling from 3 to nearly 0"
torch.manual_seed(0)
attentive = LSTMCaptioner(len(VOCABULARY))
losses = train_captioner(attentive, pictures, captions, steps(300))
share = exact(describe(attentive, test_pictures, LENGTH), test_captions)
found["LSTM, soft attention"] = share
title = f"LSTM with attention: {share:.2f} of the captions right"
curves(None, {"loss": losses}, "step", "cross entropy per word", title);

# %% [markdown]
# One thing besides the attention differs: the static model has a ReLU behind its eye.
# As a control, give the attending model the same one.

# %%
torch.manual_seed(0)
control = LSTMCaptioner(len(VOCABULARY))
control.eye = nn.Sequential(control.eye, nn.ReLU())
train_captioner(control, pictures, captions, steps(300))
share = exact(describe(control, test_pictures, LENGTH), test_captions)
found["the same with the ReLU of the static model"] = share
Table(list(found.items()), ["model", "captions right in every word"])

# %% [markdown]
# Same eye, same LSTM, same number of steps: the static model and the control differ only
# in one weighted sum per word, with the weights $W_r$, $W_s$ and $v$ that make it. With
# it the model learns much faster here. (One training each.) It does not follow that the
# static model could never do it: two shapes may well fit into one mean of 64 numbers,
# once the eye has learned to write them so that they can be told apart. We have not
# measured that: give it 900 steps and see. From here on we go on with the attending
# model without the ReLU.
#
# With attention we can also see where the model looked for each word. The deeper the
# orange, the larger the weight; in each map the largest weight is the deepest.

# %% alt="One picture, once for each word of its caption, with the attention of that word in orange: for colour and shape it falls on the shape or its edge, for row and column mostly beside it"
def word_by_word(model, picture, title="where it looks for each word it says"):
    told = describe(model, picture[None], LENGTH)  # (1, 11)
    with torch.no_grad():
        weights = model.look(picture[None], told[:, :-1])[1][0]  # (10, 36): per word
    names = [*words(told[0]), "(end)"]
    panels = [(n, w.reshape(6, 6)) for n, w in zip(names, weights)]
    looks(picture, panels, columns=5, title=title)


two = both.nonzero()[:, 0]  # the numbers of the pictures of two shapes
word_by_word(attentive, test_pictures[two[0]])

# %% [markdown]
# In this picture, for colour and shape it looks at the shape that it names, or at its
# edge. For the row and the column it mostly looks beside it. Move the slider to see
# more pictures.

# %% alt="A slider over four test pictures; for each one the attention of every word of its caption"
def draw(i):
    word_by_word(attentive, test_pictures[two[i]])


alt = "The attention of every word over a picture"
interactive(draw, "picture", list(range(4)), alt=alt)

# %% [markdown]
# ## What a map shows, and what it does not
#
# Should it not look at the shape when it says *top* and *left*? Four pictures prove
# nothing, so let us measure. A shape covers four of the 36 regions. How much weight
# falls on them while the first shape is described? (Weight that is spread evenly would
# give 4 / 36 = .11.) A region also sees the eight squares around its own. So the
# regions in the ring around the shape still see a part of it, and we count a second
# time with this ring. (Weight that is spread evenly would then give .25 to .44,
# depending on the place.)

# %%
with torch.no_grad():
    seen = attentive.look(test_pictures, test_captions[:, :-1])[1]  # (500, 10, 36)
row = test_captions[:, 3] - VOCABULARY.index("top")  # (500,): 0, 1 or 2, first shape
column = test_captions[:, 4] - VOCABULARY.index("left")  # (500,)
half = torch.arange(6) // 2  # (6,): two regions to a cell
above, left = half[:, None] == row[:, None, None], half == column[:, None, None]
here = (above & left).float()  # (500, 6, 6): 1 on the four regions of the shape
around = F.max_pool2d(here[:, None], 3, 1, padding=1)[:, 0]  # (500, 6, 6): and the ring
on_shape = (seen[:, :4] * here.flatten(1)[:, None]).sum(-1).mean(0)  # (4,)
on_both = (seen[:, :4] * around.flatten(1)[:, None]).sum(-1).mean(0)  # (4,)
kinds = ["colour", "shape", "row", "column"]
Table([("on the shape", *on_shape), ("with its ring", *on_both)], ["weight", *kinds])

# %% [markdown]
# For the colour it looks at the shape and at little else. For the row and the column it
# looks *beside* the shape, at the ring. (We have not tested why. One guess: there the
# features of the shape are weaker, and the learned vector of the place is easier to
# read.) This is what the model *reads*. Which words does it use it *for*? Attention
# cannot tell; an intervention can. **Take one look away, and see which words change.**
#
# As in unit 09, something has to take its place. We try two things. *The mean*: the
# LSTM is given the mean of all regions of all training pictures, which says nothing
# about any picture. *Another picture*: at this step, and at no other, the same state
# looks at the regions of another test picture. The words before are always the right
# ones. There are five places to do it: the first state, which is made from the picture
# too, and the looks before each of the four words.

# %%
with torch.no_grad():
    regions = attentive.eye(test_pictures)  # (500, 36, 64)
    nothing = attentive.eye(pictures).mean((0, 1)).expand(500, 1, -1)  # (500, 1, 64)


@torch.no_grad()
def first_words(model, others, changed):
    """The four words it says, if at the step `changed` it looks at the others."""
    gist = (others if changed == "start" else regions).mean(1)  # (500, 64)
    state = model.start(gist).tanh().chunk(2, -1)  # (500, 64) each
    said = []
    for t in range(4):
        view = others if changed == t else regions  # (500, 36 or 1, 64)
        logits, state, _ = model.step(test_captions[:, t], state, view)
        said.append(logits.argmax(-1))
    return torch.stack(said, 1)  # (500, 4)


# %% alt="Three heat maps. Rows: the first state and the looks before colour, shape, row and column; columns: the four words. With the mean the colour falls to a quarter after its own look, the column to three fifths after its own, the shape to two thirds after the look before the colour; the row stays nearly right. With another picture every word falls after its own look, the row as well. In the third map the colour becomes that of the other picture nearly always"
steps_changed = ["start", 0, 1, 2, 3]
right = test_captions[:, 1:5]  # (500, 4)
rolled = regions.roll(1, 0), right.roll(1, 0)  # the next picture's regions and words
maps = {"the mean: still right": [], "another picture: still right": []}
maps["another picture: says its word"] = []
for changed in steps_changed:
    mean_said = first_words(attentive, nothing, changed)  # (500, 4)
    said = first_words(attentive, rolled[0], changed)  # (500, 4)
    differs = rolled[1] != right  # (500, 4): where the other picture has another word
    followed = ((said == rolled[1]) & differs).sum(0) / differs.sum(0)  # (4,)
    shares = (mean_said == right).float().mean(0), (said == right).float().mean(0), followed
    for kept, share in zip(maps.values(), shares):
        kept.append(share)
maps = {name: torch.stack(kept) for name, kept in maps.items()}  # (5, 4) each
sources = ["first state", *[f"look before {kind}" for kind in kinds]]
figure = heatmaps(maps, sources, kinds, title="which look made which word?")
for ax in figure.axes:
    ax.set(xlabel="word →", ylabel="what was changed ↓")
    ax.title.set_fontsize(9)
    if ax is not figure.axes[0]:
        ax.set(yticks=[], ylabel="")

# %%
rows = []
for i, kind in enumerate(kinds):
    common = captions[:, i + 1].mode().values  # the word most often right in training
    share = (test_captions[:, i + 1] == common).float().mean()
    rows.append((kind, f"{share:.2f}"))
Table(rows, ["word", "right if one always says the commonest"])

# %% [markdown]
# Read a map by columns: what does this word hang on?
#
# - The **colour** hangs on its own look alone. Without it, the model does no better
#   than one who always says the same. When it looks at another picture, it says that
#   picture's colour nearly always: here the look *is* the word.
# - The **shape** hangs on two looks: its own and, even more, the one before the colour
#   (.68 against .83 with the mean), which its own map does not show.
# - The **row** is the case to remember. With the mean it is still right in .95 of the
#   cases. One would conclude that it knows the row already and does not use this look.
#   The first half is true, the second is not. With another picture it is wrong in a
#   third of the cases, and where the two rows differ it says the other's about every
#   second time. So the model *can* do without this look, but it does not *ignore* it.
#   Then where else does it know the row from? The maps cannot tell: whichever other
#   source is changed, the row loses at most .03, and its own look may make up for it.
#   Changing one thing at a time does not find what has a spare.
# - The **column** needs its own look, though not as strictly as the colour.
# - Changing the **first state** costs at most .04: the looks tell enough.
#
# "The word survives without it" and "the word does not use it" are two claims. The mean
# tests the first, another picture tests the second. (In the field, changing one inner
# quantity to its value on another input is called *patching*. In the assignment you
# will write it for logits.)
#
# The numbers are those of one model, from one seed; another may draw on other looks for
# its words. What carries over is the method. A map of attention shows what was *read*
# before a word, not what the word was *made from*. Remember the counter-check whenever
# somebody offers you a heat map as an explanation.
#
# ## A Transformer tells the same
#
# With attention, do we still need the recurrence? Take the decoder of unit 08 and give
# it the regions as memory: its cross-attention asks the picture, its masked
# self-attention replaces the state of the LSTM, and all words are trained at once. (7
# seconds.)

# %%
torch.manual_seed(0)
transformer = TransformerCaptioner(len(VOCABULARY), LENGTH)
train_captioner(transformer, pictures, captions, steps(200))
told = describe(transformer, test_pictures, LENGTH)  # (500, 11)
found["Transformer decoder"] = exact(told, test_captions)
Table(list(found.items()), ["model", "captions right in every word"])

# %% alt="The same picture as before, with the cross-attention of the Transformer's second layer for every word in orange, more spread out than the LSTM's"
title = "the second of its two layers, mean of four heads"
word_by_word(transformer, test_pictures[two[0]], title)

# %% [markdown]
# The Transformer and the LSTM without the ReLU get all 500 captions right: these scenes
# are too easy to tell them apart. (The appendix has a task that does.) The
# Transformer's maps are harder to read: each is a mean over four heads, and what a word
# needs may have been fetched in the first layer, which is not shown. The LSTM has one
# layer and one head, so its map shows all that was *read* at this step. It does not
# show what the state already knew.
#
# ## Good captions and bad ones
#
# Papers on captioning show good captions and bad ones, such as "a man wearing a hat and
# a hat". The map of a bad one may show what was *mistaken* for the thing that is not
# there. Our LSTM made no mistake in the 500 test pictures; its good captions, with
# their maps, are those of the slider above. So give it four pictures of kinds that are
# not in the training set, with the same noise as all others (`noisy`), and let it write
# up to 30 words.

# %% alt="Four pictures unlike the training pictures: three shapes, five shapes, an empty one, a purple circle"
purple = paint([("red", "circle", 4)])  # (3, 24, 24)
purple[2] = torch.where(purple[0] < 1, 0.9, purple[2])  # red and blue
three = [("red", "square", 0), ("blue", "circle", 4), ("green", "cross", 8)]
five = [("yellow", "cross", 2 * i) for i in range(5)]
strange = noisy([paint(three), paint(five), paint([]), purple], seeded(0))
# (4, 3, 24, 24)
show(strange, columns=4, title="unlike anything in training")
told = [" ".join(words(t)) for t in describe(attentive, strange, 31)]
names = ["three shapes", "five shapes", "nothing at all", "a purple circle"]
Table(list(zip(names, told)), ["picture", "it says"])

# %% [markdown]
# In training there were one or two shapes. Of three shapes it names two. Of five it
# finds one, and names two where there are none (*top centre*, *middle right*). It has
# never seen an empty picture, so it names something that is not there. It has no word
# for purple (a painter would say magenta), and takes the name of another colour. In
# three of the four cases its caption has the form of those in training, one or two
# shapes, whatever the picture shows. With five shapes it leaves that pattern and says
# *and* twice. (Where did it look for the shape in the empty picture?
# `word_by_word(attentive, strange[2])` draws it.)
#
# ## Hard attention
#
# Soft attention looks everywhere a little. Xu and others also tried the other way:
# *draw* one region, with the weights as probabilities, and look at that one only.
# `hard_attention` returns the drawn region, its number, and the logarithm of its
# probability. 10,000 draws from one set of weights:

# %%
weights = torch.tensor([0.5, 0.3, 0.2, 0.0])  # (4,)
four = torch.eye(4).expand(10_000, 4, 4)  # (B, R, D): region i is a unit vector
context, index, _ = hard_attention(four, weights.expand(10_000, 4), seeded(0))
drawn = index.bincount(minlength=4) / 10_000  # (4,)
Table([("weight", *weights), ("drawn", *drawn)], ["region", *"0123"])

# %% [markdown]
# Hard attention passes on one region instead of a mixture, and its map is honest about
# that: what was not drawn is not in the context of this step. (All regions were scored,
# though, to make the draw.) But a draw has no derivative: if the weights move a little,
# the drawn region stays the same, or jumps to another one. The *expected* loss $L =
# \sum_i \alpha_i \ell_i$ does change smoothly ($\ell_i$ is the loss of looking at
# region $i$). By the product rule its gradient has two parts, and because $\nabla
# \alpha_i = \alpha_i \nabla \log \alpha_i$ it can be written as an expectation again.
# This is the score-function trick, also called REINFORCE:
#
# $$\nabla L = \sum_i \ell_i\, \nabla \alpha_i + \sum_i \alpha_i\, \nabla \ell_i
# = \mathbb{E}\big[\,\ell_i\, \nabla \log \alpha_i + \nabla \ell_i\,\big]$$
#
# The second part is the plain gradient of the loss that was drawn; whatever reads the
# region learns from it. The first part is new, and the weights learn from it: draw a
# region, see which loss comes of it, and minimise that loss (as a mere number) *times*
# the log probability of the draw. That is what `log_prob` is for. Check the first part
# on four regions whose losses are known and fixed, so that the second is 0:

# %%
logits = torch.tensor([0.5, -1.0, 0.2, 0.0], requires_grad=True)  # (4,)
loss_of = torch.tensor([10.0, 11.0, 9.0, 12.0])  # (4,): the loss of looking at region i
truth = torch.autograd.grad(logits.softmax(-1) @ loss_of, logits)[0]  # (4,)


def estimate(draws, seed, baseline=0.0):
    weights = logits.softmax(-1).expand(draws, -1)  # (draws, 4)
    losses = loss_of[None, :, None].expand(draws, -1, -1)  # (draws, 4, 1)
    loss, _, log_prob = hard_attention(losses, weights, seeded(seed))  # (draws, 1), ...
    pushed = ((loss[:, 0] - baseline) * log_prob).mean()
    return torch.autograd.grad(pushed, logits)[0]  # (4,)


estimated = estimate(100_000, 0)
rows = [("true gradient", *truth), ("100,000 draws", *estimated)]
Table(rows, ["", *"abcd"])

# %% [markdown]
# The estimate is right on average, but noisy: here it has many draws, while a training
# step has only a few. Subtract a *baseline* $b$, a typical loss, from every loss. On
# average this changes nothing, because $\mathbb{E}[\nabla \log \alpha_i] = \nabla
# \sum_i \alpha_i = \nabla 1 = 0$. But it can remove most of the noise. Each point of
# the figure is a mean over 30 estimates.

# %% alt="Error of the gradient estimate against the number of draws on logarithmic axes: both fall with the root of the number; with a baseline the error is about ten times smaller"
counts = [1, 10, 100, 1000, 10_000]
typical = (logits.softmax(-1) * loss_of).sum().item()


def error(draws, base):
    tries = [estimate(draws, seed, base) - truth for seed in range(30)]  # (4,) each
    return sum(apart.norm().item() for apart in tries) / 30


bases = {"plain": 0.0, "with a baseline": typical}
errors = {name: [error(n, base) for n in counts] for name, base in bases.items()}
title = "with a baseline the estimate is less noisy"
ax = curves(counts, errors, "draws", "mean error of the gradient", title)
ax.set(xscale="log", yscale="log");

# %% [markdown]
# With a baseline the error is about ten times smaller, for any number of draws. How
# much is gained depends on the losses: ours are near 10 and differ by about 1. With
# this baseline, and for given weights, what is left depends on how much they differ,
# not on how high they are.
#
# **Where does a baseline come from?** In training nobody knows the typical loss of a
# picture. One way: draw $K$ regions for the same picture, and compare each loss with
# the mean of the *other* ones,
#
# $$b_k = \frac{1}{K - 1} \sum_{j \neq k} \ell_j$$
#
# The baseline of a draw must not depend on the draw itself, or the argument above no
# longer holds; so the mean leaves $\ell_k$ out. (What happens otherwise is in the
# appendix.) So we minimise the mean, over all draws, of
#
# $$\ell_k + (\ell_k - b_k)\, \log \alpha_k$$
#
# in which the factor $(\ell_k - b_k)$ is treated as a number, through which no gradient
# flows. `reinforce_loss` does it. A model can learn by it where to look, though no
# label ever says where; the appendix trains one.
#
# ## Summary
#
# - With one vector for a whole picture, here a plain mean, our model was far behind
#   after the same 300 steps. A feature map is a set of regions; attention reads it anew
#   for every word.
# - Captioning is cross-attention: the text asks, the picture answers. Xu's LSTM asks
#   with its previous state.
# - Maps of attention show what was read before a word. Whether the word was made from
#   it, only an intervention can tell; and to survive without a look (in our model, the
#   row) is not the same as not to use it.
# - The decoder of unit 08 tells the same, with several looks per word.
# - Hard attention draws a region. Its gradient is an expectation, estimated with the
#   log probability and made less noisy by a baseline. If the baseline does not depend
#   on the draw itself, like the mean of the other draws, the estimate stays right on
#   average.
#
# ## Questions
#
# 1. The static model gets the mean of all regions, places included. In principle, could
#    one vector hold two shapes and their places? And what would be left of the place
#    vectors without its ReLU?
#
# <details><summary>Answer</summary>
#
# Yes. There are (9 · 12) + (36 · 144) = 5,292 different scenes, and 64 real numbers can
# tell far more apart. There is room enough; the difficulty is to use it. A mean adds up
# all regions, so the eye would have to write each shape differently at each place, and
# the LSTM would have to take the sum apart again. Attention needs to learn neither.
# Without the ReLU a constant would be left of the place vectors, their mean, the same
# for every picture; only the padding would make a shape at the border look different.
# </details>
#
# 2. In the first step there is no previous word and no previous look. What does the
#    state know when it asks for the first time?
#
# <details><summary>Answer</summary>
#
# Here, the mean of the regions, through a linear layer: the gist of the picture. With a
# state of zeros the first look would be the same query for every picture, but still not
# the same weights, because the keys differ.
# </details>
#
# 3. Why can soft attention be trained without draws, although it, too, "chooses" where
#    to look?
#
# <details><summary>Answer</summary>
#
# Because it does not choose. The context is a smooth function of the weights, so a
# small change of a weight changes the loss a little, and backpropagation says how much.
# It computes $\ell(\sum_i \alpha_i a_i)$, the loss of the mean region; hard attention
# minimises $\sum_i \alpha_i\,\ell(a_i)$, the mean of the losses.
# </details>
#
# ## Where next
#
# The [assignment](../assignments/10_image_captioning/10_image_captioning.ipynb) has you
# write the parts. After it comes the
# [project](../assignments/11_project/11_project.ipynb): your own question, with
# everything you have built.
#
# REINFORCE is not the only substitute for the missing derivative of a draw. Two others
# that you will meet: the *straight-through* estimator draws, and takes the gradient of
# the soft mean; *Gumbel-softmax* makes the draw itself smooth. Both are less noisy, and
# both have a bias. (Only a *draw* needs any of them: attention in a window, such as
# Luong's local attention, can be soft and is then trained by plain gradients; see unit
# 02.)
#
# Captioning today has the same two halves, both trained beforehand on far more data. A
# Vision Transformer makes the regions; one linear layer or two bring them to the width
# of a language model, which reads them like words before the question (*LLaVA*), or
# asks them by cross-attention, as here (*Flamingo*).

# %% [markdown]
# ## Look everywhere once: coverage
#
# *From here on it is the appendix.* Nothing forces the model to look at everything. It
# may name one shape twice and forget the other. Xu and others added a term to the loss
# that asks for *coverage*: summed over all words, each region should get a total
# attention of about one:
#
# $$\lambda \sum_i \Big(1 - \sum_t \alpha_{ti}\Big)^2$$
#
# With two words and two regions: weights $(1, 0)$ and $(1, 0)$ give the totals $2$ and
# $0$, and the penalty $1 + 1 = 2$. Weights $(1, 0)$ and $(0, 1)$ give $1$ and $1$, and
# $0$. So do $(.5, .5)$ and $(.5, .5)$: only the *totals* count. How large is the
# penalty for our captioner, without any training for it? (Pictures of two shapes: ten
# looks each, for nine words and the end.)

# %%
even = torch.full_like(seen, 1 / 36)  # (500, 10, 36)
fixed = F.one_hot(torch.zeros(500, 10).long(), 36).float()  # always the first region
ways = {"our captioner": seen, "one region, always": fixed, "spread evenly": even}
rows = [(name, coverage_penalty(weights[both])) for name, weights in ways.items()]
Table(rows, ["attention", "penalty"])

# %% [markdown]
# The penalty cannot become 0 here: 10 looks have a total weight of 10, and 36 regions
# ask for 36. The least possible is that of the last row, and looking everywhere a
# little reaches it. Xu and others report that the penalty helped on photographs, where
# every corner may matter. Our scenes are mostly empty, and it would pull the attention
# towards empty regions, so we leave it out.

# %% [markdown]
# ## The relation that stalls
#
# Is there a task on which the Transformer beats the LSTM? Take the same kind of
# pictures: two shapes in one row or column, and a sentence that says how they lie:
# *blue cross left-of red square*. The one that comes first in the alphabet comes first
# in the sentence, so either may be left or right, above or below. Same eye, same LSTM,
# and a sentence of five words instead of four or nine. (7 seconds.)

# %%
pairs, sentences = relations(3000, seeded(0))  # (3000, 3, 24, 24), (3000, 7)
test_pairs, test_sentences = relations(500, seeded(1))  # (500, 3, 24, 24), (500, 7)
torch.manual_seed(0)
relator = LSTMCaptioner(len(VOCABULARY))
slow = train_captioner(relator, pairs, sentences, steps(200))
told = describe(relator, test_pairs, 7)  # (500, 7)
right = (told == test_sentences).float().mean(0)[1:6]  # (5,): word by word
columns = ["", "colour", "shape", "relation", "colour", "shape"]
Table([("right", *[f"{r:.2f}" for r in right])], columns)

# %% [markdown]
# Colours and shapes are mostly right. The relation is hardly better than a guess among
# four. Why should a relation be harder than a place? A place can be read from one region
# with one look. A relation is in no single place: it has to be computed from two, and
# one soft look gives one weighted mean. Two ways out come to mind: a look that mixes
# both shapes with unlike weights, or a state that keeps the place of the first shape
# until the relation is due. Both have to be learned.
#
# A Transformer has more than one look per word: four heads in each layer, and a second
# layer that can compare what the first one found. (6 seconds.)

# %%
torch.manual_seed(0)
thinker = TransformerCaptioner(len(VOCABULARY), 7)
quick = train_captioner(thinker, pairs, sentences, steps(200))
thought = describe(thinker, test_pairs, 7)  # (500, 7)
after = {"Transformer, four heads, two layers": exact(thought, test_sentences)}
after["LSTM, one look per word"] = exact(told, test_sentences)
Table(list(after.items()), ["after 200 steps", "sentences right"])

# %% alt="Training losses on the relation task: the Transformer's falls to nearly 0, the LSTM's falls more slowly and ends well above it"
both_losses = {"LSTM": slow, "Transformer": quick}
title = "the relation: one look per word, or several"
ax = curves(None, both_losses, "step", "cross entropy per word", title)
ax.set_ylim(0, 1);

# %% [markdown]
# The gap is large. (One training each. Whether it is the number of looks that matters,
# we have not tested: `TransformerCaptioner(…, heads=1)` and `depth=1` are worth a try.)
# Note how easily it could have been missed: "four words of five are right nine times in
# ten or more" is true, and hides the one word that the task is about.
#
# Can the LSTM not do it at all, or does it only learn slowly: is this a wall or a slope?
# Find out: train `relator` for 300 steps more.

# %% [markdown]
# ## A model that learns to draw
#
# Does a model learn by `reinforce_loss`? A small one has to name the colour of a single
# shape, and may look at *one* region, which it draws. Three parts: an eye, `where` (a
# linear layer that gives each region its score), and `what` (a linear layer that names
# the colour of the drawn region). `what` learns from the first term of the loss,
# $\ell_k$, by plain gradients. `where` learns from the second, the one with the log
# probabilities. The eye serves both and learns from both. There are four draws for each
# picture. Beside it two controls: no baseline, and no second term at all. (80 steps,
# three seeds each, less than a second for each training.)

# %%
lone = ~(captions == VOCABULARY.index("and")).any(1)  # (3000,): a single shape
test_lone = ~both  # (500,)
ones, colours = pictures[lone], captions[lone, 1] - VOCABULARY.index("red")


def learn_to_draw(objective, seed):
    torch.manual_seed(seed)
    eye, where, what = Eye(32), nn.Linear(32, 1), nn.Linear(32, 4)
    draw = seeded(seed)

    def one_look(pictures):
        regions = eye(pictures)  # (B, 36, 32)
        weights = where(regions)[..., 0].softmax(-1)  # (B, 36)
        context, index, log_prob = hard_attention(regions, weights, draw)
        return what(context), index, log_prob  # (B, 4), (B,), (B,)

    def loss(step):
        batch = torch.randint(len(ones), (32,), generator=draw)  # (32,)
        batch = batch.repeat_interleave(4)  # (128,): each picture four times
        names, _, log_prob = one_look(ones[batch])
        cost = F.cross_entropy(names, colours[batch], reduction="none")  # (128,)
        return objective(cost.reshape(-1, 4), log_prob.reshape(-1, 4))

    parameters = [p for part in (eye, where, what) for p in part.parameters()]
    fit(loss, parameters, steps(80), lr=3e-3, clip=1.0, label=f"seed {seed}")
    with torch.no_grad():
        return one_look(test_pictures[test_lone])[1]  # (B,): the drawn regions


# %%
objectives = {
    "mean of the others": reinforce_loss,
    "no baseline": lambda loss, log_prob: (loss + loss.detach() * log_prob).mean(),
    "no second term": lambda loss, log_prob: loss.mean(),
}
rows = []
for name, objective in objectives.items():
    hits = []
    for seed in range(3):
        index = learn_to_draw(objective, seed)[:, None]  # (B, 1)
        hits.append(here[test_lone].flatten(1).gather(1, index).mean())  # on the shape?
    rows.append((name, *[f"{hit:.2f}" for hit in hits]))
columns = ["trained with", *[f"seed {seed}" for seed in range(3)]]
Table(rows, columns, "share of the draws that fall on the shape (evenly: 0.11)")

# %% [markdown]
# Without the second term nobody teaches `where`. (Its shares lie somewhat above .11, in
# one seed far above, presumably because the eye changes in training, and the scores
# change with it.) With it, the draws find the shape, although no label ever says where
# it is. The baseline is not what decides here, presumably because the task is easy: its
# losses soon come near 0, so there is little to subtract. (This trick is in use far
# from pictures: a language model can be trained in the same way from rewards, with
# several answers to one question as the draws.)

# %% [markdown]
# ## Why not the mean of all draws?
#
# As a baseline for hard attention, why not simply the mean of all $K$ losses? Because
# it contains $\ell_k$ itself. Here are both, with 200,000 pairs of draws ($K = 2$) for
# the four regions of the section on hard attention:

# %%
def drawn_pairs(count):
    weights = logits.softmax(-1).expand(2 * count, -1)  # (2 count, 4)
    losses = loss_of[None, :, None].expand(2 * count, -1, -1)  # (2 count, 4, 1)
    loss, _, log_prob = hard_attention(losses, weights, seeded(0))
    return loss.reshape(-1, 2), log_prob.reshape(-1, 2)  # (count, 2) each


loss, log_prob = drawn_pairs(200_000)
among_all = ((loss - loss.mean(1, keepdim=True)) * log_prob).mean()
rows = [("(true gradient)", *truth)]
made = {"mean of the others": reinforce_loss(loss, log_prob), "mean of all": among_all}
for name, value in made.items():
    rows.append((name, *torch.autograd.grad(value, logits, retain_graph=True)[0]))
Table(rows, ["baseline", *"abcd"])

# %% [markdown]
# With the mean of all, the gradient is only half as long, since a loss is compared in
# part with itself: $\ell_k - \bar\ell = \frac{K - 1}{K} (\ell_k - b_k)$. So on average
# it is $(K - 1) / K$ of the true one: the direction is right, only the length is wrong,
# and a factor $K / (K - 1)$ before this term makes up for it.

# %% [markdown]
# ## From scenes to photographs
#
# So far every picture was generated. Does any of it carry over to what people have
# made? A first step needs no download: the handwritten digits of unit 09 are as large
# as a cell of our grid. One or two of them lie on it, and the caption names them with
# their places. The test pictures are made of digits that no training picture holds. We
# take the same eye and the same Transformer, untrained, and train them on these
# pictures for the same 200 steps. (6 seconds.)

# %%
written, labels, new_written, new_labels = digits()  # (1347, 1, 8, 8), (1347,), ...
notes, notes_told = handwriting(3000, written, labels, seeded(0))  # (3000, 3, 24, 24)
new_notes, new_told = handwriting(500, new_written, new_labels, seeded(1))
torch.manual_seed(0)
scribe = TransformerCaptioner(len(HAND_VOCABULARY), 9)
train_captioner(scribe, notes, notes_told, steps(200))
read = describe(scribe, new_notes, 9)  # (500, 9)
named = [exact(read[:, which], new_told[:, which]) for which in ([1, 5], [2, 3, 6, 7])]
row = [f"{share:.3f}" for share in (exact(read, new_told), *named)]
columns = ["every word", "all digits", "all places"]
Table([row], columns, "share of 500 pictures in which it is right")

# %% alt="Four pictures of handwritten digits that the model describes wrongly, each titled with what it says"
wrong = (read != new_told).any(1).nonzero()[:, 0][:4]  # (4,) at most
figure, axes = plt.subplots(1, 4, figsize=(8, 2.7))
figure.suptitle("the first four mistakes: what it says", y=1.08)
for ax, i in zip(axes, wrong.tolist()):
    said = " ".join(words(read[i], HAND_VOCABULARY)).replace(" and ", "\nand ")
    look(new_notes[i], torch.zeros(6, 6), said, ax)
for ax in axes[len(wrong) :]:
    ax.axis("off")

# %% [markdown]
# Two circles of our scenes have the same outline, two handwritten threes do not. Still,
# the captioner describes .83 of the new pictures rightly. In the others it takes one
# digit for another; the places are right in all 500.
#
# With photographs everything is larger, but the parts stay the same. A Vision
# Transformer that was trained on photographs gives 196 regions of 768 features; a
# decoder like ours, of six layers or more, reads them; captions come from people, five
# per photograph, so that no single one is *the* right answer, and BLEU (unit 08) or a
# kindred score takes the place of our exact match. What does not change: look at the
# maps, and do the counter-check.

# %% [markdown]
# ## Words ask a photograph
#
# The trained weights of a large eye are a download of 330 MB, so this cell is switched
# off: set `DOWNLOAD = True` where there is a network. We have no trained decoder for
# it, but the last layer of the trained model has one vector for each of 1,000 words. So
# let words ask: the three words that fit the photograph best are the queries, its 196
# regions are keys and values, and each word gets its map.

# %% alt="A photograph three times, each with the regions that one word looks at in orange"
DOWNLOAD = False


def ask_a_photograph():
    path = matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
    photo = torch.tensor(plt.imread(path)).permute(2, 0, 1) / 255  # (3, H, W)
    trained = models.ViT_B_16_Weights.IMAGENET1K_V1
    eye = from_torchvision(models.vit_b_16(weights=trained))
    square = transforms.functional.resize(photo, [224, 224])  # (3, 224, 224)
    square = square.clamp(0, 1)  # (3, 224, 224): rounding may leave it
    mean, deviation = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]  # of ImageNet
    ready = transforms.functional.normalize(square, mean, deviation)
    with torch.no_grad():
        tokens = eye.encoder(eye.embed(ready[None]))[0]  # (197, 768): CLS and regions
        best = eye.head(tokens[0]).topk(3).indices.tolist()  # three words
        asks, regions = eye.head.weight[best], tokens[1:]  # (3, 768), (196, 768)
        weights = scaled_dot_product_attention(asks, regions, regions)[1]  # (3, 196)
    names = [trained.meta["categories"][i] for i in best]
    panels = list(zip(names, weights.reshape(3, 14, 14)))
    looks(square, panels, columns=3, title="each word asks the regions")


# %%
if DOWNLOAD:
    try:
        ask_a_photograph()
    except OSError as error:
        print("This needs a network:", error)
else:
    print("Set DOWNLOAD = True and run the two cells again to let words ask.")
