"""Greedy decoding: `greedy_decode(next_logits, bos, eos, max_len)`.

next_logits: (1, t) int -> (1, V). -> list of ints.
"""

from typing import Any

import torch

from course_utils import transformer_decoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.promises import all_of, different, positive
from course_utils.judging.toys import Toy

from ._shared import greedy, list_of_ints, right_but


def word_table(draw: Draw, words: int, eos: int, end: int | None) -> Toy:
    """A toy language model that writes eos as its `end`-th token whatever came before, and never
    earlier (None: never at all); what it writes depends on every token so far."""
    length = 9
    table = draw.normal(length, words, words, scale=1.5)
    table[: length if end is None else end - 1, :, eos] -= 30
    if end is not None:
        table[end - 1, :, eos] += 30
    history = draw.normal(length, words, words, scale=1.5)
    return Toy("table_model", {"table": table, "history": history})


def countdown() -> Toy:
    """The model of the text: after the token n comes n - 1, after 0 comes 0."""
    falling = torch.linspace(0.5, 0, 10)  # no two logits are alike
    return Toy("table_model", {"table": (torch.eye(10)[[0, *range(9)]] + falling)[None]})


def cases(draw: Draw) -> list[Case]:
    v, w = draw.sizes(2, low=5, high=9)
    bos, eos = (int(i) for i in draw.permutation(v)[:2])
    start, stop = (int(i) for i in draw.permutation(w)[:2])

    def case(label: str, *args: Any) -> Case:
        return Case(label, args)

    def edge(label: str, *args: Any) -> Case:
        return Case(label, args, group="edge")

    return [
        case("the example of the text: a countdown from 4", countdown(), 4, 0, 9),
        case("the example of the text, cut off after 2", countdown(), 4, 0, 2),
        case("ends by itself after 4 tokens", word_table(draw, v, eos, 4), bos, eos, 8),
        case("ends by itself after 6 tokens", word_table(draw, w, stop, 6), start, stop, 9),
        case("another start", word_table(draw, w, stop, 3), (stop + 1) % w, stop, 9),
        case("cut off after 5 tokens", word_table(draw, v, eos, None), bos, eos, 5),
        edge("ends exactly at max_len", word_table(draw, w, stop, 5), start, stop, 5),
        edge("ends at once", word_table(draw, v, eos, 1), bos, eos, 6),
        edge("one token at most", word_table(draw, w, stop, 4), start, stop, 1),
        edge("a long text, cut off after 20 tokens", word_table(draw, v, eos, None), bos, eos, 20),
        edge("eos is token 0", word_table(draw, v, 0, 3), 1, 0, 7),
    ]


EXERCISE = Exercise(
    name="greedy_decode",
    points=3,
    section="Greedy decoding",
    kind="callable",
    reference=ref.greedy_decode,
    returns=("a list of ints",),
    cases=cases,
    promised=all_of(different(1, 2), positive(3)),
    properties=(list_of_ints(lambda got: got.value),),
    limit=2.0,
)

EXERCISE.misconception(
    "last-token-only",
    "Only the last token is given to the model",
    "You call the model with the newest token alone. It then believes that the sentence has just "
    "begun: without a cache the model must be given everything written so far.",
    greedy(context=lambda tokens: tokens[-1:]),
)

EXERCISE.misconception(
    "bos-not-given",
    "The model is not told that the sentence begins",
    "Your first call contains `bos`, but later ones do not: you give the model only what it wrote "
    "itself. The text so far is bos and everything after it.",
    greedy(context=lambda tokens: tokens[1:] or tokens),
)

EXERCISE.misconception(
    "history-lost",
    "The model does not get the whole text",
    "You call the model with the right number of tokens, but not with the ones that were written: "
    "earlier ones are overwritten, left out or in another order. It must read bos and then every "
    "token in the order in which it was written.",
    greedy(context=lambda tokens: tokens[:1] * (len(tokens) - 1) + tokens[-1:]),
    greedy(context=lambda tokens: tokens[-1:] * len(tokens)),
    greedy(context=lambda tokens: [tokens[0], *tokens[:0:-1]]),
    greedy(context=lambda tokens: tokens[::-1]),
)

EXERCISE.misconception(
    "always-the-same-context",
    "The text does not grow",
    "You call the model with the same tokens again and again: what it wrote is never added to "
    "what it reads.",
    greedy(context=lambda tokens: tokens[:1]),
)

EXERCISE.misconception(
    "bos-in-result",
    "bos is part of the answer",
    "Your list begins with `bos`. The model did not write that; it belongs to the input only.",
    lambda next_logits, bos, eos, max_len: [
        bos,
        *ref.greedy_decode(next_logits, bos, eos, max_len),
    ],
)

