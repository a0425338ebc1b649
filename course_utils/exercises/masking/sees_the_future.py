"""A detector for leaks: `sees_the_future(layer, x)`: a callable, (B, T, D) -> True or False."""

from functools import partial

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.exercises.masking import _leaks as leaks
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden, Property
from course_utils.judging.runner import Outcome
from course_utils.judging.toys import Toy


def cases(draw: Draw) -> list[Case]:
    b, t, d, e = draw.sizes(4, low=3, high=7)
    layer = partial(leaks.mixing, draw, t, d, e)

    def x(batch: int = b, steps: int = t) -> Tensor:
        return draw.normal(batch, steps, d)

    def case(label: str, toy: Toy, data: Tensor | None = None, group: str = "edge") -> Case:
        return Case(label, args=(toy, x() if data is None else data), group=group)

    basic = partial(case, group="basic")
    late, middle = t - 1, draw.integer(0, t - 2)
    near = (middle, middle + 1)
    loud = x()
    loud[0] = 3e4 * (1 + draw.uniform(t, d))  # the layer's tanh is saturated: nothing moves there
    signs = draw.normal(8, 16).sign() / 2  # of many features some show a leak, however small it is
    blind, one = rough(draw.normal(d, e, scale=0.3)), torch.ones(())
    # Adding a constant to all features changes nothing, as after a layer norm
    blind[0] -= blind.sum(0)
    soft = draw.normal(d, e, scale=0.15)  # squares must not saturate the tanh
    later = draw.normal(d, e, scale=0.5)
    later[0] = 0.0
    return [
        basic("a causal layer", layer()),
        basic("every step sees everything", layer(diagonal=t)),
        basic(f"step {middle} sees the next one, nothing else leaks", layer((*near, 0.4))),
        basic("the first step sees the last one, nothing else leaks", layer((0, late, 0.4))),
        basic("only the past: not even itself", layer(diagonal=-1)),
        case("the last step but one sees the last", layer((late - 1, late, 0.4))),
        case("the first step sees the second", layer((0, 1, 0.4))),
        case(
            "a weak leak at one of many steps",
            leaks.mixing(draw, 24, 8, 16, (22, 23, 3e-6), size=0.02, features=signs),
            draw.uniform(1, 24, 8, low=0.5, high=1.5),
        ),
        case(
            "a leak that the first sentence of the batch does not show",
            layer((0, late, 0.3), features=draw.uniform(d, e, low=0.3, high=0.7)),
            loud,
        ),
        case(
            "a leak that a constant shift does not show",
            layer((*near, 0.5), features=blind),
            rough(x()),
        ),
        case("a leak that doubling does not show", layer((t // 2 - 1, t // 2, 0.5), unit=one)),
        case(
            "a leak that a change of sign does not show",
            layer((*near, 0.5), even=one, features=soft),
        ),
        case("a leak that the first feature does not show", layer((*near, 0.5), features=later)),
        case("a leak that the sum of the features does not show", layer((*near, 0.5), centred=one)),
        case(
            "a leak into a single number",
            layer((*near, 0.5), size=0.3, features=draw.uniform(d, 1, low=0.1, high=0.3)),
            x(batch=1),
        ),
        case("a causal layer whose rounding depends on the future", *leaks.rounding(draw, b, t, d)),
        case("the same with outputs near 0", *leaks.rounding(draw, b, t, d, 5e-5, 0.3)),
        case("a causal layer with a mask of its own length inside", layer(fixed=one)),
        case("one step: there is no future", leaks.mixing(draw, 1, d, e), x(steps=1)),
        case("a causal layer, a single sentence", layer(), x(batch=1)),
    ]


def rough(x: Tensor) -> Tensor:
    """Rounded so that sums and products are exact: what does not show, not even rounding shows."""
    return (64 * x).round() / 64


def is_a_bool(case: Case, got: Outcome) -> str | None:
    """True or False, as a Python value or a tensor of one."""
    value = got.value
    tensor = isinstance(value, Tensor) and value.dtype == torch.bool and value.numel() == 1
    fine = tensor or isinstance(value, bool)
    return None if fine else f"the answer is {type(value).__name__}, not True or False"


INSIDE = "_mixing _form __dict__ state_dict parameters named_parameters buffers _modules"

EXERCISE = Exercise(
    name="sees_the_future",
    points=5,
    section="A test that catches the leak",
    kind="callable",
    reference=ref.sees_the_future,
    returns=("True or False",),
    cases=cases,
    limit=15.0,  # a whole Jacobian is a right answer, and slow
    properties=(Property("answers True or False", is_a_bool),),
    forbidden=(
        Forbidden(
            "A layer is judged by what it does, not by what it is made of: call it, and do not "
            "look inside.",
            names=tuple(INSIDE.split()),
            test=lambda tree: bool(syntax.calls(tree, "vars") or syntax.calls(tree, "dir")),
        ),
    ),
)

EXERCISE.misconception(
    "inverted",
    "The answer is the wrong way round",
    "You answer True for causal layers. The question is whether the layer *sees* the future.",
    lambda layer, x: not ref.sees_the_future(layer, x),
)

for slug, title, variant in (
    ("always-true", "Every layer is accused", lambda layer, x: True),
    ("compares-changed-steps", "Changed steps are compared as well", leaks.probe(lambda y, t: y)),
):
    EXERCISE.misconception(
        slug,
        title,
        "You also compare positions whose own input you changed; they change in every layer, "
        "causal or not. Which positions must stay as they were?",
        variant,
    )

EXERCISE.misconception(
    "always-false",
    "No layer is ever accused",
    "You answer False for every layer, even for one in which every step sees everything. Is the "
    "output computed again from the changed input, and is that changed along the axis of time?",
    lambda layer, x: False,
)

EXERCISE.misconception(
    "includes-the-present",
    "A step may depend on itself",
    "You change step t and expect output t to stay the same. A layer may look at the present; "
    "only what lies *before* the change must not move.",
    leaks.probe(lambda out, t: out[:, : t + 1]),
)

EXERCISE.misconception(
    "changes-the-past",
    "The past is changed",
    "You change earlier steps and look at later outputs. That they move is what a layer is for. "
    "Change the future, look at the past.",
    leaks.probe(lambda out, t: out[:, t:], leaks.random_past),
    syntax=leaks.assigns_to_the_past,
)

EXERCISE.misconception(
    "misses-one-step",
    "A leak by one step slips through",
    "You leave out the position right before the change, so a leak by a single step slips "
    "through. That is the most frequent leak of all: the next word.",
    leaks.probe(lambda out, t: out[:, : t - 1]),
)

EXERCISE.misconception(
    "only-the-last-step",
    "Only the last step is changed",
    "You change the last step only. A layer may leak from any other step: try each of them.",
    leaks.probe(steps=lambda length: range(max(length - 1, 1), length)),
)

EXERCISE.misconception(
    "only-the-first-output",
    "Only the first output is looked at",
    "You look at the first output only. A leak into any other position goes unseen.",
    leaks.probe(lambda out, t: out[:, :1]),
)

EXERCISE.misconception(
    "one-cut",
    "Only one place to cut",
    "You cut the sequence once, in the middle. A leak from one step to the next inside a half "
    "goes unseen: cut everywhere.",
    leaks.probe(steps=lambda length: [length // 2] if length > 1 else []),
)

EXERCISE.misconception(
    "only-the-next-step",
    "Only the neighbour is looked at",
    "You change step t and look at output t - 1 only. A leak from far ahead goes unseen: all "
    "earlier outputs must stay as they were.",
    leaks.probe(lambda out, t: out[:, t - 1 : t], leaks.random_step),
)

EXERCISE.misconception(
    "loose-tolerance",
    "Weak leaks are forgiven",
    "Your tolerance is so large that a weak leak passes. An output that must not depend on "
    "something does not change at all, but for rounding (about 1e-6).",
    *(leaks.probe(atol=atol) for atol in (1e-1, 1e-2, 1e-3, 1e-4)),
)

EXERCISE.misconception(
    "mean-difference",
    "The difference is averaged",
    "You take the mean of all differences. A leak into one position is lost among "
    "the many that stay as they were: look at the largest difference.",
    leaks.moved(1e-6, largest=torch.mean),
    syntax=lambda tree: syntax.uses(tree, "mean"),
)

EXERCISE.misconception(
    "flags-rounding",
    "Rounding is taken for a leak",
    "You allow no difference at all, or next to none. Where numbers are added in another order, "
    "the last digit may differ although nothing depends on the future. The text says from where "
    "on a difference counts.",
    *(leaks.moved(limit) for limit in (0.0, 1e-10, 1e-9)),
)

EXERCISE.misconception(
    "doubled-future",
    "A change that the layer cannot see",
    "You multiply the future by a number. A layer that looks at directions only, as after a "
    "normalisation, does not notice that: change at random.",
    leaks.probe(change=leaks.future(lambda x: 2 * x)),
)

EXERCISE.misconception(
    "another-length",
    "The future is cut off, not changed",
    "You call the layer with the first steps alone. It may have a mask of the length of `x` "
    "inside, and take no other. Keep all steps, and give the later ones other numbers.",
    leaks.cut_off,
)

EXERCISE.misconception(
    "gradient-of-a-sum",
    "The gradient of a plain sum",
    "You take the gradient of the sum of an output's features. Where these always sum to the same "
    "number, as after a layer norm, it is 0 whatever the layer sees. Weigh the features "
    "differently, for example at random.",
    leaks.gradient_of_the_sum,
)

EXERCISE.misconception(
    "one-sided",
    "Only changes upwards count",
    "You look at the difference without `abs`: an output that becomes smaller goes unseen.",
    leaks.moved(1e-6, size=lambda difference: difference),
)

EXERCISE.misconception(
    "first-sentence-only",
    "Only the first sentence is looked at",
    "You look at the first sentence of the batch only. A leak may show in others (here the first "
    "one drives the layer into saturation, where nothing moves).",
    leaks.probe(lambda out, t: out[:1, :t]),
)

EXERCISE.misconception(
    "constant-shift",
    "A change that the layer cannot see",
    "You add the same number to all features. Many layers do not notice that (a layer norm never "
    "does): change at random.",
    leaks.probe(change=leaks.future(lambda x: x + 1)),
)

EXERCISE.misconception(
    "nan-probe",
    "NaN goes through every mask",
    "You put NaN into the future and see whether it spreads. It does even through a weight of "
    "exactly 0, because 0 · NaN is NaN: causal layers are accused.",
    leaks.probe(change=leaks.future(lambda x: torch.full_like(x, torch.nan))),
    syntax=leaks.mentions_nan,
)
