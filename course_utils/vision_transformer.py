"""Unit 09: an image as a sentence of patches, read by the encoder of unit 07."""

import itertools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.multi_head_attention import from_torch
from course_utils.training import progress, seeded, steps
from course_utils.transformer_encoder import Encoder, FeedForward


def patchify(images: Tensor, patch: int) -> Tensor:
    """(B, C, H, W) -> (B, N, C * patch * patch): patches row by row, inside a patch channel, row,
    column."""
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError(f"patches of {patch} pixels do not tile an image of {height} x {width}")
    # (B, C, rows, p, columns, p)
    grid = images.reshape(batch, channels, height // patch, patch, width // patch, patch)
    # (B, rows, columns, C, p, p) -> (B, N, C p p)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def unpatchify(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    """(B, N, C * patch * patch) -> (B, C, H, W), the inverse of patchify."""
    # (B, rows, columns, C, p, p)
    grid = patches.reshape(len(patches), height // patch, width // patch, -1, patch, patch)
    # (B, C, rows, p, columns, p) -> (B, C, H, W)
    return grid.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)


class PatchEmbedding(nn.Module):
    """Patches to tokens: project each one, put the CLS token before them, add a learned vector per
    place."""

    def __init__(self, image_size: int, channels: int, patch: int, dim: int) -> None:
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images: Tensor) -> Tensor:
        """(B, C, H, W) -> (B, N + 1, D), CLS first."""
        tokens = self.project(patchify(images, self.patch))  # (B, N, D)
        cls = self.cls.expand(len(images), -1, -1)  # (B, 1, D)
        return torch.cat([cls, tokens], dim=1) + self.positions  # (B, N + 1, D)


class VisionTransformer(nn.Module):
    """An image classifier: patch embedding, a pre-norm encoder, and one linear layer on what the
    CLS token has gathered."""

    def __init__(
        self,
        image_size: int,
        channels: int,
        patch: int,
        dim: int,
        heads: int,
        hidden: int,
        depth: int,
        classes: int,
    ) -> None:
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images: Tensor) -> Tensor:
        """(B, C, H, W) -> logits (B, classes)."""
        tokens = self.encoder(self.embed(images))  # (B, N + 1, D)
        logits: Tensor = self.head(tokens[:, 0])  # (B, classes)
        return logits


def attention_rollout(weights: list[Tensor]) -> Tensor:
    """List of (B, H, T, T), first layer first -> (B, T, T): how much of each input token has
    arrived in each output token."""
    identity = torch.eye(weights[0].shape[-1])  # (T, T)
    rollout = identity
    for layer in weights:
        # (B, T, T): half comes through attention, half through the residual
        step = 0.5 * layer.mean(1) + 0.5 * identity
        step = step / step.sum(-1, keepdim=True)  # (B, T, T)
        rollout = step @ rollout  # (B, T, T): later layers from the left
    return rollout


@torch.no_grad()
def occlusion_map(
    model: Callable[[Tensor], Tensor], images: Tensor, patch: int, fill: float = 0.0
) -> Tensor:
    """(B, C, H, W) -> (B, H / patch, W / patch): how far the logit of the model's own answer falls
    when this patch alone is filled with one value."""
    before, answers = model(images).max(-1)  # (B,) each: the highest logit, and its class
    rows, columns = images.shape[2] // patch, images.shape[3] // patch
    drops = []
    for row, column in itertools.product(range(rows), range(columns)):
        filled = images.clone()  # (B, C, H, W)
        top, left = row * patch, column * patch
        filled[:, :, top : top + patch, left : left + patch] = fill
        after = model(filled).gather(1, answers[:, None])  # (B, 1): of the same class
        drops.append(before - after[:, 0])  # (B,)
    return torch.stack(drops, 1).unflatten(1, (rows, columns))  # (B, rows, columns)


# Training -----------------------------------------------------------------------------------------


