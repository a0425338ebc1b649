# %% right: cat
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        cls = self.cls.expand(x.shape[0], -1, -1)
        return torch.cat((cls, x), dim=1) + self.positions


# %% right: convolution
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        channels = images.shape[1]
        kernel = self.project.weight.view(-1, channels, self.patch, self.patch)
        x = F.conv2d(images, kernel, self.project.bias, stride=self.patch)
        x = x.flatten(2).transpose(1, 2)
        return torch.cat([self.cls.expand(x.size(0), -1, -1), x], 1) + self.positions


# %% right: new_tensor
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        out = x.new_empty(x.shape[0], x.shape[1] + 1, x.shape[2])
        out[:, :1] = self.cls
        out[:, 1:] = x
        return out + self.positions


# %% right: positions_apart
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        b = images.shape[0]
        tokens = F.linear(patchify(images, self.patch), self.project.weight, self.project.bias)
        tokens = tokens + self.positions[:, 1:]
        cls = (self.cls + self.positions[:, :1]).expand(b, 1, tokens.shape[-1])
        return torch.concat([cls, tokens], dim=-2)


# %% right: repeat
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls.repeat(len(images), 1, 1), x], dim=1)
        x = x + self.positions[:, :x.shape[1]]
        return x


# %% right: einops
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        patches = einops.rearrange(images, "b c (h p) (w q) -> b (h w) (c p q)", p=self.patch, q=self.patch)
        tokens = torch.einsum("bnl,dl->bnd", patches, self.project.weight) + self.project.bias
        cls = einops.repeat(self.cls, "1 1 d -> b 1 d", b=images.shape[0])
        return einops.pack([cls, tokens], "b * d")[0] + self.positions


# %% right: image_by_image_in_float64
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def embed(self, image):
        rows = patchify(images=image.unsqueeze(0), patch=self.patch).squeeze(0)
        weight, bias = self.project.weight.double(), self.project.bias.double()
        return torch.vstack((self.cls[0].double(), rows.double() @ weight.T + bias))

    def forward(self, images):
        tokens = torch.stack([self.embed(image) for image in images])
        return (tokens + self.positions.double()).type_as(images)


# %% right: padded_and_decorated
def with_positions(function):
    return lambda self, images: torch.add(input=function(self, images), other=self.positions)


class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    @with_positions
    def forward(self, images):
        tokens = self.project(patchify(images, self.patch))
        room = F.pad(tokens, (0, 0, 1, 0))
        first = torch.zeros(room.shape[1], 1)
        first[0] = 1
        return room + first * self.cls


# %% wrong: appended (cls-last)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        cls = self.cls.expand(x.shape[0], -1, -1)
        return torch.cat((x, cls), dim=1) + self.positions


# %% wrong: dropped_sum (no-positions)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls.expand(len(images), -1, -1), x], dim=1)
        x + self.positions
        return x


# %% wrong: no_positions (no-positions)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls.repeat(len(images), 1, 1), x], dim=1)
        return x


# %% wrong: cls_bare (cls-without-position)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch)) + self.positions[:, 1:, :]
        return torch.cat([self.cls.expand(len(images), -1, -1), x], dim=1)


# %% wrong: first_positions (positions-off-by-one)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = x + self.positions[:, :x.shape[1]]
        return torch.cat([self.cls.expand(len(images), -1, -1), x], dim=1)


# %% wrong: patches_only (no-cls)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        return x + self.positions[:, 1:]


# %% wrong: patches_only_first (no-cls)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        return x + self.positions[:, :-1]


# %% wrong: not_expanded (cls-not-expanded)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls, x], dim=1)
        return x + self.positions


# %% wrong: sum_cls (cls-added-to-all)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = F.pad(x, (0, 0, 1, 0))
        return x + self.cls + self.positions


# %% wrong: zeros (cls-not-learned)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        cls = torch.zeros(len(images), 1, x.shape[-1])
        return torch.cat([cls, x], dim=1) + self.positions


# %% wrong: times (positions-multiplied)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls.expand(len(images), -1, -1), x], dim=1)
        return self.positions * x


# %% wrong: overwrite (cls-overwrites-a-patch)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch)).clone()
        x[:, 0] = self.cls[0, 0]
        return x + self.positions[:, :x.shape[1]]


# %% wrong: reshaped (reshape-tears-the-image)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        b, c, h, w = images.shape
        x = images.reshape(b, -1, c * self.patch ** 2)
        x = self.project(x)
        return torch.cat([self.cls.expand(b, -1, -1), x], dim=1) + self.positions


# %% wrong: batch_axis (cat-along-batch)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        cls = self.cls.expand(x.shape[0], x.shape[1], -1)
        return torch.cat([self.cls.expand(len(x), -1, -1), x]) + self.positions


# %% wrong: relu (activation-on-tokens)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = F.relu(self.project(patchify(images, self.patch)))
        x = torch.cat([self.cls.expand(len(images), -1, -1), x], dim=1)
        return x + self.positions


# %% wrong: detached (no-gradient)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        cls = self.cls.data.expand(len(images), -1, -1)
        return torch.cat([cls, x], dim=1) + self.positions.data


# %% wrong: own_init (parameters)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        self.linear = nn.Linear(channels * patch**2, dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.zeros(1, (image_size // patch) ** 2 + 1, dim))

    def forward(self, images):
        x = self.linear(patchify(images, self.patch))
        return torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1) + self.pos


# %% wrong: dropout_as_in_the_paper (no name)
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls.expand(len(images), -1, -1), x], dim=1) + self.positions
        return F.dropout(x, 0.1, self.training)
