# %% [markdown]
# # 09 · The Vision Transformer: assignment
#
# You cut images into patches and put them back, turn patches into tokens, assemble a
# Vision Transformer around the encoder of unit 07, and fit it to another image size.
# Then you ask it where it looks, in two ways: by following its attention, and by
# covering parts of the image. The minutes beside the exercises add up to a little more
# than three hours; if all goes well, two will do. [The
# lecture](../../lectures/09_vision_transformer.ipynb) explains every part; here you
# write it.
#
# - Images are `(B, C, H, W)`: batch, channels, height, width. `N` is the number of
#   patches, `D` the model size, `T` the number of tokens.
# - Write your answer where it says `YOUR CODE HERE`, then run the cell below it: it
#   checks your answer and says what is wrong.
# - Loops, `einsum`, `F.unfold`, `einops`: all are welcome unless the exercise says
#   otherwise. Do not change the tensors you are given, and let gradients flow (no
#   `.detach()`, no NumPy).
# - Do 1, 3 and 4 in this order: `PatchEmbedding` calls your `patchify`, and the
#   `VisionTransformer` your `PatchEmbedding`. 2, 5, 6 and 7 can be done at any time.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, ready, summary
from course_utils.transformer_encoder import Encoder

# %% [markdown]
# ## 1. Cut an image into patches
# *medium · 25 minutes · {{points patchify}}*
#
# Write `patchify(images, patch)`: `(B, C, H, W)` → `(B, N, C * patch * patch)`, with
# `N = (H / patch) * (W / patch)`.
#
# - The patches come **row by row**, as one reads: first the top row of patches from
#   left to right, then the next row.
# - Inside a patch the numbers are ordered **channel, row, column**.
# - Height and width may differ. If `patch` does not divide **both** of them, raise a
#   `ValueError`.
#
# An image of one channel, 4 x 6 pixels, cut with `patch = 2`. Its six patches are, in
# this order:
#
# ```
#  0  1 |  2  3 |  4  5         [ 0  1  6  7]
#  6  7 |  8  9 | 10 11         [ 2  3  8  9]
# ------+-------+------         [ 4  5 10 11]
# 12 13 | 14 15 | 16 17         [12 13 18 19]
# 18 19 | 20 21 | 22 23         [14 15 20 21]
#                               [16 17 22 23]
# ```

# %% nbgrader={"grade_id": "patchify"}
def patchify(images, patch):
    """(B, C, H, W) -> (B, N, C * patch * patch)."""
    ### BEGIN SOLUTION
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError(f"patches of {patch} do not tile {height} x {width} pixels")
    rows, columns = height // patch, width // patch
    grid = images.reshape(batch, channels, rows, patch, columns, patch)
    grid = grid.permute(0, 2, 4, 1, 3, 5)  # (B, rows, columns, C, p, p)
    return grid.flatten(3).flatten(1, 2)  # (B, N, C p p)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_patchify"}
check(patchify)

# %% [markdown]
# ## 2. Put it together again
# *medium · 20 minutes · {{points unpatchify}}*
#
# Write `unpatchify(patches, patch, height, width)`: `(B, N, C * patch * patch)` →
# `(B, C, height, width)`, the inverse of `patchify`:
# `unpatchify(patchify(images, patch), patch, H, W)` gives back `images`.
#
# - The number of channels is not an argument: it follows from the length of a patch.
# - You may take it for granted that the sizes fit together.

# %% nbgrader={"grade_id": "unpatchify"}
def unpatchify(patches, patch, height, width):
    """(B, N, C * patch * patch) -> (B, C, H, W)."""
    ### BEGIN SOLUTION
    rows, columns = height // patch, width // patch
    grid = patches.reshape(len(patches), rows, columns, -1, patch, patch)
    grid = grid.permute(0, 3, 1, 4, 2, 5)  # (B, C, rows, p, columns, p)
    return grid.flatten(4).flatten(2, 3)  # (B, C, H, W)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_unpatchify"}
check(unpatchify)

# %% [markdown]
# ## 3. From patches to tokens
# *medium · 20 minutes · {{points PatchEmbedding}}*
#
# `__init__` is given; leave it as it is, because the tests copy weights into it. Write
# `forward(images)`: `(B, C, H, W)` → `(B, N + 1, D)`.
#
# 1. Cut the images with your `patchify`, and project every patch by `self.project`.
# 2. Put the CLS token `self.cls` **in front** of the patches of every image.
#    (`torch.cat` does not broadcast.)
# 3. Add `self.positions`. It has a row for each of the `N + 1` tokens; the first
#    belongs to CLS.
#
# No nonlinearity, no norm.

