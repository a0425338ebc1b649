"""The encoder equals torch's own, weights copied, in both orders of the norm; its parts obey their
laws for all sizes."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from course_utils.multi_head_attention import from_torch
from course_utils.training import seeded
from course_utils.transformer_encoder import (
    Classifier,
    Encoder,
    EncoderBlock,
    FeedForward,
    layer_norm,
    masked_mean,
)

relaxed = settings(deadline=None, max_examples=40)
sizes = st.lists(
    st.integers(2, 9), min_size=4, max_size=4, unique=True
)  # batch, length, size of a head, hidden


def block_from_torch(layer: nn.TransformerEncoderLayer) -> EncoderBlock:
    """Our block with the weights of torch's."""
    attention = layer.self_attn
    block = EncoderBlock(
        attention.embed_dim, attention.num_heads, layer.linear1.out_features, layer.norm_first
    )
    block.attention = from_torch(attention)
    pairs = [(block.feed_forward.inner, layer.linear1), (block.feed_forward.outer, layer.linear2)]
    for mine, theirs in [*pairs, (block.norm1, layer.norm1), (block.norm2, layer.norm2)]:
        mine.load_state_dict(theirs.state_dict())
    return block.eval()


def torch_layer(
    dim: int, heads: int, hidden: int, norm_first: bool, seed: int
) -> nn.TransformerEncoderLayer:
    """torch's layer with norms and biases that are not the 1 and 0 of a new one."""
    torch.manual_seed(seed)
    layer = nn.TransformerEncoderLayer(
        dim, heads, hidden, dropout=0.0, batch_first=True, norm_first=norm_first
    )
    for parameter in layer.parameters():
        if parameter.dim() == 1:
            nn.init.normal_(parameter, mean=0.5)
    return layer.eval()


def padding(batch: int, length: int, generator: torch.Generator) -> Tensor:
    """(B, T) bool, True on real tokens, at least one in every row."""
    lengths = torch.randint(1, length + 1, (batch, 1), generator=generator)
    return torch.arange(length) < lengths


@relaxed
@given(sizes, st.integers(0, 999), st.sampled_from([1e-5, 0.1]))
def test_layer_norm_equals_torch(sizes: list[int], seed: int, eps: float) -> None:
    g, dim = seeded(seed), sizes[2]
    x = 3 * torch.randn(sizes[0], sizes[1], dim, generator=g) + 2
    gamma, beta = torch.randn(dim, generator=g), torch.randn(dim, generator=g)
    torch.testing.assert_close(
        layer_norm(x, gamma, beta, eps),
        F.layer_norm(x, (dim,), gamma, beta, eps),
        atol=1e-5,
        rtol=1e-5,
    )


@relaxed
@given(sizes, st.integers(0, 999))
def test_layer_norm_forgets_shift_and_scale_of_each_token(sizes: list[int], seed: int) -> None:
    g = seeded(seed)
    x = torch.randn(sizes[0], sizes[1], 8, generator=g)
    shift, scale = (
        torch.randn(sizes[0], sizes[1], 1, generator=g),
        1 + torch.rand(sizes[0], sizes[1], 1, generator=g),
    )
    one, zero = torch.ones(8), torch.zeros(8)
    torch.testing.assert_close(
        layer_norm(scale * x + shift, one, zero, 1e-9),
        layer_norm(x, one, zero, 1e-9),
        atol=1e-4,
        rtol=1e-4,
    )


@relaxed
@given(sizes)
def test_feed_forward_treats_every_position_alike(sizes: list[int]) -> None:
    batch, length, dim, hidden = sizes
    layer, x = FeedForward(dim, hidden), torch.randn(batch, length, dim, generator=seeded(0))
    order = torch.randperm(length, generator=seeded(1))
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order])
    torch.testing.assert_close(layer(x)[:, 1], layer(x[:, 1]))


