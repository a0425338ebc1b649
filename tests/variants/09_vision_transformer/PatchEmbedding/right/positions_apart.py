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
