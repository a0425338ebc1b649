"""Weights from torch: `from_torch(mha)`.

nn.MultiheadAttention -> MultiHeadAttention with the same weights.
"""

from typing import Any

import torch
from torch import Tensor

from course_utils import multi_head_attention as ref
from course_utils.exercises.multi_head_attention._copies import (
    Torch,
    assigns_a_tensor,
    copying,
    mentions,
    ordered,
    returns,
    shared,
    turned,
)
from course_utils.exercises.multi_head_attention._shared import weights_of
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Outcome, Property
from course_utils.judging.runner import Opaque
from course_utils.judging.toys import Toy


def torch_state(draw: Draw, dim: int) -> dict[str, Tensor]:
    return {
        "in_proj_weight": draw.normal(3 * dim, dim, scale=1.2 / dim**0.5),
        "in_proj_bias": draw.normal(3 * dim),
        "out_proj.weight": draw.normal(dim, dim, scale=1.0 / dim**0.5),
        "out_proj.bias": draw.normal(dim),
    }


def cases(draw: Draw) -> list[Case]:
    batch, queries, keys, heads, size = draw.sizes(5, low=2, high=6)
    dim = heads * size

    def case(label: str, heads: int, *masks: Tensor, group: str = "basic") -> Case:
        toy = Toy("torch_attention", torch_state(draw, dim), {"dim": dim, "heads": heads})
        inputs = tuple(draw.normal(batch, steps, dim) for steps in (queries, keys, keys))
        # What happens to the copy later must not reach what it was copied from
        other = weights_of(draw, dim)
        then = (Call((*inputs, *masks)), Call((other,), method="load_state_dict"))
        return Case(label, args=(toy,), then=then, group=group)

    return [
        case(f"{heads} heads of {size}", heads),
        case(f"{size} heads of {heads}", size),
        case("with a mask (T, S)", heads, draw.mask(queries, keys)),
        case("one head", 1, group="edge"),
        case("as many heads as features", dim, group="edge"),
    ]


def is_own_module(case: Case, got: Outcome) -> str | None:
    if isinstance(got.value, Opaque) and got.value.type == "MultiHeadAttention":
        return None
    name = got.value.type if isinstance(got.value, Opaque) else type(got.value).__name__
    return f"what comes back is {name}, not a MultiHeadAttention"


EXERCISE = Exercise(
    name="from_torch",
    kind="callable",
    points=4,
    section="The same as torch's own",
    reference=ref.from_torch,
    returns=("a MultiHeadAttention",),
    cases=cases,
    tolerance=2e-5,
    properties=(Property("returns a MultiHeadAttention", is_own_module),),
)

EXERCISE.misconception(
    "returned-torchs-own",
    "torch's module came back",
    "You return the module that you were given. Asked for is one of your own, with the same "
    "numbers in it.",
    lambda mha: mha,
    syntax=lambda tree: returns(tree, "mha"),
)

EXERCISE.misconception(
    "returns-nothing",
    "Nothing is returned",
    "The answer returns None. Is the `return` missing?",
    lambda mha: None,
    syntax=lambda tree: not returns(tree),
)


for slug, title, read, order in (
    ("key-query-value", "Query and key have changed places", "key, query, value", (1, 0, 2)),
    ("value-first", "The thirds are in another order", "value, key, query", (2, 1, 0)),
):
    EXERCISE.misconception(
        slug,
        title,
        f"You read the packed matrix as {read}. Its documentation, or the source of "
        "nn.MultiheadAttention, tells which third comes first.",
        copying(ordered(*order)),
    )

EXERCISE.misconception(
    "transposed-weights",
    "The weights are transposed",
    "You transpose the matrices. They are square, so nothing complains. But torch stores (out, "
    "in) in nn.Linear and in the packed matrix alike: nothing has to be turned.",
    copying(turned, out=torch.t),
)

EXERCISE.misconception(
    "transposed-inputs-only",
    "Some of the weights are transposed",
    "You transpose the query, key and value matrices. They are square, so nothing complains. But "
    "torch stores (out, in) in nn.Linear and in the packed matrix alike: nothing has to be turned.",
    copying(turned),
)

