"""Beam search: `beam_search(next_logits, bos, eos, max_len, beams)`.

-> (list of ints, log probability).
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import transformer_decoder as ref
from course_utils.exercises.transformer_decoder._beams import (
    Hypothesis,
    beam_case,
    beats_greedy,
    best,
    ended,
    misses_the_best,
    sound,
)
from course_utils.exercises.transformer_decoder._shared import list_of_ints
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    a, b = draw.sizes(2, low=4, high=6)
    return [
        beam_case(draw, "2 beams, where greedy goes wrong", (a, 4, 2), beats_greedy),
        beam_case(draw, "3 beams, where greedy goes wrong", (b, 5, 3), beats_greedy),
        beam_case(
            draw,
            "one beam: the same as greedy",
            (b, 4, 1),
            lambda search, found: ended(search, found) and len(found) > 2,
        ),
        beam_case(
            draw,
            "no length normalisation",
            (a, 5, 3),
            lambda search, found: found != search.compete(3, normalised=True),
        ),
        beam_case(draw, "2 beams, which miss the best sentence", (b, 4, 2), misses_the_best),
        beam_case(
            draw,
            "cut off at max_len",
            (b, 3, 2),
            lambda search, found: not ended(search, found),
            "edge",
        ),
        beam_case(
            draw,
            "more beams than words",
            (4, 3, 6),
            lambda search, found: ended(search, found) and len(found) > 1,
            "edge",
        ),
        beam_case(draw, "one token", (a, 1, 2), group="edge"),
    ]


EXERCISE = Exercise(
    name="beam_search",
    points=5,
    section="Beam search",
    kind="callable",
    reference=ref.beam_search,
    returns=("a list of ints", "its log probability"),
    cases=cases,
    promised=sound,
    properties=(list_of_ints(lambda got: got.result(0)),),
    tolerance=1e-4,
    limit=4.0,
)


@EXERCISE.misconception(
    "greedy-in-disguise",
    "Only one beginning survives",
    "Your search finds what greedy decoding finds, however many beams it has. Do several "
    "beginnings really survive each step, and are *all* their continuations compared?",
)
def greedy_with_score(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    return ref.beam_search(next_logits, bos, eos, max_len, 1)


def expand(
    next_logits: ref.NextLogits,
    bos: int,
    hypothesis: Hypothesis,
    value: Callable[[Tensor], Tensor] = lambda logits: F.log_softmax(logits, dim=-1),
) -> list[Hypothesis]:
    """All hypotheses that are one token longer."""
    score, tokens = hypothesis
    return [
        (score + float(v), [*tokens, token])
        for token, v in enumerate(value(next_logits(torch.tensor([[bos, *tokens]])))[0])
    ]


def beam(
    value: Callable[[Tensor], Tensor] = lambda logits: F.log_softmax(logits, dim=-1),
    freeze: bool = True,
    rank: Callable[[Hypothesis], float] = lambda h: h[0],
    accumulate: bool = True,
    each: int | None = None,
) -> Callable[..., tuple[list[int], float]]:
    """Beam search with other scores, without frozen ends, with another ranking …, as a variant."""

    def variant(
        next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
    ) -> tuple[list[int], float]:
        hypotheses: list[Hypothesis] = [(0.0, [])]
        for _ in range(max_len):
            pool: list[Hypothesis] = []
            for old in hypotheses:
                if freeze and eos in old[1]:
                    pool.append(old)
                else:
                    pool += best(
                        expand(next_logits, bos, old if accumulate else (0.0, old[1]), value),
                        each if each and old[1] else 10**6,
                    )
            hypotheses = sorted(pool, key=lambda h: -rank(h))[:beams]
        return hypotheses[0][1], hypotheses[0][0]

    return variant


EXERCISE.misconception(
    "one-continuation-each",
    "Every beginning gets one continuation",
    "After the first step each of your beams goes its own way greedily. Continuations of all "
    "beams compete with one another: a good beginning may deserve two places, a bad one none.",
    beam(each=1),
)

EXERCISE.misconception(
    "raw-logits",
    "Logits are added up",
    "You add logits. They are not log probabilities: a step with large logits counts for more "
    "than one with small ones, whatever the model believes. Normalise each step first.",
    beam(value=lambda logits: logits),
)

EXERCISE.misconception(
    "probabilities-added",
    "Probabilities are added up",
    "You add probabilities. The probability of a sentence is the *product* of its steps: what do "
    "you add up, if you want to add?",
    beam(value=lambda logits: logits.softmax(-1)),
)


def beam_result(change: Callable[[list[int], float, int, int], Any]) -> Callable[..., Any]:
    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> Any:
        return change(*ref.beam_search(next_logits, bos, eos, max_len, beams), bos, eos)

    return variant


EXERCISE.misconception(
    "probability-not-log",
    "The probability instead of its logarithm",
    "You return the probability itself. The text asks for its logarithm: products of a hundred "
    "probabilities round to 0, sums of their logarithms do not.",
    beam_result(lambda tokens, score, bos, eos: (tokens, float(torch.tensor(score).exp()))),
)

EXERCISE.misconception(
    "negative-score",
    "The sign is lost",
    "Your score is positive. The logarithm of a probability never is; have you returned a loss or "
    "the key of a heap?",
    beam_result(lambda tokens, score, bos, eos: (tokens, -score)),
)

EXERCISE.misconception(
    "last-step-only",
    "Only the last step counts",
    "You compare hypotheses by their newest token alone. A hypothesis is as likely as all of its "
    "steps together: what came before must be carried along.",
    beam(accumulate=False),
)

EXERCISE.misconception(
    "finished-keep-growing",
    "Finished sentences keep growing",
    "You go on extending hypotheses that already ended in `eos`, and every further token makes "
    "them less likely. A finished hypothesis stays as it is.",
    beam(freeze=False),
)

EXERCISE.misconception(
    "finished-keep-growing",
    "Finished sentences keep growing",
    "You cut the result at `eos`, but the search went on after it: the tokens after the end "
    "still counted in the score. A finished hypothesis stays as it is.",
    lambda next_logits, bos, eos, max_len, beams: (
        lambda found: (
            found[0][: found[0].index(eos) + 1] if eos in found[0] else found[0],
            found[1],
        )
    )(beam(freeze=False)(next_logits, bos, eos, max_len, beams)),
)


@EXERCISE.misconception(
    "finished-thrown-away",
    "Finished sentences are thrown away",
    "A hypothesis that ends in `eos` is dropped at the next step, so your search can only return "
    "the last ones alive. The best sentence may have ended earlier.",
)
def finished_lost(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        longer = [
            h for old in hypotheses if eos not in old[1] for h in expand(next_logits, bos, old)
        ]
        if not longer:
            break
        hypotheses = best(longer, beams)
    return hypotheses[0][1], hypotheses[0][0]


@EXERCISE.misconception(
    "first-finished-wins",
    "The first to finish wins",
    "You return as soon as some hypothesis ends in `eos`. One that is still being written may be "
    "likelier.",
)
def first_finished(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        hypotheses = best([h for old in hypotheses for h in expand(next_logits, bos, old)], beams)
        for score, tokens in hypotheses:
            if tokens[-1] == eos:
                return tokens, score
    return hypotheses[0][1], hypotheses[0][0]


def length_normalised(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int, final: bool = False
) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        pool = [
            h
            for old in hypotheses
            for h in ([old] if eos in old[1] else expand(next_logits, bos, old))
        ]
        hypotheses = sorted(pool, key=lambda h: -h[0] if final else -h[0] / len(h[1]))[:beams]
    score, tokens = max(hypotheses, key=lambda h: h[0] / max(len(h[1]), 1))
    return tokens, score


def finally_normalised(score_too: bool) -> Callable[..., tuple[list[int], float]]:
    def variant(
        next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
    ) -> tuple[list[int], float]:
        tokens, score = length_normalised(next_logits, bos, eos, max_len, beams, final=True)
        return tokens, score / len(tokens) if score_too else score

    return variant


EXERCISE.misconception(
    "length-normalised",
    "Normalised by the length",
    "You rank hypotheses by log probability per token. Many systems do, because plain log "
    "probabilities favour short sentences; but it finds something else, and is not asked for here.",
    finally_normalised(False),
    finally_normalised(True),
)


def always_normalised(score_too: bool) -> Callable[..., tuple[list[int], float]]:
    def variant(
        next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
    ) -> tuple[list[int], float]:
        tokens, score = length_normalised(next_logits, bos, eos, max_len, beams)
        return tokens, score / len(tokens) if score_too else score

    return variant


EXERCISE.misconception(
    "length-normalised",
    "Normalised by the length",
    "You rank hypotheses by log probability per token at every step. Many systems do, because "
    "plain log probabilities favour short sentences; but it finds something else, and is not "
    "asked for here.",
    always_normalised(False),
    always_normalised(True),
)

EXERCISE.misconception(
    "score-per-token",
    "The score per token",
    "The sentence is right, but you return its log probability divided by its length. The text "
    "asks "
    "for the total.",
    beam_result(lambda tokens, score, bos, eos: (tokens, score / len(tokens))),
)

EXERCISE.misconception(
    "worst-kept",
    "The worst are kept",
    "You keep the least likely hypotheses. Log probabilities are negative: the best is the one "
    "nearest to 0.",
    beam(rank=lambda h: -h[0]),
)


@EXERCISE.misconception(
    "worst-of-the-best",
    "The last of the beam is returned",
    "Your beam is right, but you return its last hypothesis, the worst of the kept ones.",
)
def top_ends(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    hypotheses: list[Hypothesis] = [(0.0, [])]
    for _ in range(max_len):
        hypotheses = best(
            [
                h
                for old in hypotheses
                for h in ([old] if eos in old[1] else expand(next_logits, bos, old))
            ],
            beams,
        )
        if hypotheses[-1][1][-1] == eos:
            break
    return hypotheses[-1][1], hypotheses[-1][0]


def with_context(context: Callable[[list[int]], list[int]]) -> Callable[..., Any]:
    """Beam search that shows the model another text."""

    def variant(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int) -> Any:
        def shown(tokens: Tensor) -> Tensor:
            return next_logits(torch.tensor([context(tokens[0].tolist())]))

        return ref.beam_search(shown, bos, eos, max_len, beams)

    return variant


EXERCISE.misconception(
    "history-lost",
    "The model does not get the whole text",
    "You do not call the model with what the hypothesis holds: earlier tokens are missing, "
    "overwritten or in another order. It must read bos and then all tokens of *this* hypothesis, "
    "in the order in which they were written.",
    with_context(lambda tokens: tokens[-1:]),
    with_context(lambda tokens: tokens[:1] * (len(tokens) - 1) + tokens[-1:]),
    with_context(lambda tokens: tokens[-1:] * len(tokens)),
    with_context(lambda tokens: [tokens[0], *tokens[:0:-1]]),
    with_context(lambda tokens: tokens[1:] or tokens),
)


@EXERCISE.misconception(
    "beams-ignored",
    "Nothing is ever dropped",
    "You keep every hypothesis, so that `beams` plays no part. That finds the best sentence of a "
    "toy, and never ends for a real vocabulary: after each step only `beams` of them survive.",
)
def exhaustive(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    return ref.beam_search(next_logits, bos, eos, max_len, 10**6)


@EXERCISE.misconception(
    "too-many-beams",
    "More beams than words",
    "`topk` fails when it is asked for more than there are. In the first step there are only V "
    "continuations, and `beams` may be larger.",
)
def too_many_beams(
    next_logits: ref.NextLogits, bos: int, eos: int, max_len: int, beams: int
) -> tuple[list[int], float]:
    next_logits(torch.tensor([[bos]]))[0].topk(beams)
    return ref.beam_search(next_logits, bos, eos, max_len, beams)


EXERCISE.misconception(
    "bos-in-result",
    "bos is part of the answer",
    "Your list begins with `bos`. The model did not write that; it belongs to the input only.",
    beam_result(lambda tokens, score, bos, eos: ([bos, *tokens], score)),
)

EXERCISE.misconception(
    "eos-dropped",
    "eos is missing from the answer",
    "You leave out `eos`. The list ends in it, as in greedy_decode.",
    beam_result(lambda tokens, score, bos, eos: ([t for t in tokens if t != eos], score)),
)

EXERCISE.misconception(
    "score-missing",
    "The score is missing",
    "You return the sentence alone. The text asks for the pair: the sentence and its total log "
    "probability.",
    beam_result(lambda tokens, score, bos, eos: tokens),
)
