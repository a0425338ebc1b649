# %% [markdown]
# # 09 · The Vision Transformer
#
# The encoder of unit 07 reads a sequence of vectors and does not ask where they come from. Cut an image into squares, and
# it reads images. After this lecture you can
#
# - turn an image into a sequence of tokens, and recognise the reshape that runs and tears the image apart;
# - say what the CLS token, the positions and the size of a patch are good for, with measurements;
# - build a Vision Transformer from parts you have, and prove that it equals torchvision's;
# - show where it looks, by attention rollout and by occlusion, and say which of the two to trust;
# - say with how much data a CNN wins, and why.

# %%
import time

import torch
import torch.nn.functional as F
from torch import nn

from course_utils.images import FASHION_CLASSES, digits, fashion_mnist, fashion_mnist_is_here, look, show
from course_utils.multi_head_attention import recorded_weights
from course_utils.plotting import Table, curves, interactive, plt
from course_utils.training import seeded, steps
from course_utils.transformer_encoder import Encoder
from course_utils.vision import models, transforms
from course_utils.vision_transformer import accuracy, fashion_experiment, from_torchvision, normalised, train

# %% [markdown]
# ## Cutting the image
#
# A sentence comes in words. An image comes as a box of numbers, $C \times H \times W$, and nobody has cut it up. Pixels
# as words would be far too many: a photograph of $224 \times 224$ has 50,176 of them, and attention compares each with each.
# So the Vision Transformer takes square *patches* of $p \times p$ pixels for words, $N = HW / p^2$ of them.
#
# Our images are small, so that everything here runs in seconds: 1,797 handwritten digits of $8 \times 8$ pixels.

# %% alt="Sixteen handwritten digits of eight by eight pixels, white on black"
images, labels, test_images, test_labels = digits()  # (1347, 1, 8, 8), (1347,), (450, 1, 8, 8), (450,)
show(images[:16], title="digits: " + " ".join(map(str, labels[:16].tolist())));

# %% [markdown]
# Cutting is one `reshape`, one `permute`, one `reshape`. The first splits height and width in two: *which patch* and *where
# in the patch*. The second sorts: first everything that says which patch, then everything inside it. The third glues.
#
# | | axes |
# |---|---|
# | the image | $(B,\ C,\ H,\ W)$ |
# | split | $(B,\ C,\ H/p,\ p,\ W/p,\ p)$ |
# | sort | $(B,\ H/p,\ W/p,\ C,\ p,\ p)$ |
# | glue | $(B,\ N,\ C p^2)$ |

