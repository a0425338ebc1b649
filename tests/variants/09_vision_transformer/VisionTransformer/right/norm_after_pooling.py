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
