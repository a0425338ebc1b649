# misconception: gradients-pile-up
class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.embed(tokens)
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()
