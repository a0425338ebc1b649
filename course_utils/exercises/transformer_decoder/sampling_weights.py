"""Sampling: `sampling_weights(logits, temperature, top_k, top_p)`.

(B, V) -> (B, V): the probabilities from which the next word is drawn.
"""

import torch
from torch import Tensor

from course_utils import transformer_decoder as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.promises import all_of, no_ties, positive
from course_utils.judging.properties import rows_sum_to_one

from ._sampling import among_the_largest, before, clear, kept, weighs


def cases(draw: Draw) -> list[Case]:
    b, v, w, u = draw.sizes(4, low=3, high=9)

    def case(label: str, rows: int, words: int, *settings: float | int | None) -> Case:
        group = "edge" if label.startswith("edge: ") else "basic"
        args = (clear(draw, rows, words, *settings), *settings)
        return Case(label.removeprefix("edge: "), args=args, group=group)

    three = torch.tensor([[0.25, 0.4, 0.35]]).log()
    by_hand = torch.tensor([[0.4, 0.1, 0.3, 0.2]]).log()
    return [
        Case("the example, top_p of 0.6", args=(by_hand, 1.0, None, 0.6)),
        case("plain", b, v, 1.0),
        case("a temperature of 0.5", b, w, 0.5),
        case("a temperature of 2", u, v, 2.0),
        case("the two likeliest", b, u + 1, 1.0, 2),
        case("a top_p of 0.7", w, v + 3, 1.0, None, 0.7),
        case("temperature and top_p", v, w + 3, 2.5, None, 0.75),
        case("everything together", b, u + 4, 1.6, 3, 0.8),
        case("edge: more than there are words", u, v, 1.0, v + 5),
        case("edge: top_p of 0.05: one word stays", b, w, 1.0, None, 0.05),
        case("edge: only one word", w, u, 0.7, 1),
        Case(
            "very cold, large logits", args=(40 * clear(draw, b, v), 0.05, None, None), group="edge"
        ),
        Case("two of three words", args=(three, 1.0, None, 0.7), group="edge"),
        Case("logits near -500", args=(clear(draw, b, w) - 500, 1.0, 2), group="edge"),
        Case("nothing but logits", args=(clear(draw, b, u),), group="edge"),
    ]


EXERCISE = Exercise(
    name="sampling_weights",
    points=4,
    section="Sampling",
    reference=ref.sampling_weights,
    returns=("weights (B, V)",),
    cases=cases,
    promised=all_of(no_ties(0), lambda case: len(case.args) < 2 or positive(1)(case)),
    properties=(rows_sum_to_one(0),),
    picture=weights_picture(0),
)


EXERCISE.misconception(
    "temperature-inverted",
    "The temperature the wrong way round",
    "You multiply the logits by the temperature. A high temperature makes the weights more "
    "alike, so the differences between the logits must get smaller.",
    weighs(scale=lambda logits, temperature: logits * temperature),
)

EXERCISE.misconception(
    "temperature-ignored",
    "The temperature is not used",
    "Your weights are the same at every temperature.",
    weighs(scale=lambda logits, temperature: logits),
)

EXERCISE.misconception(
    "temperature-after-softmax",
    "The temperature comes too late",
    "You divide the probabilities by the temperature. Once they are normalised again nothing has "
    "changed: the temperature belongs to the logits, before the exponentials.",
    weighs(scale=lambda logits, temperature: logits.softmax(-1) / temperature),
)

EXERCISE.misconception(
    "least-likely",
    "The least likely words are kept",
    "You keep the k words with the smallest logits.",
    weighs(largest=lambda logits, k: logits.argsort(-1).argsort(-1) < k),
)

EXERCISE.misconception(
    "top-k-off-by-one",
    "One word too many or too few",
    "With `top_k = k` exactly k words of a row stay. Count your boundary: is the k-th largest "
    "logit itself kept, and the next one not?",
    weighs(largest=lambda logits, k: among_the_largest(logits, k + 1)),
    weighs(largest=lambda logits, k: among_the_largest(logits, max(k - 1, 1))),
)

EXERCISE.misconception(
    "top-k-ignored",
    "top_k is not used",
    "All words keep a share, whatever `top_k` says.",
    weighs(largest=lambda logits, k: torch.ones_like(logits, dtype=torch.bool)),
)

