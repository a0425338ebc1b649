"""Additive scores: `additive_scores(query, key, w_q, w_k, v)`.

(..., T, Dq), (..., S, Dk), (Dq, A), (Dk, A), (A,) -> (..., T, S).
"""

import torch
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.nadaraya_watson import softmax

from ._additive import repeated, summed


def cases(draw: Draw) -> list[Case]:
    b, h, t, s, dq, dk, a = draw.sizes(7, low=2, high=9)

    def data(*leading: int, t: int, s: int, dq: int, dk: int, a: int) -> tuple[Tensor, ...]:
        return (
            draw.normal(*leading, t, dq),
            draw.normal(*leading, s, dk),
            draw.normal(dq, a),
            draw.normal(dk, a),
            draw.normal(a),
        )

    return [
        Case(
            f"{t} queries of size {dq}, {s} keys of size {dk}",
            args=data(t=t, s=s, dq=dq, dk=dk, a=a),
        ),
        Case(f"a batch of {b}", args=data(b, t=s, s=t, dq=dk, dk=dq, a=a)),
        Case("a batch with heads", args=data(2, 3, t=min(t, 4), s=5, dq=dk, dk=dq, a=min(a, 4))),
        Case("queries and keys of one size", args=data(b, t=t, s=s, dq=dk, dk=dk, a=a)),
        Case("all sizes equal", args=data(t=h, s=h, dq=h, dk=h, a=h)),
        Case("gradients", args=data(b, t=t, s=s, dq=dq, dk=dk, a=h), gradients=True),
        Case("one query, one key", args=data(t=1, s=1, dq=dq, dk=dk, a=a), group="edge"),
        Case(
            "a hidden layer of one neuron", args=data(b, t=t, s=s, dq=dq, dk=dk, a=1), group="edge"
        ),
    ]


EXERCISE = Exercise(
    name="additive_scores",
    points=3,
    section="A family of scores",
    reference=ref.additive_scores,
    returns=("scores (..., T, S)",),
    cases=cases,
    picture=weights_picture(0),
)

EXERCISE.misconception(
    "no-tanh",
    "The tanh is missing",
    "Without the tanh a score is a number for the query plus a number for the key. Softmax over "
    "the keys cancels the first: every query gets the same weights. The nonlinearity is what lets "
    "the two meet.",
    lambda q, k, w_q, w_k, v: summed(q, k, w_q, w_k) @ v,
)

EXERCISE.misconception(
    "tanh-on-the-score",
    "The tanh stands outside",
    "You take the tanh of the finished score. It belongs on the hidden layer, before v: inside "
    "it, query and key act together.",
    lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k) @ v),
)

EXERCISE.misconception(
    "tanh-on-each",
    "Two tanhs, one for each part",
    "You take the tanh of the query part and of the key part, and add afterwards. Then the "
    "query's part is the same for all keys and cancels in the softmax. Add first.",
    lambda q, k, w_q, w_k, v: (
        (torch.tanh(q @ w_q)[..., :, None, :] + torch.tanh(k @ w_k)[..., None, :, :]) @ v
    ),
)

EXERCISE.misconception(
    "tanh-first",
    "The tanh comes first",
    "You squash query and key before the projections. The tanh belongs after the sum of both "
    "projections.",
    lambda q, k, w_q, w_k, v: summed(torch.tanh(q), torch.tanh(k), w_q, w_k) @ v,
)

EXERCISE.misconception(
    "one-matrix-for-both",
    "One matrix for queries and keys",
    "You project queries and keys with the same matrix. They have different sizes in general, and "
    "a matrix each.",
    lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_q, v),
)

EXERCISE.misconception(
    "matrices-swapped",
    "The two matrices are swapped",
    "You project the queries with w_k and the keys with w_q.",
    lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_k, w_q, v),
)

EXERCISE.misconception(
    "paired-off",
    "Query i meets key i only",
    "You add row i of the queries to row i of the keys, which fits only if there are equally "
    "many. Every query meets every key: give each of them a new axis.",
    lambda q, k, w_q, w_k, v: torch.tanh(q @ w_q + k @ w_k) @ v,
)

EXERCISE.misconception(
    "paired-off",
    "The same new axis for both",
    "You give queries and keys a new axis at the same place, so they still stand side by side: "
    "query i meets key i only. One of them needs its new axis where the other has its own.",
    lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[:, None] + (k @ w_k)[:, None]) @ v,
)

