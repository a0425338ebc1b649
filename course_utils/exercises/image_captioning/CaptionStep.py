"""One word: `CaptionStep`, (B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging.exercise import Call, Case, Draw, Exercise

from ._steps import asks_with_the_pair, seen, stepping, with_parts


def step_weights(draw: Draw, init: tuple[int, ...]) -> dict[str, Tensor]:
    """A state for CaptionStep in which every number is drawn."""
    vocabulary, embedding, dim, hidden, attention = init
    inputs = embedding + dim
    return {
        "embed.weight": draw.normal(vocabulary, embedding),
        "cell.weight_ih": draw.normal(4 * hidden, inputs, scale=inputs**-0.5),
        "cell.weight_hh": draw.normal(4 * hidden, hidden, scale=hidden**-0.5),
        "cell.bias_ih": draw.normal(4 * hidden, scale=0.3),
        "cell.bias_hh": draw.normal(4 * hidden, scale=0.3),
        "w_r": draw.normal(dim, attention, scale=dim**-0.5),
        "w_s": draw.normal(hidden, attention, scale=2 * hidden**-0.5),
        "v": draw.normal(attention),
        "out.weight": draw.normal(vocabulary, hidden),
        "out.bias": draw.normal(vocabulary),
    }


def cases(draw: Draw) -> list[Case]:
    batch, regions, embedding, dim, hidden = draw.sizes(5, low=2, high=7)
    vocabulary, attention = 11, 8

    def case(
        label: str, batch: int, regions: int, dim: int = dim, hidden: int = hidden, **options: Any
    ) -> Case:
        init = (vocabulary, embedding, dim, hidden, attention)
        tokens = draw.integers(0, vocabulary - 1, batch)
        state = (draw.normal(batch, hidden), draw.normal(batch, hidden))
        args = (tokens, state, draw.normal(batch, regions, dim))
        return Case(label, init=init, weights=step_weights(draw, init), args=args, **options)

    trained = case("in training mode", batch, regions, group="edge")
    return [
        case(f"{batch} captions, {regions} regions", batch, regions),
        case("another step", batch + 1, regions + 1),
        case("embedding, regions and state of one size", batch, regions, embedding, embedding),
        case("values and gradients", batch, regions, gradients=True),
        case("one region", batch, 1, group="edge"),
        case("one caption", 1, regions, group="edge"),
        replace(trained, then=(Call(method="train"), Call(trained.args))),
    ]


EXERCISE = Exercise(
    name="CaptionStep",
    points=4,
    section="One word at a time",
    reference=ref.CaptionStep,
    kind="module",
    returns=("logits (B, V)", "state (h, c)", "weights (B, R)"),
    cases=cases,
)

EXERCISE.misconception(
    "attends-with-cell-state",
    "The cell state asks instead of h",
    "You attend with c. The state that speaks to the outside is h; c is the LSTM's private memory.",
    with_parts(query=lambda h, c: c),
)

EXERCISE.misconception(
    "context-before-embedding",
    "Context and word are swapped",
    "You put the context before the embedding. The sizes add up either way, but the text "
    "fixes the order: word first, then context.",
    with_parts(inputs=lambda word, context, regions: torch.cat([context, word], -1)),
)

EXERCISE.misconception(
    "static-context",
    "The mean of the regions, whatever the word",
    "You feed the LSTM the mean of the regions. Then every word sees the same picture, and the "
    "attention that you compute has no effect: feed the context.",
    with_parts(inputs=lambda word, context, regions: torch.cat([word, regions.mean(1)], -1)),
)

EXERCISE.misconception(
    "word-ignored",
    "The last word is not read",
    "The token has no influence. The LSTM must know which word it has just said.",
    with_parts(
        inputs=lambda word, context, regions: torch.cat([torch.zeros_like(word), context], -1)
    ),
)

EXERCISE.misconception(
    "context-ignored",
    "What was seen is not read",
    "The context has no influence on the words. Concatenate it with the embedding.",
    with_parts(
        inputs=lambda word, context, regions: torch.cat([word, torch.zeros_like(context)], -1)
    ),
)

EXERCISE.misconception(
    "h-and-c-swapped",
    "h and c are swapped on the way in",
    "You hand (c, h) to the cell. `nn.LSTMCell` takes and returns (h, c).",
    with_parts(before=lambda h, c: (c, h)),
)


def zero_state(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
    context, weights = seen(self, regions, state[0])
    h, c = self.cell(torch.cat([self.embed(token), context], -1))
    return self.out(h), (h, c), weights


EXERCISE.misconception(
    "state-forgotten",
    "The cell starts from zero at every word",
    "You call the cell without the state, so it starts from zeros every time and cannot know what "
    "it has said before.",
    stepping(zero_state),
)

EXERCISE.misconception(
    "old-state-returned",
    "The old state is returned",
    "You return the state that came in. The next step would start where this one did.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h), old, weights)),
)

EXERCISE.misconception(
    "logits-from-old-state",
    "The word is read off the old state",
    "Your logits come from the h that came in, which has seen neither the last word nor the "
    "picture. Use the new h.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(old[0]), (h, c), weights)),
)

EXERCISE.misconception(
    "logits-from-cell-state",
    "The word is read off c",
    "Your logits come from c. What the LSTM shows to the outside is h.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(c), (h, c), weights)),
)

EXERCISE.misconception(
    "state-returned-swapped",
    "h and c are swapped on the way out",
    "You return (c, h). The text, and `nn.LSTMCell`, have (h, c).",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h), (c, h), weights)),
)

EXERCISE.misconception(
    "cell-results-swapped",
    "h and c are swapped as they leave the cell",
    "You unpack the cell's result as c, h. `nn.LSTMCell` returns (h, c): with you the word is "
    "read off the private memory, and the next step gets the two the wrong way round.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(c), (c, h), weights)),
)

EXERCISE.misconception(
    "state-not-a-pair",
    "Four results instead of three",
    "You return h and c side by side. They belong together: the second of the three results is "
    "the tuple (h, c), which is what the next step takes.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h), h, c, weights)),
)


def state_not_unpacked(
    self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor
) -> Any:
    return seen(self, regions, state)  # type: ignore[arg-type]


EXERCISE.misconception(
    "asks-with-the-pair",
    "The state is a pair",
    "You hand the whole state to `soft_attention`. It is a tuple (h, c), and what asks is h alone.",
    stepping(state_not_unpacked),
    syntax=asks_with_the_pair,
)

EXERCISE.misconception(
    "softmax-in-the-step",
    "Probabilities instead of logits",
    "You put a softmax on the output. Cross entropy has one inside; return the logits.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h).softmax(-1), (h, c), weights)),
)

EXERCISE.misconception(
    "word-instead-of-logits",
    "The word instead of the logits",
    "You return the most likely word. Training needs the logits of all words.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h).argmax(-1), (h, c), weights)),
)

EXERCISE.misconception(
    "only-h-returned",
    "c is lost",
    "You return h alone as the state. The LSTM needs c as well in the next step.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h), h, weights)),
)

EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return logits and state. The weights come third: they show where the model looked.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h), (h, c))),
)

EXERCISE.misconception(
    "order-of-results",
    "Results in another order",
    "All three are right, but the text asks for logits, state, weights.",
    with_parts(result=lambda self, h, c, weights, old: (self.out(h), weights, (h, c))),
)


def current_state(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
    context, _ = seen(self, regions, state[0])
    h, c = self.cell(torch.cat([self.embed(token), context], -1), state)
    return self.out(h), (h, c), seen(self, regions, h)[1]


EXERCISE.misconception(
    "weights-of-the-new-state",
    "The weights belong to the next word",
    "You return the weights of the new state. They do not belong to the context that this word "
    "was made from.",
    stepping(current_state),
)
