"""Looks at the predictions of a trained classifier."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course_utils.judging.exercise import Case, Draw, Outcome

BAR = 0.9  # the share of unseen reviews that must be right


@dataclass(frozen=True, eq=False)
class Marked:
    """Looks at the predictions for reviews that were never seen: are nine of ten right?"""

    classes: int
    labels: Tensor  # (M,): the impression named last
    rivals: Tensor  # (M,): the one named first

    def logits(self, outcome: Outcome) -> Tensor | None:
        """(M, classes), or None if that is not what the model returned."""
        logits = outcome.values[1] if len(outcome.values) > 1 else None
        fits = isinstance(logits, Tensor) and logits.shape == (len(self.labels), self.classes)
        return logits if fits else None

    def share(self, outcome: Outcome, labels: Tensor) -> float:
        """How often the prediction is this label."""
        logits = self.logits(outcome)
        return 0.0 if logits is None else float((logits.argmax(-1) == labels).double().mean())

    def __call__(self, outcome: Outcome) -> str | None:
        if self.logits(outcome) is None:
            return (
                f"the model should return logits of shape ({len(self.labels)}, {self.classes}) "
                f"for {len(self.labels)} reviews"
            )
        if self.probabilities(outcome):
            return "the model returns probabilities, not logits: every row sums to one"
        right = self.share(outcome, self.labels)
        return (
            None
            if right >= BAR
            else f"the model gets {right:.0%} of the unseen reviews right, {BAR:.0%} are asked for"
        )

    def probabilities(self, outcome: Outcome) -> bool:
        """Has a softmax been applied already?"""
        logits = self.logits(outcome)
        return logits is not None and bool(
            (logits >= 0).all() and ((logits.double().sum(-1) - 1).abs() < 1e-4).all()
        )


def shuffle_words(draw: Draw, tokens: Tensor, lengths: Tensor) -> Tensor:
    """The same words in another order; the padding stays at the end."""
    rows = [
        torch.cat([row[draw.permutation(length)], row[length:]])
        for row, length in zip(tokens, lengths.tolist(), strict=True)
    ]
    return torch.stack(rows)


def apart(one: Any, other: Any) -> bool:
    """Do two answers for the same sequences differ by more than rounding?"""
    if not isinstance(one, Tensor) or not isinstance(other, Tensor) or one.shape != other.shape:
        return True
    return not torch.allclose(
        one.double(),
        other.double(),
        rtol=1e-3,
        atol=1e-3 * max(1.0, float(one.double().std(unbiased=False).nan_to_num())),
        equal_nan=True,
    )


def wavers(case: Case, got: Outcome) -> bool:
    return apart(got.values[3], got.values[4])


def depends_on_neighbours(case: Case, got: Outcome) -> bool:
    everything = got.values[1]
    return not wavers(case, got) and any(
        apart(everything[: len(part)] if isinstance(everything, Tensor) else None, got.values[at])
        for at, part in ((2, case.then[1].args[0]), (6, case.then[5].args[0]))
    )


def depends_on_padding(case: Case, got: Outcome) -> bool:
    return (
        not wavers(case, got)
        and not depends_on_neighbours(case, got)
        and apart(got.values[4], got.values[5])
    )


def marked(case: Case) -> Marked:
    assert isinstance(case.verify, Marked)
    return case.verify


def below(bar: float) -> Callable[[Case, Outcome], bool]:
    return lambda case, got: (
        marked(case).logits(got) is not None and marked(case).share(got, marked(case).labels) < bar
    )


def blind_to_order(case: Case, got: Outcome) -> bool:
    """The same words in another order get the same answer, and it is not because there is no
    other."""
    mark = marked(case)
    found = mark.share(got, mark.labels) + mark.share(got, mark.rivals)
    return found > 0.75 and not apart(got.values[2], got.values[7])


def loses_the_batch(case: Case, got: Outcome) -> bool:
    """One review gives (classes,) instead of (1, classes)."""
    alone = got.values[6]
    return isinstance(alone, Tensor) and alone.shape == (marked(case).classes,)


def nothing_learned(case: Case, got: Outcome) -> bool:
    return below(1 / marked(case).classes + 0.15)(case, got)