@pytest.mark.parametrize("norm_first", [False, True])
@relaxed
@given(sizes, st.integers(1, 3), st.integers(0, 999), st.booleans())
def test_block_equals_torch(
    norm_first: bool, sizes: list[int], heads: int, seed: int, masked: bool
) -> None:
    batch, length, width, hidden = sizes
    layer = torch_layer(heads * width, heads, hidden, norm_first, seed)
    x, real = (
        torch.randn(batch, length, heads * width, generator=seeded(seed)),
        padding(batch, length, seeded(seed)),
    )
    mask = real[:, None, None, :] if masked else None
    with torch.no_grad():
        mine = block_from_torch(layer)(x, mask)
        theirs = layer(x, src_key_padding_mask=~real if masked else None)
    keep = real if masked else torch.ones_like(real)  # torch may leave anything at the padding
    torch.testing.assert_close(mine[keep], theirs[keep], atol=1e-5, rtol=1e-4)


@relaxed
@given(sizes, st.integers(0, 999))
def test_fused_attention_equals_the_readable_one(sizes: list[int], seed: int) -> None:
    batch, length, width, hidden = sizes
    torch.manual_seed(seed)
    block, x = (
        EncoderBlock(2 * width, 2, hidden),
        torch.randn(batch, length, 2 * width, generator=seeded(seed)),
    )
    mask = padding(batch, length, seeded(seed))[:, None, None, :]
    mask[0] = False  # a sequence with nothing to attend to
    with torch.no_grad():
        torch.testing.assert_close(
            block.attend(x, mask), block.attention(x, x, x, mask)[0], atol=1e-5, rtol=1e-4
        )


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("depth", [1, 3])
def test_encoder_equals_torch(norm_first: bool, depth: int) -> None:
    layers = [torch_layer(12, 3, 20, norm_first, seed) for seed in range(depth)]
    final = nn.LayerNorm(12) if norm_first else None
    theirs = nn.TransformerEncoder(layers[0], depth, norm=final, enable_nested_tensor=False).eval()
    theirs.layers = nn.ModuleList(layers)
    mine = Encoder(12, 3, 20, depth, norm_first).eval()
    mine.blocks = nn.ModuleList(block_from_torch(layer) for layer in layers)
    x = torch.randn(4, 7, 12, generator=seeded(0))
    with torch.no_grad():
        torch.testing.assert_close(mine(x), theirs(x), atol=1e-5, rtol=1e-4)


def test_blocks_have_weights_of_their_own() -> None:
    encoder = Encoder(8, 2, 16, 3)
    pointers = {parameter.data_ptr() for parameter in encoder.parameters()}
    assert len(pointers) == 3 * len(list(EncoderBlock(8, 2, 16).parameters()))
    assert encoder.norm is None


@relaxed
@given(sizes, st.integers(0, 999))
def test_masked_mean_is_the_mean_of_what_is_kept(sizes: list[int], seed: int) -> None:
    g = seeded(seed)
    x, mask = torch.randn(*sizes[:3], generator=g), torch.rand(sizes[:2], generator=g) < 0.5
    mean = masked_mean(x, mask)
    for row in range(sizes[0]):
        kept = x[row, mask[row]]
        torch.testing.assert_close(mean[row], kept.mean(0) if len(kept) else torch.zeros(sizes[2]))


def test_masked_mean_survives_rubbish_in_the_padding() -> None:
    x = torch.tensor([[[1.0], [torch.nan]]])
    assert masked_mean(x, torch.tensor([[True, False]])).item() == 1


@relaxed
@given(st.integers(0, 999), st.integers(0, 5))
def test_padding_does_not_count_for_the_classifier(seed: int, extra: int) -> None:
    torch.manual_seed(seed)
    model = Classifier(vocabulary=9, classes=3, pad=4, dim=8, heads=2, hidden=12, depth=2).eval()
    tokens = torch.randint(0, 4, (5, 6), generator=seeded(seed))
    padded = F.pad(tokens, (0, extra), value=4)
    with torch.no_grad():
        torch.testing.assert_close(model(padded), model(tokens), atol=1e-5, rtol=1e-4)
