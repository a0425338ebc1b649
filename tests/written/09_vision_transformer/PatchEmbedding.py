# %% wrong: cls_without_position (cls-without-position)
# thinks CLS has no place and adds positions to the patches only: breaks "It has a row for each of
# the `N + 1` tokens; the first belongs to CLS"
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2  # images are squares here
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        """(B, C, H, W) -> (B, N + 1, D)."""
        x = self.project(patchify(images, self.patch))
        x = x + self.positions[:, 1:]
        return torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1)

# %% wrong: cat_without_expand (cls-not-expanded)
# leaves CLS as (1, 1, D), which torch.cat refuses for more than one image: breaks "in front of
# the patches of every image. (`torch.cat` does not broadcast.)"
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2  # images are squares here
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        """(B, C, H, W) -> (B, N + 1, D)."""
        x = self.project(patchify(images, self.patch))
        x = torch.cat([self.cls, x], dim=1)
        return x + self.positions

# %% wrong: positions_shifted (positions-off-by-one)
# numbers the patches from row 0 on and leaves the last row for CLS: breaks "the first belongs to
# CLS"
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2  # images are squares here
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        """(B, C, H, W) -> (B, N + 1, D)."""
        x = self.project(patchify(images, self.patch))
        N = x.shape[1]
        x = x + self.positions[:, :N]
        cls = self.cls + self.positions[:, N:]
        return torch.cat([cls.expand(x.shape[0], -1, -1), x], dim=1)

# %% wrong: relu_on_the_patches (activation-on-tokens)
# puts a ReLU behind the projection: breaks "No nonlinearity, no norm"
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2  # images are squares here
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        """(B, C, H, W) -> (B, N + 1, D)."""
        B = images.shape[0]
        tokens = F.relu(self.project(patchify(images, self.patch)))
        cls = self.cls.repeat(B, 1, 1)
        return torch.cat((cls, tokens), dim=1) + self.positions

# %% right: sum_of_padded_parts
# no cat: pads patches and CLS with zeros to N + 1 tokens and adds all three
class PatchEmbedding(nn.Module):
    def __init__(self, image_size, channels, patch, dim):
        super().__init__()
        self.patch = patch
        count = (image_size // patch) ** 2  # images are squares here
        self.project = nn.Linear(channels * patch**2, dim)
        self.cls = nn.Parameter(0.02 * torch.randn(1, 1, dim))
        self.positions = nn.Parameter(0.02 * torch.randn(1, count + 1, dim))

    def forward(self, images):
        """(B, C, H, W) -> (B, N + 1, D)."""
        tokens = self.project(patchify(images, self.patch))
        room = tokens.shape[1]
        return sum(
            (F.pad(tokens, (0, 0, 1, 0)), F.pad(self.cls, (0, 0, 0, room))), self.positions
        )
