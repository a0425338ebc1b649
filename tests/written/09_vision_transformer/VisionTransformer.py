# %% wrong: mean_of_all_tokens (mean-with-cls)
# classifies the mean of all tokens: breaks "The class is read from the **CLS token** alone"
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        """(B, C, H, W) -> (B, classes)."""
        x = self.encoder(self.embed(images))
        return self.head(x.mean(dim=1))

# %% wrong: log_probabilities (log-softmax-in-the-model)
# ends with a log softmax, since cross entropy "wants logs": breaks "Return logits, not
# probabilities: the loss takes care of the softmax"
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        """(B, C, H, W) -> (B, classes)."""
        x = self.encoder(self.embed(images))
        return torch.log_softmax(self.head(x[:, 0]), dim=-1)

# %% wrong: another_norm (no name)
# normalises the CLS token once more before the head, having overlooked that the encoder "ends
# with its own norm"
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        """(B, C, H, W) -> (B, classes)."""
        x = self.encoder(self.embed(images))
        cls = F.layer_norm(x[:, 0], x.shape[-1:])
        return self.head(cls)

# %% wrong: encoder_returns_a_pair (first-image)
# thinks the encoder returns (output, weights) like attention and takes [0], which is the first
# image: breaks "it takes `(B, T, D)`, returns `(B, T, D)`"
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        """(B, C, H, W) -> (B, classes)."""
        x = self.encoder(self.embed(images))[0]
        return self.head(x[:, 0])

# %% wrong: probabilities (softmax-in-the-model)
# ends with a softmax: breaks "Return logits, not probabilities"
class VisionTransformer(nn.Module):
    def __init__(self, image_size, channels, patch, dim, heads, hidden, depth, classes):
        super().__init__()
        self.embed = PatchEmbedding(image_size, channels, patch, dim)
        self.encoder = Encoder(dim, heads, hidden, depth, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, images):
        """(B, C, H, W) -> (B, classes)."""
        x = self.encoder(self.embed(images))
        return torch.softmax(self.head(x[:, 0]), dim=-1)
