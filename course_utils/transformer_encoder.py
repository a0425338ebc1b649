"""Unit 07: the Transformer encoder, from layer norm to a classifier that is trained."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.multi_head_attention import MultiHeadAttention
from course_utils.positional_encoding import sinusoidal_encoding


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    """(..., D), (D,), (D,) -> (..., D): every token brought to mean 0 and variance 1 over its own
    features, then scaled and shifted."""
    centred = x - x.mean(-1, keepdim=True)  # (..., D)
    variance = (centred**2).mean(-1, keepdim=True)  # (..., 1)
    return gamma * centred / (variance + eps).sqrt() + beta  # (..., D)


class FeedForward(nn.Module):
    """The same small network for every position: widen, bend, narrow."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.inner = nn.Linear(dim, hidden)
        self.outer = nn.Linear(hidden, dim)

    def forward(self, x: Tensor) -> Tensor:
        """(..., D) -> (..., D)."""
        hidden = F.relu(self.inner(x))  # (..., hidden)
        out: Tensor = self.outer(hidden)  # (..., D)
        return out


class EncoderBlock(nn.Module):
    """Self-attention, then feed-forward, each added to its input; the norm comes after the sum, or
    before the layer if norm_first."""

    def __init__(self, dim: int, heads: int, hidden: int, norm_first: bool = False) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """(B, T, D) -> (B, T, D): self-attention without its weights."""
        out: Tensor = self.attention(x, x, x, mask, need_weights=False)[0]  # (B, T, D)
        return out

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)  # (B, T, D)
            x = x + self.feed_forward(self.norm2(x))  # (B, T, D)
        else:
            x = self.norm1(x + self.attend(x, mask))  # (B, T, D)
            x = self.norm2(x + self.feed_forward(x))  # (B, T, D)
        return x


class Encoder(nn.Module):
    """A stack of blocks with weights of their own; a pre-norm stack ends in one more norm."""

    def __init__(
        self, dim: int, heads: int, hidden: int, depth: int, norm_first: bool = False
    ) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        for block in self.blocks:
            x = block(x, mask)  # (B, T, D)
        return x if self.norm is None else self.norm(x)  # (B, T, D)


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """(B, T, D), (B, T) bool -> (B, D): the mean of the positions that are True; zeros where there
    is none."""
    total = x.masked_fill(~mask[..., None], 0).sum(1)  # (B, D)
    count = mask.sum(1, keepdim=True).clamp(min=1)  # (B, 1)
    return total / count  # (B, D)


class Classifier(nn.Module):
    """Tokens to logits: embed, add positions, encode, average over the real tokens, project."""

    def __init__(
        self,
        vocabulary: int,
        classes: int,
        pad: int,
        dim: int = 32,
        heads: int = 2,
        hidden: int = 64,
        depth: int = 1,
    ) -> None:
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T) int -> (B, classes)."""
        real = tokens != self.pad  # (B, T)
        x = self.embed(tokens)  # (B, T, D)
        x = x + sinusoidal_encoding(*x.shape[1:])  # (B, T, D)
        x = self.encoder(x, real[:, None, None, :])  # (B, T, D)
        logits: Tensor = self.head(masked_mean(x, real))  # (B, classes)
        return logits


def train_classifier(
    tokens: Tensor, labels: Tensor, classes: int, pad: int, seed: int
) -> Classifier:
    """(N, T) int, (N,) int -> a trained model: tokens (M, T) -> logits (M, classes)."""
    torch.manual_seed(seed)
    model = Classifier(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(10):
        # (50,), a new order in every epoch
        for batch in torch.split(torch.randperm(len(tokens)), 50):
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()