# %% nbgrader={"grade_id": "PatchEmbedding"}
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2  # images are squares here
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        """(B, C, H, W) -> (B, N + 1, D)."""
        ### BEGIN SOLUTION
        tokens = self.project(patchify(images, self.patch))  # (B, N, D)
        cls = self.cls.expand(len(images), -1, -1)  # (B, 1, D)
        return torch.cat([cls, tokens], dim=1) + self.positions  # (B, N + 1, D)
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_PatchEmbedding"}
check(PatchEmbedding)

# %% [markdown]
# ## 4. The Vision Transformer
# *easy · 15 minutes · {{points VisionTransformer}}*
#
# `__init__` is given. `Encoder` is the pre-norm encoder of unit 07: it takes
# `(B, T, D)`, returns `(B, T, D)`, and ends with its own norm. Write `forward(images)`:
# `(B, C, H, W)` → logits `(B, classes)`. The class is read from the **CLS token**
# alone. Return logits, not probabilities: the loss takes care of the softmax.
#
# Not allowed here: torchvision's models and torch's `nn.TransformerEncoder`.

# %% nbgrader={"grade_id": "VisionTransformer"}
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        """(B, C, H, W) -> (B, classes)."""
        ### BEGIN SOLUTION
        tokens = self.encoder(self.embed(images))  # (B, N + 1, D)
        return self.head(tokens[:, 0])  # (B, classes)
        ### END SOLUTION


# %% nbgrader={"grade_id": "test_VisionTransformer"}
check(VisionTransformer)

# %% [markdown]
# ## 5. Another image size
# *medium · 25 minutes · {{points resize_positions}}*
#
# A trained model is to read larger images. The projection and the encoder do not mind;
# only the table of positions has a row for each place. So stretch it. Write
# `resize_positions(positions, side)`: `(1, n² + 1, D)` → `(1, side² + 1, D)`.
#
# - The first row belongs to CLS, which has no place: it stays as it is, in front.
# - The other `n²` rows are an `n` by `n` grid, **row by row**. Stretch each feature
#   like a small image of `n` by `n` pixels to `side` by `side`, bilinearly, with the
#   middles of the patches as places: `F.interpolate(…, mode="bilinear",
#   align_corners=False)` does that for a tensor `(1, D, n, n)`.
# - `side` may also be smaller than `n`, or the same: then, too, exactly this call, without
#   `antialias`. Gradients must flow.
#
# With `D = 1`, CLS 9 and the places 0, 4 / 8, 12, a `side` of 4 gives the rows
# 0, 1, 3, 4 / 2, 3, 5, 6 / 6, 7, 9, 10 / 8, 9, 11, 12, after the 9.

# %% nbgrader={"grade_id": "resize_positions"}
def resize_positions(positions, side):
    """(1, n² + 1, D) -> (1, side² + 1, D)."""
    ### BEGIN SOLUTION
    cls, places = positions[:, :1], positions[:, 1:]  # (1, 1, D), (1, n², D)
    n = math.isqrt(places.shape[1])
    grid = places.mT.unflatten(2, (n, n))  # (1, D, n, n)
    grid = F.interpolate(grid, (side, side), mode="bilinear", align_corners=False)
    return torch.cat([cls, grid.flatten(2).mT], dim=1)  # (1, side² + 1, D)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_resize_positions"}
check(resize_positions)

# %% [markdown]
# ## 6. Attention rollout
# *medium · 25 minutes · {{points attention_rollout}}*
#
# Write `attention_rollout(weights)`. `weights` is a list of the attention weights of
# all layers, **first layer first**, each `(B, heads, T, T)`: batch, heads, queries,
# keys. Return `(B, T, T)`. For every layer:
#
# 1. take the mean over the heads, $A$;
# 2. mix it with the residual connection: $0.5\,A + 0.5\,I$;
# 3. divide every **row** by its sum. (Rows of attention sum to one already, unless
#    dropout was on while they were recorded. The tests contain such rows.)
#
# Then multiply the matrices of all layers. A later layer works on what earlier ones
# have made: it stands **to the left** of them.
#
# One head, two layers, two tokens:
# $A_1 = \begin{pmatrix} 0 & 1 \\ 0 & 1 \end{pmatrix}$,
# $A_2 = \begin{pmatrix} 1 & 0 \\ 1 & 0 \end{pmatrix}$ become
# $\begin{pmatrix} .5 & .5 \\ 0 & 1 \end{pmatrix}$ and
# $\begin{pmatrix} 1 & 0 \\ .5 & .5 \end{pmatrix}$, and the rollout is
# $\begin{pmatrix} .5 & .5 \\ .25 & .75 \end{pmatrix}$.

