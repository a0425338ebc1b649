"""The Vision Transformer equals torchvision's; patches, rollout and the data behave as the lecture
says."""

import pytest
import torch
import torch.nn.functional as F
from einops import rearrange
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from course_utils.data.images import digits, fashion_mnist, fashion_mnist_is_here
from course_utils.data.vision import models, torchvision
from course_utils.multi_head_attention import recorded_weights
from course_utils.training import seeded
from course_utils.vision_transformer import (
    PatchEmbedding,
    VisionTransformer,
    attention_rollout,
    fashion_experiment,
    from_torchvision,
    occlusion_map,
    patchify,
    train,
    unpatchify,
)

SIZES = st.lists(st.integers(1, 6), min_size=5, max_size=5, unique=True)


@settings(max_examples=40, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_patchify_is_einops_and_unfold(sizes: list[int], seed: int) -> None:
    batch, channels, rows, columns, patch = sizes
    images = torch.randn(batch, channels, rows * patch, columns * patch, generator=seeded(seed))
    patches = patchify(images, patch)
    assert torch.equal(
        patches, rearrange(images, "b c (r p) (s q) -> b (r s) (c p q)", p=patch, q=patch)
    )
    assert torch.equal(patches, F.unfold(images, patch, stride=patch).mT)
    assert torch.equal(unpatchify(patches, patch, rows * patch, columns * patch), images)


@pytest.mark.parametrize("size", [(9, 8), (8, 9), (2, 2)])
def test_patches_must_tile_the_image(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="do not tile"):
        patchify(torch.zeros(2, 3, *size), 4)


@settings(max_examples=20, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_patch_embedding_is_a_convolution_with_a_stride(sizes: list[int], seed: int) -> None:
    batch, channels, rows, dim, patch = sizes
    torch.manual_seed(seed)
    embed = PatchEmbedding(rows * patch, channels, patch, dim)
    images = torch.randn(batch, channels, rows * patch, rows * patch)
    kernel = embed.project.weight.reshape(dim, channels, patch, patch)
    tokens = F.conv2d(images, kernel, embed.project.bias, stride=patch).flatten(2).mT
    expected = torch.cat([embed.cls.expand(batch, -1, -1), tokens], 1) + embed.positions
    assert torch.allclose(embed(images), expected, atol=1e-5)


def randomised(vit: nn.Module) -> nn.Module:
    """torchvision starts with a head and a class token of zeros; with them any two models would
    agree."""
    for name in ("heads.head.weight", "heads.head.bias", "class_token"):
        nn.init.normal_(vit.get_parameter(name), std=0.2)
    return vit.eval()


@pytest.mark.parametrize(
    ("size", "patch", "depth", "heads", "dim"), [(12, 4, 2, 3, 24), (20, 5, 3, 2, 16)]
)
def test_equals_torchvision_at_small_sizes(
    size: int, patch: int, depth: int, heads: int, dim: int
) -> None:
    torch.manual_seed(0)
    make = torchvision.models.vision_transformer.VisionTransformer
    theirs = randomised(make(size, patch, depth, heads, dim, 2 * dim, num_classes=7))
    images = torch.randn(3, 3, size, size)
    with torch.no_grad():
        logits = theirs(images)
        assert logits.std() > 0.1
        assert torch.allclose(from_torchvision(theirs)(images), logits, atol=1e-5)


@pytest.mark.slow
def test_equals_torchvision_vit_b_16() -> None:
    torch.manual_seed(0)
    theirs = randomised(models.vit_b_16())
    ours = from_torchvision(theirs)
    assert (
        sum(p.numel() for p in ours.parameters())
        == sum(p.numel() for p in theirs.parameters())
        == 86_567_656
    )
    images = torch.randn(2, 3, 224, 224)
    with torch.no_grad():
        logits = theirs(images)
        assert logits.std() > 0.1
        assert torch.allclose(ours(images), logits, atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(2, 7), min_size=4, max_size=4, unique=True), seed=st.integers(0, 99)
)
def test_rollout_holds_distributions_and_knows_its_limits(sizes: list[int], seed: int) -> None:
    batch, heads, tokens, depth = sizes
    weights = [
        torch.randn(batch, heads, tokens, tokens, generator=seeded(seed + i)).softmax(-1)
        for i in range(depth)
    ]
    rollout = attention_rollout(weights)
    assert torch.allclose(rollout.sum(-1), torch.ones(batch, tokens), atol=1e-5)
    assert torch.allclose(
        attention_rollout(weights[:1]),
        0.5 * weights[0].mean(1) + 0.5 * torch.eye(tokens),
        atol=1e-6,
    )
    nothing = [torch.eye(tokens).expand(batch, heads, -1, -1)] * depth
    assert torch.allclose(attention_rollout(nothing), torch.eye(tokens).expand(batch, -1, -1))


def test_rollout_of_linear_layers_is_the_truth() -> None:
    """Where blocks only mix tokens (x <- x / 2 + A x / 2), the rollout is exactly the derivative of
    output by input."""
    weights = [torch.randn(2, 1, 5, 5, generator=seeded(i)).softmax(-1) for i in range(3)]
    x = torch.eye(5).expand(2, -1, -1)
    for layer in weights:
        x = 0.5 * x + 0.5 * layer.mean(1) @ x
    assert torch.allclose(attention_rollout(weights), x, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(sizes=SIZES, seed=st.integers(0, 99))
def test_occlusion_of_a_linear_model_is_what_each_patch_brought(
    sizes: list[int], seed: int
) -> None:
    batch, channels, rows, columns, patch = sizes
    draw = seeded(seed)
    images = torch.randn(batch, channels, rows * patch, columns * patch, generator=draw)
    weight = torch.randn(4, *images.shape[1:], generator=draw)  # (classes, C, H, W)
    logits = images.flatten(1) @ weight.flatten(1).T  # (B, classes)
    # what each pixel adds to the logit of the answer, summed over each patch
    brought = patchify((images - 0.5) * weight[logits.argmax(-1)], patch).sum(-1)
    found = occlusion_map(lambda x: x.flatten(1) @ weight.flatten(1).T, images, patch, fill=0.5)
    assert found.shape == (batch, rows, columns)
    torch.testing.assert_close(found.flatten(1), brought, atol=1e-3, rtol=1e-4)


def test_without_positions_the_order_of_patches_is_lost() -> None:
    torch.manual_seed(0)
    model = VisionTransformer(8, 1, 2, 12, 3, 24, 2, 5)
    images = torch.randn(4, 1, 8, 8)
    shuffled = unpatchify(patchify(images, 2)[:, torch.randperm(16, generator=seeded(0))], 2, 8, 8)
    with torch.no_grad():
        assert not torch.allclose(model(images), model(shuffled), atol=1e-3)
        model.embed.positions.zero_()
        assert torch.allclose(model(images), model(shuffled), atol=1e-5)


def test_weights_can_be_recorded() -> None:
    model = VisionTransformer(8, 1, 4, 12, 3, 24, 2, 5)
    with recorded_weights(model) as weights, torch.no_grad():
        model(torch.randn(6, 1, 8, 8))
    assert [tuple(w.shape) for w in weights] == [(6, 3, 5, 5)] * 2


def test_digits_are_scikit_learns() -> None:
    from sklearn.datasets import load_digits

    train_images, _, test_images, test_labels = digits()
    assert (len(train_images), len(test_images)) == (1347, 450)
    ours = {
        (*image.flatten().tolist(), int(label))
        for image, label in zip(test_images * 16, test_labels, strict=True)
    }
    theirs = {
        (*image.flatten().tolist(), int(label))
        for image, label in zip(*load_digits(return_X_y=True), strict=True)
    }
    assert ours <= theirs
    assert torch.bincount(test_labels).min() >= 43  # a quarter of every class


@pytest.mark.slow
def test_a_vision_transformer_learns_the_digits() -> None:
    images, labels, test_images, test_labels = digits()
    torch.manual_seed(0)
    model = VisionTransformer(8, 1, 2, 48, 4, 96, 3, 10)
    train(model, images, labels, 400)
    with torch.no_grad():
        assert (model(test_images).argmax(-1) == test_labels).float().mean() > 0.95


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(
    not fashion_mnist_is_here(), reason="Fashion-MNIST is not here (Debian: dataset-fashion-mnist)"
)
def test_fashion_mnist_in_two_epochs() -> None:
    images, labels, *_ = fashion_mnist()
    assert images.shape == (60_000, 1, 28, 28)
    assert torch.equal(torch.bincount(labels), torch.full((10,), 6000))
    model, found = fashion_experiment(epochs=2)
    assert len(model.encoder.blocks) == 3
    assert found >= 0.85
