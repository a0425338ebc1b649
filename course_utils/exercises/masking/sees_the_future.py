"""A detector for leaks: `sees_the_future(layer, x)`.

layer: (B, T, D) -> (B, T, E); x (B, T, D) -> True or False.
"""

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden, Property
from course_utils.judging.runner import Outcome
from course_utils.judging.toys import Toy


def cases(draw: Draw) -> list[Case]:
    b, t, d, e = draw.sizes(4, low=3, high=7)

    def layer(
        *leaks: tuple[int, int, float],
        steps: int = t,
        features: Tensor | None = None,
        diagonal: int = 0,
        size: float = 1.0,
        **form: Tensor,
    ) -> Toy:
        """A layer that mixes time steps: the past freely, the future only where `leaks` say so."""
        time = (
            draw.uniform(steps, steps, low=0.2, high=0.5) * draw.normal(steps, steps).sign()
        ).tril(diagonal) * size
        for to, from_, weight in leaks:
            time[to, from_] = weight
        return Toy(
            "time_mix",
            {
                "time": time,
                "features": draw.normal(d, e, scale=0.5) if features is None else features,
            }
            | form,
        )

    def x(batch: int = b, steps: int = t) -> Tensor:
        return draw.normal(batch, steps, d)

    early, late, middle = 0, t - 1, draw.integer(0, t - 2)
    loud = x()
    # In the first sentence the layer's tanh is saturated: nothing moves there
    loud[0] = 3e4 * (1 + draw.uniform(t, d))
    blind = draw.normal(d, e, scale=0.7)
    # Adding a constant to all features changes nothing, as after a layer norm
    blind = blind - blind.mean(0)
    one = torch.ones(())
    layers = [
        ("a causal layer", layer(), x(), "basic"),
        ("every step sees everything", layer(diagonal=t), x(), "basic"),
        (
            f"step {middle} sees the next one, nothing else leaks",
            layer((middle, middle + 1, 0.4)),
            x(),
            "basic",
        ),
        (
            "the first step sees the last one, nothing else leaks",
            layer((early, late, 0.4)),
            x(),
            "basic",
        ),
        ("only the past: not even itself", layer(diagonal=-1), x(), "basic"),
        ("the last step but one sees the last", layer((late - 1, late, 0.4)), x(), "edge"),
        ("the first step sees the second", layer((0, 1, 0.4)), x(), "edge"),
        (
            "a weak leak",
            layer((middle, middle + 1, 3e-6), size=0.02, features=draw.normal(d, e).sign() / 2),
            x(),
            "edge",
        ),
        (
            "a leak that the first sentence of the batch does not show",
            layer((early, late, 0.3), features=draw.uniform(d, e, low=0.3, high=0.7)),
            loud,
            "edge",
        ),
        (
            "a leak that a constant shift does not show",
            layer((middle, middle + 1, 0.5), features=blind),
            x(),
            "edge",
        ),
        (
            "a leak that doubling does not show",
            layer((t // 2 - 1, t // 2, 0.5), unit=one),
            x(),
            "edge",
        ),
        (
            "a leak that the sum of the features does not show",
            layer((middle, middle + 1, 0.5), centred=one),
            x(),
            "edge",
        ),
        (
            "a leak into a single number",
            layer((middle, middle + 1, 2.0), features=draw.uniform(d, 1, low=0.1, high=0.3)),
            x(batch=1),
            "edge",
        ),
        ("a causal layer whose rounding depends on the future", *rounding(draw, b, t, d), "edge"),
        ("the same with outputs near 0", *rounding(draw, b, t, d, 5e-5, 0.3), "edge"),
        ("one step: there is no future", layer(steps=1), x(steps=1), "edge"),
        ("a causal layer, a single sentence", layer(), x(batch=1), "edge"),
    ]
    return [Case(label, args=(toy, data), group=group) for label, toy, data, group in layers]


def rounding(
    draw: Draw, b: int, t: int, d: int, size: float = 1.0, further: float = 1.0
) -> tuple[Toy, Tensor]:
    """A causal layer in which the future is added and subtracted again: outputs of .1 to .4 (times
    `size`) move by less than 1e-7. Nothing depends on the future, and every gradient says so."""
    past = draw.uniform(t, t, low=0.5, high=1.0).tril()
    features = draw.uniform(d, 5, low=0.5, high=1.0)
    weights = {
        "time": size * past / past.sum(-1, keepdim=True),
        "rounded": further * draw.uniform(t, t, low=0.01, high=0.03).triu(1),
        "features": 0.25 * features / features.sum(0),
    }
    return Toy("time_mix", weights), draw.uniform(b, t, d, low=0.5, high=1.5)


def is_a_bool() -> Property:
    """True or False, as a Python value or a tensor of one."""

    def broken(case: Case, got: Outcome) -> str | None:
        value = got.value
        fine = isinstance(value, bool) or (
            isinstance(value, Tensor) and value.dtype == torch.bool and value.numel() == 1
        )
        return None if fine else f"the answer is {type(value).__name__}, not True or False"

    return Property("answers True or False", broken)


EXERCISE = Exercise(
    name="sees_the_future",
    points=5,
    section="A test that catches the leak",
    kind="callable",
    reference=ref.sees_the_future,
    returns=("True or False",),
    cases=cases,
    limit=15.0,  # a whole Jacobian is a right answer, and slow
    properties=(is_a_bool(),),
    forbidden=(
        Forbidden(
            "A layer is judged by what it does, not by what it is made of: call it, and do not "
            "look inside.",
            names=(
                "_mixing",
                "_form",
                "__dict__",
                "state_dict",
                "parameters",
                "named_parameters",
                "buffers",
                "_modules",
            ),
            test=lambda tree: bool(syntax.calls(tree, "vars") or syntax.calls(tree, "dir")),
        ),
    ),
)

EXERCISE.misconception(
    "inverted",
    "The answer is the wrong way round",
    "You answer True for layers that are causal. The question is whether the layer *sees* the "
    "future.",
    lambda layer, x: not ref.sees_the_future(layer, x),
)


COMPARES_TOO_MUCH = (
    "You also compare positions whose own input you changed; they change in every layer, "
    "causal or not. Which positions must stay as they were?"
)

EXERCISE.misconception(
    "always-true",
    "Every layer is accused",
    COMPARES_TOO_MUCH,
    lambda layer, x: True,
)

EXERCISE.misconception(
    "always-false",
    "No layer is ever accused",
    "You answer False for every layer, also for one in which every step sees everything. Is the "
    "output computed again after the change, and from the changed input, changed along the axis "
    "of time?",
    lambda layer, x: False,
)


def probe(
    change: Callable[[Tensor, int], Tensor],
    seen: Callable[[Tensor, int], Tensor] = lambda out, t: out[:, :t],
    steps: Callable[[int], Any] = lambda length: range(1, length),
    atol: float = 1e-6,
) -> Callable[[Callable[[Tensor], Tensor], Tensor], bool]:
    """The perturbation test with another change, another look or other steps, as a variant."""

    def variant(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
        before = layer(x)
        return any(
            not torch.allclose(seen(layer(change(x, t)), t), seen(before, t), atol=atol)
            for t in steps(x.shape[1])
        )

    return variant


def noise(x: Tensor) -> Tensor:
    return torch.randn(x.shape, generator=torch.Generator().manual_seed(1))


def random_future(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], x[:, t:] + noise(x)[:, t:]], dim=1)


EXERCISE.misconception(
    "compares-changed-steps",
    "Changed steps are compared as well",
    COMPARES_TOO_MUCH,
    probe(random_future, seen=lambda out, t: out),
)

EXERCISE.misconception(
    "includes-the-present",
    "A step may depend on itself",
    "You change step t and expect output t to stay the same. A layer may look at the present; "
    "only what lies *before* the change must not move.",
    probe(random_future, seen=lambda out, t: out[:, : t + 1]),
)


def other_past(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t] + noise(x)[:, :t], x[:, t:]], dim=1)


