class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, length, dim=32):
        super().__init__()
        self.pad, self.cls = pad, vocabulary
        self.embed = nn.Embedding(vocabulary + 1, dim)
        self.positions = nn.Parameter(torch.randn(length + 1, dim))
        self.blocks = nn.ModuleList(EncoderBlock(dim, 4, 64) for _ in range(2))
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        tokens = F.pad(tokens, (1, 0), value=self.cls)
        mask = (tokens != self.pad)[:, None, None, :]
        x = self.embed(tokens) + self.positions[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x[:, 0])


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad, tokens.shape[1])
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(12):
        for batch in torch.randperm(len(tokens)).split(25):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()
