"""A test for equivariance: `is_equivariant(layer, x)`.

layer: (B, T, D) -> (B, T, E); x (B, T, D) -> True or False.
"""

import ast
from functools import partial

import torch
from torch import Tensor

from course_utils import positional_encoding as ref
from course_utils.exercises.positional_encoding import _orders as orders
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden, Property
from course_utils.judging.runner import Outcome, play


def cases(draw: Draw) -> list[Case]:
    b, t, d, e = draw.sizes(4, low=3, high=6)
    mixed = partial(orders.mixed, draw, d=d, e=e)

    def case(label: str, time: Tensor, group: str = "basic") -> Case:
        return Case(label, args=(mixed(time), draw.normal(b, len(time), d)), group=group)

    edge = partial(case, group="edge")
    fair = partial(orders.fair, draw)
    loud = draw.normal(b, t, d)
    # in the first sentence the layer's tanh is saturated: every step gets the same there
    loud[0] = 3e4 * (1 + draw.uniform(t, d))
    return [
        case("every step counts alike", fair(t)),
        case("three steps that count alike", fair(3)),
        case("a causal layer", fair(t).tril()),
        case("every step has its own weights", orders.own(draw, t)),
        case("one step counts more than the others", orders.special(draw, t, t - 1)),
        case("only the first step is special", orders.special(draw, t, 0)),
        case("only a step in the middle is special", orders.special(draw, 3, 1)),
        case("a neighbour on either side, the same at every step", orders.neighbours(draw, t)),
        case("round in a circle", orders.circle(draw, t)),
        case("round in a circle, either way", orders.ring(draw, max(t, 4))),
        Case(
            "two sentences of six steps, the last of which counts more",
            args=(mixed(orders.special(draw, 6, 5)), draw.normal(2, 6, d)),
        ),
        case("two steps in the middle of six are special", orders.middle_pair(draw)),
        edge("two steps that count alike", fair(2)),
        edge("two steps that do not", orders.special(draw, 2, 1)),
        edge("one step: there is nothing to permute", fair(1)),
        edge("the order decides who gets what, not the total", orders.same_total(draw, t)),
        edge("a weak dependence on the order", orders.special(draw, t, 1, 3e-4)),
        edge("every step gets the mean", torch.full((t, t), 1 / t)),
        Case(
            "the first sentence of the batch shows nothing",
            args=(
                mixed(orders.positive(draw, t), features=draw.uniform(d, e, low=0.3, high=0.7)),
                loud,
            ),
            group="edge",
        ),
        Case(
            "in every other order the outputs are smaller",
            args=orders.best_order(draw, b, t, d, e),
            group="edge",
        ),
        Case(
            "steps that count alike, but for rounding",
            args=orders.rounding(draw, b, t, d, e),
            group="edge",
        ),
    ]


def as_the_text_says(case: Case) -> bool:
    """At most six steps, and numbers so large that a difference is 1e-4 or more."""
    x = case.args[1]
    return bool(x.shape[1] <= 6 and x.abs().amax() >= 0.5)


def is_a_bool(case: Case, got: Outcome) -> str | None:
    """True or False, as a Python value or a tensor of one."""
    value = got.value
    tensor = isinstance(value, Tensor) and value.dtype == torch.bool and value.numel() == 1
    fine = tensor or isinstance(value, bool)
    return None if fine else f"the answer is {type(value).__name__}, not True or False"


def drawn_once(tree: ast.AST) -> bool:
    """One random order of the steps (not of the batch), and nothing that repeats."""
    repeats = ast.For | ast.While | ast.comprehension
    drawn = [ast.unparse(call) for call in syntax.calls(tree, "randperm")]
    of_the_batch = any("len(" in text or "0" in text for text in drawn)
    again = any(isinstance(node, repeats) for node in ast.walk(tree))
    return len(drawn) == 1 and not of_the_batch and not again


def never_too_strict(case: Case, got: Outcome) -> bool:
    """Whatever is refused is not equivariant: too few orders can only err the other way."""
    forgiven = bool(got.value) or not play(case, ref.is_equivariant).value
    return is_a_bool(case, got) is None and forgiven


INSIDE = "_mixing _form __dict__ state_dict parameters named_parameters buffers _modules"