EXERCISE.misconception(
    "transposed-output",
    "W_O is transposed",
    "You transpose the output matrix. It is square, so nothing complains. But torch stores (out, "
    "in) in every nn.Linear: nothing has to be turned.",
    copying(out=torch.t),
)
EXERCISE.misconception(
    "packed-per-head",
    "Packed head by head",
    "You read the packed rows as [head, 3, d]: first query, key and value of head 0, then of head "
    "1. Some libraries do that; torch has all queries first, then all keys, then all values.",
    copying(
        lambda packed, mha: (
            packed.view(mha.num_heads, 3, -1, *packed.shape[1:]).transpose(0, 1).flatten(1, 2)
        )
    ),
)

EXERCISE.misconception(
    "every-third-row",
    "Every third row",
    "You take every third row for each of the three. The packed matrix is three blocks on top of "
    "one another: contiguous thirds.",
    copying(lambda packed, mha: [packed[i::3] for i in range(3)]),
)

EXERCISE.misconception(
    "same-rows-three-times",
    "The same rows for all three",
    "Query, key and value all get the first third of the packed matrix.",
    copying(ordered(0, 0, 0)),
)

EXERCISE.misconception(
    "one-head",
    "All heads in one",
    "Your module has one head. The weights fit whatever the number of heads, so nothing complains, "
    "but the scores are taken over all features at once. The original knows how many heads it has.",
    copying(heads=lambda mha: 1),
)

EXERCISE.misconception(
    "head-size-for-heads",
    "The size of a head taken for their number",
    "You make `head_dim` heads. `num_heads` is how many there are, `head_dim` how large each one "
    "is.",
    copying(heads=lambda mha: mha.embed_dim // mha.num_heads),
)


def runs(case: Case, got: Outcome) -> bool:
    """Of an answer that fails with an error, nothing can be said by its syntax alone."""
    return True  # a symptom is only looked for where a case has not failed


EXERCISE.misconception(
    "biases-forgotten",
    "The biases are not copied",
    "You copy `in_proj_weight`, but never look at `in_proj_bias`. torch starts these at 0, so on "
    "a fresh module only your own random biases would differ; on a trained one everything does.",
    syntax=lambda tree: mentions(tree, "in_proj_weight") and not mentions(tree, "in_proj_bias"),
    symptom=runs,
)

EXERCISE.misconception(
    "output-forgotten",
    "W_O is not copied",
    "You copy the input projections, but never look at `out_proj`: your output layer keeps its "
    "random start.",
    syntax=lambda tree: mentions(tree, "in_proj_weight") and not mentions(tree, "out_proj"),
    symptom=runs,
)

EXERCISE.misconception(
    "nothing-copied",
    "Nothing is copied",
    "You make a module of the right size, but it keeps its random weights. The numbers of the "
    "original are in `in_proj_weight`, `in_proj_bias` and `out_proj`.",
    syntax=lambda tree: (
        not mentions(tree, "in_proj_weight", "state_dict", "parameters", "named_parameters")
    ),
    symptom=runs,
)

EXERCISE.misconception(
    "unpacked-names",
    "These are None",
    "`q_proj_weight`, `k_proj_weight` and `v_proj_weight` exist only where queries, keys and "
    "values differ in size; here they are None. The text says where the three matrices are.",
    syntax=lambda tree: syntax.uses(tree, "q_proj_weight", "k_proj_weight", "v_proj_weight"),
)


@EXERCISE.misconception(
    "tensor-for-a-parameter",
    "A tensor in place of a parameter",
    "You assign a tensor to `weight` or `bias`. A layer takes only parameters there, so that an "
    "optimiser finds them. Copy the numbers into the parameter that is there: the text says how.",
    syntax=assigns_a_tensor,
)
def assigned(mha: Torch) -> Any:
    made = ref.MultiHeadAttention(mha.embed_dim, mha.num_heads)
    made.out.weight = mha.out_proj.weight.detach()


for known in EXERCISE.misconceptions:
    known.variants.extend([shared(variant) for variant in known.variants])

EXERCISE.misconception(
    "shares-its-weights",
    "The weights belong to both modules",
    "Your module computes the same, but it holds torch's own tensors and not copies: as soon as "
    "one of the two is trained, the other one changes with it. Copy the numbers, as the text says.",
    shared(ref.from_torch),
)