def assigns_to_the_past(tree: ast.AST) -> bool:
    """Is there an assignment such as z[:, :t] = …?"""
    targets = [t for n in ast.walk(tree) if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in ast.walk(tree) if isinstance(n, ast.AugAssign)]
    slices = [t.slice for t in targets if isinstance(t, ast.Subscript)]
    steps = [s.elts[1] for s in slices if isinstance(s, ast.Tuple) and len(s.elts) > 1]
    return any(
        isinstance(step, ast.Slice) and step.lower is None and step.upper is not None
        for step in steps
    )


EXERCISE.misconception(
    "changes-the-past",
    "The past is changed",
    "You change earlier steps and look at later outputs. That they move is what a layer is for. "
    "Change the future, look at the past.",
    probe(other_past, seen=lambda out, t: out[:, t:]),
    syntax=assigns_to_the_past,
)

EXERCISE.misconception(
    "misses-one-step",
    "A leak by one step slips through",
    "You leave out the position right before the change, so a leak by a single step slips "
    "through. That is the most frequent leak of all: the next word.",
    probe(random_future, seen=lambda out, t: out[:, : t - 1]),
)

EXERCISE.misconception(
    "only-the-last-step",
    "Only the last step is changed",
    "You change the last step only. A layer may leak from any other step: each of them must be "
    "tried.",
    probe(random_future, steps=lambda length: range(max(length - 1, 1), length)),
)

