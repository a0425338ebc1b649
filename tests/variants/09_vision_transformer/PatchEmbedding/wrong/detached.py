# misconception: no-gradient
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
