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
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    loader = DataLoader(TensorDataset(tokens, labels), batch_size=64, shuffle=True)
    epochs = 10
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=1e-2, total_steps=epochs * len(loader))
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.CrossEntropyLoss(label_smoothing=0.05)(model(x), y)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    model.eval()
    return model
