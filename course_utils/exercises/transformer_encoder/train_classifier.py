"""Train a classifier: `train_classifier(tokens, labels, classes, pad, seed)`.

(N, T) int, (N,) int -> a trained model: tokens (M, T') -> logits (M, classes).
"""

from collections.abc import Callable

import torch

from course_utils import transformer_encoder as ref
from course_utils.data import reviews
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden, Outcome, Property
from course_utils.judging.judge import VISIBLE_SEED

from ._loops import clears, hands_over, keeps_padding, reads, returns, trains
from ._reviews import (
    BAR,
    Marked,
    below,
    blind_to_order,
    depends_on_neighbours,
    depends_on_padding,
    loses_the_batch,
    marked,
    nothing_learned,
    shuffle_words,
    wavers,
)

SEEN, UNSEEN = 1000, 400


def cases(draw: Draw) -> list[Case]:
    # A number of classes that is written down fits one of them only
    classes = 4 if draw.seed == VISIBLE_SEED else 3 + 2 * draw.integer(0, 1)
    made = [reviews.review(draw.generator, classes) for _ in range(SEEN + UNSEEN)]
    words = sorted({word for text, _, _ in made for word in text})
    # Ids in no order at all, the padding somewhere among them
    order = draw.permutation(len(words) + 1).tolist()
    ids, pad = dict(zip(words, order, strict=False)), order[-1]
    lengths = torch.tensor([len(text) for text, _, _ in made])
    width = int(lengths.max())
    tokens = torch.tensor(
        [[ids[word] for word in text] + [pad] * (width - len(text)) for text, _, _ in made]
    )
    first, last = torch.tensor([(first, last) for _, first, last in made]).T
    seen, unseen = tokens[:SEEN], tokens[SEEN:]
    short = unseen[lengths[SEEN:] <= 14][:50]
    shuffled = shuffle_words(draw, unseen[:50], lengths[SEEN:][:50])
    parts = (unseen, unseen[:50], short, short, short[:, :14], unseen[:1], shuffled)
    calls = tuple(Call((part,)) for part in parts)
    args = (seen, last[:SEEN], classes, pad, draw.integer(0, 999))
    label = f"{SEEN} reviews of {classes} kinds to learn from, {UNSEEN} never seen"
    verify = Marked(classes, last[SEEN:], first[SEEN:])
    return [Case(label, args=args, then=calls, verify=verify, hidden_values=True)]


def law(label: str, broken: Callable[[Case, Outcome], bool], text: str) -> Property:
    return Property(label, lambda case, got: text if broken(case, got) else None)


MODEL = "The model"

EXERCISE = Exercise(
    name="train_classifier",
    kind="training",
    points=5,
    section="The training loop",
    reference=ref.train_classifier,
    cases=cases,
    limit=60.0,
    rounds=1,
    forbidden=(
        Forbidden(
            "The seed is never used, so nobody can repeat your result. Call "
            "`torch.manual_seed(seed)` first, with the seed that you are given.",
            test=lambda tree: trains(tree) and syntax.ignores(tree, "train_classifier", 4),
        ),
    ),
    properties=(
        law(
            "the same reviews get the same answer twice",
            wavers,
            "two calls with the same reviews give different logits",
        ),
        law(
            "a review is judged by itself",
            depends_on_neighbours,
            "the first reviews get other logits when they are given without the others",
        ),
        law(
            "padding does not count",
            depends_on_padding,
            "the same reviews get other logits when some padding at their end is cut off",
        ),
    ),
)


EXERCISE.misconception(
    "labels-misaligned",
    "Reviews and labels in different orders",
    "You shuffle tokens and labels in two different orders. Nothing can be learned from "
    "labels that belong to other reviews: draw one order and use it for both.",
    syntax=lambda tree: (
        len(syntax.calls(tree, "randperm")) > 1 or len(syntax.calls(tree, "shuffle")) > 1
    ),
    symptom=below(0.6),
)

EXERCISE.misconception(
    "returns-nothing",
    "Nothing is returned",
    "The model is trained and then thrown away: the function has no `return`.",
    syntax=lambda tree: not returns(tree, "train_classifier"),
)