EXERCISE.misconception(
    "eos-dropped",
    "eos is missing from the answer",
    "You stop at `eos` but leave it out. The list must end in it, or no one can tell a finished "
    "sentence from one that was cut off.",
    lambda next_logits, bos, eos, max_len: [
        t for t in ref.greedy_decode(next_logits, bos, eos, max_len) if t != eos
    ],
)

EXERCISE.misconception(
    "never-stops",
    "It goes on after eos",
    "You always write `max_len` tokens. After `eos` the sentence is over; what follows is noise "
    "that the model was never trained to write.",
    greedy(stop=False),
)


@EXERCISE.misconception(
    "pads-after-eos",
    "Filled up to max_len",
    "You stop at `eos` and then fill the list up to `max_len`. That is useful in a batch; the text "
    "asks for a list that ends in eos.",
)
def pads_after_eos(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
    tokens = ref.greedy_decode(next_logits, bos, eos, max_len)
    return tokens + [eos] * (max_len - len(tokens)) if eos in tokens else tokens


EXERCISE.misconception(
    "max-len-counts-bos",
    "One token too few",
    "You stop one token early: `bos` is counted as one of the `max_len` tokens, but it is not "
    "part of the answer.",
    lambda next_logits, bos, eos, max_len: ref.greedy_decode(next_logits, bos, eos, max_len - 1),
)

EXERCISE.misconception(
    "one-too-many",
    "One token too many",
    "Your list can become max_len + 1 long. Count the turns of your loop.",
    lambda next_logits, bos, eos, max_len: ref.greedy_decode(next_logits, bos, eos, max_len + 1),
)

EXERCISE.misconception(
    "samples",
    "A token is drawn, not chosen",
    "You draw the next token at random. That is sampling, which is good for stories; greedy "
    "decoding takes the most likely token, and gives the same answer every time.",
    syntax=lambda tree: syntax.uses(tree, "multinomial", "choice", "choices", "Categorical"),
)

EXERCISE.misconception(
    "wrong-axis",
    "The maximum over the batch",
    "You look for the maximum along the first axis. The logits are (1, V): along the first axis "
    "there is only one entry, and its index is always 0. Words are on the last axis.",
    greedy(pick=lambda logits: int(logits.argmax(0)[0])),
)

EXERCISE.misconception(
    "least-likely",
    "The least likely token",
    "You take the token with the smallest logit.",
    greedy(pick=lambda logits: int(logits.argmin(-1))),
)

EXERCISE.misconception(
    "second-best",
    "Not the most likely token",
    "You take the second of the sorted tokens. Counting starts at 0.",
    greedy(pick=lambda logits: int(logits[0].topk(2).indices[1])),
)


@EXERCISE.misconception(
    "no-batch-axis",
    "The batch axis is missing",
    "The model wants tokens of shape (1, t), a batch of one sentence; you give it shape (t,).",
)
def no_batch_axis(next_logits: ref.NextLogits, bos: int, eos: int, max_len: int) -> list[int]:
    return [int(next_logits(torch.tensor([bos])).argmax(-1))]


EXERCISE.misconception(
    "one-token-only",
    "Only one token",
    "You return after the first token. Decoding is a loop: each token is added to the text, and "
    "the model is asked again.",
    lambda next_logits, bos, eos, max_len: ref.greedy_decode(next_logits, bos, eos, 1),
)

EXERCISE.misconception(
    "batch-of-lists",
    "A batch instead of a list",
    "You return a batch of one sentence. The text asks for the sentence: a flat list of ints.",
    lambda next_logits, bos, eos, max_len: [ref.greedy_decode(next_logits, bos, eos, max_len)],
    lambda next_logits, bos, eos, max_len: torch.tensor(
        [ref.greedy_decode(next_logits, bos, eos, max_len)]
    ),
)


EXERCISE.misconception(
    "not-ints",
    "Tensors instead of ints",
    "The tokens are right, but they are still tensors. The text asks for a list of Python ints, "
    "which can be looked up in a vocabulary: `int(...)` or `.item()` for one, `.tolist()` for "
    "many.",
    symptom=right_but(
        lambda value: (
            (isinstance(value, torch.Tensor) and value.dim() == 1)
            or (isinstance(value, list) and any(isinstance(t, torch.Tensor) for t in value))
        )
    ),
)

EXERCISE.misconception(
    "not-a-list",
    "A tuple instead of a list",
    "The tokens are right, but you return a tuple. The text asks for a list.",
    symptom=right_but(lambda value: isinstance(value, tuple)),
)