EXERCISE.misconception(
    "only-the-first-output",
    "Only the first output is looked at",
    "You look at the first output only. A leak into any other position goes unseen.",
    probe(random_future, seen=lambda out, t: out[:, :1]),
)

EXERCISE.misconception(
    "one-cut",
    "Only one place to cut",
    "You cut the sequence once, in the middle. A leak from one step to the next inside a half "
    "goes unseen: cut everywhere.",
    probe(random_future, steps=lambda length: [length // 2] if length > 1 else []),
)


def random_step(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], x[:, t : t + 1] + noise(x)[:, t : t + 1], x[:, t + 1 :]], dim=1)


EXERCISE.misconception(
    "only-the-next-step",
    "Only the neighbour is looked at",
    "You change step t and look at output t - 1 only. A leak from far ahead goes unseen: all "
    "earlier outputs must stay as they were.",
    probe(random_step, seen=lambda out, t: out[:, t - 1 : t]),
)

EXERCISE.misconception(
    "loose-tolerance",
    "Weak leaks are forgiven",
    "Your tolerance is so large that a weak leak passes. An output that must not depend on "
    "something does not change at all, but for rounding (about 1e-6).",
    *(probe(random_future, atol=atol) for atol in (1e-1, 1e-2, 1e-3, 1e-4)),
)


def differs_by_more_than(limit: float) -> Callable[[Callable[[Tensor], Tensor], Tensor], bool]:
    """The perturbation test with an absolute limit."""

    def variant(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
        before, steps = layer(x), range(1, x.shape[1])
        moved = [(layer(random_future(x, t)) - before)[:, :t].abs().max() for t in steps]
        return any(bool(each > limit) for each in moved)

    return variant


EXERCISE.misconception(
    "flags-rounding",
    "Rounding is taken for a leak",
    "You allow no difference at all, or next to none. Where numbers are added in another order, "
    "the last digit may differ although nothing depends on the future. The text says from where "
    "on a difference counts.",
    *(differs_by_more_than(limit) for limit in (0.0, 1e-10, 1e-9)),
)


EXERCISE.misconception(
    "doubled-future",
    "A change that the layer cannot see",
    "You multiply the future by a number. A layer that looks at directions only, as after a "
    "normalisation, does not notice that: change at random.",
    probe(lambda x, t: torch.cat([x[:, :t], 2 * x[:, t:]], dim=1)),
)


@EXERCISE.misconception(
    "gradient-of-a-sum",
    "The gradient of a plain sum",
    "You take the gradient of the sum of an output's features. Where these always sum to the same "
    "number, as after a layer norm, it is 0 whatever the layer sees. Weigh the features "
    "differently, for example at random.",
)
def gradient_of_the_sum(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    x = x.clone().requires_grad_()
    y = layer(x)
    seen = [torch.autograd.grad(y[:, t].sum(), x, retain_graph=True)[0] for t in range(x.shape[1])]
    return any(bool((g[:, t + 1 :].abs() > 1e-7).any()) for t, g in enumerate(seen))


@EXERCISE.misconception(
    "one-sided",
    "Only changes upwards count",
    "You look at the difference without `abs`: an output that becomes smaller goes unseen.",
)
def one_sided(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    before, steps = layer(x), range(1, x.shape[1])
    return any(bool((layer(random_future(x, t)) - before)[:, :t].max() > 1e-6) for t in steps)


EXERCISE.misconception(
    "first-sentence-only",
    "Only the first sentence is looked at",
    "You look at the first sentence of the batch only. A leak may show in others (here the first "
    "one drives the layer into saturation, where nothing moves).",
    probe(random_future, seen=lambda out, t: out[:1, :t]),
)


def constant_future(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], x[:, t:] + 1], dim=1)


EXERCISE.misconception(
    "constant-shift",
    "A change that the layer cannot see",
    "You add the same number to all features. Many layers do not notice that (a layer norm never "
    "does): change at random.",
    probe(constant_future),
)


def nan_future(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], torch.full_like(x[:, t:], torch.nan)], dim=1)


EXERCISE.misconception(
    "nan-probe",
    "NaN goes through every mask",
    "You put NaN into the future and see whether it spreads. It does even through a weight of "
    "exactly 0, because 0 · NaN is NaN: causal layers are accused.",
    probe(nan_future),
    syntax=lambda tree: (
        syntax.uses(tree, "nan", "isnan", "full_like")
        or any(getattr(n, "value", None) == "nan" for n in ast.walk(tree))
    ),
)
