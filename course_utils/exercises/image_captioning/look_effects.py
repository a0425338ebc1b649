"""Which look made which word: `look_effects(step, tokens, right, state, regions, others)`.

(B, T), (B, T), (h, c), (B, R, D), (B, R, D) -> (T, T).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.toys import Toy


def cases(draw: Draw) -> list[Case]:
    batch, words, regions, dim, hidden = draw.sizes(5, low=2, high=7)
    vocabulary = 9

    def toy() -> Toy:
        weights = {
            "asks": draw.normal(hidden, dim),
            "sees": draw.normal(dim, hidden),
            "reads": draw.normal(vocabulary, hidden, scale=0.5),
            "keeps": draw.normal(hidden, hidden, scale=0.7 * hidden**-0.5),
            "says": draw.normal(hidden, vocabulary),
        }
        return Toy("look_step", weights)

    def case(
        label: str,
        batch: int = batch,
        words: int = words,
        regions: int = regions,
        group: str = "basic",
    ) -> Case:
        tokens, right = (draw.integers(0, vocabulary - 1, batch, words) for _ in range(2))
        state = 0.5 * draw.normal(batch, hidden), 0.5 * draw.normal(batch, hidden)
        views = draw.normal(batch, regions, dim), draw.normal(batch, regions, dim)
        return Case(label, args=(toy(), tokens, right, state, *views), group=group)

    one, none = torch.ones(1, 1), torch.zeros(1, 1)
    adding = {"asks": none, "sees": one, "reads": torch.zeros(2, 1), "keeps": none}
    adding |= {"says": torch.tensor([[1.0, -1.0]]), "bend": torch.zeros(())}
    words_of_the_text = torch.zeros(1, 2, dtype=torch.long)
    example = (
        Toy("look_step", adding),
        words_of_the_text,
        words_of_the_text,
        (none, none),
        torch.ones(1, 1, 1),
        torch.zeros(1, 1, 1),
    )
    return [
        Case("the example of the text: a step that adds up", args=example),
        case(f"{batch} captions of {words} words"),
        case(f"{words} captions of {batch} words", words, batch),
        case("more words and pictures", batch + 2, words + 2, regions + 1),
        case("one word", words=1, group="edge"),
        case("one caption", batch=1, group="edge"),
        case("one region", regions=1, group="edge"),
    ]


EXERCISE = Exercise(
    name="look_effects",
    points=4,
    section="What a map shows, and what it does not",
    kind="callable",
    reference=ref.look_effects,
    returns=("effects (T, T)",),
    cases=cases,
    tolerance=1e-4,
    picture=weights_picture(0, "looks", "words"),
)


def run(
    args: tuple[Any, ...],
    changed: Callable[[int], bool],
    reading: Callable[[Tensor, Tensor], Tensor] = lambda logits, word: logits.gather(
        1, word[:, None]
    )[:, 0],
    remembers: bool = True,
    own_words: bool = False,
) -> Tensor:
    """(B, T): what is read off the logits of each step, with the looks changed where said."""
    step, tokens, right, state, regions, others = args
    now, found, token = state, [], tokens[:, 0]
    for t in range(tokens.shape[1]):
        view = others if changed(t) else regions
        logits, new, _ = step(token if own_words else tokens[:, t], now, view)
        found.append(reading(logits, right[:, t]))
        now, token = (new if remembers else state), logits.argmax(-1)
    return torch.stack(found, 1)


def effects(
    changed: Callable[[int, int], bool] = lambda step, t: step == t,
    drop: Callable[[Tensor, Tensor], Tensor] = lambda before, after: (before - after).mean(0),
    **options: Any,
) -> Callable[..., Tensor]:
    """look_effects with one of its parts exchanged; `changed(step, t)`: is this step's look
    changed in the run for look t?"""

    def variant(*args: Any) -> Tensor:
        def changing(t: int) -> Tensor:
            return run(args, lambda step: changed(step, t), **options)

        before = run(args, lambda step: False, **options)
        return torch.stack([drop(before, changing(t)) for t in range(args[1].shape[1])])

    return variant


EXERCISE.misconception(
    "changed-from-there-on",
    "All later looks are changed too",
    "From step t on you show the other pictures at every step. Then nobody can tell which of "
    "these looks did it: change one, and let all others see what they saw.",
    effects(lambda step, t: step >= t),
)

EXERCISE.misconception(
    "changes-stay",
    "Earlier changes stay",
    "In the run for look t the looks before it are changed as well. Each run begins with the "
    "unchanged picture and changes one look.",
    effects(lambda step, t: step <= t),
)

EXERCISE.misconception(
    "all-but-one",
    "Every look but one is changed",
    "You change all looks except t. That asks what one look can do alone; here the question is "
    "what is missing without it.",
    effects(lambda step, t: step != t),
)

EXERCISE.misconception(
    "nothing-remembered",
    "Every step starts from the first state",
    "Each of your steps gets the state that was handed in. Then no look can have an effect on a "
    "later word, and your matrix is zero beside its diagonal. Pass the new state on.",
    effects(remembers=False),
)

EXERCISE.misconception(
    "only-its-own-word",
    "Only the word after the look",
    "You note what becomes of word t when look t is changed, and nothing of the later words. "
    "What the state has kept of the look is the most interesting part.",
    lambda *args: torch.diag(ref.look_effects(*args).diagonal()),
    lambda *args: ref.look_effects(*args).diagonal(),
)

EXERCISE.misconception(
    "sign-reversed",
    "After minus before",
    "Your signs are reversed: where the right word loses, you have a negative number. How far it "
    "falls is before minus after.",
    effects(drop=lambda before, after: (after - before).mean(0)),
)

EXERCISE.misconception(
    "size-without-sign",
    "The size of the change, without its sign",
    "You average absolute changes. A look that speaks against the right word then counts like "
    "one that speaks for it.",
    effects(drop=lambda before, after: (before - after).abs().mean(0)),
)

EXERCISE.misconception(
    "only-the-changed-run",
    "The logit itself, not its fall",
    "You return the logits of the changed run. What the look was worth is the difference to the "
    "run in which nothing was changed.",
    effects(drop=lambda before, after: after.mean(0)),
)

EXERCISE.misconception(
    "highest-logit",
    "The highest logit, whatever its word",
    "You follow the highest logit. When another word takes over, it hides how far the right one "
    "has fallen: read the logit of the right word in both runs.",
    effects(reading=lambda logits, word: logits.amax(-1)),
)

EXERCISE.misconception(
    "probabilities",
    "Probabilities instead of logits",
    "You put a softmax on the logits. Near 1 a probability hardly moves, however much is taken "
    "away. The text asks for logits.",
    effects(reading=lambda logits, word: logits.softmax(-1).gather(1, word[:, None])[:, 0]),
    effects(reading=lambda logits, word: logits.log_softmax(-1).gather(1, word[:, None])[:, 0]),
)

EXERCISE.misconception(
    "the-word-read",
    "The word that was read, not the one to come",
    "You follow the logit of `tokens`, the words that go *into* the steps. What a step should "
    "say is in `right`.",
    lambda step, tokens, right, *others: ref.look_effects(step, tokens, tokens, *others),
)

EXERCISE.misconception(
    "reads-its-own-words",
    "It reads its own words",
    "You feed the likeliest word into the next step. After a wrong word everything differs, and "
    "the effect of the look cannot be told from that of the word. Feed the given `tokens`.",
    effects(own_words=True),
)

EXERCISE.misconception(
    "looks-and-words-swapped",
    "Looks and words are swapped",
    "Your matrix is transposed: a row belongs to the look that was changed, a column to the word. "
    "A look cannot have an effect on an earlier word, so what stands below the diagonal?",
    lambda *args: ref.look_effects(*args).mT,
)

EXERCISE.misconception(
    "not-averaged",
    "One matrix for each caption",
    "You keep the captions apart. The text asks for the mean over them: (T, T).",
    effects(drop=lambda before, after: before - after),
    lambda *args: effects(drop=lambda before, after: before - after)(*args).transpose(0, 1),
)

EXERCISE.misconception(
    "summed-over-captions",
    "The sum over the captions",
    "You add up the captions. With twice as many of them all effects would be twice as large: "
    "take the mean.",
    effects(drop=lambda before, after: (before - after).sum(0)),
)
