"""Unit 04: an RNN that reads, an RNN that writes, and attention, through which the writer looks
back at what was read."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.dot_product_attention import additive_scores
from course_utils.masking import masked_softmax

PAD, BOS = 0, 1  # every vocabulary of this unit begins with these two


def shift_right(targets: Tensor, bos: int) -> Tensor:
    """(B, T) int -> (B, T): what the decoder is given, step by step: bos, then all targets but the
    last."""
    first = torch.full_like(targets[:, :1], bos)  # (B, 1)
    return torch.cat([first, targets[:, :-1]], dim=1)  # (B, T)


def sequence_loss(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    """(B, T, V), (B, T) -> scalar: mean cross entropy over the tokens that are not pad."""
    # Torch wants the classes on axis 1
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)


def luong_context(state: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """(B, D), (B, S, D), (B, S) bool -> context (B, D), weights (B, S), by dot products of the
    state with the memory."""
    scores = (memory @ state[:, :, None])[:, :, 0]  # (B, S)
    weights = masked_softmax(scores, mask)  # (B, S)
    return (weights[:, None, :] @ memory)[:, 0], weights


def bahdanau_context(
    state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """(B, Ds), (B, S, Dm), (Ds, A), (Dm, A), (A,), (B, S) bool -> context (B, Dm), weights (B, S),
    by additive scores."""
    scores = additive_scores(state[:, None, :], memory, w_s, w_h, v)[:, 0]  # (B, S)
    weights = masked_softmax(scores, mask)  # (B, S)
    return (weights[:, None, :] @ memory)[:, 0], weights


def exact_match(predicted: Tensor, target: Tensor, pad: int) -> Tensor:
    """(B, T), (B, T) -> scalar: the share of sequences that are right at every position where the
    target is not pad."""
    right = (predicted == target) | (target == pad)  # (B, T)
    return right.all(dim=1).float().mean()


class Seq2Seq(nn.Module):
    """A GRU reads the source, a second one writes the target from the last state of the first: no
    attention yet."""

    def __init__(self, source_vocabulary: int, target_vocabulary: int, dim: int = 64) -> None:
        super().__init__()
        self.embed_source = nn.Embedding(source_vocabulary, dim)
        self.embed_target = nn.Embedding(target_vocabulary, dim)
        self.encoder = nn.GRU(dim, dim, batch_first=True)
        self.decoder: nn.Module = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(2 * dim, target_vocabulary)

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(B, S) int -> memory (B, S, D), the state after the last real token (B, D), mask (B, S)
        of the real tokens."""
        memory, _ = self.encoder(self.embed_source(source))  # (B, S, D)
        mask = source != PAD  # (B, S)
        return memory, memory[torch.arange(len(source)), mask.sum(1) - 1], mask

    def decode(
        self, inputs: Tensor, state: Tensor, memory: Tensor, mask: Tensor, last: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """(B, T) int, state (B, D), ... -> logits (B, T, V), the new state (B, D), weights (B, T,
        S)."""
        states, _ = self.decoder(self.embed_target(inputs), state[None])  # (B, T, D)
        context = last[:, None].expand_as(states)  # (B, T, D): the same summary at every step
        weights = memory.new_zeros(*inputs.shape, memory.shape[1])  # (B, T, S): it never looks back
        return self.out(torch.cat([context, states], dim=-1)), states[:, -1], weights

    def forward(self, source: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S), (B, T) int -> logits (B, T, V), weights (B, T, S), with teacher forcing."""
        memory, last, mask = self.encode(source)
        logits, _, weights = self.decode(shift_right(targets, BOS), last, memory, mask, last)
        return logits, weights

    @torch.no_grad()
    def generate(self, source: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """(B, S) int -> tokens (B, T), weights (B, T, S): every step is given what the step before
        it wrote."""
        memory, last, mask = self.encode(source)
        token, state = torch.full_like(source[:, :1], BOS), last  # (B, 1), (B, D)
        tokens, looks = [], []
        for _ in range(length):
            # (B, 1, V), (B, D), (B, 1, S)
            logits, state, weights = self.decode(token, state, memory, mask, last)
            token = logits.argmax(-1)  # (B, 1)
            tokens.append(token)
            looks.append(weights)
        return torch.cat(tokens, dim=1), torch.cat(looks, dim=1)


class Luong(Seq2Seq):
    """Attention after the state: the current state asks, all steps at once."""

    def __init__(self, source_vocabulary: int, target_vocabulary: int, dim: int = 64) -> None:
        super().__init__(source_vocabulary, target_vocabulary, dim)
        self.query = nn.Linear(dim, dim, bias=False)  # the general score: state W memory

    def decode(
        self, inputs: Tensor, state: Tensor, memory: Tensor, mask: Tensor, last: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        states, _ = self.decoder(self.embed_target(inputs), state[None])  # (B, T, D)
        # (B, T, S): luong_context for every step
        weights = masked_softmax(self.query(states) @ memory.mT, mask[:, None, :])
        return self.out(torch.cat([weights @ memory, states], dim=-1)), states[:, -1], weights


class Bahdanau(Seq2Seq):
    """Attention before the state: the previous state asks, and the context helps to make the next
    one, so steps come one by one."""

    def __init__(self, source_vocabulary: int, target_vocabulary: int, dim: int = 64) -> None:
        super().__init__(source_vocabulary, target_vocabulary, dim)
        self.decoder = nn.GRUCell(2 * dim, dim)
        self.w_s = nn.Parameter(torch.randn(dim, dim) / dim**0.5)
        self.w_h = nn.Parameter(torch.randn(dim, dim) / dim**0.5)
        self.v = nn.Parameter(torch.randn(dim) / dim**0.5)

    def decode(
        self, inputs: Tensor, state: Tensor, memory: Tensor, mask: Tensor, last: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        logits, looks = [], []
        for word in self.embed_target(inputs).unbind(1):  # (B, D), one step
            # (B, D), (B, S)
            context, weights = bahdanau_context(state, memory, self.w_s, self.w_h, self.v, mask)
            state = self.decoder(torch.cat([word, context], dim=-1), state)  # (B, D)
            logits.append(self.out(torch.cat([context, state], dim=-1)))
            looks.append(weights)
        return torch.stack(logits, dim=1), state, torch.stack(looks, dim=1)