def train(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    count: int,
    lr: float = 4e-3,
    batch: int = 64,
    seed: int = 0,
) -> list[float]:
    """Minimise the cross entropy on batches of (N, C, H, W) images; the rate rises, then falls to
    zero. Returns the losses."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, lr, total_steps=count)
    generator, losses, order = seeded(seed), [], torch.zeros(0, dtype=torch.long)
    for _ in progress(range(count), count, "training"):
        if len(order) < batch:
            # A new epoch
            order = torch.cat([order, torch.randperm(len(images), generator=generator)])
        chosen, order = order[:batch], order[batch:]  # (batch,)
        loss = F.cross_entropy(model(images[chosen]), labels[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def accuracy(model: nn.Module, images: Tensor, labels: Tensor) -> float:
    """The share of images (N, C, H, W) whose class is found."""
    # (N,)
    found = torch.cat([model(images[i : i + 1000]).argmax(-1) for i in range(0, len(images), 1000)])
    return float((found == labels).float().mean())


def fashion_experiment(epochs: int = 2, seed: int = 0) -> tuple[VisionTransformer, float]:
    """Fashion-MNIST with three layers on 16 patches of 7 x 7: a model and its test accuracy (two
    epochs: half a minute on one core)."""
    from course_utils.data.images import (
        fashion_mnist,  # here, because it brings matplotlib and torchvision along
    )

    images, labels, test_images, test_labels = (
        part if part.dim() == 1 else normalised(part) for part in fashion_mnist()
    )
    torch.manual_seed(seed)
    model = VisionTransformer(
        image_size=28, channels=1, patch=7, dim=48, heads=4, hidden=96, depth=3, classes=10
    )
    batch = 128
    train(model, images, labels, steps(epochs * len(images) // batch), batch=batch, seed=seed)
    return model, accuracy(model, test_images, test_labels)


def normalised(images: Tensor) -> Tensor:
    """Fashion-MNIST's images (N, 1, 28, 28) brought to mean 0 and deviation 1, by the figures of
    its training set."""
    return (images - 0.2860) / 0.3530


# Beside the original ------------------------------------------------------------------------------


class GeluFeedForward(FeedForward):
    """The feed-forward layer as the Vision Transformer's authors have it: GELU, a smooth relative
    of ReLU."""

    def forward(self, x: Tensor) -> Tensor:
        """(..., D) -> (..., D)."""
        out: Tensor = self.outer(F.gelu(self.inner(x)))  # (..., D)
        return out


@torch.no_grad()
def from_torchvision(vit: Any) -> VisionTransformer:
    """A Vision Transformer of torchvision (such as vit_b_16) -> ours with the same weights; two
    details are theirs: GELU and eps = 1e-6."""
    dim, hidden, layers = vit.hidden_dim, vit.mlp_dim, list(vit.encoder.layers)
    model = VisionTransformer(
        vit.image_size,
        3,
        vit.patch_size,
        dim,
        layers[0].num_heads,
        hidden,
        len(layers),
        vit.num_classes,
    )
    # (D, C p p): a convolution that never overlaps is a linear layer
    model.embed.project.weight.copy_(vit.conv_proj.weight.flatten(1))
    model.embed.project.bias.copy_(vit.conv_proj.bias)  # (D,)
    model.embed.cls.copy_(vit.class_token)  # (1, 1, D)
    model.embed.positions.copy_(vit.encoder.pos_embedding)  # (1, N + 1, D)
    pairs: list[tuple[Any, nn.Module]] = [
        (model.encoder.norm, vit.encoder.ln),
        (model.head, vit.heads.head),
    ]
    for block, layer in zip(model.encoder.blocks, layers, strict=True):
        block.attention = from_torch(layer.self_attention)
        block.feed_forward = GeluFeedForward(dim, hidden)
        pairs += [(block.norm1, layer.ln_1), (block.norm2, layer.ln_2)]
        pairs += [
            (block.feed_forward.inner, layer.mlp[0]),
            (block.feed_forward.outer, layer.mlp[3]),
        ]
    for ours, theirs in pairs:
        ours.load_state_dict(theirs.state_dict())
        if isinstance(theirs, nn.LayerNorm):
            ours.eps = theirs.eps
    return model.eval()
