# misconception: not-allowed
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        layer = nn.TransformerEncoderLayer(self.head.in_features, 2, batch_first=True, norm_first=True)
        x = nn.TransformerEncoder(layer, 2)(self.embed(images))
        return self.head(x[:, 0])