EXERCISE = Exercise(
    name="is_equivariant",
    points=4,
    section="A test for it",
    kind="callable",
    reference=ref.is_equivariant,
    returns=("True or False",),
    cases=cases,
    promised=as_the_text_says,
    limit=20.0,  # all 720 permutations of six steps are a right answer, and slow
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
    "You answer False for a layer in which all steps count alike. The question is whether the "
    "outputs *follow* the inputs.",
    lambda layer, x: not ref.is_equivariant(layer, x),
)

EXERCISE.misconception(
    "always-true",
    "Every layer passes",
    "You answer True for every layer, even for a causal one. Is the layer run a second time, on "
    "inputs in another order, and is that order one of the time steps?",
    lambda layer, x: True,
)

EXERCISE.misconception(
    "always-false",
    "No layer passes",
    "You answer False for every layer, even where there is only one step.",
    lambda layer, x: False,
)

EXERCISE.misconception(
    "invariance",
    "Invariance in place of equivariance",
    "You ask whether the outputs stay as they were, f(Px) = f(x). That is invariance. In an "
    "equivariant layer each output moves with its input: what has to be done to f(x) before you "
    "compare?",
    orders.probe(follow=lambda out, order: out),
)

EXERCISE.misconception(
    "wrong-way-back",
    "The outputs are permuted the wrong way",
    "You put the outputs into the inverse order, or permute where you should undo. For swaps of "
    "two steps the two are the same; for a longer circle they are not. Write down for three "
    "steps which input the first output belongs to.",
    orders.probe(follow=lambda out, order: out[:, order.argsort()]),
)

EXERCISE.misconception(
    "pooled",
    "Only the mean is compared",
    "You compare means (or sums) over the steps. They can be equal although every single output "
    "is another one: compare the outputs step by step.",
    orders.probe(look=lambda out: out.mean(1)),
    orders.probe(follow=lambda out, order: out, look=lambda out: out.mean(1)),
    orders.probe(look=lambda out: out.sort(1).values),
    orders.probe(follow=lambda out, order: out, look=lambda out: out.sort(1).values),
)

for slug, title, tried, blind in (
    ("only-reversed", "Only the reversed order is tried", orders.reversed_order, "from both ends"),
    ("only-rolled", "Only turns in a circle are tried", orders.rolled, "round in a circle"),
    ("first-two", "Only the first two steps are swapped", orders.first_two, "in the first two"),
    ("last-two", "Only the last two steps are swapped", orders.last_two, "in the last two"),
    ("first-and-last", "Only the ends change places", orders.first_and_last, "at the two ends"),
):
    EXERCISE.misconception(
        slug,
        title,
        "There are layers that follow the order you try and no other: those that treat steps "
        f"alike {blind}. Equivariant means *every* permutation. For few steps all of them can be "
        "tried; which few would be enough?",
        orders.probe(tried),
    )

EXERCISE.misconception(
    "turned-and-mirrored",
    "Turning and mirroring a circle is not every permutation",
    "You turn the order round in a circle and reverse it. Whatever one makes of these two, "
    "neighbours on the circle stay neighbours. A layer in which every step looks at both of its "
    "neighbours follows all of that, and not every permutation. Which order parts neighbours?",
    orders.probe(orders.turned_and_mirrored),
)

EXERCISE.misconception(
    "one-random-order",
    "Too few orders: a single one, drawn at random",
    "You try one random order. By chance it may be the identity, or an order that this layer "
    "follows although it does not follow all. Run the check again, and the verdict may be another "
    "one. Which orders would it take to be sure?",
    syntax=drawn_once,
    symptom=never_too_strict,
)

EXERCISE.misconception(
    "first-sentence-only",
    "Only the first sentence is looked at",
    "You compare the first sentence of the batch only. The others may show what this one hides "
    "(here it drives the layer into saturation, where all steps give the same).",
    orders.probe(look=lambda out: out[:1]),
)

EXERCISE.misconception(
    "loose-tolerance",
    "Weak dependence on the order is forgiven",
    "Your tolerance is so large that a weak dependence passes. The text says from where on a "
    "difference counts.",
    *(orders.probe(atol=atol) for atol in (1e-1, 1e-2, 1e-3)),
)

EXERCISE.misconception(
    "flags-rounding",
    "Rounding is taken for a difference",
    "You allow no difference at all, or next to none. In another order the same numbers are added "
    "in another order, and the last digit may differ. The text says from where on it counts.",
    orders.exactly,
)