EXERCISE.misconception(
    "never-trained",
    "The weights never change",
    "Your model is returned as it was made: nothing in the answer computes gradients and takes "
    "steps with them.",
    syntax=lambda tree: not trains(tree) and not hands_over(tree, "train_classifier"),
    symptom=below(0.6),
)

EXERCISE.misconception(
    "gradients-pile-up",
    "Old gradients are never cleared",
    "`backward` adds to the gradients that are there. Nothing in your loop clears them, so that "
    "each step also repeats all steps before it.",
    syntax=lambda tree: trains(tree) and not clears(tree),
    symptom=below(BAR),
)

EXERCISE.misconception(
    "order-ignored",
    "Which words, but not in which order",
    "Your model gives the same answer when the words of a review are shuffled: it finds the two "
    "impressions, but which of them came last is a coin toss. Attention and a mean are blind to "
    "order: where does your model learn where a word stands?",
    symptom=blind_to_order,
    section=MODEL,
)

EXERCISE.misconception(
    "dropout-left-on",
    "Returned in training mode",
    "The same reviews get different answers each time: dropout is still on. A model that is to "
    "predict is switched to evaluation first.",
    symptom=wavers,
)

EXERCISE.misconception(
    "batch-of-one-squeezed",
    "One review alone loses its axis",
    "For a single review your model returns (classes,) instead of (1, classes). `squeeze()` "
    "without an axis drops every axis of length one, the batch too: tell it which one you mean.",
    symptom=loses_the_batch,
    section=MODEL,
)

EXERCISE.misconception(
    "neighbours-count",
    "A review's answer depends on the others in the batch",
    "The same review gets another answer in other company. Statistics over the batch do that, and "
    "attention along the wrong axis: torch's own layers take the batch as the *second* axis "
    "unless told otherwise.",
    symptom=depends_on_neighbours,
    section=MODEL,
)

EXERCISE.misconception(
    "pad-not-used",
    "Padding is not what you take it for",
    "Your model never looks at `pad`, and the answer for a review depends on how much padding "
    "follows it. The id of the padding is an argument: it need not be 0.",
    syntax=lambda tree: not reads(tree, "pad"),
    symptom=depends_on_padding,
    section=MODEL,
)

EXERCISE.misconception(
    "mask-inverted",
    "The mask lets in what it should keep out",
    "Your mask is True where the padding is. In this course True means *may attend* and *this "
    "token counts*: your model reads the padding and nothing else.",
    syntax=keeps_padding,
    symptom=below(BAR),
    section=MODEL,
)

EXERCISE.misconception(
    "padding-counts",
    "Padding is read like words",
    "The same review gets another answer when padding at its end is cut off. Padding can come in "
    "at two places: where tokens attend to others, and where the sequence becomes one vector.",
    symptom=depends_on_padding,
    section=MODEL,
)

EXERCISE.misconception(
    "softmax-in-the-model",
    "Probabilities instead of logits",
    "Your model ends in a softmax: its rows sum to one. `F.cross_entropy` applies one itself, so "
    "that in training there are two, and learning is slow. The text asks for logits.",
    symptom=lambda case, got: marked(case).probabilities(got),
    section=MODEL,
)

EXERCISE.misconception(
    "not-logits",
    "Not one number per class",
    "The model should return one number per class for each review: (M, classes), before any "
    "argmax.",
    symptom=lambda case, got: marked(case).logits(got) is None,
    section=MODEL,
)

EXERCISE.misconception(
    "nothing-learned",
    "No better than guessing",
    "On reviews that it never saw, your model is no better than chance. Does the loss fall? If "
    "not: do the gradients reach all parameters, are they cleared, was the optimiser given the "
    "parameters of the model that you return?",
    symptom=nothing_learned,
)

EXERCISE.misconception(
    "stopped-early",
    "Learned something, but not enough",
    "Your model has learned something, but fewer than nine of ten unseen reviews are right. Print "
    "the loss: is it still falling (train longer, or with larger steps), does it jump (smaller "
    "steps), does every epoch see all reviews?",
    symptom=below(BAR),
)
