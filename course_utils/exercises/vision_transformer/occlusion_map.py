"""Occlusion: `occlusion_map(model, images, patch, fill)`.

model: (B, C, H, W) -> logits (B, classes); images (B, C, H, W) -> (B, H / patch, W / patch).
"""

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.toys import Toy, build

Model = Callable[[Tensor], Tensor]


def cases(draw: Draw) -> list[Case]:
    batch, channels, patch, rows, columns = draw.sizes(5, low=2, high=6)
    classes = draw.integer(3, 5)

    def toy(channels: int, height: int, width: int) -> Toy:
        inner = draw.normal(5, channels, height, width, scale=3 / (height * width) ** 0.5)
        return Toy("classifier", {"inner": inner, "outer": draw.normal(5, classes)})

    def case(
        label: str,
        batch: int = batch,
        channels: int = channels,
        patch: int = patch,
        grid: tuple[int, int] = (rows, columns),
        fill: float = 0.0,
        group: str = "basic",
    ) -> Case:
        height, width = grid[0] * patch, grid[1] * patch
        images = draw.uniform(batch, channels, height, width)
        return Case(label, args=(toy(channels, height, width), images, patch, fill), group=group)

    sides = torch.tensor([[[[1.0, 1.0], [0.0, 0.0]]], [[[0.0, 0.0], [1.0, 1.0]]]])
    halves = Toy("classifier", {"inner": sides, "outer": torch.eye(2), "bend": torch.zeros(())})
    example = torch.tensor([[[[1.0, 3.0], [2.0, 3.0]]]])
    both = torch.cat([example, example.flip(2)])
    grey = 0.25 + 0.5 * float(draw.uniform(1))
    return [
        Case("the example of the text: 2 x 2 pixels", args=(halves, example, 1)),
        Case("the example of the text, filled with 1", args=(halves, example, 1, 1.0)),
        Case("two images with different answers", args=(halves, both, 1)),
        case(f"{batch} images of {rows} x {columns} patches"),
        case(f"{columns} images of {batch} x {rows} patches", columns, grid=(batch, rows)),
        case("filled with another value than 0", fill=-grey),
        case("patches of one pixel", patch=1, group="edge"),
        case("one image", batch=1, group="edge"),
        case("one channel", channels=1, fill=grey, group="edge"),
        case("the whole image is one patch", grid=(1, 1), group="edge"),
    ]


def fits(case: Case) -> bool:
    """The model reads these images, patches tile them, and its answer is clear."""
    toy, images, patch, *_ = case.args
    inner, outer = toy.weights["inner"], toy.weights["outer"]
    if patch < 1 or images.shape[2] % patch or images.shape[3] % patch or len(inner) != len(outer):
        return False
    if outer.shape[1] < 2 or (torch.tensor(images.shape[1:]) > torch.tensor(inner.shape[1:])).any():
        return False
    first, second = build(toy)(images).topk(2).values.unbind(-1)
    return bool((first - second > 1e-3).all())


EXERCISE = Exercise(
    name="occlusion_map",
    points=4,
    section="Is it where it looks?",
    kind="callable",
    reference=ref.occlusion_map,
    returns=("drops (B, H / patch, W / patch)",),
    cases=cases,
    tolerance=1e-4,
    promised=fits,
    picture=weights_picture(0, "rows of patches", "columns of patches"),
)


def answer(model: Model, images: Tensor) -> Tensor:
    """(B,): the class that the model gives to the whole images."""
    return model(images).argmax(-1)


def logit(logits: Tensor, classes: Tensor) -> Tensor:
    """(B, classes), (B,) -> (B,)."""
    return logits.gather(1, classes[:, None])[:, 0]


def same_class(model: Model, images: Tensor, filled: Tensor) -> Tensor:
    chosen = answer(model, images)
    return logit(model(images), chosen) - logit(model(filled), chosen)


def paint(images: Tensor, place: tuple[slice, slice], fill: float) -> Tensor:
    filled = images.clone()
    filled[:, :, place[0], place[1]] = fill
    return filled


def occlusion(
    drop: Callable[[Model, Tensor, Tensor], Tensor] = same_class,
    hide: Callable[[Tensor, tuple[slice, slice], float], Tensor] = paint,
    keep: bool = False,
) -> Callable[..., Tensor]:
    """occlusion_map with one of its parts exchanged; `keep`: what was hidden stays hidden."""

    def variant(model: Any, images: Tensor, patch: int, fill: float = 0.0) -> Tensor:
        height, width = images.shape[2] // patch, images.shape[3] // patch
        drops, current = [], images
        for i, j in itertools.product(range(height), range(width)):
            place = slice(i * patch, (i + 1) * patch), slice(j * patch, (j + 1) * patch)
            filled = hide(current, place, fill)
            drops.append(drop(model, images, filled))
            current = filled if keep else images
        return torch.stack(drops, 1).unflatten(1, (height, width))

    return variant