EXERCISE.misconception(
    "axes-counted-from-the-front",
    "New axes counted from the front",
    "Your new axes are in the right places for one number of axes only: with another batch in "
    "front, or none, they land between the wrong ones. Count from the back, with `[..., :, None, "
    ":]` or `unsqueeze(-2)`: queries, keys and features are always the last.",
    lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[:, None] + (k @ w_k)[None]) @ v,
    lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[:, :, None] + (k @ w_k)[:, None]) @ v,
)

EXERCISE.misconception(
    "axis-behind-the-features",
    "The new axis comes after the features",
    "You put the query's new axis last. The features stay last, in both: the new axis of the "
    "queries is where the keys are, in front of the features, and the other way round.",
    lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[..., None] + (k @ w_k)[..., None, :]) @ v,
)

EXERCISE.misconception(
    "relu",
    "relu instead of tanh",
    "You use a relu. It would be another (usable) attention, but negative hidden values are lost; "
    "the formula has a tanh.",
    lambda q, k, w_q, w_k, v: summed(q, k, w_q, w_k).relu() @ v,
)

EXERCISE.misconception(
    "relu-on-the-score",
    "A relu on the score",
    "You put a relu after the score: all negative scores become 0 and tie. Scores may be "
    "negative; softmax takes care of the sign.",
    lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_k, v).relu(),
)

EXERCISE.misconception(
    "sigmoid",
    "A sigmoid instead of tanh",
    "You use a sigmoid; the formula has a tanh, which is centred on 0.",
    lambda q, k, w_q, w_k, v: summed(q, k, w_q, w_k).sigmoid() @ v,
)

EXERCISE.misconception(
    "multiplied",
    "Multiplied instead of added",
    "You multiply the two projections. That is a relative of multiplicative attention; the "
    "additive one has a plus (that is where its name comes from).",
    lambda q, k, w_q, w_k, v: (
        torch.tanh((q @ w_q)[..., :, None, :] * (k @ w_k)[..., None, :, :]) @ v
    ),
)

EXERCISE.misconception(
    "multiplied",
    "A dot product inside",
    "You take the dot product of the two projections: that is multiplicative attention in another "
    "dress. Here the projections are *added*, for every pair of a query and a key; the tanh acts "
    "on each of the A sums, and v makes one number of them.",
    lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q) @ (k @ w_k).mT),
    lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q * v) @ (k @ w_k).mT),
    lambda q, k, w_q, w_k, v: (q @ w_q) @ (k @ w_k).mT,
)

EXERCISE.misconception(
    "v-ignored",
    "v is not used",
    "You add up the hidden layer. v says how much each neuron counts, and in which direction.",
    lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k)).sum(-1),
)

EXERCISE.misconception(
    "v-inside",
    "v stands inside the tanh",
    "You multiply by v before the tanh and then add up. v weighs what the tanh gives.",
    lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k) * v).sum(-1),
)

EXERCISE.misconception(
    "not-summed",
    "The hidden layer is not summed up",
    "Your result still has the axis of the hidden layer. A score is one number per pair: the "
    "product with v sums over the hidden neurons.",
    lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k)) * v,
)

EXERCISE.misconception(
    "softmax-included",
    "Weights instead of scores",
    "You return a softmax of the scores. Asked for are the scores themselves.",
    lambda q, k, w_q, w_k, v: softmax(ref.additive_scores(q, k, w_q, w_k, v)),
)

EXERCISE.misconception(
    "softmax-on-the-hidden-layer",
    "A softmax over the hidden layer",
    "You take a softmax over the hidden neurons. The competition is between keys, and it comes "
    "later: there is no softmax in a score.",
    lambda q, k, w_q, w_k, v: softmax(torch.tanh(summed(q, k, w_q, w_k))) @ v,
)

EXERCISE.misconception(
    "scaled",
    "A scale that was not asked for",
    "You divide by the root of the hidden size. Additive scores are bounded by the sum of |v|: "
    "the tanh does what the scale does elsewhere.",
    lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_k, v) / len(v) ** 0.5,
)

EXERCISE.misconception(
    "transposed",
    "Rows and columns swapped",
    "Your rows are keys and your columns queries. One row belongs to one query.",
    lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_k, v).mT,
)

EXERCISE.misconception(
    "repeated-in-step",
    "Both are repeated in the same order",
    "You repeat queries and keys in the same rhythm, so that query i meets key i again and again, "
    "and some pairs never meet. One of them must stand still while the other runs through.",
    repeated,
)

EXERCISE.misconception(
    "concatenated-along-the-sequence",
    "Joined along the sequence",
    "You join queries and keys end to end, as if they were one longer sequence. The concatenation "
    "in the formula is along the features, for each pair.",
    lambda q, k, w_q, w_k, v: torch.tanh(torch.cat([q @ w_q, k @ w_k], dim=-2)) @ v,
)
