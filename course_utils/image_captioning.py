"""Unit 10: say what is in a picture, word by word, and look at a region for each word."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from course_utils.data.scenes import BOS, EOS, PAD
from course_utils.masking import causal_mask
from course_utils.multi_head_attention import recorded_weights
from course_utils.seq2seq_attention import sequence_loss
from course_utils.training import progress, seeded
from course_utils.transformer_decoder import Decoder

State = tuple[Tensor, Tensor]  # of an LSTM: h (B, hidden), c (B, hidden)
# Token (B,), state, regions (B, R, D) -> logits (B, V), new state, weights (B, R)
Step = Callable[[Tensor, State, Tensor], tuple[Tensor, State, Tensor]]


def image_regions(features: Tensor) -> Tensor:
    """(B, C, H, W) -> (B, H * W, C): one vector per place of a feature map, row by row."""
    return features.flatten(2).mT  # (B, C, H W) -> (B, H W, C)


def soft_attention(
    regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor
) -> tuple[Tensor, Tensor]:
    """(B, R, D), (B, Ds), (D, A), (Ds, A), (A,) -> context (B, D), weights (B, R): additive scores
    of one state with all regions."""
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None])  # (B, R, A)
    weights = (hidden @ v).softmax(-1)  # (B, R)
    context = (weights[:, None] @ regions).squeeze(1)  # (B, 1, R) @ (B, R, D) -> (B, D)
    return context, weights


class CaptionStep(nn.Module):
    """One word of a caption: look with the previous state, read the last word and what was seen,
    name the next word."""

    def __init__(
        self, vocabulary: int, embedding: int, region_dim: int, hidden: int, attention: int
    ) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token: Tensor, state: State, regions: Tensor) -> tuple[Tensor, State, Tensor]:
        """(B,), h and c (B, hidden) each, (B, R, D) ->
        logits (B, V), new h and c, weights (B, R)."""
        # (B, D), (B, R)
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], -1), state)  # (B, hidden) each
        return self.out(h), (h, c), weights


def coverage_penalty(weights: Tensor) -> Tensor:
    """(B, T, R) -> scalar: how far the total attention of the regions is from one each."""
    total = weights.sum(1)  # (B, R)
    return ((1 - total) ** 2).sum(-1).mean()


def hard_attention(
    regions: Tensor, weights: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """(B, R, D), (B, R) -> context (B, D), index (B,), log_prob (B,): one region per row, drawn
    with the weights as probabilities."""
    index = torch.multinomial(weights, 1, generator=generator)  # (B, 1)
    log_prob = weights.gather(1, index).log().squeeze(1)  # (B,)
    index = index.squeeze(1)  # (B,)
    return regions[torch.arange(len(regions)), index], index, log_prob


def reinforce_loss(losses: Tensor, log_prob: Tensor) -> Tensor:
    """(B, K), (B, K): the losses of K draws per picture and the logarithms of their probabilities
    -> scalar whose gradient is that of the expected loss; the baseline of a draw is the mean loss
    of the other draws for the same picture."""
    draws = losses.shape[1]
    baseline = (losses.sum(1, keepdim=True) - losses) / (draws - 1)  # (B, K)
    return (losses + (losses - baseline).detach() * log_prob).mean()


@torch.no_grad()
def look_effects(
    step: Step, tokens: Tensor, right: Tensor, state: State, regions: Tensor, others: Tensor
) -> Tensor:
    """Words read (B, T) and right words (B, T), regions and others (B, R, D) -> (T, T): row t says
    how far the logit of each right word falls, on average, when look t alone goes to the others."""

    def run(changed: int | None) -> Tensor:
        """(B, T): the logits of the right words, with one look changed."""
        now, found = state, []
        for t, token in enumerate(tokens.unbind(1)):
            logits, now, _ = step(token, now, others if t == changed else regions)
            found.append(logits.gather(1, right[:, t, None])[:, 0])  # (B,)
        return torch.stack(found, 1)

    before = run(None)  # (B, T)
    return torch.stack([(before - run(t)).mean(0) for t in range(tokens.shape[1])])  # (T, T)


# Whole models -------------------------------------------------------------------------------------


class Eye(nn.Module):
    """A small CNN: pictures (B, 3, 24, 24) -> regions (B, 36, D), one per square of 4 x 4 pixels,
    each with a vector for its place."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, dim, 4, stride=4), nn.ReLU(), nn.Conv2d(dim, dim, 3, padding=1), nn.ReLU()
        )
        self.places = nn.Parameter(0.3 * torch.randn(1, 36, dim))

    def forward(self, pictures: Tensor) -> Tensor:
        ink = 4 * (1 - pictures)  # (B, 3, 24, 24): nothing where the picture is white
        return image_regions(self.features(ink)) + self.places  # (B, 36, D)


