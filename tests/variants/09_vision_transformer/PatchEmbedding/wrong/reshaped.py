# misconception: reshape-tears-the-image
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
