"""What several exercises of this unit have in common."""

import ast
from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.judging.exercise import Draw, Exercise
from course_utils.masking import masked_attention

Result = tuple[Tensor, Tensor]
Attend = Callable[
    ..., Result
]  # heads of queries, keys and values, (B, H, T, d), and a mask or None


def view(x: Tensor, heads: int, *sizes: int) -> Tensor:
    """x.view(sizes), after the check that the exercise asks for."""
    if x.shape[-1] % heads:
        raise ValueError("not divisible")
    return x.reshape(sizes)


def split_by_view(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return view(x, heads, batch, heads, length, dim // heads)


def split_interleaved(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return view(x, heads, batch, length, dim // heads, heads).permute(0, 3, 1, 2)


def merge_by_view(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.reshape(batch, length, heads * size)


def merge_interleaved(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(2)


def weights_of(draw: Draw, dim: int, scale: float = 1.0) -> dict[str, Tensor]:
    """A state for MultiHeadAttention in which every number is drawn."""
    state = {}
    for name in ("query", "key", "value", "out"):
        state[f"{name}.weight"] = draw.normal(dim, dim, scale=scale / dim**0.5)
        state[f"{name}.bias"] = draw.normal(dim, scale=0.5)
    return state


def scaled(factor: Callable[[int, int], float]) -> Attend:
    """Attention with the scores times `factor(heads, size of a head)`."""
    return lambda q, k, v, mask: masked_attention(q * factor(q.shape[1], q.shape[-1]), k, v, mask)


def weighed(weigh: Callable[[Tensor, Tensor], Tensor]) -> Attend:
    """Attention with weights that are made of scores and mask in another way."""

    def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Result:
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = weigh(scores, torch.tensor(True) if mask is None else mask)
        return weights @ v, weights

    return attend


def filled(fill: float, dim: int = -1) -> Attend:
    """Another score where the mask is False, and no rule for a row without any key."""
    return weighed(lambda scores, mask: scores.masked_fill(~mask, fill).softmax(dim))


def add_attention_mistakes(exercise: Exercise, through: Callable[[Attend], Attend | type]) -> None:
    """Mistakes with scale and mask inside the heads; `through` makes answers of them."""

    def add(slug: str, title: str, hint: str, wrong: Attend) -> None:
        exercise.misconception(slug, title, hint, through(wrong))

    add(
        "scaled-by-model-size",
        "Scaled by the size of the model",
        "You divide the scores by √D. The dot products are taken inside a head, over d = D / H "
        "numbers: that is the size that must be made up for.",
        scaled(lambda heads, size: heads**-0.5),
    )
    add(
        "no-scale",
        "The scores are not scaled",
        "You do not divide the scores by the root of a head's size. Their spread grows with it, "
        "and softmax becomes a hard choice.",
        scaled(lambda heads, size: size**0.5),
    )
    add(
        "scaled-twice",
        "Scaled twice",
        "You scale the scores, and so does the attention of unit 03. Once is enough.",
        scaled(lambda heads, size: size**-0.5),
    )
    add(
        "scaled-by-heads",
        "Scaled by the number of heads",
        "You divide by √H. What makes dot products large is the number of features that are "
        "summed: the size of a head, not how many heads there are.",
        scaled(lambda heads, size: (size / heads) ** 0.5),
    )
    add(
        "mask-ignored",
        "The mask is accepted and not used",
        "Your result does not depend on the mask. An argument that is accepted and dropped is "
        "worse than none: padding and future are attended to, and nobody is told.",
        lambda q, k, v, mask: masked_attention(q, k, v),
    )
    add(
        "mask-inverted",
        "The mask the other way round",
        "In this course True means “may attend” (as in torch's scaled_dot_product_attention; "
        "nn.MultiheadAttention has it the other way round). You hide what should be seen.",
        lambda q, k, v, mask: masked_attention(q, k, v, None if mask is None else ~mask),
    )
    add(
        "zero-score",
        "A score of 0 is not a weight of 0",
        "You set masked scores to 0. exp(0) is 1, which is more than a valid score of -50 gets. "
        "Which score has the exponential 0?",
        filled(0.0),
    )
    add(
        "fill-too-weak",
        "The fill is not low enough",
        "You set masked scores to a number that is low, but not lower than every score. A valid "
        "score may be -50: then the masked keys win.",
        filled(-10.0),
    )
    exercise.misconception(
        "sign-lost",
        "1e-9 is almost 0",
        "You fill with 1e-9, a tiny positive number. The minus was meant in front of the whole: "
        "-1e9.",
        through(filled(1e-9)),
        syntax=lambda tree: any(
            isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3
            for n in ast.walk(tree)
        ),
    )
    add(
        "masked-after-softmax",
        "Masked after the softmax",
        "You set weights to 0 after the softmax. What they had is missing now: the rows no longer "
        "sum to one. Mask the scores.",
        weighed(lambda scores, mask: scores.softmax(-1) * mask),
    )
    add(
        "softmax-over-queries",
        "Normalised over the queries",
        "Your columns sum to one instead of your rows. Each query shares out its attention among "
        "the keys: softmax runs along the last axis.",
        filled(-torch.inf, dim=-2),
    )
