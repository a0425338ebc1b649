# %% [markdown]
# # 09 · The Vision Transformer: assignment
#
# You cut images into patches and put them back, turn patches into tokens, assemble a Vision Transformer around the encoder of
# unit 07, and follow attention back to the pixels. About two and a half hours. The lecture with the same number explains
# every part; here you write it.
#
# - Images are `(B, C, H, W)`: batch, channels, height, width. `N` is the number of patches, `D` the model size, `T` the number of tokens.
# - Write your answer where it says `YOUR CODE HERE`, then run the cell below it: it checks your answer and says what is wrong.
# - Loops, `einsum`, `F.unfold`, `einops`: all are welcome unless the exercise says otherwise. Do not change the tensors you are given,
#   and let gradients flow (no `.detach()`, no NumPy).
# - Each part uses the ones before it (`PatchEmbedding` calls your `patchify`, and so on), so do them in order.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_utils import check, summary
from course_utils.transformer_encoder import Encoder

# %% [markdown]
# ## 1. Cut an image into patches
# *medium · 25 minutes · {{points patchify}}*
#
# Write `patchify(images, patch)`: `(B, C, H, W)` → `(B, N, C * patch * patch)`, with `N = (H / patch) * (W / patch)`.
#
# - The patches come **row by row**, as one reads: first the top row of patches from left to right, then the next row.
# - Inside a patch the numbers are ordered **channel, row, column**.
# - Height and width may differ. If `patch` does not divide **both** of them, raise a `ValueError`.
#
# An image of one channel, 4 x 6 pixels, cut with `patch = 2`. Its six patches are, in this order:
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
        raise ValueError(f"patches of {patch} pixels do not tile an image of {height} x {width}")
    grid = images.reshape(batch, channels, height // patch, patch, width // patch, patch)  # (B, C, rows, p, columns, p)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, rows, columns, C, p, p) -> (B, N, C p p)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_patchify"}
check(patchify)

# %% [markdown]
# ## 2. Put it together again
# *medium · 20 minutes · {{points unpatchify}}*
#
# Write `unpatchify(patches, patch, height, width)`: `(B, N, C * patch * patch)` → `(B, C, height, width)`, the inverse of
# `patchify`: `unpatchify(patchify(images, patch), patch, H, W)` gives back `images`.
#
# - The number of channels is not an argument: it follows from the length of a patch.
# - You may take it for granted that the sizes fit together.

# %% nbgrader={"grade_id": "unpatchify"}
def unpatchify(patches, patch, height, width):
    """(B, N, C * patch * patch) -> (B, C, H, W)."""
    ### BEGIN SOLUTION
    grid = patches.reshape(len(patches), height // patch, width // patch, -1, patch, patch)  # (B, rows, columns, C, p, p)
    return grid.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)  # (B, C, rows, p, columns, p) -> (B, C, H, W)
    ### END SOLUTION


# %% nbgrader={"grade_id": "test_unpatchify"}
check(unpatchify)

# %% [markdown]
# ## 3. From patches to tokens
# *medium · 20 minutes · {{points PatchEmbedding}}*
#
# `__init__` is given; leave it as it is, because the tests copy weights into it. Write `forward(images)`: `(B, C, H, W)` → `(B, N + 1, D)`.
#
# 1. Cut the images with your `patchify`, and project every patch by `self.project`.
# 2. Put the CLS token `self.cls` **in front** of the patches of every image. (`torch.cat` does not broadcast.)
# 3. Add `self.positions`. It has a row for each of the `N + 1` tokens; the first belongs to CLS.
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
# `__init__` is given. `Encoder` is the pre-norm encoder of unit 07: it takes `(B, T, D)`, returns `(B, T, D)`, and ends with a norm of
# its own. Write `forward(images)`: `(B, C, H, W)` → logits `(B, classes)`. The class is read from the **CLS token** alone. Return
# logits, not probabilities: the loss takes care of the softmax.
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
# **See it learn** (not graded). With the four parts above you can train on real digits. Paste this into a new cell; it takes
# about ten seconds and gets more than nine of ten test digits right.
#
# ```python
# from course_utils.images import digits
# from course_utils.training import fit, seeded
#
# images, labels, test_images, test_labels = digits()  # (1347, 1, 8, 8), (1347,), (450, 1, 8, 8), (450,)
# model, draw = VisionTransformer(8, 1, 2, 48, 4, 96, 3, 10), seeded(0)
#
# def loss(step):
#     batch = torch.randint(len(images), (64,), generator=draw)
#     return F.cross_entropy(model(images[batch]), labels[batch])
#
# fit(loss, model.parameters(), steps=500, lr=1e-3)
# (model(test_images).argmax(-1) == test_labels).float().mean()
# ```

# %% [markdown]
# ## 5. Attention rollout
# *medium · 25 minutes · {{points attention_rollout}}*
#
# Write `attention_rollout(weights)`. `weights` is a list of the attention weights of all layers, **first layer first**, each
# `(B, H, T, T)`: batch, heads, queries, keys. Return `(B, T, T)`. For every layer:
#
# 1. take the mean over the heads, $A$;
# 2. mix it with the residual connection: $0.5\,A + 0.5\,I$;
# 3. divide every **row** by its sum. (Rows of attention sum to one already, unless dropout was on while they were
#    recorded. The tests contain such rows.)
#
# Then multiply the matrices of all layers. A later layer works on what earlier ones have made: it stands **to the left** of them.
#
# One head, two layers, two tokens: $A_1 = \begin{pmatrix} 0 & 1 \\ 0 & 1 \end{pmatrix}$,
# $A_2 = \begin{pmatrix} 1 & 0 \\ 1 & 0 \end{pmatrix}$ become
# $\begin{pmatrix} .5 & .5 \\ 0 & 1 \end{pmatrix}$ and $\begin{pmatrix} 1 & 0 \\ .5 & .5 \end{pmatrix}$, and the rollout is
# $\begin{pmatrix} .5 & .5 \\ .25 & .75 \end{pmatrix}$.

# %% nbgrader={"grade_id": "attention_rollout"}
def attention_rollout(weights):
    """List of (B, H, T, T), first layer first -> (B, T, T)."""
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
# ## 6. Spot the bug in the slide: better than a CNN
# *5 minutes · {{points slide_better}}*
#
# A slide introduces the Vision Transformer with the claim that on images Transformers perform even better than deep CNNs. What is wrong with it?
#
# {{options slide_better}}

# %% nbgrader={"grade_id": "slide_better"}
slide_better = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_better = "c"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_better"}
check(slide_better, "slide_better")

# %% [markdown]
# ## 7. Spot the bug in the slide: what does it cost?
# *5 minutes · {{points slide_cost}}*
#
# Among the drawbacks of attention a slide lists "O(n²)", without saying of what. Take an image and halve the side of its patches, from 16 x 16
# to 8 x 8 pixels. How much more memory do the attention matrices need? (Leave CLS out of the count.)
#
# {{options slide_cost}}

# %% nbgrader={"grade_id": "slide_cost"}
slide_cost = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_cost = "d"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_cost"}
check(slide_cost, "slide_cost")

# %% [markdown]
# ## 8. Spot the bug in the slide: insensitive to order
# *5 minutes · {{points slide_order}}*
#
# A slide says that an attention layer is insensitive to the order of its inputs. What is inexact about it?
#
# {{options slide_order}}

# %% nbgrader={"grade_id": "slide_order"}
slide_order = None  # "a", "b", "c" or "d"
### BEGIN SOLUTION
slide_order = "b"
### END SOLUTION

# %% nbgrader={"grade_id": "test_slide_order"}
check(slide_order, "slide_order")

# %% [markdown]
# ## 9. In your own words: a picture of attention
# *15 minutes · 4 points, graded by hand*
#
# A slide shows photographs beside pictures of "attention" (the dog is bright, the grass is dark) and concludes that the weights let us interpret
# the model. Write about ten sentences. From which layer and which head could such a picture come, and why does the choice matter? Which check from the
# lecture would convince you that the model *uses* what is bright, and what would you compare it with? Name one outcome that would make you
# distrust the picture.

# %% [markdown] nbgrader={"grade_id": "picture_of_attention", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.**
# - 1 point: there are layers times heads many matrices, and a row for each query; a picture shows one, or a mean, or a rollout of all, and these differ. The
#   keys of later layers are mixtures of patches, not patches.
# - 1 point: a check by intervention: occlude what is bright (or dark) and measure the drop of the logit or of the accuracy (deletion curve).
# - 1 point: a baseline: random patches, plain brightness or the object's outline, or the same picture from an untrained model.
# - 1 point: a concrete outcome that speaks against the picture, e.g. bright patches can be removed without effect, dark ones cannot; or an untrained model gives the same picture.
# ### END SOLUTION

# %% [markdown]
# ## Your result

# %%
summary("09")

# %% [markdown]
# ## Further reading
#
# - Dosovitskiy et al., [An Image is Worth 16x16 Words](https://arxiv.org/abs/2010.11929) (2021): the original; look at its Figure 3 for accuracy
#   against the amount of data, and at Figure 7 for positions and distances of attention.
# - Abnar and Zuidema, [Quantifying Attention Flow in Transformers](https://arxiv.org/abs/2005.00928) (2020): rollout, with a second method beside it and
#   a comparison of both with occlusion.
# - Jain and Wallace, [Attention is not Explanation](https://arxiv.org/abs/1902.10186) (2019), and Wiegreffe and Pinter, [Attention is not not
#   Explanation](https://arxiv.org/abs/1908.04626) (2019): a dispute worth following before you publish a heat map.
# - Touvron et al., [Training data-efficient image transformers](https://arxiv.org/abs/2012.12877) (2021): how far augmentation and a teacher get you without 300 million images.
