"""Unit 08: the Transformer decoder: a whole encoder-decoder, a decoder-only model, and how to write
with them."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import (
    MultiHeadAttention,
    from_torch,
    merge_heads,
    split_heads,
)
from course_utils.positional_encoding import LearnedPositions, sinusoidal_encoding
from course_utils.transformer_encoder import Encoder, FeedForward

# The model ----------------------------------------------------------------------------------------


class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think: three sub-layers, each with a
    residual and a norm."""

    def __init__(self, dim: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(dim), nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        self_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        """(B, T, D), (B, S, D), masks broadcastable to (B, H, T, T) and (B, H,
        T, S) -> (B, T, D)."""
        # (B, T, D)
        x = self.norm1(x + self.self_attention(x, x, x, self_mask, need_weights=False)[0])
        # (B, T, D)
        x = self.norm2(
            x + self.cross_attention(x, memory, memory, memory_mask, need_weights=False)[0]
        )
        out: Tensor = self.norm3(x + self.feed_forward(x))  # (B, T, D)
        return out


class Decoder(nn.Module):
    """A stack of decoder blocks; every one of them reads the same memory, the output of the last
    encoder layer."""

    def __init__(self, dim: int, heads: int, hidden: int, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(DecoderBlock(dim, heads, hidden) for _ in range(depth))

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        self_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        for block in self.blocks:
            x = block(x, memory, self_mask, memory_mask)
        return x


class Transformer(nn.Module):
    """The encoder-decoder of 2017: source tokens and the target so far -> logits of the next target
    token, at every position."""

    def __init__(
        self,
        sources: int,
        targets: int,
        dim: int,
        heads: int,
        hidden: int,
        depth: int,
        pad: int = 0,
    ) -> None:
        super().__init__()
        self.dim, self.pad = dim, pad
        self.embed_source, self.embed_target = (
            nn.Embedding(sources, dim),
            nn.Embedding(targets, dim),
        )
        for table in (self.embed_source, self.embed_target):
            # Times sqrt(D) below: as large as the positions
            nn.init.normal_(table.weight, std=dim**-0.5)
        self.encoder = Encoder(dim, heads, hidden, depth)
        self.decoder = Decoder(dim, heads, hidden, depth)
        self.out = nn.Linear(dim, targets)

    def place(self, x: Tensor) -> Tensor:
        """(B, T, D) embeddings -> (B, T, D): scaled, with positions added."""
        return x * math.sqrt(self.dim) + sinusoidal_encoding(x.shape[1], self.dim).to(x)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S) -> memory (B, S, D) and its mask (B, 1, 1, S): once per sentence, however long the
        translation gets."""
        mask = (source != self.pad)[:, None, None, :]  # (B, 1, 1, S): no query looks at padding
        return self.encoder(self.place(self.embed_source(source)), mask), mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """(B, T), (B, S, D), (B, 1, 1, S) -> logits (B, T, V): position t has seen target[:, :t +
        1] and all of the source."""
        # (T, T); padding comes last, so nobody real sees it
        self_mask = causal_mask(target.shape[1]).to(target.device)
        # (B, T, D)
        x = self.decoder(self.place(self.embed_target(target)), memory, self_mask, memory_mask)
        logits: Tensor = self.out(x)  # (B, T, V)
        return logits

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """(B, S), (B, T) -> logits (B, T, V)."""
        return self.decode(target, *self.encode(source))


class DecoderOnly(nn.Module):
    """A language model: without a source there is no cross-attention, and what is left is an
    encoder with a causal mask."""

    def __init__(
        self, vocabulary: int, dim: int, heads: int, hidden: int, depth: int, max_len: int
    ) -> None:
        super().__init__()
        self.embed, self.positions = nn.Embedding(vocabulary, dim), LearnedPositions(max_len, dim)
        self.blocks = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.out = nn.Linear(dim, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T) -> logits (B, T, V) of the token that follows each position."""
        x = self.positions(self.embed(tokens))  # (B, T, D)
        x = self.blocks(x, causal_mask(tokens.shape[1]).to(tokens.device))  # (B, T, D)
        logits: Tensor = self.out(x)  # (B, T, V)
        return logits


def copy_from_torch(ours: Transformer, theirs: nn.Transformer) -> None:
    """Give our blocks the weights of torch's, so that the two can be compared."""
    attentions = {
        "attention": "self_attn",
        "self_attention": "self_attn",
        "cross_attention": "multihead_attn",
    }
    pairs = [
        *zip(ours.encoder.blocks, theirs.encoder.layers, strict=True),
        *zip(ours.decoder.blocks, theirs.decoder.layers, strict=True),
    ]
    for block, layer in pairs:
        for name, part in list(block.named_children()):
            if name in attentions:
                setattr(block, name, from_torch(getattr(layer, attentions[name])))
            elif name == "feed_forward":
                part.get_submodule("inner").load_state_dict(layer.linear1.state_dict())
                part.get_submodule("outer").load_state_dict(layer.linear2.state_dict())
            else:
                part.load_state_dict(getattr(layer, name).state_dict())


# Training -----------------------------------------------------------------------------------------


def smoothed_loss(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    """(B, T, V), (B, T) -> scalar: cross entropy with a target that keeps `smoothing` for all words
    alike; pad is ignored."""
    log_probs = F.log_softmax(logits, dim=-1)  # (B, T, V)
    right = log_probs.gather(-1, targets[..., None]).squeeze(-1)  # (B, T)
    loss = -(1 - smoothing) * right - smoothing * log_probs.mean(-1)  # (B, T)
    return loss[targets != pad].mean()


def warmup_rate(step: int, dim: int, warmup: int) -> float:
    """The learning rate at `step` (from 1): rises in a straight line for `warmup` steps, then falls
    with the root of the step."""
    return float(dim**-0.5 * min(step**-0.5, step * warmup**-1.5))


# Decoding -----------------------------------------------------------------------------------------

NextLogits = Callable[[Tensor], Tensor]  # (1, t) tokens so far -> (1, V) logits of the next one


def greedy_decode(next_logits: NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
    """Take the likeliest token again and again, until eos comes or max_len tokens are written."""
    tokens: list[int] = []
    while len(tokens) < max_len and eos not in tokens:
        tokens.append(int(next_logits(torch.tensor([[bos, *tokens]])).argmax(-1)))
    return tokens


def beam_search(
    next_logits: NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    """Keep the `beams` likeliest beginnings instead of one; the best of them at the end, with its
    log probability."""
    hypotheses: list[tuple[float, list[int]]] = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))  # finished: competes as it is
            else:
                # (V,)
                log_probs = F.log_softmax(next_logits(torch.tensor([[bos, *tokens]])), dim=-1)[0]
                candidates += [
                    (score + value, [*tokens, token])
                    for token, value in enumerate(log_probs.tolist())
                ]
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score


def sampling_weights(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """(B, V) -> (B, V): the probabilities from which the next token is drawn; only the `top_k`
    likeliest stay, and of those the fewest that sum to at least `top_p`."""
    ordered, order = (logits / temperature).sort(-1, descending=True)  # (B, V) each
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    weights = ordered.softmax(-1)  # (B, V), the likeliest first
    if top_p is not None:
        likelier = weights.cumsum(-1) - weights  # (B, V), what stands before a token
        weights = weights.masked_fill(likelier >= top_p, 0)  # (B, V)
    weights = weights / weights.sum(-1, keepdim=True)  # (B, V)
    return torch.zeros_like(weights).scatter(-1, order, weights)  # (B, V)


class CachedAttention(MultiHeadAttention):
    """Causal self-attention one step at a time: keys and values of earlier steps are kept, not
    computed again."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__(dim, heads)
        self.reset()

    def reset(self) -> None:
        """Forget everything: a new sequence begins."""
        self.keys: Tensor | None = None  # (B, H, t, d)
        self.values: Tensor | None = None  # (B, H, t, d)

    def step(self, x: Tensor) -> Tensor:
        """(B, 1, D) -> (B, 1, D): the newest step attends to itself and to all before it."""
        # (B, H, 1, d)
        query, key, value = (
            split_heads(layer(x), self.heads) for layer in (self.query, self.key, self.value)
        )
        self.keys = key if self.keys is None else torch.cat([self.keys, key], dim=2)  # (B, H, t, d)
        # (B, H, t, d)
        self.values = value if self.values is None else torch.cat([self.values, value], dim=2)
        # No mask: the future is not in the cache
        output, _ = masked_attention(query, self.keys, self.values)
        out: Tensor = self.out(merge_heads(output))  # (B, 1, D)
        return out
