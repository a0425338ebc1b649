"""Beam searches that go wrong in one way, for the misconceptions about them."""

from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import transformer_decoder as ref

from ._beams import Hypothesis, best

Search = Callable[..., Any]  # (next_logits, bos, eos, max_len, beams) -> (tokens, score)


def log_probabilities(logits: Tensor) -> Tensor:
    return F.log_softmax(logits, dim=-1)


def per_token(hypothesis: Hypothesis) -> float:
    return hypothesis[0] / max(len(hypothesis[1]), 1)


def expand(
    next_logits: ref.NextLogits,
    bos: int,
    hypothesis: Hypothesis,
    value: Callable[[Tensor], Tensor] = log_probabilities,
) -> list[Hypothesis]:
    """All hypotheses that are one token longer."""
    score, tokens = hypothesis
    return [
        (score + float(v), [*tokens, token])
        for token, v in enumerate(value(next_logits(torch.tensor([[bos, *tokens]])))[0])
    ]


def beam(
    value: Callable[[Tensor], Tensor] = log_probabilities,
    finished: Literal["stay", "grow", "drop"] = "stay",
    rank: Callable[[Hypothesis], float] = lambda h: h[0],
    accumulate: bool = True,
    each: int | None = None,
    stop: Callable[[list[Hypothesis], int], bool] = lambda kept, eos: False,
    pick: Callable[[list[Hypothesis], int], Hypothesis] = lambda kept, eos: kept[0],
) -> Search:
    """Beam search with other scores, with finished hypotheses that grow or are dropped, another
    ranking, only so many continuations of each, another end or another result."""

    def variant(
        next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
    ) -> tuple[list[int], float]:
        kept: list[Hypothesis] = [(0.0, [])]
        for _ in range(max_len):
            pool: list[Hypothesis] = []
            for old in kept:
                if finished != "grow" and eos in old[1]:
                    pool += [old] if finished == "stay" else []
                else:
                    pool += best(
                        expand(next_logits, bos, old if accumulate else (0.0, old[1]), value),
                        each if each and old[1] else 10**6,
                    )
            if not pool:
                break
            kept = sorted(pool, key=lambda h: -rank(h))[:beams]
            if stop(kept, eos):
                break
        score, tokens = pick(kept, eos)
        return tokens, score

    return variant


def then(
    change: Callable[[list[int], float, int, int], Any], search: Search = ref.beam_search
) -> Search:
    """Another result made of (tokens, score, bos, eos)."""

    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> Any:
        tokens, score = search(next_logits, bos, eos, max_len, beams)
        return change(tokens, score, bos, eos)

    return variant


def with_context(context: Callable[[list[int]], list[int]]) -> Search:
    """Beam search that shows the model another text."""

    def variant(next_logits: ref.NextLogits, *others: int) -> Any:
        def shown(tokens: Tensor) -> Tensor:
            return next_logits(torch.tensor([context(tokens[0].tolist())]))

        return ref.beam_search(shown, *others)

    return variant


def cut(tokens: list[int], eos: int) -> list[int]:
    return tokens[: tokens.index(eos) + 1] if eos in tokens else tokens


def complete(kept: list[Hypothesis], eos: int) -> list[Hypothesis]:
    return [h for h in kept if h[1][-1] == eos]


def normalised(at_every_step: bool) -> list[Search]:
    """The best per token, at the end or at every step; the score as it is, or per token as well."""
    search = beam(
        rank=per_token if at_every_step else lambda h: h[0],
        pick=lambda kept, eos: max(kept, key=per_token),
    )
    return [search, then(lambda tokens, score, bos, eos: (tokens, score / len(tokens)), search)]