EXERCISE.misconception(
    "crossing-word-dropped",
    "The word that reaches top_p is dropped",
    "You keep words as long as their sum stays below `top_p`. Then together they have less than "
    "asked for, and if the likeliest word alone has more, nothing is left. The word with which "
    "the sum reaches `top_p` belongs to them.",
    weighs(stays=lambda weights, p: before(weights) + weights <= p),
    weighs(stays=lambda weights, p: before(weights) + weights < p),
)

EXERCISE.misconception(
    "crossing-word-dropped",
    "The word that reaches top_p is dropped",
    "You keep words as long as their sum stays below `top_p`, and at least one. Then together "
    "they have less than asked for. The word with which the sum reaches `top_p` belongs to them.",
    weighs(stays=lambda weights, p: (before(weights) + weights <= p) | (before(weights) == 0)),
)

EXERCISE.misconception(
    "threshold-per-word",
    "top_p compared with each word by itself",
    "You keep the words whose own probability is at least `top_p`. It is the *sum* of the "
    "likeliest ones that has to reach it; of many likely words none may reach it alone.",
    weighs(stays=lambda weights, p: weights >= p),
    weighs(stays=lambda weights, p: weights > 1 - p),
)

EXERCISE.misconception(
    "sum-in-the-wrong-order",
    "Summed in the order of the vocabulary",
    "You add up the probabilities in the order in which the words are numbered. The likeliest "
    "come first: sort, and bring the result back to the words that it belongs to.",
    weighs(stays=lambda weights, p: weights.cumsum(-1) - weights < p),
)

EXERCISE.misconception(
    "least-likely-first",
    "Summed from the least likely word",
    "You begin the sum with the least likely words, so that the unlikely ones are kept.",
    weighs(stays=lambda weights, p: 1 - before(weights) - weights < p),
)

EXERCISE.misconception(
    "top-p-ignored",
    "top_p is not used",
    "All words keep a share, whatever `top_p` says.",
    weighs(stays=lambda weights, p: torch.ones_like(weights, dtype=torch.bool)),
)

EXERCISE.misconception(
    "only-top-k",
    "Only top_k is used",
    "You keep the k likeliest words and stop there: `temperature` and `top_p` change nothing. All "
    "three settings count, one after the other.",
    weighs(
        scale=lambda logits, temperature: logits,
        stays=lambda weights, p: torch.ones_like(weights, dtype=torch.bool),
    ),
)

EXERCISE.misconception(
    "not-normalised",
    "The rest does not sum to one",
    "You set the words that are dropped to 0 and stop there. What they had is missing: the rest "
    "must be shared out anew.",
    weighs(normalise=False),
)


@EXERCISE.misconception(
    "sorted-result",
    "The weights are sorted",
    "Your rows are in the order of the probabilities. Each number must stand at the place of its "
    "word, otherwise another word is drawn: undo the sorting.",
)
def in_order(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    return ref.sampling_weights(logits, temperature, top_k, top_p).sort(-1, descending=True).values


@EXERCISE.misconception(
    "order-of-the-steps",
    "top_p before the temperature",
    "You look for the likeliest words with the probabilities of temperature 1, and warm up what "
    "is left. Asked for is the other order: first the temperature, then `top_k`, then `top_p`.",
)
def warmed_last(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    stay = kept(logits, top_k, top_p)
    return (logits / temperature).masked_fill(~stay, -torch.inf).softmax(-1)


@EXERCISE.misconception(
    "order-of-the-steps",
    "top_p of all words, not of those that top_k left",
    "You apply `top_p` to the probabilities of all words. After `top_k` the remaining words "
    "share everything: their probabilities are larger, and fewer of them reach `top_p`.",
)
def side_by_side(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    logits = logits / temperature
    stay = kept(logits, top_k) & kept(logits, None, top_p)
    return logits.masked_fill(~stay, -torch.inf).softmax(-1)


@EXERCISE.misconception(
    "zero-logits",
    "A logit of 0 is not no weight",
    "You set the logits of the dropped words to 0. But exp(0) = 1: they keep a share, often a "
    "large one.",
)
def zero_logits(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    logits = logits / temperature
    return (logits * kept(logits, top_k, top_p)).softmax(-1)
