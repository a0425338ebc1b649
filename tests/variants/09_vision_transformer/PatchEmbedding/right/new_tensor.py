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
