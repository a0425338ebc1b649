"""Write until the end: `generate(step, state, bos, eos, pad, max_len)`.

step: (B,) int, (B, D) -> (B, V), (B, D). -> (B, T) int: a batch of sentences, greedily.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.exercises.seq2seq_attention.shift_right import whole_numbers
from course_utils.judging.exercise import Case, Draw, Exercise, Property
from course_utils.judging.promises import all_of, different, positive
from course_utils.judging.toys import Toy

Step = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def generate(step: Step, state: Tensor, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    token = torch.full((len(state),), bos)  # (B,)
    done = torch.zeros(len(state), dtype=torch.bool)  # (B,)
    tokens: list[Tensor] = []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)  # (B, V), (B, D)
        token = logits.argmax(-1).masked_fill(done, pad)  # (B,)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, dim=1)  # (B, T)


def writer(
    draw: Draw, batch: int, words: int, ends: tuple[int, ...], padding: float = -30.0
) -> tuple[Toy, Tensor, int, int, int]:
    """A toy decoder, states, bos, eos and pad, such that row i writes eos as its ends[i]-th word
    (0: never), and pad by itself only where `padding`, which is added to its logit, lets it."""
    bos, eos, pad = (int(i) for i in draw.permutation(words)[:3])
    length = 12
    table = draw.normal(length, words, words, scale=1.5)  # by step and last word
    table[:, :, pad] += padding
    table[:, :, bos] -= 30
    plan = torch.zeros(batch, length)
    plan[torch.arange(batch), torch.tensor(ends) - 1] = 1  # 0 - 1 is the last place: out of reach
    toy = Toy("table_step", {"table": table}, {"eos": eos})
    state = torch.cat([torch.zeros(batch, 1), plan, draw.normal(batch, 1)], dim=1)  # (B, 2 + L)
    return toy, state, bos, eos, pad


def cases(draw: Draw) -> list[Case]:
    b, v, w = draw.sizes(3, low=5, high=9)
    return [
        Case("two sentences, of 2 and 4 words", args=(*writer(draw, 2, v, (2, 4)), 7)),
        Case("three sentences", args=(*writer(draw, 3, w, (5, 1, 3)), 9)),
        Case(
            f"{b} sentences",
            args=(*writer(draw, b, w, tuple((3 * i) % 6 + 1 for i in range(b))), 8),
        ),
        Case("one never ends", args=(*writer(draw, 3, v, (2, 0, 4)), 6)),
        Case(
            "a model that also writes pad by itself",
            args=(*writer(draw, 3, v, (4, 0, 3), padding=3.0), 6),
            group="edge",
        ),
        Case("one sentence", args=(*writer(draw, 1, v, (3,)), 5), group="edge"),
        Case("all end in the same step", args=(*writer(draw, 4, w, (3, 3, 3, 3)), 8), group="edge"),
        Case("all end at once", args=(*writer(draw, 2, w, (1, 1)), 4), group="edge"),
        Case("one word at most", args=(*writer(draw, 3, v, (2, 1, 4)), 1), group="edge"),
        Case(
            "the last one ends exactly at max_len",
            args=(*writer(draw, 2, v, (2, 5)), 5),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="generate",
    points=4,
    section="The bottleneck, measured",
    kind="callable",
    reference=generate,
    returns=("tokens (B, T)",),
    cases=cases,
    properties=(Property("whole numbers come back", whole_numbers),),
    promised=all_of(different(2, 3, 4), positive(5)),
    limit=3.0,
)


def writes(
    finished: str = "all",
    pads: str = "after",
    feeds: Callable[[Tensor, Tensor], Tensor] = lambda token, start: token,
    keeps_state: bool = True,
    pick: Callable[[Tensor], Tensor] = lambda logits: logits.argmax(-1),
) -> Callable[..., Tensor]:
    """The loop with another stop rule, padding, input, state or choice, as a variant."""

    def variant(step: Step, state: Tensor, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
        start = token = torch.full((len(state),), bos)
        done, tokens = torch.zeros(len(state), dtype=torch.bool), []
        for _ in range(max_len):
            logits, after = step(feeds(token, start), state)
            state = after if keeps_state else state
            last, token = token, pick(logits)
            hidden = {
                "after": done,
                "with eos": done | (token == eos),
                "only once": last == eos,
                "never": torch.zeros_like(done),
            }[pads]
            done = done | ((token == eos) & ~hidden) | (hidden & (pads == "with eos"))
            token = token.masked_fill(hidden, pad)
            tokens.append(token)
            over = {
                "all": done.all(),
                "any": done.any(),
                "together": (token == eos).all(),
                "never": False,
            }
            if over[finished]:
                break
        return torch.stack(tokens, dim=1)

    return variant


EXERCISE.misconception(
    "first-ends-all",
    "The first sentence that ends stops all",
    "You stop as soon as one sentence has written `eos`. The others of the batch are still being "
    "written: stop when all have.",
    writes(finished="any"),
)

EXERCISE.misconception(
    "never-stops-early",
    "It writes on when all sentences have ended",
    "You always make `max_len` steps. Once every sentence has its `eos` there is nothing left to "
    "write; the result has as many columns as steps were needed.",
    writes(finished="never"),
    writes(finished="never", pads="never"),
)

EXERCISE.misconception(
    "writes-past-the-end",
    "What stands after eos is still there",
    "A sentence that has ended goes on in your result: the model says something at every step, "
    "but it no longer counts. Whatever comes after `eos` is `pad`.",
    writes(pads="never"),
)

EXERCISE.misconception(
    "forgets-that-it-ended",
    "A sentence that ended begins again",
    "You put `pad` right after `eos`, and then the sentence goes on: you only look at the last "
    "word. Whether a sentence has ended must be remembered.",
    writes(pads="only once"),
    writes(finished="together", pads="only once"),
)

EXERCISE.misconception(
    "ends-only-together",
    "It stops only if all end in the same step",
    "You stop when every sentence writes `eos` in one and the same step. They end at different "
    "steps: remember for each whether it has ended, in all steps so far, and stop when all have.",
    writes(finished="together"),
    writes(finished="together", pads="never"),
)

EXERCISE.misconception(
    "eos-padded-away",
    "eos is missing",
    "You replace `eos` itself by `pad`. It is the last word of its sentence and belongs to the "
    "result; only what comes after it is `pad`.",
    writes(pads="with eos"),
)

EXERCISE.misconception(
    "state-not-passed-on",
    "The state is not passed on",
    "Every step begins from the first state: what `step` returns as the new state is lost, so "
    "the decoder never gets further than the beginning of the sentence.",
    writes(keeps_state=False),
)

EXERCISE.misconception(
    "always-bos",
    "Every step is given bos",
    "Each step must be given the word that the step before it wrote. You give it `bos` every time.",
    writes(feeds=lambda token, start: start),
)

EXERCISE.misconception(
    "one-sentence-for-all",
    "All sentences get the words of the first",
    "You take one word per step and give it to the whole batch. Each row has its own logits, and "
    "its own largest one.",
    writes(pick=lambda logits: logits.argmax(-1)[:1].expand(len(logits))),
    writes(pick=lambda logits: (logits.argmax() % logits.shape[1]).expand(len(logits))),
)

EXERCISE.misconception(
    "least-likely",
    "The least likely word",
    "You take the word with the smallest logit.",
    writes(pick=lambda logits: logits.argmin(-1)),
)


@EXERCISE.misconception(
    "bos-in-result",
    "bos is part of the answer",
    "Your first column is `bos`. The model did not write that: it is the first input.",
)
def with_bos(step: Step, state: Tensor, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    start = torch.full((len(state), 1), bos)
    return torch.cat([start, generate(step, state, bos, eos, pad, max_len)], dim=1)


@EXERCISE.misconception(
    "transposed",
    "One row per step",
    "Your result is (T, B): one row per step. One row belongs to one sentence: stack along the "
    "other axis.",
)
def steps_as_rows(step: Step, state: Tensor, bos: int, eos: int, pad: int, max_len: int) -> Tensor:
    return generate(step, state, bos, eos, pad, max_len).T


EXERCISE.misconception(
    "decimal-ids",
    "Ids became decimal numbers",
    "The values are right, but they are decimal numbers now, and the text asks for whole ones. "
    "`torch.ones` and `torch.zeros` make decimals unless they are told otherwise.",
    lambda *args: generate(*args).float(),
)
