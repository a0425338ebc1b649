# %% right: blocks_by_hand
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        for block in self.encoder.blocks:
            x = block(x)
        x = self.encoder.norm(x)
        cls = x[:, 0, :]
        return F.linear(cls, self.head.weight, self.head.bias)


# %% right: head_then_cls
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        logits = self.head(self.encoder(self.embed(images)))
        return logits[:, 0]


# %% right: image_by_image
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        rows = [self.head(self.encoder(self.embed(image[None]))[0, 0]) for image in images]
        return torch.stack(rows)


# %% right: norm_after_pooling
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.embed(images)
        for block in self.encoder.blocks:
            tokens = block(tokens, None)
        return self.head(self.encoder.norm(tokens[:, 0]))


# %% right: plain
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        x = self.encoder(x)
        return self.head(x[:, 0])


# %% right: select
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        return self.head(self.encoder(self.embed(images)).select(1, 0))


# %% right: composed
from functools import reduce


class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        steps = self.embed, self.encoder, lambda tokens: tokens[:, 0, :], self.head
        return reduce(lambda x, step: step(x), steps, images)


# %% right: einsum_with_a_selector
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(x=self.embed(images=images), mask=None)
        first = torch.zeros(tokens.shape[1], dtype=torch.float64).index_fill(0, torch.tensor([0]), 1.0)
        cls = torch.einsum("btd,t->bd", tokens.double(), first).float()
        return torch.einsum("bd,cd->bc", cls, self.head.weight) + self.head.bias


# %% right: helper_class
class ReadFirst(nn.Module):
    def forward(self, tokens):
        first, *_ = tokens.unbind(dim=1)
        return first


class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        return nn.Sequential(self.embed, self.encoder, ReadFirst(), self.head)(images)


# %% wrong: mean (mean-with-cls)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.encoder(self.embed(images))
        return self.head(x.mean(dim=1))


# %% wrong: mean_patches (mean-of-patches)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.encoder(self.embed(images))
        x = x[:, 1:, :].mean(1)
        return self.head(x)


# %% wrong: token_one (first-patch-for-cls)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.encoder(self.embed(images))
        return self.head(x[:, 1, :])


# %% wrong: last (last-token)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))
        return self.head(tokens[:, -1])


# %% wrong: batch_zero (first-image)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))
        return self.head(tokens[0])


# %% wrong: all (logits-for-every-token)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))
        return self.head(tokens)


# %% wrong: softmax (softmax-in-the-model)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))
        return torch.softmax(self.head(tokens[:, 0]), dim=1)


# %% wrong: log_softmax (log-softmax-in-the-model)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))
        return F.log_softmax(self.head(tokens[:, 0]), dim=-1)


# %% wrong: argmax (predicted-class)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.encoder(self.embed(images))
        return self.head(tokens[:, 0]).argmax(dim=-1)


# %% wrong: no_norm (final-norm-skipped)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        for layer in self.encoder.blocks:
            x = layer(x)
        return self.head(x[:, 0])


# %% wrong: norm_before (norm-first-too)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.encoder.norm(self.embed(images))
        x = self.encoder(x)
        return self.head(x[:, 0])


# %% wrong: no_encoder (no-encoder)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        return self.head(x[:, 0])


# %% wrong: cls_cut (cls-dropped)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        x = self.encoder(x[:, 1:])
        return self.head(x[:, 0])


# %% wrong: twice (positions-twice)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        x = x + self.embed.positions
        return self.head(self.encoder(x)[:, 0])


# %% wrong: causal (causal-mask)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.embed(images)
        n = x.size(1)
        allowed = torch.tril(torch.ones(n, n)).bool()
        return self.head(self.encoder(x, mask=allowed)[:, 0])


# %% wrong: nothing (returns-nothing)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.encoder(self.embed(images))
        logits = self.head(x[:, 0])


# %% wrong: torch_encoder (not-allowed)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        layer = nn.TransformerEncoderLayer(
            self.head.in_features, 2, batch_first=True, norm_first=True
        )
        x = nn.TransformerEncoder(layer, 2)(self.embed(images))
        return self.head(x[:, 0])


# %% wrong: dropout_before_the_head (no name)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        cls = self.encoder(self.embed(images))[:, 0]
        return self.head(F.dropout(cls, 0.2, training=self.training))


# %% wrong: detached_features (no-gradient)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        with torch.no_grad():
            cls = self.encoder(self.embed(images))[:, 0]
        return self.head(cls)


# %% wrong: tokens_come_first (tokens-before-the-batch)
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        tokens = self.embed(images).permute(1, 0, 2)
        return self.head(self.encoder(tokens)[0])