# %%
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError(f"patches of {patch} pixels do not tile an image of {height} x {width}")
    grid = images.reshape(batch, channels, height // patch, patch, width // patch, patch)  # (B, C, rows, p, columns, p)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, rows, columns, C, p, p) -> (B, N, C p p)


def unpatchify(patches, patch, height, width):
    grid = patches.reshape(len(patches), height // patch, width // patch, -1, patch, patch)  # (B, rows, columns, C, p, p)
    return grid.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)  # (B, C, rows, p, columns, p) -> (B, C, H, W)


# %% alt="A handwritten zero, beside it its sixteen patches of two by two pixels in reading order"
patches = patchify(images, 2)  # (1347, 16, 4)
_, axes = plt.subplots(1, 2, figsize=(7, 2.4), width_ratios=[1, 2.6])
show(images[:1], title="one image", ax=axes[0])
show(patches[0].reshape(16, 1, 2, 2), columns=8, title="a sentence of 16 patches, 4 numbers each", ax=axes[1]);

# %% [markdown]
# Why not ask `reshape` for $(B, N, p^2)$ straight away? It runs, and the shape is right. But `reshape` never moves a number:
# what it calls a patch is a piece of a pixel row, half of an image row here. Put such patches back where patches
# belong, and you see what the model would have been fed.

# %% alt="Left: four digits put back from their patches, unharmed. Right: the same digits cut by a plain reshape, torn into unrecognisable pieces"
torn = images.reshape(len(images), 16, 4)  # (1347, 16, 4): the right shape
_, axes = plt.subplots(1, 2, figsize=(7, 1.7))
show(unpatchify(patches[:4], 2, 8, 8), title="patchify, and back", ax=axes[0])
show(unpatchify(torn[:4], 2, 8, 8), title="plain reshape, and back", ax=axes[1])
print("patchify and back, largest difference:", (unpatchify(patches, 2, 8, 8) - images).abs().max().item())

# %% [markdown]
# ## From patches to tokens
#
# A word is looked up in a table. A patch cannot be: there is no list of all possible patches. It is *projected* instead, by
# one linear layer $z_n = W x_n + b$ that all patches share. That is a convolution in disguise: a kernel of $p \times p$
# that moves by $p$ pixels multiplies each patch with the same weights, and published models write it like that.

# %%
project = nn.Linear(4, 48)
tokens = project(patches[:3])  # (3, 16, 48)
kernel = project.weight.reshape(48, 1, 2, 2)  # (D, C, p, p): the same numbers
convolved = F.conv2d(images[:3], kernel, project.bias, stride=2)  # (3, 48, 4, 4)
print(f"largest difference: {(convolved.flatten(2).mT - tokens).abs().max():.1e}")  # (3, 48, 16) -> (3, 16, 48)

# %% [markdown]
# Two things are added before the encoder sees the tokens:
#
# - **CLS**, one more token in front, the same learned vector for every image. It shows nothing; it is there to *ask*. Layer by
#   layer it gathers from the patches what the classifier needs, and in the end the class is read from it alone.
# - **Positions**, one learned vector for each of the $N + 1$ places, CLS included. Attention alone sees no order (unit 06), and
#   here that would mean: no picture, only a bag of squares.
#
# $$z = [\,\mathrm{cls};\ W x_1 + b;\ \dots;\ W x_N + b\,] + P, \qquad P \in \mathbb{R}^{(N + 1) \times D}$$

# %%
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, (image_size // patch) ** 2 + 1, dim))

    def forward(self, images):
        tokens = self.project(patchify(images, self.patch))  # (B, N, D)
        cls = self.cls.expand(len(images), -1, -1)  # (B, 1, D): cat does not broadcast
        return torch.cat([cls, tokens], dim=1) + self.positions  # (B, N + 1, D)


# %% [markdown]
# ## The Vision Transformer
#
# The rest is there already. A pre-norm encoder reads the tokens, and a linear layer reads CLS:

# %%
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))  # (B, N + 1, D)
        return self.head(tokens[:, 0])  # (B, classes)


# %% [markdown]
# `train` (in `course_utils/vision_transformer.py`) is AdamW with a learning rate that rises and then falls to zero; here it
# takes 600 steps on batches of 32 images. The model is small: 48 features, four heads, three layers. A quarter of the images is kept for testing.

# %% alt="Training loss of the Vision Transformer on the digits, falling from 2.3 to nearly 0"
def small_vit():
    torch.manual_seed(0)
    return VisionTransformer(8, 1, patch=2, dim=48, heads=4, hidden=96, depth=3, classes=10)  # 8 x 8 pixels, 1 channel


model = small_vit()
losses = train(model, images, labels, steps(600), batch=32)
found = accuracy(model, test_images, test_labels)
curves(None, {"loss": losses}, "step", "cross entropy", f"test accuracy {found:.3f}");

# %% [markdown]
# What is left over? Some of the digits that it gets wrong, with its answer and the truth:

# %% alt="Test digits that the model gets wrong, each titled with the model's answer and the true digit; most are badly written"
with torch.no_grad():
    answers = model(test_images).argmax(-1)  # (450,)
wrong = (answers != test_labels).nonzero()[:8, 0]  # (8,) at most
_, axes = plt.subplots(1, 8, figsize=(8, 1.5))
for ax, i in zip(axes, wrong.tolist()):
    show(test_images[i : i + 1], title=f"{answers[i]}, not {test_labels[i]}", ax=ax).title.set_fontsize(9)
