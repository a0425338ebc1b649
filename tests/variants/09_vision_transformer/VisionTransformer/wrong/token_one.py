# misconception: first-patch-for-cls
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        x = self.encoder(self.embed(images))
        return self.head(x[:, 1, :])