EXERCISE.misconception(
    "highest-logit-afterwards",
    "The highest logit, whatever its class",
    "You compare the highest logit before with the highest one after. If another class takes over, "
    "its logit hides how far the old answer has fallen. Follow one class through all images.",
    occlusion(lambda model, x, y: model(x).amax(-1) - model(y).amax(-1)),
)

EXERCISE.misconception(
    "class-of-the-filled-image",
    "The class of the filled image",
    "You take the class that the model names for the image with a hole. The question is what "
    "becomes of the answer that it gave to the whole image.",
    occlusion(
        lambda model, x, y: logit(model(x), answer(model, y)) - logit(model(y), answer(model, y))
    ),
)

EXERCISE.misconception(
    "sign-reversed",
    "After minus before",
    "Your signs are reversed: a patch that the answer needs has a negative number. A drop is the "
    "logit before minus the logit after.",
    occlusion(lambda model, x, y: -same_class(model, x, y)),
)

EXERCISE.misconception(
    "only-the-logit-afterwards",
    "The logit itself, not its drop",
    "You return the logit of the image with a hole. What the patch was worth is the difference to "
    "the logit of the whole image.",
    occlusion(lambda model, x, y: logit(model(y), answer(model, x))),
)

EXERCISE.misconception(
    "probabilities",
    "Probabilities instead of logits",
    "You put a softmax on the logits. Near 1 a probability hardly moves, however much evidence is "
    "taken away. The text asks for the drop of the logit.",
    occlusion(lambda model, x, y: same_class(lambda z: model(z).softmax(-1), x, y)),
    occlusion(lambda model, x, y: same_class(lambda z: model(z).log_softmax(-1), x, y)),
)

EXERCISE.misconception(
    "holes-stay",
    "Earlier holes stay open",
    "One patch after the other disappears, and none comes back: the last image is empty. Begin "
    "with a fresh copy of the images for each patch.",
    occlusion(keep=True),
)

EXERCISE.misconception(
    "keeps-only-the-patch",
    "Everything but the patch is hidden",
    "You keep the patch and fill all the rest. The text asks for the opposite: only the patch is "
    "filled.",
    occlusion(
        hide=lambda x, place, fill: (
            paint(torch.full_like(x, fill), place, 0.0) + paint(torch.zeros_like(x), place, 1.0) * x
        )
    ),
)

EXERCISE.misconception(
    "fill-ignored",
    "Always filled with 0",
    "You fill with 0 and do not use `fill`. 0 is black in our digits, but not in images that were "
    "brought to mean 0: what counts as empty depends on the data.",
    lambda model, images, patch, fill=0.0: ref.occlusion_map(model, images, patch),
)

EXERCISE.misconception(
    "one-channel",
    "Only one channel is filled",
    "You fill the first channel alone. In an image with three colours the other two still show "
    "what stood there.",
    occlusion(hide=lambda x, place, fill: torch.cat([paint(x[:, :1], place, fill), x[:, 1:]], 1)),
)

EXERCISE.misconception(
    "one-class-for-all",
    "One class for the whole batch",
    "You follow the class of the first image in all images. Each image has an answer of its own.",
    occlusion(lambda model, x, y: (model(x) - model(y))[:, answer(model, x)[0]]),
    occlusion(lambda model, x, y: (model(x) - model(y))[:, model(x).sum(0).argmax()]),
)

EXERCISE.misconception(
    "no-negative-drops",
    "Negative drops are cut off",
    "You replace negative drops by 0. A patch without which the answer is *surer* speaks against "
    "it, and the map should say so.",
    occlusion(lambda model, x, y: same_class(model, x, y).clamp(min=0)),
)

EXERCISE.misconception(
    "absolute-drops",
    "The size of the change, without its sign",
    "You return how much the logit changes, up or down. A patch that speaks against the answer "
    "looks like one that speaks for it.",
    occlusion(lambda model, x, y: same_class(model, x, y).abs()),
)

EXERCISE.misconception(
    "mean-over-the-batch",
    "One map for all images",
    "You average over the batch. Each image has a map of its own: (B, rows, columns).",
    lambda *args: ref.occlusion_map(*args).mean(0),
    lambda *args: ref.occlusion_map(*args).mean(0, keepdim=True),
)

EXERCISE.misconception(
    "flat",
    "The patches in one row",
    "Your result is (B, N). The text asks for a map: rows and columns of patches apart.",
    lambda *args: ref.occlusion_map(*args).flatten(1),
)

EXERCISE.misconception(
    "transposed",
    "Rows and columns are swapped",
    "Your map is transposed: the second axis of the result counts rows of patches, from top to "
    "bottom, the third counts columns.",
    lambda *args: ref.occlusion_map(*args).mT,
)