for ax in axes[len(wrong) :]:
    ax.axis("off")

# %% [markdown]
# ## Do positions matter?
#
# Train the same model once more with all positions held at zero. It knows *what* squares there are, but not *where*.

# %%
bag = small_vit()
bag.embed.positions.requires_grad_(False).zero_()  # (1, 17, 48)
train(bag, images, labels, steps(600), batch=32)
without = accuracy(bag, test_images, test_labels)
Table([("with positions", found), ("without", without)], ["model", "test accuracy"])

# %% [markdown]
# Roughly seven digits in ten can be told from a bag of squares, presumably by how much ink there is, how many corners and how many
# bars. The rest needs places. To
# see that this model is blind to order, not merely bad at it, shuffle the patches of every test image in the same way.

# %% alt="Four digits, and the same digits as jigsaws with their sixteen patches shuffled"
order = torch.randperm(16, generator=seeded(1))  # (16,)
jigsaws = unpatchify(patchify(test_images, 2)[:, order], 2, 8, 8)  # (450, 1, 8, 8)
_, axes = plt.subplots(1, 2, figsize=(7, 1.7))
show(test_images[:4], title="images", ax=axes[0])
show(jigsaws[:4], title="the same patches in another order", ax=axes[1]);

# %%
with torch.no_grad():
    moved = [(m(test_images) - m(jigsaws)).abs().max() for m in (model, bag)]  # largest change of a logit
right = [accuracy(m, jigsaws, test_labels) for m in (model, bag)]
names = ["with positions", "without"]
Table(list(zip(names, moved, right)), ["model", "largest change of a logit", "accuracy on jigsaws"])

# %% [markdown]
# Without positions the logits do not move at all. Two words are worth keeping apart here, and a deck that says
# "attention is insensitive to order" mixes them up. The *tokens* are **equivariant**: shuffle the patches, and the tokens
# come out shuffled alike. What is read from CLS is **invariant**: it does not change. Only the second one loses the order.
#
# What has the model with positions learned about places? Nobody told it that patch 5 lies below patch 1. The cosine between
# the position vectors of two places says how alike it treats them: one small map per place, with the place itself in darkest red.

# %% alt="Sixteen small maps in a four by four grid: how similar each place's position vector is to all others. The corners resemble one another"
positions = F.normalize(model.embed.positions[0, 1:].detach(), dim=-1)  # (16, 48)
similarity = positions @ positions.T  # (16, 16)
_, axes = plt.subplots(4, 4, figsize=(3.6, 3.8))
for ax, row in zip(axes.flat, similarity):
    ax.imshow(row.reshape(4, 4), cmap="RdBu_r", vmin=-1, vmax=1)
    ax.axis("off")

# %% [markdown]
# Models trained on millions of photographs show their neighbourhood in such maps: rows and columns light up. This one has
# seen 1,347 small digits and has learned what pays for them: most corners are alike, probably because they are
# so often empty. It has places, but no map of them.
#
# ## CLS or the mean?
#
# CLS came from language models. Its rival is as old as CNNs: average the patches. Nothing else changes, so try it.

# %%
class MeanPooled(VisionTransformer):
    def forward(self, images):
        tokens = self.encoder(self.embed(images))  # (B, N + 1, D)
        return self.head(tokens[:, 1:].mean(1))  # (B, classes): the patches without CLS


torch.manual_seed(0)
averaged = MeanPooled(8, 1, 2, 48, 4, 96, 3, 10)
train(averaged, images, labels, steps(600), batch=32)
pooled = accuracy(averaged, test_images, test_labels)
Table([("CLS", found), ("mean of the patches", pooled)], ["read from", "test accuracy"])