# %% nbgrader={"grade_id": "attention_rollout"}
def attention_rollout(weights):
    """List of (B, heads, T, T), first layer first -> (B, T, T)."""
    ### BEGIN SOLUTION
    identity = torch.eye(weights[0].shape[-1])  # (T, T)
    rollout = identity
    for layer in weights:
        step = 0.5 * layer.mean(1) + 0.5 * identity  # (B, T, T)
        step = step / step.sum(-1, keepdim=True)  # (B, T, T)
        rollout = step @ rollout  # (B, T, T)
    return rollout
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_attention_rollout"}
check(attention_rollout)

# %% [markdown]
# ## 7. Occlusion
# *medium · 30 minutes · {{points occlusion_map}}*
#
# Write `occlusion_map(model, images, patch, fill=0.0)`: `(B, C, H, W)` →
# `(B, H / patch, W / patch)`. How far does the logit of the model's answer fall when
# one patch is covered?
#
# - `model` is any function from images `(B, C, H, W)` to logits `(B, classes)`, not
#   only a Vision Transformer. Each image has its own **answer**: the class with the
#   highest logit for the *whole* image.
# - Cover one patch: **all channels** of its pixels get the value `fill`, and the rest
#   of the image stays as it is. Do this for every patch, each time with the other
#   patches uncovered.
# - Entry `[b, i, j]` is the logit of that answer for the whole image **minus** the
#   logit of the *same class* when the patch in row `i`, column `j` is covered. Logits,
#   not probabilities. An entry may be negative: then the patch spoke against the
#   answer.
# - You may take it for granted that `patch` divides height and width. No gradients are
#   needed here (`torch.no_grad()` is fine). Your `patchify` and `unpatchify` may help.
#
# An image of 2 x 2 pixels, `[[1, 3], [2, 3]]`, patches of one pixel, and a model with
# two classes: its logits are the sum of the upper row, 4, and the sum of the lower row,
# 5. The answer is class 1, and the map is `[[0, 0], [2, 3]]`. With `fill=1.0` it is
# `[[0, 0], [1, 2]]`.

# %% nbgrader={"grade_id": "occlusion_map"}
def occlusion_map(model, images, patch, fill=0.0):
    """(B, C, H, W) -> (B, H / patch, W / patch)."""
    ### BEGIN SOLUTION
    rows, columns = images.shape[2] // patch, images.shape[3] // patch
    with torch.no_grad():
        before, answers = model(images).max(-1)  # (B,) each
        drops = []
        for i in range(rows):
            for j in range(columns):
                covered = images.clone()  # (B, C, H, W)
                down, right = i * patch, j * patch
                covered[:, :, down : down + patch, right : right + patch] = fill
                after = model(covered).gather(1, answers[:, None])  # (B, 1)
                drops.append(before - after[:, 0])  # (B,)
    return torch.stack(drops, 1).unflatten(1, (rows, columns))  # (B, rows, columns)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_occlusion_map"}
check(occlusion_map)

# %% [markdown]
# ## 8. Predict: mixed pixels
# *5 minutes · {{points choice_better}}*
#
# A ViT with patches of a *single* pixel (64 tokens, learned positions) is trained and
# tested on the digits of the lecture. Then the pixels of all images, for training and
# for testing, are mixed by one fixed permutation, and a new ViT of the same kind is
# trained and tested on them. How does its accuracy compare?
#
# {{options choice_better}}

# %% nbgrader={"grade_id": "choice_better"}
choice_better = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_better = "a"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_better"}
check(choice_better, "choice_better")

# %% [markdown]
# ## 9. Predict: attention in windows
# *5 minutes · {{points choice_cost}}*
#
# A model of the ViT family has no CLS, and its tokens do not look at all others. They
# are divided into square windows of 7 x 7 tokens, and each token looks at the 49 tokens
# of its own window. It has patches of 16 x 16 and gets images of 448 x 448 pixels
# instead of 224 x 224. How much more memory do all its attention matrices need
# together, and how much more time its feed-forward layers?
#
# {{options choice_cost}}

# %% nbgrader={"grade_id": "choice_cost"}
choice_cost = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_cost = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_cost"}
check(choice_cost, "choice_cost")

# %% [markdown]
# ## 10. Predict: the same logits
# *5 minutes · {{points choice_order}}*
#
# A ViT reads images of 32 x 32 in patches of 4 x 4, and classifies by CLS. To save
# parameters, all patches of one row get the *same* position vector. Which changed image
# is sure to get the same logits as the original, whatever the weights?
#
# {{options choice_order}}

# %% nbgrader={"grade_id": "choice_order"}
choice_order = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
choice_order = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_choice_order"}
check(choice_order, "choice_order")