class LSTMCaptioner(nn.Module):
    """Show, attend and tell: an LSTM that looks at the regions before every word; without attention
    it gets their mean, the same at every step."""

    def __init__(self, vocabulary: int, dim: int = 64, attend: bool = True) -> None:
        super().__init__()
        self.attend = attend
        self.eye = Eye(dim)
        self.start = nn.Linear(dim, 2 * dim)
        self.step = CaptionStep(vocabulary, dim, dim, dim, dim)

    def look(self, pictures: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """(B, 3, 24, 24), (B, T) the words before -> logits (B, T, V), weights (B, T, R)."""
        regions = self.eye(pictures)  # (B, R, D)
        if not self.attend:
            # (B, 1, D): one region, so its weight is always 1
            regions = regions.mean(1, keepdim=True)
        # (B, D) each: the first state knows the mean
        h, c = self.start(regions.mean(1)).tanh().chunk(2, -1)
        steps = []
        for token in tokens.unbind(1):
            logits, (h, c), weights = self.step(token, (h, c), regions)
            steps.append((logits, weights))
        return torch.stack([logits for logits, _ in steps], 1), torch.stack(
            [weights for _, weights in steps], 1
        )

    def forward(self, pictures: Tensor, tokens: Tensor) -> Tensor:
        """(B, 3, 24, 24), (B, T) -> logits (B, T, V)."""
        return self.look(pictures, tokens)[0]


class TransformerCaptioner(nn.Module):
    """The decoder of unit 08, with the regions of a picture as its memory."""

    def __init__(
        self, vocabulary: int, length: int, dim: int = 64, heads: int = 4, depth: int = 2
    ) -> None:
        super().__init__()
        self.eye = Eye(dim)
        self.embed = nn.Embedding(vocabulary, dim)
        self.places = nn.Parameter(0.3 * torch.randn(1, length, dim))
        self.decoder = Decoder(dim, heads, 2 * dim, depth)
        self.out = nn.Linear(dim, vocabulary)

    def forward(self, pictures: Tensor, tokens: Tensor) -> Tensor:
        """(B, 3, 24, 24), (B, T) the words before -> logits (B, T, V)."""
        length = tokens.shape[1]
        x = self.embed(tokens) + self.places[:, :length]  # (B, T, D)
        x = self.decoder(x, self.eye(pictures), causal_mask(length))  # (B, T, D)
        logits: Tensor = self.out(x)  # (B, T, V)
        return logits

    def look(self, pictures: Tensor, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """(B, 3, 24, 24), (B, T) -> logits (B, T, V), weights (B, T, R) of the last cross-
        attention, averaged over its heads."""
        with recorded_weights(self) as recorded:
            logits = self(pictures, tokens)  # (B, T, V)
        return logits, recorded[-1].mean(1)  # (B, H, T, R) -> (B, T, R)


def train_captioner(
    model: nn.Module,
    pictures: Tensor,
    captions: Tensor,
    count: int,
    lr: float = 4e-3,
    seed: int = 0,
) -> list[float]:
    """Teacher forcing on batches of 64 pictures (N, 3, 24, 24) and captions (N, T); the rate rises,
    then falls. Returns the losses."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, lr, total_steps=count)
    generator, losses = seeded(seed), []
    for _ in progress(range(count), count, "training"):
        batch = torch.randint(len(pictures), (64,), generator=generator)  # (64,)
        loss = sequence_loss(model(pictures[batch], captions[batch, :-1]), captions[batch, 1:], PAD)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def describe(model: nn.Module, pictures: Tensor, length: int) -> Tensor:
    """(B, 3, 24, 24) -> captions (B, length), <bos> first: the likeliest word again and again; what
    follows <eos> is padding."""
    tokens = torch.full((len(pictures), 1), BOS)  # (B, 1)
    for _ in range(length - 1):
        following = model(pictures, tokens)[:, -1].argmax(-1)  # (B,)
        following = following.masked_fill((tokens == EOS).any(1), PAD)
        tokens = torch.cat([tokens, following[:, None]], 1)  # (B, t + 1)
    return tokens