# %% [markdown]
# Both work. A gap of one percent is four or five of the 450 test images, and another seed can turn it round. CLS is a learned
# query that can pick; the mean takes everybody. We stay with CLS because it leaves one row of attention to look at: where did *it* look?
#
# ## What a patch costs
#
# Smaller patches see more detail. What do they cost? Halving $p$ makes four times as many tokens, and the attention matrix
# has a row *and* a column for each: sixteen times the numbers. "Attention costs $O(n^2)$" is only half of it: the matrices take
# $O(n^2)$ memory, computing them takes $O(n^2 d)$ time. Measured on an image of $32 \times 32$, one layer of 64 features:

# %%
def milliseconds(patch):
    layer = Encoder(64, 4, 128, 1, norm_first=True)
    tokens = torch.randn(1, (32 // patch) ** 2 + 1, 64, generator=seeded(0))  # (1, N + 1, D)
    with torch.no_grad():
        layer(tokens)  # once to warm up
        began = time.perf_counter()
        for _ in range(5):
            layer(tokens)
    return 1000 * (time.perf_counter() - began) / 5


rows = [(p, (32 // p) ** 2, f"{(32 // p) ** 4:,}", f"{milliseconds(p):.1f}") for p in (8, 4, 2, 1)]
Table(rows, ["patch", "patches N", "numbers in one N x N matrix", "milliseconds"])

# %% [markdown]
# With few tokens the time hardly grows: the linear layers and the mere calls take most of it. In the last row the square is felt.
# The title of the original paper, *An image is worth 16x16 words*, names its compromise: patches of 16 x 16 *pixels*. With
# $224 / 16 = 14$ of them in a row there are 196 words per image.
#
# ## Little data: a CNN, a ViT and a straight line
#
# One deck says that Transformers do even better than CNNs on images. Is it so? Here are two rivals on the same digits. A small CNN
# slides 3 x 3 windows over the image: *neighbours belong together, and a stroke is a stroke wherever it is* is built into
# it. The *straight line* is logistic regression, one linear layer on 64 pixels, the oldest classifier in the book.

# %%
def small_cnn():
    torch.manual_seed(0)
    first, second = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
    return nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(512, 10))


def logistic_regression(images, labels):
    line = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    optimiser = torch.optim.LBFGS(line.parameters(), max_iter=200)

    def loss():
        optimiser.zero_grad()
        value = F.cross_entropy(line(images), labels, reduction="sum") + 0.5 * line[1].weight.square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    return line


# %% alt="Test accuracy against the number of training images, 100 to 1347, for a CNN, logistic regression and the Vision Transformer: the ViT is far behind with few images and catches up at the end"
sizes = [100, 400, 1347]
shuffled = torch.randperm(len(images), generator=seeded(0))  # (1347,)
results = {"CNN": [], "logistic regression": [], "ViT": []}
for size in sizes:
    some, theirs = images[shuffled[:size]], labels[shuffled[:size]]  # (size, 1, 8, 8), (size,)
    cnn, vit = small_cnn(), small_vit() if size < len(images) else model  # the model from above has seen them all
    train(cnn, some, theirs, steps(200))
    if vit is not model:
        train(vit, some, theirs, steps(250))
    for name, rival in zip(results, (cnn, logistic_regression(some, theirs), vit)):
        results[name].append(accuracy(rival, test_images, test_labels))

ax = curves(sizes, results, "training images", "test accuracy", style="o-")
ax.set_xscale("log"), ax.set_xticks(sizes, sizes), ax.minorticks_off();

# %%
Table([(name, *[f"{a:.3f}" for a in row]) for name, row in results.items()], ["trained on", *map(str, sizes)])

# %% [markdown]
# So much for "better". With 100 images the CNN is far ahead of the ViT, and so is a straight line. With all of them the ViT has nearly
# caught up with both, and who leads by a percent is a matter of the seed; the CNN gets there with a sixth of the parameters. A CNN is
# *told* that neighbours matter; a ViT has to *find out*, patch by patch and place by place, and pays for it in examples. The
# price is worth paying where examples are plenty: the original paper trained on 300 million images before it overtook its CNNs,
# and on the 1.3 million of ImageNet alone it stayed behind. And that a linear model of 650 numbers
# does so well says that these digits are an easy task: 97 % on them shows that the code works, not that the model is good.
#
# ## More data for nothing
#
# What if there are no more images? Then make some: a digit moved by a pixel, or turned a little, is the same digit. This
# tells the model through data what a CNN has built in. `torchvision.transforms` does it, drawn anew for every image.

# %% alt="Eight versions of one digit, each moved by up to a pixel and turned a little"
torch.manual_seed(0)
smooth = transforms.InterpolationMode.BILINEAR
augment = transforms.RandomAffine(degrees=10, translate=(1 / 8, 1 / 8), interpolation=smooth)
few, their_labels = images[shuffled[:100]], labels[shuffled[:100]]  # (100, 1, 8, 8), (100,)
copies = torch.cat([torch.stack([augment(image) for image in few]) for _ in range(8)])  # (800, 1, 8, 8)
show(copies[::100], title="one digit, eight times");

# %%
taught = small_vit()
train(taught, torch.cat([few, copies]), their_labels.repeat(9), steps(250))  # (900, 1, 8, 8), (900,)
few_found, all_found = results["ViT"][0], results["ViT"][-1]
taught_found = accuracy(taught, test_images, test_labels)
rows = [("100 images", few_found), ("100 images, each in 9 versions", taught_found), ("1347 images", all_found)]
Table(rows, ["a ViT trained on", "test accuracy"])

# %% [markdown]
# Invented neighbours close a good part of the gap. They do not replace other people's handwriting.
#
# ## Attention rollout
#
# Attention weights promise an answer to "where does it look?". But the weights of the last layer are weights on *its* inputs,
# and these are no longer patches: each has gathered from others in the layers before. To get back to the patches, follow the paths
# through all layers. Averaged over heads, layer $l$ mixes tokens by a matrix $A_l$; the residual connection passes the token itself
# on, so take half of each. Mixing a mixture is a product of matrices, later layers from the left:
#
# $$\tilde A_l = \tfrac12 A_l + \tfrac12 I \ \text{(rows normalised)}, \qquad R = \tilde A_L \cdots \tilde A_2 \tilde A_1$$
#
# Row 0 of $R$ says how much of each patch has arrived in CLS (in the pictures: the more, the deeper the orange).

# %%
def attention_rollout(weights):
    identity = torch.eye(weights[0].shape[-1])  # (T, T)
    rollout = identity
    for layer in weights:
        step = 0.5 * layer.mean(1) + 0.5 * identity  # (B, T, T): half through attention, half through the residual
        step = step / step.sum(-1, keepdim=True)  # (B, T, T)
        rollout = step @ rollout  # (B, T, T): later layers from the left
    return rollout


with recorded_weights(model) as weights, torch.no_grad():
    model(test_images)
rollout = attention_rollout(weights)[:, 0, 1:]  # (450, 16): from CLS to the patches
rollout = rollout / rollout.sum(-1, keepdim=True)  # (450, 16)

# %% alt="Eight test digits with their attention rollout laid over them in red"
_, axes = plt.subplots(1, 8, figsize=(9, 1.6))
for ax, i in zip(axes, range(8)):
    look(test_images[i], rollout[i].reshape(4, 4), f"a {test_labels[i]}", ax)

# %% [markdown]
# ## Is it where it looks?
#
# A picture like this is soon believed. Check it against a question that needs no attention at all: blank out one patch and see how far
# the logit of the model's answer falls. This is **occlusion**. It costs one forward pass per patch and works for any model.

# %%
def blanked(images, which):
    patches = patchify(images, 2)  # (B, 16, 4)
    return unpatchify(patches.masked_fill(which[..., None], 0), 2, 8, 8)  # which (B, 16) bool: True = blank


@torch.no_grad()
def occlusion(model, images):
    before, answers = model(images).max(-1)  # (B,) each: the highest logit and its class
    drops = []
    for one in torch.eye(16, dtype=torch.bool):  # (16,): one patch at a time
        logits = model(blanked(images, one.expand(len(images), -1)))  # (B, 10)
        drops.append(before - logits.gather(1, answers[:, None])[:, 0])  # (B,)
    return torch.stack(drops, 1)  # (B, 16)


drops = occlusion(model, test_images)  # (450, 16)

# %% alt="A slider over test digits: for each one the image, its attention rollout and its occlusion map side by side"
def compare(i):
    _, axes = plt.subplots(1, 3, figsize=(6, 2.3))
    show(test_images[i : i + 1], title=f"image {i}: a {test_labels[i]}", ax=axes[0])
    look(test_images[i], rollout[i].reshape(4, 4), "rollout", axes[1])
    look(test_images[i], drops[i].clamp(min=0).reshape(4, 4), "occlusion", axes[2])


interactive(compare, "image", list(range(10)), alt="A digit, its rollout and its occlusion map")

# %% [markdown]
# They agree here and there. To settle it, let both *point out* patches: blank the $k$ patches with the highest score and measure the
# accuracy. The faster it falls, the better the score knew what matters. Two more scores keep us honest: chance, and plain *ink*, the
# brightness of a patch, which knows nothing of the model.

# %% alt="Accuracy against the number of blanked patches, for four ways to choose them: by occlusion it falls fastest, by rollout and ink in between, at random slowest"
scores = {
    "random": torch.rand(450, 16, generator=seeded(0)),
    "ink": patchify(test_images, 2).mean(-1),
    "rollout": rollout,
    "occlusion": drops,
}  # (450, 16) each
removed = range(0, 11)
deletion = {}
for name, score in scores.items():
    rank = score.argsort(-1, descending=True).argsort(-1)  # (450, 16): 0 is the highest score
    deletion[name] = [accuracy(model, blanked(test_images, rank < k), test_labels) for k in removed]
curves(list(removed), deletion, "patches blanked", "accuracy", style="o-");

# %% [markdown]
# Occlusion knows: two or three patches decide. (It has an advantage here, since the test blanks patches just as it does. The fair
# rivals are the other three.) Rollout beats chance, but it does not beat *ink*, which has never seen the model. It
# shows that the model looks at the digit and not at the empty background, and hardly more than that. Attention says what is *mixed in*,
# not what the layers behind make of it; and half of every step in the rollout is our assumption, not a measurement. Pictures of
# attention are a good question to ask a model. For an answer, change the input and watch the output.
#
# ## Beside torchvision
#
# Is this small model built like the real thing? `torchvision.models.vit_b_16` is the base model of the paper: patches of 16, 768 features, 12 heads,
# 12 layers. `from_torchvision` copies all its weights into our modules. Two details differ and are taken over: GELU, a smooth ReLU, in
# the feed-forward layers, and $10^{-6}$ for $10^{-5}$ in the layer norms. (Its head starts at zero, which would make any two models agree:
# it is filled with random numbers first.)

# %%
torch.manual_seed(0)
theirs = models.vit_b_16().eval()  # random weights: the trained ones would be a download
nn.init.normal_(theirs.heads.head.weight, std=0.2)
ours = from_torchvision(theirs)
photos = torch.randn(2, 3, 224, 224, generator=seeded(0))  # (2, 3, 224, 224)
with torch.no_grad():
    expected, got = theirs(photos), ours(photos)  # (2, 1000) each
size = sum(p.numel() for p in ours.parameters())
rows = [(f"{size:,}", expected.abs().max(), f"{(got - expected).abs().max():.0e}")]
del theirs, ours  # 700 MB
Table(rows, ["parameters", "largest logit", "largest difference"])

# %% [markdown]
# ## Clothes
#
# Digits are soon exhausted. Fashion-MNIST has 60,000 pieces of clothing of 28 x 28 pixels, ten kinds of them. `fashion_mnist()` reads it
# through `torchvision.datasets`; where the files are not there yet, `fashion_mnist(download=True)` fetches them (30 MB). The model has three
# layers and sees 16 patches of 7 x 7. `fashion_experiment` trains it for two epochs; this cell does so only where the data is at hand.
# The second picture is occlusion again, under the model's answers. (`normalised` brings the pixels to mean 0 and deviation 1.)

# %% alt="Twelve pieces of clothing from Fashion-MNIST"
if fashion_mnist_is_here():
    _, _, clothes, kinds = fashion_mnist()  # test images (10000, 1, 28, 28), (10000,)
    tailor, share = fashion_experiment(epochs=2)
    print(f"Fashion-MNIST, two epochs: test accuracy {share:.3f}")
    show(clothes[:12], columns=12)
else:
    print("Fashion-MNIST is not on this machine; fashion_mnist(download=True) fetches it.")

# %% alt="Six pieces of clothing with the occlusion map of the trained model over each: which patches its answer depends on"
if fashion_mnist_is_here():
    with torch.no_grad():
        before, answers = tailor(normalised(clothes[:6])).max(-1)  # (6,) each
        falls = []
        for one in torch.eye(16)[:, :, None]:  # (16, 1): one patch at a time
            dark = unpatchify(patchify(clothes[:6], 7) * (1 - one), 7, 28, 28)  # (6, 1, 28, 28)
            falls.append(before - tailor(normalised(dark))[range(6), answers])  # (6,)
    falls = torch.stack(falls)  # (16, 6)
    _, axes = plt.subplots(1, 6, figsize=(9, 1.8))
    for i, ax in enumerate(axes):
        look(clothes[i], falls[:, i].clamp(min=0).reshape(4, 4), FASHION_CLASSES[answers[i]], ax)

# %% [markdown]
# ## Summary
#
# - An image becomes a sentence: cut it into patches, project each, put CLS in front, add positions. From there on it is unit 07.
# - `reshape` does not move numbers. Cutting needs a `permute`; putting the image back together shows whether it was right.
# - Without positions a ViT is a bag of patches: CLS is invariant to their order, and a quarter of the digits gets lost.
# - Half the patch size: four times the tokens, sixteen times the attention matrix.
# - A CNN is told what a ViT must learn. With little data the CNN wins, and on small tasks a straight line may do.
# - Rollout follows attention through the layers. Occlusion asks the model itself. Where they disagree, trust occlusion.
#
# ## Questions
#
# **1.** A ViT was trained on images of 224 x 224 with patches of 16. Which of its parameters do not fit an image of 384 x 384?
#
# <details><summary>Answer</summary>
#
# Only the positions: there are 24 x 24 + 1 = 577 places now, and 197 rows. All else works on single tokens or pairs of them.
# In practice the 14 x 14 position vectors are stretched to 24 x 24 by interpolation, CLS keeps its own, and the model is trained on a little.
# </details>
#
# **2.** In the first layer CLS has the same query for every image. Can its attention in that layer differ between images?
#
# <details><summary>Answer</summary>
#
# Yes. The query is the same, the keys are not: they come from the patches. It asks everybody the same first question and gets
# different answers. From the second layer on, its query depends on what it has heard.
# </details>
#
# **3.** In the rollout, why does the matrix of a later layer stand on the left?
#
# <details><summary>Answer</summary>
#
# Layer 1 turns tokens $X$ into $\tilde A_1 X$, layer 2 turns that into $\tilde A_2 (\tilde A_1 X)$. Row 0 of the product says what CLS is
# made of after both. In the other order the rows would tell how the *first* layer mixes things that the second has made, which never happens.
# </details>
#
# ## Where next
#
# The [assignment](../assignments/09_vision_transformer/09_vision_transformer.ipynb) has you write the five parts yourself. [Unit 10](10_image_captioning.ipynb) keeps the image and brings language back:
# a decoder looks at regions of a picture and says what it sees, word by word.
