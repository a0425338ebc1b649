"""The Vision Transformer: `VisionTransformer`, (B, C, H, W) -> (B, classes)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden

from ._shared import Forward


def model_weights(draw: Draw, init: tuple[int, ...]) -> dict[str, Tensor]:
    """A state for VisionTransformer in which every number is drawn."""
    shapes = {
        name: value.shape for name, value in ref.VisionTransformer(*init).state_dict().items()
    }
    state = {}
    for name, shape in shapes.items():
        fan_in = shape[-1] if name.endswith("weight") and len(shape) == 2 else 1
        state[name] = draw.normal(*shape, scale=fan_in**-0.5)
        if "norm" in name and name.endswith("weight"):
            state[name] = 1 + 0.3 * state[name]
    return state


def cases(draw: Draw) -> list[Case]:
    batch, channels, patch, rows = draw.sizes(4, low=2, high=5)
    heads, size = draw.sizes(2, low=2, high=4)

    def case(
        label: str, images: int, depth: int, rows: int = rows, classes: int = 11, **options: Any
    ) -> Case:
        dim = heads * size
        init = (rows * patch, channels, patch, dim, heads, 2 * dim + 1, depth, classes)
        args = (draw.normal(images, channels, rows * patch, rows * patch),)
        return Case(label, init=init, weights=model_weights(draw, init), args=args, **options)

    trained = case("in training mode", batch, 1, group="edge")
    return [
        case(f"{batch} images, {rows} x {rows} patches, two layers", batch, 2),
        case("one layer, other weights", batch + 1, 1),
        case("values and gradients", batch, 2, rows=2, gradients=True),
        case("one image", 1, 2, group="edge"),
        case("one patch is the whole image", batch, 2, rows=1, group="edge"),
        case("two classes", batch, 1, classes=2, group="edge"),
        replace(trained, then=(Call(method="train"), Call(trained.args))),
    ]


ENCODERS = ("TransformerEncoder", "TransformerEncoderLayer", "Transformer")

EXERCISE = Exercise(
    name="VisionTransformer",
    points=4,
    section="The Vision Transformer",
    reference=ref.VisionTransformer,
    kind="module",
    returns=("logits (B, classes)",),
    cases=cases,
    promised=lambda case: case.init is not None and case.init[3] >= 2,
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            "Here you put the model together yourself, from your PatchEmbedding and the course's "
            "Encoder: torchvision's models and torch's TransformerEncoder are not allowed.",
            names=("torchvision", "vit_b_16", "vit_b_32", "vit_l_16", *ENCODERS),
        ),
    ),
)


def vision(forward: Forward) -> type[ref.VisionTransformer]:
    """VisionTransformer with another forward."""
    return type("Variant", (ref.VisionTransformer,), {"forward": forward})


def encoded(self: Any, images: Tensor) -> Any:
    """(B, C, H, W) -> (B, N + 1, D)."""
    return self.encoder(self.embed(images))


EXERCISE.misconception(
    "mean-with-cls",
    "The mean of all tokens",
    "You average over all tokens, CLS included. That can be trained as well, but the text reads "
    "the class off the CLS token alone.",
    vision(lambda self, images: self.head(encoded(self, images).mean(1))),
)

EXERCISE.misconception(
    "mean-of-patches",
    "The mean of the patches",
    "You average the patches and leave the CLS token out. Many models do that; here the logits "
    "come from the CLS token.",
    vision(lambda self, images: self.head(encoded(self, images)[:, 1:].mean(1))),
)

EXERCISE.misconception(
    "first-patch-for-cls",
    "A patch is taken for CLS",
    "You read token 1, which is the patch in the upper left corner. Where did the embedding put "
    "the CLS token?",
    vision(lambda self, images: self.head(encoded(self, images)[:, 1])),
)

EXERCISE.misconception(
    "last-token",
    "The last token is read",
    "You read the last token, as a language model does. It is the patch in the lower right "
    "corner; CLS stands elsewhere.",
    vision(lambda self, images: self.head(encoded(self, images)[:, -1])),
)

EXERCISE.misconception(
    "first-image",
    "The first image instead of the first token",
    "`[0]` takes the first image of the batch with all of its tokens. The batch is the first "
    "axis, the tokens are the second.",
    vision(lambda self, images: self.head(encoded(self, images)[0])),
)


def all_tokens(self: Any, images: Tensor) -> Any:
    return self.head(encoded(self, images))


EXERCISE.misconception(
    "logits-for-every-token",
    "Logits for every token",
    "You return (B, N + 1, classes). The image has one class: pick the token that has gathered "
    "the whole of it.",
    vision(all_tokens),
)


def after_head(change: Callable[[Tensor], Tensor]) -> type[ref.VisionTransformer]:
    return vision(lambda self, images: change(self.head(encoded(self, images)[:, 0])))


EXERCISE.misconception(
    "softmax-in-the-model",
    "Probabilities instead of logits",
    "You put a softmax at the end. Cross entropy has one inside: with two of them the gradients "
    "get small, and the text asks for logits.",
    after_head(lambda logits: logits.softmax(-1)),
)

EXERCISE.misconception(
    "log-softmax-in-the-model",
    "Log probabilities instead of logits",
    "You put a log-softmax at the end. Cross entropy takes care of that; the text asks for logits.",
    after_head(lambda logits: logits.log_softmax(-1)),
)

EXERCISE.misconception(
    "predicted-class",
    "The class instead of the logits",
    "You return the largest entry's number. Nothing can be learned through an argmax: return the "
    "logits.",
    after_head(lambda logits: logits.argmax(-1)),
)


def without_final_norm(self: Any, images: Tensor) -> Any:
    tokens = self.embed(images)
    for block in self.encoder.blocks:
        tokens = block(tokens)
    return self.head(tokens[:, 0])


EXERCISE.misconception(
    "final-norm-skipped",
    "The last norm is missing",
    "You walk through the blocks by hand and leave out the norm that ends a pre-norm encoder. "
    "Call the encoder as a whole.",
    vision(without_final_norm),
)


def normed_first(self: Any, images: Tensor) -> Any:
    return self.head(self.encoder(self.encoder.norm(self.embed(images)))[:, 0])


EXERCISE.misconception(
    "norm-first-too",
    "A norm too many",
    "You also apply the encoder's final norm before the first block. It belongs after the last "
    "one, and the encoder does that itself.",
    vision(normed_first),
)


def without_encoder(self: Any, images: Tensor) -> Any:
    return self.head(self.embed(images)[:, 0])


EXERCISE.misconception(
    "no-encoder",
    "The encoder is never called",
    "You classify the CLS token before the encoder has run. At that moment it is the same learned "
    "vector for every image.",
    vision(without_encoder),
)


def without_embedding_cls(self: Any, images: Tensor) -> Any:
    tokens = self.embed(images)[:, 1:]
    return self.head(self.encoder(tokens)[:, 0])


EXERCISE.misconception(
    "cls-dropped",
    "CLS is dropped before the encoder",
    "You take the CLS token out of the sequence before the encoder, so what you read at place 0 "
    "is a patch.",
    vision(without_embedding_cls),
)


def positions_twice(self: Any, images: Tensor) -> Any:
    return self.head(self.encoder(self.embed(images) + self.embed.positions)[:, 0])


EXERCISE.misconception(
    "positions-twice",
    "Positions are added twice",
    "You add the positions once more. The embedding has done that already.",
    vision(positions_twice),
)


def tokens_first(self: Any, images: Tensor) -> Any:
    return self.head(self.encoder(self.embed(images).transpose(0, 1))[0])


EXERCISE.misconception(
    "tokens-before-the-batch",
    "Batch and tokens are exchanged",
    "You hand the encoder (N + 1, B, D). It takes the first axis for the batch, so the images look "
    "at one another and the patches of an image do not. Leave the batch in front.",
    vision(tokens_first),
    syntax=lambda tree: syntax.uses(tree, "transpose", "permute", "swapaxes", "movedim"),
)


def causal(self: Any, images: Tensor) -> Any:
    tokens = self.embed(images)
    mask = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
    return self.head(self.encoder(tokens, mask)[:, 0])


EXERCISE.misconception(
    "causal-mask",
    "The patches may not look ahead",
    "You give the encoder a causal mask. CLS stands first: with such a mask it sees nothing but "
    "itself. An image has no future to hide.",
    vision(causal),
)
