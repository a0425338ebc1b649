"""Unit 02: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils import syntax
from course_utils.exercise import Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Unit
from course_utils.nadaraya_watson import softmax
from course_utils.pictures import weights_picture
from course_utils.properties import no_nan, rows_sum_to_one

Pair = tuple[Tensor, Tensor]

NO_LIBRARY_ATTENTION = Forbidden(
    "Here you write attention yourself: torch's scaled_dot_product_attention and MultiheadAttention are not allowed. "
    "You need a matrix product, a softmax and a second matrix product.",
    names=("scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward", "flex_attention"),
)

# one_hot_lookup ------------------------------------------------------------------------------------------------------


def lookup_cases(draw: Draw) -> list[Case]:
    t, v, d = draw.sizes(3, low=3, high=8)
    low = draw.integers(0, v - 2, t)  # the last row of the table is never asked for
    square = torch.cat([torch.tensor([1, 1]), draw.integers(0, v - 1, v - 2)])  # no permutation: its transpose is another matrix
    return [
        Case(f"{t} words, {v} rows of {d} numbers", args=(low, draw.normal(v, d))),
        Case("as many words as rows", args=(square, draw.normal(v, d))),
        Case("every row once, backwards", args=(torch.arange(d).flip(0), draw.normal(d, t))),
        Case("gradients of the table", args=(draw.integers(0, v - 1, t), draw.normal(v, t)), gradients=True),
        Case("one word, the last of the table", args=(torch.tensor([v - 1]), draw.normal(v, d)), group="edge"),
        Case("the same word again and again", args=(torch.full((t,), 1), draw.normal(v, d)), group="edge"),
        Case("vectors of one number", args=(draw.integers(0, v - 1, t), draw.normal(v, 1)), group="edge"),
    ]


def one_hot(ids: Tensor, table: Tensor) -> Tensor:
    return F.one_hot(ids, len(table)).to(table.dtype)


def _reads_the_table(tree: ast.AST) -> bool:
    return syntax.subscripts(tree, "table")


def _never_a_float(tree: ast.AST) -> bool:
    """A one-hot matrix of whole numbers or truth values is made, and nothing in the answer makes numbers with a point of it."""
    makes = syntax.uses(tree, "one_hot", "arange")
    return makes and not syntax.uses(tree, "float", "to", "type", "double", "type_as", "dtype", "float32", "float64", "zeros", "where")


ONE_HOT = Exercise(
    name="one_hot_lookup",
    points=2,
    section="A look-up is a matrix product",
    reference=ref.one_hot_lookup,
    returns=("the rows (T, D)",),
    cases=lookup_cases,
    forbidden=(
        Forbidden(
            "The point is to look up by a matrix product: indexing the table, nn.Embedding, F.embedding and their relatives "
            "(index_select, gather, take) are not allowed. Build one row per word, with a single 1 in it, and multiply.",
            names=(
                "Embedding",
                "embedding",
                "EmbeddingBag",
                "embedding_bag",
                "index_select",
                "gather",
                "take",
                "take_along_dim",
                "from_pretrained",
            ),
            test=_reads_the_table,
        ),
    ),
    misconceptions=(
        Misconception(
            "vocabulary-guessed",
            "The size of the vocabulary is guessed",
            "You build as many columns as the largest id in this sentence needs. A sentence rarely contains the last word of the "
            "vocabulary: the number of columns must come from the table, whatever the sentence says.",
            lambda ids, table: F.one_hot(ids).to(table.dtype) @ table,
        ),
        Misconception(
            "not-floating",
            "Whole numbers times decimal numbers",
            "Your one-hot matrix holds whole numbers (or truth values), the table decimal ones, and torch multiplies only like with like. "
            "Convert the first to the type of the second.",
            lambda ids, table: F.one_hot(ids, len(table)) @ table,
            syntax=_never_a_float,
        ),
        Misconception(
            "transposed-one-hot",
            "One row per vocabulary entry",
            "Your one-hot matrix is (V, T): a row per entry of the table, a column per word. Write the shapes under the product: the "
            "result must have one row per word.",
            lambda ids, table: one_hot(ids, table).T @ table,
        ),
        Misconception(
            "counts-from-one",
            "Ids counted from one",
            "You get the row before the one that was asked for. Ids count from 0: the first row of the table has the id 0.",
            lambda ids, table: (ids[:, None] == torch.arange(1, len(table) + 1)).to(table.dtype) @ table,
        ),
        Misconception(
            "bag-of-words",
            "One vector for all words",
            "You add the one-hot rows up before you multiply, so that one vector for the whole sentence comes out (a bag of words). "
            "Every word keeps its own row.",
            lambda ids, table: one_hot(ids, table).sum(0) @ table,
        ),
        Misconception(
            "no-product",
            "Only the one-hot rows",
            "You return the one-hot matrix itself. It says *which* row; the product with the table brings the row.",
            lambda ids, table: one_hot(ids, table),
        ),
        Misconception(
            "softened",
            "A soft look-up",
            "You take a softmax of the one-hot rows: every word gets a bit of every row of the table. That is where this unit is going, "
            "but here the look-up is exact.",
            lambda ids, table: softmax(one_hot(ids, table)) @ table,
        ),
        Misconception(
            "ids-scaled",
            "The id used as a number",
            "You put the id itself into the one-hot row, so that word 5 comes out five times as large. An id is a name, not a quantity: "
            "the entry is 1 whoever is meant.",
            lambda ids, table: (one_hot(ids, table) * ids[:, None]) @ table,
        ),
    ),
)

# context_vectors -----------------------------------------------------------------------------------------------------


def spread(draw: Draw, count: int, size: int) -> Tensor:
    """(count, size): vectors of one direction and very different lengths, whose scores lie far apart, so that rounding cannot matter."""
    direction = F.normalize(draw.normal(size), dim=0)
    return 10.0 * (draw.permutation(count) + 2)[:, None] * direction + 0.01 * draw.normal(count, size)


def context_cases(draw: Draw) -> list[Case]:
    t, d, n = draw.sizes(3, low=3, high=8)
    twins = draw.normal(t, d, scale=0.6)
    twins[1] = twins[0]
    return [
        Case(f"{t} words of {d} numbers", args=(draw.normal(t, d, scale=0.7),)),
        Case(f"{n} words of {t} numbers", args=(draw.normal(n, t, scale=0.5),)),
        Case("as many words as numbers", args=(draw.normal(d, d, scale=0.6),)),
        Case("gradients", args=(draw.normal(d, n, scale=0.6),), gradients=True),
        Case("a single word", args=(draw.normal(1, d),), group="edge"),
        Case("the same word twice", args=(twins,), group="edge"),
        Case("scores in the hundreds", args=(spread(draw, t, d),), group="edge"),
    ]


def attend(scores: Tensor, value: Tensor, dim: int = -1) -> Pair:
    """The second half of every attention: softmax of the scores, weighted sum of the values."""
    weights = softmax(scores, dim)
    return weights @ value, weights


def _unstable(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def _without_itself(x: Tensor) -> Pair:
    scores = (x @ x.mT).masked_fill(torch.eye(len(x), dtype=torch.bool), -torch.inf)
    weights = softmax(scores)
    return weights @ x, weights


def _shares(scores: Tensor) -> Tensor:
    return scores / scores.sum(-1, keepdim=True)


def _hard(x: Tensor) -> Pair:
    weights = F.one_hot((x @ x.mT).argmax(-1), len(x)).to(x.dtype)
    return weights @ x, weights


CONTEXT = Exercise(
    name="context_vectors",
    points=2,
    section="Weights from similarity",
    reference=ref.context_vectors,
    returns=("output (T, D)", "weights (T, T)"),
    cases=context_cases,
    properties=(rows_sum_to_one(1), no_nan()),
    picture=weights_picture(1),
    misconceptions=(
        Misconception(
            "scaled-here",
            "A scale that was not asked for",
            "You divide the scores by √D. Good instinct, and the next exercise asks for it; this one is the plain form, so that you "
            "can see "
            "what goes wrong without a scale.",
            lambda x: attend(x @ x.mT / math.sqrt(x.shape[-1]), x),
        ),
        Misconception(
            "softmax-over-queries",
            "Softmax down the columns",
            "Your columns sum to one instead of your rows. Row i belongs to word i: its weights for all words must sum to one. "
            "Which axis runs along a row?",
            lambda x: attend(x @ x.mT, x, dim=0),
        ),
        Misconception(
            "weights-transposed",
            "The weights are turned round before use",
            "Your weights are right, but the output uses their transpose: each word then collects what the others *gave* it, and these "
            "shares do not sum to one.",
            lambda x: ((w := softmax(x @ x.mT)).mT @ x, w),
        ),
        Misconception(
            "no-softmax",
            "Scores used as weights",
            "You use the dot products themselves as weights. They can be negative and sum to anything; an average needs weights that are "
            "positive and sum to one.",
            lambda x: (x @ x.mT @ x, x @ x.mT),
        ),
        Misconception(
            "no-exponential",
            "Shares of the raw scores",
            "You divide the scores by their sum. With negative scores that gives negative weights, and the sum may be near 0. Softmax "
            "takes "
            "exponentials first.",
            lambda x: (_shares(x @ x.mT) @ x, _shares(x @ x.mT)),
        ),
        Misconception(
            "features-not-words",
            "Similarity between features, not words",
            "You multiply `x.T @ x`: that compares the D columns with each other. The weights must be (T, T), one row and one column "
            "per word.",
            lambda x: (x @ softmax(x.mT @ x), softmax(x.mT @ x)),
        ),
        Misconception(
            "features-not-words",
            "Similarity between features, not words",
            "You multiply `x.T @ x`: that compares the D columns with each other. The weights must be (T, T), one row and one column "
            "per word.",
            lambda x: attend(x.mT @ x, x),
        ),
        Misconception(
            "ignores-itself",
            "A word may not look at itself",
            "You give every word weight 0 for itself. Here a word is part of its own context; only unit 01's leave-one-out took the "
            "point itself away.",
            _without_itself,
        ),
        Misconception(
            "cosine",
            "Cosines instead of dot products",
            "You normalise the vectors first. Cosines lie between -1 and 1, so the softmax stays nearly flat; asked for are plain dot "
            "products.",
            lambda x: attend(F.normalize(x, dim=-1) @ F.normalize(x, dim=-1).mT, x),
        ),
        Misconception(
            "distance-scores",
            "Distances instead of dot products",
            "You score by the negative squared distance, as in unit 01. Here similarity is the dot product, which also rewards length.",
            lambda x: attend(-((x[:, None] - x[None]) ** 2).sum(-1), x),
        ),
        Misconception(
            "distance-scores",
            "Distances instead of dot products",
            "You score by the negative squared distance, as in unit 01. Here similarity is the dot product, which also rewards length.",
            lambda x: attend(-((x[:, None] - x[None]) ** 2).sum(-1) / 2, x),
        ),
        Misconception(
            "plain-mean",
            "Every word counts the same",
            "You give every word the same weight: the context of each word is the same mean. The weights must depend on the words.",
            lambda x: attend(torch.zeros(len(x), len(x)), x),
        ),
        Misconception(
            "winner-takes-all",
            "The most similar word takes all",
            "You pick the most similar word instead of a weighted mean. That is hard attention: no gradient reaches the scores "
            "through an argmax.",
            _hard,
        ),
        Misconception(
            "one-softmax-for-all",
            "One softmax over the whole matrix",
            "Your whole matrix sums to one. Each row is a distribution of its own: the softmax runs along the last axis only.",
            lambda x: ((w := softmax((x @ x.mT).flatten()).reshape(len(x), -1)) @ x, w),
        ),
        Misconception(
            "overflow",
            "exp overflows",
            "For large scores your exponentials are infinite, and infinity divided by infinity is NaN. Subtract the maximum of the "
            "row first, "
            "or use a softmax that does (unit 01).",
            lambda x: (_unstable(x @ x.mT) @ x, _unstable(x @ x.mT)),
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the context vectors alone. Return both, output first: the weights say where each word looked.",
            lambda x: ref.context_vectors(x)[0],
        ),
        Misconception(
            "only-weights",
            "Only the weights",
            "You return the weights alone. They still have to be used: each context vector is a weighted sum of the rows of `x`.",
            lambda x: ref.context_vectors(x)[1],
        ),
    ),
)

# scaled_dot_product_attention ----------------------------------------------------------------------------------------


def attention_cases(draw: Draw) -> list[Case]:
    b, h, t, s, d, dv = draw.sizes(6, low=2, high=8)

    def data(*leading: int, t: int, s: int, d: int, dv: int) -> tuple[Tensor, Tensor, Tensor]:
        return draw.normal(*leading, t, d), draw.normal(*leading, s, d), draw.normal(*leading, s, dv)

    far = spread(draw, s, d)

    return [
        Case(f"{t} queries, {s} keys of size {d}, values of size {dv}", args=data(t=t, s=s, d=d, dv=dv)),
        Case(f"a batch of {b}", args=data(b, t=t, s=s, d=d, dv=dv)),
        Case(f"a batch of {b} with {h} heads", args=data(b, h, t=s, s=t, d=dv, dv=d)),
        Case("all sizes equal", args=data(t, t=t, s=t, d=t, dv=t)),
        Case("gradients", args=data(h, t=d, s=t, d=s, dv=b), gradients=True),
        Case("one query", args=data(b, t=1, s=s, d=d, dv=dv), group="edge"),
        Case("one key", args=data(b, t=t, s=1, d=d, dv=dv), group="edge"),
        Case("queries and keys of one number", args=data(t=t, s=s, d=1, dv=dv), group="edge"),
        Case(
            "scores in the hundreds", args=(draw.normal(b, t, 1).sign() * far[:1], far.expand(b, s, d), draw.normal(b, s, dv)), group="edge"
        ),
    ]


def scored(scores: Callable[[Tensor, Tensor, Tensor], Tensor], dim: int = -1) -> Callable[[Tensor, Tensor, Tensor], Pair]:
    """Attention with other scores, as a variant."""
    return lambda query, key, value: attend(scores(query, key, value), value, dim)


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT / math.sqrt(key.shape[-1])


def _scale_outside(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax(query @ key.mT) / math.sqrt(key.shape[-1])
    return weights @ value, weights


def _scale_on_output(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax(query @ key.mT)
    return weights @ value / math.sqrt(key.shape[-1]), weights


def _twice(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax(softmax(dots(query, key)))
    return weights @ value, weights


def _all_transposed(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    return attend(query @ key.permute(*reversed(range(key.dim()))) / math.sqrt(key.shape[-1]), value)


def _whole_batch(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    output, weights = ref.scaled_dot_product_attention(query.flatten(0, -2), key.flatten(0, -2), value.flatten(0, -2))
    return output.reshape(*query.shape[:-1], value.shape[-1]), weights


def _pairs(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax((query * key).sum(-1) / math.sqrt(key.shape[-1]))
    return weights[..., None] * value, weights


def _elementwise(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax(query * key / math.sqrt(key.shape[-1]))
    return weights * value, weights


ATTENTION = Exercise(
    name="scaled_dot_product_attention",
    points=4,
    section="Scaled dot-product attention",
    reference=ref.scaled_dot_product_attention,
    returns=("output (..., T, Dv)", "weights (..., T, S)"),
    cases=attention_cases,
    properties=(rows_sum_to_one(1), no_nan()),
    picture=weights_picture(1),
    forbidden=(NO_LIBRARY_ATTENTION,),
    misconceptions=(
        Misconception(
            "no-scale",
            "The scale is missing",
            "You use the plain dot products. Their spread grows with the size of the keys, so for long vectors the softmax puts nearly all "
            "weight on one key and hardly any gradient comes back. What are the scores divided by?",
            scored(lambda q, k, v: q @ k.mT),
        ),
        Misconception(
            "scale-outside-softmax",
            "The scale stands outside the softmax",
            "You divide the weights, after the softmax. Their rows no longer sum to one, and the softmax is as peaked as without a scale. "
            "Which quantity becomes too large: the weights or the scores?",
            _scale_outside,
        ),
        Misconception(
            "scale-on-output",
            "The output is scaled instead of the scores",
            "You divide the output. That only makes it smaller; the softmax is as peaked as without a scale. Divide what goes *into* "
            "the softmax.",
            _scale_on_output,
        ),
        Misconception(
            "divides-by-d",
            "Divided by d, not by its root",
            "You divide by the size of the keys. The variance of a dot product grows with d, its standard deviation with √d: divided "
            "by d the scores shrink to nothing.",
            scored(lambda q, k, v: q @ k.mT / k.shape[-1]),
        ),
        Misconception(
            "scaled-by-the-number-of-keys",
            "Scaled by the number of keys",
            "You take the root of the number of keys S. The dot product sums over the *features*: how many terms has that sum?",
            scored(lambda q, k, v: q @ k.mT / math.sqrt(k.shape[-2])),
        ),
        Misconception(
            "scaled-by-the-number-of-queries",
            "Scaled by the number of queries",
            "You take the root of the number of queries T. The dot product sums over the *features*: how many terms has that sum?",
            scored(lambda q, k, v: q @ k.mT / math.sqrt(q.shape[-2])),
        ),
        Misconception(
            "scaled-by-the-size-of-the-values",
            "Scaled by the size of the values",
            "You take the root of Dv. The values have no part in the scores; the size of queries and keys counts.",
            scored(lambda q, k, v: q @ k.mT / math.sqrt(v.shape[-1])),
        ),
        Misconception(
            "fixed-axis-size",
            "The size is taken from axis 1",
            "`shape[1]` is the feature size of a matrix, but the number of keys in a batch. Count from the end: the features are the "
            "last axis whatever comes before.",
            scored(lambda q, k, v: q @ k.mT / math.sqrt(k.shape[1])),
        ),
        Misconception(
            "scaled-twice",
            "Scaled twice",
            "You divide by √d on the queries *and* on the keys, which divides the scores by d. One division is enough (or d^(1/4) on "
            "each).",
            scored(lambda q, k, v: (q / math.sqrt(q.shape[-1])) @ (k / math.sqrt(k.shape[-1])).mT),
            syntax=lambda tree: len(syntax.calls(tree, "sqrt")) > 1 or syntax.has_operator(tree, ast.Pow),
        ),
        Misconception(
            "multiplies-by-the-scale",
            "Multiplied instead of divided",
            "You multiply the scores by √d: they were too large already. The scale is there to make them smaller.",
            scored(lambda q, k, v: q @ k.mT * math.sqrt(k.shape[-1])),
        ),
        Misconception(
            "softmax-over-queries",
            "Softmax over the queries",
            "Your columns sum to one: the queries compete for a key. It must be the keys that compete for a query, along the last axis.",
            scored(lambda q, k, v: dots(q, k), dim=-2),
        ),
        Misconception(
            "softmax-on-axis-one",
            "Softmax always along axis 1",
            "Axis 1 are the keys of a matrix, but the queries of a batch. Count from the end: the keys are the last axis of the scores.",
            scored(lambda q, k, v: dots(q, k), dim=1),
        ),
        Misconception(
            "softmax-on-axis-zero",
            "Softmax along axis 0",
            "You normalise along the first axis: over the queries of a matrix, over the batch otherwise. The keys are the last axis "
            "of the scores.",
            scored(lambda q, k, v: dots(q, k), dim=0),
        ),
        Misconception(
            "softmax-twice",
            "Softmax twice",
            "You take a softmax of a softmax: the weights come out almost equal, because their inputs lie between 0 and 1.",
            _twice,
        ),
        Misconception(
            "no-softmax",
            "Scores used as weights",
            "Your weights are the scores themselves: some are negative, and they sum to anything. Softmax is missing.",
            lambda q, k, v: (dots(q, k) @ v, dots(q, k)),
        ),
        Misconception(
            "transposes-every-axis",
            "`.T` turns round every axis",
            "`.T` reverses all axes, the batch included; that is the transpose only for a matrix. Swap the last two axes: `.mT` or "
            "`.transpose(-2, -1)`.",
            _all_transposed,
        ),
        Misconception(
            "keys-against-queries",
            "Keys and queries the wrong way round",
            "You multiply key by query, so your rows are keys and the softmax runs over queries. Each row belongs to one query.",
            lambda q, k, v: attend(dots(k, q), v),
        ),
        Misconception(
            "weights-transposed",
            "The weights are turned round before use",
            "Your weights are right, but the output uses their transpose, which fits only if there are as many queries as keys: (T, "
            "S) @ (S, Dv) needs no transpose.",
            lambda q, k, v: ((w := softmax(dots(q, k))).mT @ v, w),
        ),
        Misconception(
            "keys-averaged",
            "The keys are averaged, not the values",
            "Your output is a mean of the keys. Keys say where to look; what is brought back from there are the values.",
            lambda q, k, v: ((w := softmax(dots(q, k))) @ k, w),
        ),
        Misconception(
            "values-as-keys",
            "The queries are compared with the values",
            "You score queries against values. Their sizes need not even agree: the scores come from query and key.",
            scored(lambda q, k, v: q @ v.mT / math.sqrt(k.shape[-1])),
        ),
        Misconception(
            "cosine",
            "Cosines instead of scaled dot products",
            "You normalise the vectors, so that only their angle counts. In scaled dot-product attention their length counts too.",
            scored(lambda q, k, v: ref.cosine_scores(q, k)),
        ),
        Misconception(
            "paired-off",
            "Query i meets key i only",
            "`query * key` pairs the rows off, and works only if there are as many queries as keys. Every query meets every key: that "
            "is a matrix product.",
            _elementwise,
        ),
        Misconception(
            "paired-off",
            "Query i meets key i only",
            "`(query * key).sum(-1)` pairs the rows off, and works only if there are as many queries as keys. Every query meets every "
            "key: that is a matrix product.",
            _pairs,
        ),
        Misconception(
            "mixes-the-batch",
            "Sentences of a batch look at each other",
            "You flatten the batch, so that every query sees the keys of all other sentences as well. The product must keep the "
            "leading axes apart.",
            _whole_batch,
        ),
        Misconception(
            "overflow",
            "exp overflows",
            "For large scores your exponentials are infinite, and infinity divided by infinity is NaN. Subtract the maximum of each "
            "row first, or use a softmax that does.",
            lambda q, k, v: ((w := _unstable(dots(q, k))) @ v, w),
        ),
        Misconception(
            "only-weights",
            "Only the weights",
            "You return the weights alone. They still have to be multiplied with the values; return output and weights.",
            lambda q, k, v: softmax(dots(q, k)),
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the output alone. Return both, output first: the weights say where each query looked.",
            lambda q, k, v: ref.scaled_dot_product_attention(q, k, v)[0],
        ),
        Misconception(
            "scores-returned",
            "The scores instead of the weights",
            "Your output is right, but the second thing you return are the scores, before the softmax.",
            lambda q, k, v: (ref.scaled_dot_product_attention(q, k, v)[0], dots(q, k)),
        ),
    ),
)

# self_attention ------------------------------------------------------------------------------------------------------


def self_attention_cases(draw: Draw) -> list[Case]:
    b, t, d, dk, dv = draw.sizes(5, low=2, high=7)

    def data(b: int, t: int, d: int, dk: int, dv: int) -> tuple[Tensor, ...]:
        scale = 1.2 / math.sqrt(d)  # projected vectors of about unit size
        return draw.normal(b, t, d), draw.normal(d, dk, scale=scale), draw.normal(d, dk, scale=scale), draw.normal(d, dv, scale=scale)

    return [
        Case(f"{b} sentences of {t} words", args=data(b, t, d, dk, dv)),
        Case(f"{t} sentences of {b} words", args=data(t, b, dk, dv, d)),
        Case("all vectors of one size", args=data(b, t, d, d, d)),
        Case("gradients of x and of the three matrices", args=data(b, d, t, dv, dk), gradients=True),
        Case("sentences of one word", args=data(b, 1, d, dk, dv), group="edge"),
        Case("a single sentence", args=data(1, t, d, dk, dv), group="edge"),
    ]


def projected(attention: Callable[[Tensor, Tensor, Tensor], Any]) -> Callable[[Tensor, Tensor, Tensor, Tensor], Any]:
    """Self-attention with another attention inside, as a variant."""
    return lambda x, w_q, w_k, w_v: attention(x @ w_q, x @ w_k, x @ w_v)


def _projected_twice(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Pair:
    output, weights = ref.self_attention(x, w_q, w_k, w_v)
    return output @ w_v, weights


ELSEWHERE = (
    "fixed-axis-size",
    "softmax-on-axis-zero",
    "softmax-on-axis-one",
    "cosine",
    "paired-off",
    "values-as-keys",
)

SELF_ATTENTION = Exercise(
    name="self_attention",
    points=3,
    section="Self-attention and cross-attention",
    reference=ref.self_attention,
    returns=("output (B, T, Dv)", "weights (B, T, T)"),
    cases=self_attention_cases,
    properties=(rows_sum_to_one(1),),
    picture=weights_picture(1),
    forbidden=(NO_LIBRARY_ATTENTION,),
    misconceptions=(
        Misconception(
            "roles-swapped",
            "Query and key swapped",
            "Your queries come from w_k and your keys from w_q: the scores are the transpose of the right ones, so *being looked at* "
            "is taken for *looking*.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_k, x @ w_q, x @ w_v),
        ),
        Misconception(
            "values-from-the-key-matrix",
            "The values come from w_k",
            "You project the values with the key matrix (a slip that stands on a slide of a well-known course, too). The values have "
            "a matrix of their own.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_k),
        ),
        Misconception(
            "values-not-projected",
            "The values are not projected",
            "You average the inputs themselves. What a word gives to others is a third view of it: x times w_v.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q, x @ w_k, x),
        ),
        Misconception(
            "projected-afterwards-twice",
            "The values are projected twice",
            "You multiply by w_v before and after the weighted sum. Once is enough; before or after makes no difference.",
            _projected_twice,
        ),
        Misconception(
            "one-matrix-for-both",
            "One matrix for queries and keys",
            "You project queries and keys with the same matrix. Then the scores are symmetric and every word likes itself best; two "
            "matrices are there so that seeking and offering can differ.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q, x @ w_q, x @ w_v),
        ),
        Misconception(
            "not-projected",
            "No projections",
            "You attend with x itself as query and key; w_q and w_k are not used. Then there is nothing to learn about who looks at whom.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x, x, x @ w_v),
        ),
        Misconception(
            "queries-not-projected",
            "The queries are not projected",
            "You use x itself as the queries. All three views are projections: queries by w_q.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x, x @ w_k, x @ w_v),
        ),
        Misconception(
            "linear-convention",
            "The matrices are transposed",
            "You multiply by the transposed matrices. `nn.Linear` stores its weight as (out, in) and transposes it; here the matrices "
            "are (in, out), and `x @ w` is all it takes.",
            lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q.T, x @ w_k.T, x @ w_v.T),
        ),
        Misconception(
            "scaled-by-the-model-size",
            "Scaled by the size of x",
            "You divide by √D, the size of the inputs. The dot product is taken between *projected* vectors: the size of the keys, "
            "Dk, counts.",
            lambda x, w_q, w_k, w_v: attend((x @ w_q) @ (x @ w_k).mT / math.sqrt(x.shape[-1]), x @ w_v),
        ),
        *(
            replace(known, variant=projected(known.variant))
            for known in ATTENTION.misconceptions
            if known.variant is not None and known.slug not in ELSEWHERE
        ),
    ),
)

# cosine_scores -------------------------------------------------------------------------------------------------------


def cosine_cases(draw: Draw) -> list[Case]:
    b, h, t, s, d = draw.sizes(5, low=2, high=7)
    lengths = 10 ** draw.uniform(t, 1, low=-2, high=2)  # vectors of very different length
    zero_query, zero_key = draw.normal(t, d), draw.normal(s, d)
    zero_query[0], zero_key[-1] = 0.0, 0.0
    return [
        Case(f"{t} queries, {s} keys", args=(draw.normal(t, d), draw.normal(s, d))),
        Case("vectors of very different length", args=(lengths * draw.normal(t, d), draw.normal(s, d, scale=5.0))),
        Case(f"a batch of {b} with {h} heads", args=(draw.normal(b, h, s, d), draw.normal(b, h, t, d))),
        Case("all sizes equal", args=(draw.normal(d, d, d), draw.normal(d, d, d))),
        Case("gradients", args=(draw.normal(b, d, t), draw.normal(b, h, t)), gradients=True),
        Case("a zero query", args=(zero_query, draw.normal(s, d)), group="edge"),
        Case("a zero query and a zero key", args=(zero_query, zero_key), group="edge"),
        Case("one query, one key", args=(draw.normal(1, d), draw.normal(1, d)), group="edge"),
    ]


def norms(x: Tensor) -> Tensor:
    return (x**2).sum(-1, keepdim=True).sqrt()


COSINE = Exercise(
    name="cosine_scores",
    points=2,
    section="A family of scores",
    reference=ref.cosine_scores,
    returns=("scores (..., T, S)",),
    cases=cosine_cases,
    properties=(no_nan(),),
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "divides-by-zero",
            "A zero vector gives NaN",
            "The length of a zero vector is 0, and 0 / 0 is NaN. The text says what such a vector scores: take care of it before you "
            "divide, or clean up after.",
            lambda q, k: (q / norms(q)) @ (k / norms(k)).mT,
        ),
        Misconception(
            "no-normalisation",
            "The plain dot product",
            "You return dot products: a vector that is twice as long scores twice as much. A cosine knows the angle only.",
            lambda q, k: q @ k.mT,
        ),
        Misconception(
            "only-queries-normalised",
            "Only the queries are normalised",
            "You divide by the length of the query, but not by that of the key: long keys still win.",
            lambda q, k: F.normalize(q, dim=-1) @ k.mT,
        ),
        Misconception(
            "only-keys-normalised",
            "Only the keys are normalised",
            "You divide by the length of the key, but not by that of the query: the scores are no cosines and can be larger than 1.",
            lambda q, k: q @ F.normalize(k, dim=-1).mT,
        ),
        Misconception(
            "normalised-along-the-sequence",
            "Normalised along the wrong axis",
            "You normalise each feature over the sequence. A vector is a row: its length is taken along the last axis.",
            lambda q, k: F.normalize(q, dim=-2) @ F.normalize(k, dim=-2).mT,
        ),
        Misconception(
            "normalised-along-axis-one",
            "Normalised along axis 1",
            "You normalise along axis 1 whatever the shape (it is the default of `F.normalize`). Features are the last axis: count "
            "from the end.",
            lambda q, k: F.normalize(q) @ F.normalize(k).mT,
        ),
        Misconception(
            "one-norm-for-all",
            "One length for all vectors",
            "You divide by the norm of the whole tensor. Every vector has a length of its own.",
            lambda q, k: q @ k.mT / (q.norm() * k.norm()),
        ),
        Misconception(
            "squared-lengths",
            "Divided by the squared lengths",
            "You divide by |q|² |k|²: a square root is missing.",
            lambda q, k: torch.nan_to_num(q @ k.mT / (norms(q) ** 2 * norms(k).mT ** 2)),
        ),
        Misconception(
            "paired-off",
            "Query i meets key i only",
            "You compare query i with key i only, which needs as many queries as keys. Every query meets every key: give each of them "
            "a new axis, or use a matrix product.",
            lambda q, k: F.cosine_similarity(q, k, dim=-1),
        ),
        Misconception(
            "softmax-included",
            "Weights instead of scores",
            "You return a softmax of the cosines. Asked for are the scores, before the softmax.",
            lambda q, k: softmax(ref.cosine_scores(q, k)),
        ),
        Misconception(
            "cosine-distance",
            "A distance instead of a similarity",
            "You return 1 - cosine: small for similar vectors. A score is large for similar ones.",
            lambda q, k: 1 - ref.cosine_scores(q, k),
        ),
        Misconception(
            "angle",
            "The angle instead of its cosine",
            "You return angles. They are small for similar vectors; their cosine is what is asked for.",
            lambda q, k: torch.arccos(ref.cosine_scores(q, k).clamp(-1, 1)),
        ),
        Misconception(
            "absolute-lengths",
            "The sum of absolute values as length",
            "You divide by the sum of absolute values (the 1-norm). The length in a cosine is the root of the sum of squares.",
            lambda q, k: F.normalize(q, p=1.0, dim=-1) @ F.normalize(k, p=1.0, dim=-1).mT,
        ),
        Misconception(
            "transposed",
            "Rows and columns swapped",
            "Your rows are keys and your columns queries. One row belongs to one query.",
            lambda q, k: ref.cosine_scores(k, q),
        ),
        Misconception(
            "scaled-dot",
            "The scaled dot product",
            "You divide by √d. That is the same number for all vectors; a cosine divides by the two lengths.",
            lambda q, k: dots(q, k),
        ),
    ),
)

# additive_scores -----------------------------------------------------------------------------------------------------


def additive_cases(draw: Draw) -> list[Case]:
    b, h, t, s, dq, dk, a = draw.sizes(7, low=2, high=9)

    def data(*leading: int, t: int, s: int, dq: int, dk: int, a: int) -> tuple[Tensor, ...]:
        return draw.normal(*leading, t, dq), draw.normal(*leading, s, dk), draw.normal(dq, a), draw.normal(dk, a), draw.normal(a)

    return [
        Case(f"{t} queries of size {dq}, {s} keys of size {dk}", args=data(t=t, s=s, dq=dq, dk=dk, a=a)),
        Case(f"a batch of {b}", args=data(b, t=s, s=t, dq=dk, dk=dq, a=a)),
        Case("a batch with heads", args=data(2, 3, t=min(t, 4), s=5, dq=dk, dk=dq, a=min(a, 4))),
        Case("queries and keys of one size", args=data(b, t=t, s=s, dq=dk, dk=dk, a=a)),
        Case("all sizes equal", args=data(t=h, s=h, dq=h, dk=h, a=h)),
        Case("gradients", args=data(b, t=t, s=s, dq=dq, dk=dk, a=h), gradients=True),
        Case("one query, one key", args=data(t=1, s=1, dq=dq, dk=dk, a=a), group="edge"),
        Case("a hidden layer of one neuron", args=data(b, t=t, s=s, dq=dq, dk=dk, a=1), group="edge"),
    ]


def summed(query: Tensor, key: Tensor, w_q: Tensor, w_k: Tensor) -> Tensor:
    """(..., T, S, A): what goes into the tanh, for every pair."""
    return (query @ w_q)[..., :, None, :] + (key @ w_k)[..., None, :, :]


def _tanh_each(query: Tensor, key: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor) -> Tensor:
    return (torch.tanh(query @ w_q)[..., :, None, :] + torch.tanh(key @ w_k)[..., None, :, :]) @ v


def _repeated(query: Tensor, key: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor) -> Tensor:
    t, s = query.shape[-2], key.shape[-2]
    ones = [1] * (query.dim() - 2)
    pairs = (query @ w_q).repeat(*ones, s, 1) + (key @ w_k).repeat(
        *ones, t, 1
    )  # (..., T * S, A): i-th query meets i-th key, round and round
    return (torch.tanh(pairs) @ v).reshape(*query.shape[:-2], t, s)


ADDITIVE = Exercise(
    name="additive_scores",
    points=3,
    section="A family of scores",
    reference=ref.additive_scores,
    returns=("scores (..., T, S)",),
    cases=additive_cases,
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "no-tanh",
            "The tanh is missing",
            "Without the tanh a score is a number for the query plus a number for the key. Softmax over the keys cancels the first: every "
            "query gets the same weights. The nonlinearity is what lets the two meet.",
            lambda q, k, w_q, w_k, v: summed(q, k, w_q, w_k) @ v,
        ),
        Misconception(
            "tanh-on-the-score",
            "The tanh stands outside",
            "You take the tanh of the finished score. It belongs on the hidden layer, before v: inside it, query and key act together.",
            lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k) @ v),
        ),
        Misconception(
            "tanh-on-each",
            "Two tanhs, one for each part",
            "You take the tanh of the query part and of the key part, and add afterwards. Then the query's part is the same for all "
            "keys and "
            "cancels in the softmax. Add first.",
            _tanh_each,
        ),
        Misconception(
            "tanh-first",
            "The tanh comes first",
            "You squash query and key before the projections. The tanh belongs behind the sum of both projections.",
            lambda q, k, w_q, w_k, v: summed(torch.tanh(q), torch.tanh(k), w_q, w_k) @ v,
        ),
        Misconception(
            "one-matrix-for-both",
            "One matrix for queries and keys",
            "You project queries and keys with the same matrix. They have different sizes in general, and a matrix each.",
            lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_q, v),
        ),
        Misconception(
            "matrices-swapped",
            "The two matrices are swapped",
            "You project the queries with w_k and the keys with w_q.",
            lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_k, w_q, v),
        ),
        Misconception(
            "paired-off",
            "Query i meets key i only",
            "You add row i of the queries to row i of the keys, which fits only if there are equally many. Every query meets every "
            "key: give each of them a new axis.",
            lambda q, k, w_q, w_k, v: torch.tanh(q @ w_q + k @ w_k) @ v,
        ),
        Misconception(
            "paired-off",
            "The same new axis for both",
            "You give queries and keys a new axis at the same place, so they still stand side by side: query i meets key i only. One of them "
            "needs its new axis where the other has its own.",
            lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[:, None] + (k @ w_k)[:, None]) @ v,
        ),
        *(
            Misconception(
                "axes-counted-from-the-front",
                "New axes counted from the front",
                "Your new axes are in the right places for one number of axes only: with another batch in front, or none, they land between the "
                "wrong ones. Count from the back, with `[..., :, None, :]` or `unsqueeze(-2)`: queries, keys and features are always the last.",
                variant,
            )
            for variant in (
                lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[:, None] + (k @ w_k)[None]) @ v,
                lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[:, :, None] + (k @ w_k)[:, None]) @ v,
            )
        ),
        Misconception(
            "axis-behind-the-features",
            "The new axis stands behind the features",
            "You put the query's new axis last. The features stay last, in both: the new axis of the queries is where the keys are, in front of "
            "the features, and the other way round.",
            lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[..., None] + (k @ w_k)[..., None, :]) @ v,
        ),
        Misconception(
            "relu",
            "relu instead of tanh",
            "You use a relu. It would be another (usable) attention, but negative hidden values are lost; the formula has a tanh.",
            lambda q, k, w_q, w_k, v: summed(q, k, w_q, w_k).relu() @ v,
        ),
        Misconception(
            "relu-on-the-score",
            "A relu on the score",
            "You put a relu behind the score: all negative scores become 0 and tie. Scores may be negative; softmax takes care of the "
            "sign.",
            lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_k, v).relu(),
        ),
        Misconception(
            "sigmoid",
            "A sigmoid instead of tanh",
            "You use a sigmoid; the formula has a tanh, which is centred on 0.",
            lambda q, k, w_q, w_k, v: summed(q, k, w_q, w_k).sigmoid() @ v,
        ),
        Misconception(
            "multiplied",
            "Multiplied instead of added",
            "You multiply the two projections. That is a relative of multiplicative attention; the additive one has a plus (that is "
            "where its name comes from).",
            lambda q, k, w_q, w_k, v: torch.tanh((q @ w_q)[..., :, None, :] * (k @ w_k)[..., None, :, :]) @ v,
        ),
        Misconception(
            "v-ignored",
            "v is not used",
            "You add up the hidden layer; v is not used. It says how much each hidden neuron counts, and in which direction.",
            lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k)).sum(-1),
        ),
        Misconception(
            "v-inside",
            "v stands inside the tanh",
            "You multiply by v before the tanh and then add up. v weighs what the tanh gives.",
            lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k) * v).sum(-1),
        ),
        Misconception(
            "not-summed",
            "The hidden layer is not summed up",
            "Your result still has the axis of the hidden layer. A score is one number per pair: the product with v sums over the "
            "hidden neurons.",
            lambda q, k, w_q, w_k, v: torch.tanh(summed(q, k, w_q, w_k)) * v,
        ),
        Misconception(
            "softmax-included",
            "Weights instead of scores",
            "You return a softmax of the scores. Asked for are the scores themselves.",
            lambda q, k, w_q, w_k, v: softmax(ref.additive_scores(q, k, w_q, w_k, v)),
        ),
        Misconception(
            "softmax-on-the-hidden-layer",
            "A softmax over the hidden layer",
            "You take a softmax over the hidden neurons. The competition is between keys, and it comes later: there is no softmax in "
            "a score.",
            lambda q, k, w_q, w_k, v: softmax(torch.tanh(summed(q, k, w_q, w_k))) @ v,
        ),
        Misconception(
            "scaled",
            "A scale that was not asked for",
            "You divide by the root of the hidden size. Additive scores are bounded by the sum of |v|: the tanh does what the scale "
            "does elsewhere.",
            lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_k, v) / math.sqrt(len(v)),
        ),
        Misconception(
            "transposed",
            "Rows and columns swapped",
            "Your rows are keys and your columns queries. One row belongs to one query.",
            lambda q, k, w_q, w_k, v: ref.additive_scores(q, k, w_q, w_k, v).mT,
        ),
        Misconception(
            "repeated-in-step",
            "Both are repeated in the same order",
            "You repeat queries and keys in the same rhythm, so that query i meets key i again and again, and some pairs never meet. "
            "One of them must stand still while the other runs through.",
            _repeated,
        ),
        Misconception(
            "concatenated-along-the-sequence",
            "Joined along the sequence",
            "You join queries and keys end to end, as if they were one longer sequence. The concatenation in the formula is along the "
            "features, for each pair.",
            lambda q, k, w_q, w_k, v: torch.tanh(torch.cat([q @ w_q, k @ w_k], dim=-2)) @ v,
        ),
    ),
)

# general_scores ------------------------------------------------------------------------------------------------------


def general_cases(draw: Draw) -> list[Case]:
    b, h, t, s, dq, dk = draw.sizes(6, low=2, high=8)

    def data(*leading: int, t: int, s: int, dq: int, dk: int) -> tuple[Tensor, ...]:
        return draw.normal(*leading, t, dq), draw.normal(*leading, s, dk), draw.normal(dq, dk)

    return [
        Case(f"{t} queries of size {dq}, {s} keys of size {dk}", args=data(t=t, s=s, dq=dq, dk=dk)),
        Case(f"a batch of {b}", args=data(b, t=s, s=t, dq=dk, dk=dq)),
        Case(f"a batch of {b} with {h} heads", args=data(b, h, t=t, s=s, dq=dk, dk=dq)),
        Case("all sizes equal", args=data(t, t=t, s=t, dq=t, dk=t)),
        Case("gradients", args=data(h, t=dq, s=dk, dq=t, dk=s), gradients=True),
        Case("one query", args=data(t=1, s=s, dq=dq, dk=dk), group="edge"),
        Case("one key", args=data(b, t=t, s=1, dq=dq, dk=dk), group="edge"),
    ]


GENERAL = Exercise(
    name="general_scores",
    points=2,
    section="A family of scores",
    reference=ref.general_scores,
    returns=("scores (..., T, S)",),
    cases=general_cases,
    picture=weights_picture(0),
    tolerance=2e-5,
    misconceptions=(
        Misconception(
            "w-transposed",
            "w the wrong way round",
            "You multiply by the transpose of w. Its rows belong to the features of the query, its columns to those of the key: write "
            "the shapes under the product.",
            lambda q, k, w: q @ w.T @ k.mT,
        ),
        Misconception(
            "w-ignored",
            "w is not used",
            "You return plain dot products. They need queries and keys of the same size; w is what makes them comparable.",
            lambda q, k, w: q @ k.mT,
        ),
        Misconception(
            "transposed",
            "Rows and columns swapped",
            "Your rows are keys and your columns queries. One row belongs to one query.",
            lambda q, k, w: ref.general_scores(q, k, w).mT,
        ),
        Misconception(
            "roles-swapped",
            "Query and key swapped",
            "You compute k w qᵀ: the key stands where the query belongs.",
            lambda q, k, w: k @ w @ q.mT,
        ),
        Misconception(
            "scaled",
            "A scale that was not asked for",
            "You divide by a root. The general score has no fixed scale: w can learn it.",
            lambda q, k, w: ref.general_scores(q, k, w) / math.sqrt(k.shape[-1]),
        ),
        Misconception(
            "softmax-included",
            "Weights instead of scores",
            "You return a softmax of the scores. Asked for are the scores themselves.",
            lambda q, k, w: softmax(ref.general_scores(q, k, w)),
        ),
        Misconception(
            "w-on-both",
            "w is applied to both",
            "You project queries *and* keys with w. It stands once, between the two.",
            lambda q, k, w: (q @ w) @ (k @ w).mT,
        ),
        Misconception(
            "transposes-every-axis",
            "`.T` turns round every axis",
            "`.T` reverses all axes, the batch included; that is the transpose only for a matrix. Swap the last two axes: `.mT` or "
            "`.transpose(-2, -1)`.",
            lambda q, k, w: q @ w @ k.permute(*reversed(range(k.dim()))),
        ),
        Misconception(
            "paired-off",
            "Query i meets key i only",
            "You multiply row i with row i, which fits only if there are as many queries as keys. Every query meets every key.",
            lambda q, k, w: ((q @ w) * k).sum(-1),
        ),
        Misconception(
            "keys-missing",
            "The keys are missing",
            "You return the projected queries. They still have to meet the keys.",
            lambda q, k, w: q @ w,
        ),
        Misconception(
            "tanh-included",
            "A tanh that was not asked for",
            "You squash the scores with a tanh. That belongs to the additive score; the general one is a plain product.",
            lambda q, k, w: torch.tanh(ref.general_scores(q, k, w)),
        ),
    ),
)

# slides and tables ---------------------------------------------------------------------------------------------------

THIRD_ROW = Choice(
    name="table_third_row",
    points=1,
    section="Weights from similarity",
    right="c",
    options={
        "a": Option(
            "0.1 v1 + 0.1 v2 + 0.5 v3",
            "These are the numbers of the third *column*: what the words give to v3's key. They sum to 0.7. One row belongs to one "
            "word that looks.",
            "reads-the-column",
        ),
        "b": Option(
            "0.5 v3",
            "That is v3's weight for itself alone. The context vector is a mean of all words, with the weights of one row.",
            "only-itself",
        ),
        "c": Option(
            "0.1 v1 + 0.4 v2 + 0.5 v3",
            "Right: the third row, which sums to one. A row is a word that looks, a column a word that is looked at.",
        ),
        "d": Option(
            "0.1 v1 + 0.4 v2",
            "v3 itself is left out, and the weights sum to 0.5. A word is part of its own context.",
            "ignores-itself",
        ),
    },
)

SLIDE_SCALE = Choice(
    name="slide_scale_outside",
    points=2,
    section="Why divide by √d",
    right="b",
    options={
        "a": Option(
            "Nothing: a constant factor can be moved through the softmax.",
            "Softmax is not linear: softmax(s / c) and softmax(s) / c differ. Try s = (0, 4) and c = 2: one gives .12 and .88, the "
            "other .01 and .49.",
            "softmax-taken-for-linear",
        ),
        "b": Option(
            "The division comes too late: the rows of weights sum to 1/√d, and the softmax is as peaked as with no scale at all.",
            "Right. For d = 64 every row sums to 0.125: each output is an eighth of an average. And the large scores have already "
            "done their harm inside the softmax.",
        ),
        "c": Option(
            "It should multiply by √d, to make up for vectors that get shorter.",
            "The scores of long vectors are too large, not too small: their standard deviation is √d. Multiplying would make it worse.",
            "multiplies-by-the-scale",
        ),
        "d": Option(
            "The root must be of the number of words: the softmax sums over the words.",
            "What grows is the dot product, and that is a sum over the d features of two words. The number of words does not make a "
            "single score larger.",
            "scaled-by-the-number-of-keys",
        ),
    },
)

SLIDE_TANH = Choice(
    name="slide_drop_tanh",
    points=2,
    section="Dropping the tanh",
    right="d",
    options={
        "a": Option(
            "It is true: without the tanh, v · (W_q q + W_k k) is a product of q and k.",
            "Multiply it out: v · W_q q + v · W_k k. There is a term with q and a term with k, but none in which q and k are multiplied.",
            "sum-taken-for-a-product",
        ),
        "b": Option(
            "Without the tanh the scores are not bounded, so the softmax overflows.",
            "Dot products are not bounded either, and a softmax that subtracts the maximum never overflows. Something worse happens.",
            "fears-overflow",
        ),
        "c": Option(
            "Without the tanh the part with the keys cancels: every key gets the same weight.",
            "The softmax runs over the keys, so only what is the *same for all keys* cancels. Which of the two parts is that?",
            "the-keys-cancel",
        ),
        "d": Option(
            "Without the tanh the part with the query is the same for all keys and cancels: every query gets the same weights.",
            "Right. The score falls apart into a number for the query plus a number for the key, and the softmax over keys forgets "
            "the first. Multiplicative attention has q W k, in which the two meet.",
        ),
    },
)

SLIDE_LOCAL = Choice(
    name="slide_local_hard",
    points=2,
    section="Two axes: global or local, soft or hard",
    right="a",
    options={
        "a": Option(
            "They are two independent questions: how much is in reach (all, or a window), and what is done with it (a weighted mean, "
            "or one pick).",
            "Right. Luong's local attention is a soft mean inside a window and has gradients; Xu's hard attention draws one place out "
            "of the whole image and needs another way to learn.",
        ),
        "b": Option(
            "Nothing: whoever looks at a part of the input has to pick, and that is hard.",
            "A window of five words can be averaged softly, with weights and gradients like any other. Looking at a part and picking "
            "one are different things.",
            "local-taken-for-hard",
        ),
        "c": Option(
            "The pairs are crossed: global goes with hard, local with soft.",
            "All four combinations exist. It is not the pairing that is wrong but that there are pairs at all.",
            "pairs-crossed",
        ),
        "d": Option(
            "Hard attention is no attention: its weights do not sum to one.",
            "A single 1 among zeros sums to one. Hard attention is a distribution too, the most decided one.",
            "one-hot-taken-for-no-distribution",
        ),
    },
)

UNIT = Unit(
    name="02_dot_product_attention",
    title="Dot-product attention",
    exercises=(ONE_HOT, CONTEXT, THIRD_ROW, ATTENTION, SELF_ATTENTION, COSINE, ADDITIVE, GENERAL, SLIDE_SCALE, SLIDE_TANH, SLIDE_LOCAL),
)
