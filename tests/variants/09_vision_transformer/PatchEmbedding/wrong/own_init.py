# misconception: parameters
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
