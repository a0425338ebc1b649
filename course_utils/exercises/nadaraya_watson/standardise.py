"""One ruler for all: `standardise(train, test)`.

(N, D), (M, D) -> (N, D), (M, D): both tables on the scale of the training data.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.judging.exercise import Case, Draw, Exercise

Tables = tuple[Tensor, Tensor]


def standardise(train: Tensor, test: Tensor) -> Tables:
    mean, deviation = ruler(train)
    return (train - mean) / deviation, (test - mean) / deviation


def ruler(table: Tensor) -> Tables:
    """Mean and deviation of the columns; a constant column is only centred."""
    return table.mean(0), guarded(table.std(0))


def guarded(deviation: Tensor) -> Tensor:
    return torch.where(deviation == 0, torch.ones_like(deviation), deviation)


def table(draw: Draw, rows: int, columns: int) -> Tensor:
    """Every column with its own centre and its own spread."""
    spread, centre = draw.uniform(columns, low=0.5, high=5), draw.uniform(columns, low=3, high=9)
    return draw.normal(rows, columns) * spread + centre


def with_constant(draw: Draw, rows: int, columns: int) -> Tensor:
    """One column of a single number, in which the mean has no rounding error."""
    known = table(draw, rows, columns)
    known[:, draw.integer(0, columns - 1)] = float(draw.integer(2, 7))
    return known


def cases(draw: Draw) -> list[Case]:
    n, m, d, e = draw.sizes(4, low=3, high=8)
    towns = torch.tensor([[60_000.0, 1.0], [70_000.0, 5.0], [85_000.0, 3.0]])
    new = torch.tensor([[64_000.0, 2.0], [91_000.0, 4.0]])
    return [
        Case("three towns, two new ones", args=(towns, new)),
        Case(f"{n} rows, {m} new ones", args=(table(draw, n, d), table(draw, m, d))),
        Case("new rows from elsewhere", args=(table(draw, m, e), 30 - 4 * table(draw, n, e))),
        Case(f"{e} columns", args=(table(draw, n, e), table(draw, m, e))),
        Case("one new row", args=(table(draw, m, d), table(draw, 1, d)), group="edge"),
        Case("two known rows", args=(table(draw, 2, e), table(draw, n, e)), group="edge"),
        Case(
            "a column that is constant in train",
            args=(with_constant(draw, n, d), table(draw, m, d)),
            group="edge",
        ),
        Case(
            "the same with numbers to read",
            args=(torch.tensor([[1.0, 4.0], [3.0, 4.0]]), torch.tensor([[2.0, 9.0]])),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="standardise",
    points=2,
    section="Units decide who is a neighbour",
    reference=standardise,
    returns=("train (N, D)", "test (M, D)"),
    cases=cases,
)


def measured_by(of_train: Callable[[Tensor, Tensor], Tables]) -> Callable[..., Tables]:
    """Both tables, by whatever mean and deviation `of_train(train, test)` gives; as a variant."""

    def variant(train: Tensor, test: Tensor) -> Tables:
        mean, deviation = of_train(train, test)
        return (train - mean) / deviation, (test - mean) / deviation

    return variant


def own(table: Tensor) -> Tensor:
    mean, deviation = ruler(table)
    return (table - mean) / deviation


EXERCISE.misconception(
    "its-own-ruler",
    "The new rows are measured with their own ruler",
    "You standardise `test` with the mean and deviation of `test`. Then the same town lands "
    "somewhere else whenever its neighbours in the table change, and a single new row has no "
    "deviation at all. Which numbers were known before the new rows came?",
    lambda train, test: (own(train), own(test)),
    lambda train, test: (own(train), (test - test.mean(0)) / test.std(0)),
)

EXERCISE.misconception(
    "its-own-mean",
    "The new rows are centred by themselves",
    "You divide `test` by the deviation of `train`, which is right, but subtract the mean of "
    "`test`. Its centre is moved to 0 wherever it was: a table of large towns would look like a "
    "table of small ones.",
    lambda train, test: (own(train), (test - test.mean(0)) / ruler(train)[1]),
)

EXERCISE.misconception(
    "its-own-mean",
    "The new rows have their own deviation",
    "You subtract the mean of `train`, which is right, but divide `test` by its own deviation. "
    "Both numbers of the ruler come from the known rows.",
    lambda train, test: (own(train), (test - train.mean(0)) / ruler(test)[1]),
    lambda train, test: (own(train), (test - train.mean(0)) / test.std(0)),
)

EXERCISE.misconception(
    "ruler-of-both",
    "The test data has had a hand in the ruler",
    "You take mean and deviation over both tables together. So the training rows change when "
    "other test rows come along: what should be tested has already been used. The ruler is made "
    "of `train` alone.",
    measured_by(lambda train, test: ruler(torch.cat([train, test]))),
)

EXERCISE.misconception(
    "ruler-of-the-result",
    "The ruler is taken after the change",
    "Your `test` comes back as it was: you standardise `train` first, and then take mean and "
    "deviation of the result, which are 0 and 1. Keep the two numbers of the original table.",
    lambda train, test: (own(train), test),
)

EXERCISE.misconception(
    "one-ruler-for-all-columns",
    "One mean for all columns",
    "You take one mean and one deviation over the whole table: people and percentages are mixed, "
    "and the column with the large numbers decides for all. Each column has its own; which axis "
    "do the rows lie along?",
    measured_by(lambda train, test: (train.mean(), train.std())),
    measured_by(lambda train, test: (train.mean(0), train.std())),
    measured_by(lambda train, test: (train.mean(), ruler(train)[1])),
)

EXERCISE.misconception(
    "along-the-row",
    "Along the row instead of down the column",
    "You take mean and deviation over the features of one row: a population is compared with an "
    "income. What has to be compared are the rows, in one column.",
    lambda train, test: (own(train.T).T, own(test.T).T),
)

EXERCISE.misconception(
    "divides-by-n",
    "The deviation of a population, not of a sample",
    "Your deviations are a little too small: you divide the sum of squares by N. Asked for is "
    "torch's `std` as it comes, which divides by N − 1.",
    measured_by(lambda train, test: (train.mean(0), guarded(train.std(0, correction=0)))),
)

EXERCISE.misconception(
    "variance-for-deviation",
    "Divided by the variance",
    "You divide by the variance. It has the square of the units, so the result has a unit again "
    "(one over people). Its root has the units of the column.",
    measured_by(lambda train, test: (train.mean(0), guarded(train.var(0)))),
    measured_by(lambda train, test: (train.mean(0), train.var(0))),
)

EXERCISE.misconception(
    "only-centred",
    "Centred, but not scaled",
    "You subtract the means and stop. A column in people still outweighs a column in percent by "
    "a factor of thousands.",
    measured_by(lambda train, test: (train.mean(0), torch.ones_like(train[0]))),
)

EXERCISE.misconception(
    "only-scaled",
    "Scaled, but not centred",
    "You divide by the deviation without subtracting the mean first.",
    measured_by(lambda train, test: (torch.zeros_like(train[0]), ruler(train)[1])),
    lambda train, test: (own(train), test / ruler(train)[1]),
)


def span(train: Tensor, test: Tensor) -> Tables:
    low, high = train.amin(0), train.amax(0)
    return low, guarded(high - low)


EXERCISE.misconception(
    "min-max",
    "The range instead of the deviation",
    "You map each column to the range from 0 to 1. That is another scale, which a single extreme "
    "row can crush. Asked for are mean and standard deviation.",
    measured_by(span),
    measured_by(lambda train, test: ((low := train.amin(0)), train.amax(0) - low)),
)

EXERCISE.misconception(
    "divides-by-zero",
    "A constant column gives NaN",
    "In a column that is constant in `train` the deviation is 0, and 0 / 0 is NaN. The text says "
    "what to do there: subtract the mean, do not divide.",
    measured_by(lambda train, test: (train.mean(0), train.std(0))),
)

EXERCISE.misconception(
    "epsilon-for-zero",
    "Almost zero is a divisor too",
    "You keep the division from failing by a tiny number. In a column that is constant in "
    "`train` a new row that differs by 1 then becomes a hundred million. Which divisor leaves a "
    "column as it is?",
    measured_by(lambda train, test: (train.mean(0), train.std(0).clamp(min=1e-8))),
    measured_by(lambda train, test: (train.mean(0), train.std(0) + 1e-8)),
    measured_by(lambda train, test: (train.mean(0), train.std(0) + 1e-6)),
    measured_by(lambda train, test: (train.mean(0), train.std(0).clamp(min=1e-6))),
)


def constant(train: Tensor) -> Tensor:
    return train.std(0) == 0


@EXERCISE.misconception(
    "constant-column-erased",
    "A constant column is erased",
    "Where a column is constant in `train`, you set it to 0 in `test` too. But new rows may "
    "differ there, and the model should see it: subtract the mean, and leave what remains.",
)
def erased(train: Tensor, test: Tensor) -> Tables:
    a, b = standardise(train, test)
    return a, b.masked_fill(constant(train), 0.0)


@EXERCISE.misconception(
    "constant-column-untouched",
    "A constant column is left as it was",
    "A column that is constant in `train` comes back unchanged. Its mean must be subtracted as "
    "everywhere; only the division is left out.",
)
def untouched(train: Tensor, test: Tensor) -> Tables:
    a, b = standardise(train, test)
    same = constant(train)
    return torch.where(same, train, a), torch.where(same, test, b)
