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