# %% [markdown]
# ## 11. In your own words: a picture of attention
# *15 minutes · 4 points, graded by hand*
#
# Photographs are shown beside pictures of "attention" (the dog is bright, the grass is
# dark), with the conclusion that the weights let us interpret the model. Write about
# ten sentences. From which layer and which head could such a picture come, and why does
# the choice matter? Which check from the lecture would convince you that the model
# *uses* what is bright, and what would you compare it with? Name one outcome that would
# make you distrust the picture.

# %% [markdown] nbgrader={"grade_id": "picture_of_attention", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
# - 1 point: there are layers times heads many matrices, and a row for each query; a
#   picture shows one, or a mean, or a rollout of all, and these differ. The keys of
#   later layers are mixtures of patches, not patches.
# - 1 point: a check by intervention: occlude what is bright (or dark) and measure the
#   drop of the logit or of the accuracy (deletion curve).
# - 1 point: a baseline: random patches, plain brightness or the object's outline, or
#   the same picture from an untrained model.
# - 1 point: a concrete outcome that speaks against the picture, e.g. bright patches can
#   be removed without effect, dark ones cannot; or an untrained model gives the same
#   picture.
# ### END SOLUTION

# %% [markdown]
# ## Let it look
#
# Not graded: your parts, put together, read handwriting. The cell below trains *your*
# `VisionTransformer` on the digits of the lecture (about ten seconds; more than nine of
# ten test digits come out right). It has a layer more than the model of the lecture and
# is trained in another way, so do not compare their accuracies. Then it draws eight
# test digits twice, mistakes first: above with *your* `attention_rollout` (the deeper
# the orange, the more of that patch has arrived in CLS), below with *your*
# `occlusion_map` (the deeper, the farther the answer falls without that patch). Find a
# digit that is read wrongly. Would the upper picture have told you why? Would the lower
# one?

# %%
PARTS = "patchify", "PatchEmbedding", "VisionTransformer", "attention_rollout"
if ready(*PARTS, "occlusion_map"):
    from course_utils.data.images import digits
    from course_utils.multi_head_attention import recorded_weights
    from course_utils.plotting import look, plt
    from course_utils.training import fit, seeded, steps

    images, labels, test_images, test_labels = digits()  # (1347, 1, 8, 8), (1347,), …
    torch.manual_seed(0)
    model, draw = VisionTransformer(8, 1, 2, 48, 4, 96, 3, 10), seeded(0)

    def loss(step):
        batch = torch.randint(len(images), (64,), generator=draw)  # (64,)
        return F.cross_entropy(model(images[batch]), labels[batch])

    fit(loss, model.parameters(), steps(500), lr=2e-3, decay=True)
    with recorded_weights(model) as weights, torch.no_grad():
        found = model(test_images).argmax(-1)  # (450,)
    share = (found == test_labels).float().mean()
    print(f"{share:.1%} of 450 test digits are read rightly")
    arrived = attention_rollout(weights)[:, 0, 1:].unflatten(1, (4, 4))  # (450, 4, 4)
    fallen = occlusion_map(model, test_images, 2).clamp(min=0)  # (450, 4, 4)
    wrong = (found != test_labels).nonzero().flatten().tolist()
    chosen = list(dict.fromkeys([*wrong[:4], *range(8)]))[:8]  # mistakes first
    for upper, lower, i in zip(*plt.subplots(2, 8, figsize=(9, 2.7))[1], chosen):
        look(test_images[i], arrived[i], f"{test_labels[i]} read as {found[i]}", upper)
        look(test_images[i], fallen[i], "", lower)

# %% [markdown]
# ## Your result

# %%
summary("09")

# %% [markdown]
# ## Further reading
#
# - Dosovitskiy et al., [An Image is Worth 16x16
#   Words](https://arxiv.org/abs/2010.11929) (2021): the original; look at its Figure 3
#   for accuracy against the amount of data, and at Figure 7 for positions and distances
#   of attention.
# - Abnar and Zuidema, [Quantifying Attention Flow in
#   Transformers](https://arxiv.org/abs/2005.00928) (2020): rollout, with a second
#   method beside it and a comparison of both with occlusion.
# - Jain and Wallace, [Attention is not Explanation](https://arxiv.org/abs/1902.10186)
#   (2019), and Wiegreffe and Pinter, [Attention is not not
#   Explanation](https://arxiv.org/abs/1908.04626) (2019): a dispute worth following
#   before you publish a heat map.
# - Touvron et al., [Training data-efficient image
#   transformers](https://arxiv.org/abs/2012.12877) (2021): how far augmentation and a
#   teacher get you without 300 million images.
