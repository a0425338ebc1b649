"""Warm-up: `warmup_rate(step, dim, warmup)` -> float."""

from course_utils import transformer_decoder as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.promises import all_of, positive


def cases(draw: Draw) -> list[Case]:
    dim, warmup = draw.integer(8, 40), draw.integer(20, 60)

    def at(label: str, step: int, group: str = "basic") -> Case:
        return Case(
            f"{label}: step {step}, dim {dim}, warmup {warmup}",
            args=(step, dim, warmup),
            group=group,
        )

    return [
        at("rising", draw.integer(2, warmup // 2)),
        at("falling", draw.integer(2 * warmup, 5 * warmup)),
        at("at the top", warmup),
        at("just before the top", warmup - 1),
        at("just after the top", warmup + 1),
        at("the first step", 1, "edge"),
        Case(
            "as in the paper: dim 512, warmup 4000, at the top",
            args=(4000, 512, 4000),
            group="edge",
        ),
        Case("no warm-up to speak of: warmup 1", args=(draw.integer(2, 9), dim, 1), group="edge"),
        Case("the first step of a warm-up of one step", args=(1, dim, 1), group="edge"),
    ]


EXERCISE = Exercise(
    name="warmup_rate",
    points=2,
    section="Warm-up: small steps first",
    reference=ref.warmup_rate,
    returns=("the learning rate, a number",),
    cases=cases,
    tolerance=1e-6,
    promised=all_of(positive(0), positive(2)),
)

EXERCISE.misconception(
    "max-instead-of-min",
    "The larger of the two curves",
    "You take the larger of the two: the rate starts high, falls, and then grows for ever. Draw "
    "both curves over the step and see which one should rule at which time.",
    lambda step, dim, warmup: dim**-0.5 * max(step**-0.5, step * warmup**-1.5),
)

EXERCISE.misconception(
    "dim-upside-down",
    "Wide models get larger steps",
    "You multiply by the root of `dim`. Wide models need smaller steps: look at the sign of the "
    "exponent.",
    lambda step, dim, warmup: dim**0.5 * min(step**-0.5, step * warmup**-1.5),
)

EXERCISE.misconception(
    "dim-ignored",
    "The width plays no part",
    "Your rate does not depend on `dim`. The first factor is missing.",
    lambda step, dim, warmup: min(step**-0.5, step * warmup**-1.5),
)

EXERCISE.misconception(
    "dim-not-rooted",
    "Divided by dim, not by its root",
    "You divide by `dim` itself. The exponent is -0.5, not -1.",
    lambda step, dim, warmup: min(step**-0.5, step * warmup**-1.5) / dim,
)

EXERCISE.misconception(
    "never-falls",
    "It never falls",
    "Your rate rises for ever. After `warmup` steps another curve takes over.",
    lambda step, dim, warmup: dim**-0.5 * step * warmup**-1.5,
)

EXERCISE.misconception(
    "no-warmup",
    "No warm-up",
    "Your rate is largest at the very first step, when Adam's averages know nothing yet. The "
    "rising part is missing.",
    lambda step, dim, warmup: dim**-0.5 * step**-0.5,
)

EXERCISE.misconception(
    "stays-at-the-top",
    "It stays at the top",
    "After the warm-up your rate stays where it is. It should fall with the root of the step.",
    lambda step, dim, warmup: dim**-0.5 * min(warmup**-0.5, step * warmup**-1.5),
)

EXERCISE.misconception(
    "broken-at-the-top",
    "The top is in the wrong place",
    "Your two curves cross before step `warmup`, so that the rate begins to fall too early. Put "
    "step = warmup into both of them: they must give the same number there.",
    lambda step, dim, warmup: dim**-0.5 * min(step**-0.5, step * warmup**-0.5),
    lambda step, dim, warmup: dim**-0.5 * min(step**-0.5, step / warmup),
)

EXERCISE.misconception(
    "counts-from-zero",
    "One step too late",
    "Your curve is shifted by one step: `step` counts from 1 already.",
    lambda step, dim, warmup: ref.warmup_rate(step + 1, dim, warmup),
)

EXERCISE.misconception(
    "counts-from-zero",
    "One step too early",
    "Your curve is shifted by one step: the first step is 1, not 0, and 0 to the power -0.5 does "
    "not exist.",
    lambda step, dim, warmup: dim**-0.5 * min((step - 1) ** -0.5, (step - 1) * warmup**-1.5),
)

EXERCISE.misconception(
    "falls-too-fast",
    "It falls too fast",
    "After the top your rate falls like 1 / step. It should fall with the root of the step: four "
    "times as late, half as large.",
    lambda step, dim, warmup: dim**-0.5 * min(warmup**0.5 / step, step * warmup**-1.5),
)
