"""Beam search: `beam_search(next_logits, bos, eos, max_len, beams)`.

-> (list of ints, log probability).
"""

import math
from typing import Any

import torch

from course_utils import transformer_decoder as ref
from course_utils.judging.exercise import Case, Draw, Exercise

from ._beams import (
    beam_case,
    beats_greedy,
    cut_off,
    ends_after,
    misses_the_best,
    not_per_token,
    sound,
)
from ._searches import beam, complete, cut, normalised, then, with_context
from ._shared import list_of_ints


def cases(draw: Draw) -> list[Case]:
    a, b = draw.sizes(2, low=4, high=6)
    return [
        beam_case(draw, "2 beams, where greedy goes wrong", (a, 4, 2), beats_greedy),
        beam_case(draw, "3 beams, where greedy goes wrong", (b, 5, 3), beats_greedy),
        beam_case(draw, "one beam: the same as greedy", (b, 4, 1), ends_after(2)),
        beam_case(draw, "no length normalisation", (a, 5, 3), not_per_token),
        beam_case(draw, "2 beams, which miss the best sentence", (b, 4, 2), misses_the_best),
        beam_case(draw, "cut off at max_len", (b, 3, 2), cut_off, "edge"),
        beam_case(draw, "more beams than words", (4, 3, 6), ends_after(1), "edge"),
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

EXERCISE.misconception(
    "greedy-in-disguise",
    "Only one beginning survives",
    "Your search finds what greedy decoding finds, however many beams it has. Do several "
    "beginnings really survive each step, and are *all* their continuations compared?",
    lambda next_logits, bos, eos, max_len, beams: ref.beam_search(
        next_logits, bos, eos, max_len, 1
    ),
)

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

EXERCISE.misconception(
    "probability-not-log",
    "The probability instead of its logarithm",
    "You return the probability itself. The text asks for its logarithm: products of a hundred "
    "probabilities round to 0, sums of their logarithms do not.",
    then(lambda tokens, score, bos, eos: (tokens, math.exp(score))),
)

EXERCISE.misconception(
    "negative-score",
    "The sign is lost",
    "Your score is positive. The logarithm of a probability never is; have you returned a loss or "
    "the key of a heap?",
    then(lambda tokens, score, bos, eos: (tokens, -score)),
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
    beam(finished="grow"),
    beam(finished="grow", stop=lambda kept, eos: kept[0][1][-1] == eos),
    beam(finished="grow", stop=lambda kept, eos: complete(kept, eos) == kept),
)

EXERCISE.misconception(
    "finished-keep-growing",
    "Finished sentences keep growing",
    "You cut the result at `eos`, but the search went on after it: the tokens after the end "
    "still counted in the score. A finished hypothesis stays as it is.",
    then(lambda tokens, score, bos, eos: (cut(tokens, eos), score), beam(finished="grow")),
)

EXERCISE.misconception(
    "finished-thrown-away",
    "Finished sentences are thrown away",
    "A hypothesis that ends in `eos` is dropped at the next step, so your search can only return "
    "the last ones alive. The best sentence may have ended earlier.",
    beam(finished="drop"),
)

EXERCISE.misconception(
    "first-finished-wins",
    "The first to finish wins",
    "You return as soon as some hypothesis ends in `eos`. One that is still being written may be "
    "likelier.",
    beam(
        stop=lambda kept, eos: bool(complete(kept, eos)),
        pick=lambda kept, eos: (complete(kept, eos) or kept)[0],
    ),
)

EXERCISE.misconception(
    "length-normalised",
    "Normalised by the length",
    "You rank hypotheses by log probability per token. Many systems do, because plain log "
    "probabilities favour short sentences; but it finds something else, and is not asked for here.",
    *normalised(at_every_step=False),
)

EXERCISE.misconception(
    "length-normalised",
    "Normalised by the length",
    "You rank hypotheses by log probability per token at every step. Many systems do, because "
    "plain log probabilities favour short sentences; but it finds something else, and is not "
    "asked for here.",
    *normalised(at_every_step=True),
)

EXERCISE.misconception(
    "score-per-token",
    "The score per token",
    "The sentence is right, but you return its log probability divided by its length. The text "
    "asks for the total.",
    then(lambda tokens, score, bos, eos: (tokens, score / len(tokens))),
)

EXERCISE.misconception(
    "worst-kept",
    "The worst are kept",
    "You keep the least likely hypotheses. Log probabilities are negative: the best is the one "
    "nearest to 0.",
    beam(rank=lambda h: -h[0]),
)

EXERCISE.misconception(
    "worst-of-the-best",
    "The last of the beam is returned",
    "Your beam is right, but you return its last hypothesis, the worst of the kept ones.",
    beam(
        stop=lambda kept, eos: kept[-1][1][-1] == eos,
        pick=lambda kept, eos: kept[-1],
    ),
)

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

EXERCISE.misconception(
    "beams-ignored",
    "Nothing is ever dropped",
    "You keep every hypothesis, so that `beams` plays no part. That finds the best sentence of a "
    "toy, and never ends for a real vocabulary: after each step only `beams` of them survive.",
    lambda next_logits, bos, eos, max_len, beams: ref.beam_search(
        next_logits, bos, eos, max_len, 10**6
    ),
)


@EXERCISE.misconception(
    "too-many-beams",
    "More beams than words",
    "`topk` fails when it is asked for more than there are. In the first step there are only V "
    "continuations, and `beams` may be larger.",
)
def too_many_beams(next_logits: ref.NextLogits, bos: int, *others: int) -> Any:
    next_logits(torch.tensor([[bos]]))[0].topk(others[-1])
    return ref.beam_search(next_logits, bos, *others)


EXERCISE.misconception(
    "bos-in-result",
    "bos is part of the answer",
    "Your list begins with `bos`. The model did not write that; it belongs to the input only.",
    then(lambda tokens, score, bos, eos: ([bos, *tokens], score)),
)

EXERCISE.misconception(
    "eos-dropped",
    "eos is missing from the answer",
    "You leave out `eos`. The list ends in it, as in greedy_decode.",
    then(lambda tokens, score, bos, eos: ([t for t in tokens if t != eos], score)),
)

EXERCISE.misconception(
    "score-missing",
    "The score is missing",
    "You return the sentence alone. The text asks for the pair: the sentence and its total log "
    "probability.",
    then(lambda tokens, score, bos, eos: tokens),
)
