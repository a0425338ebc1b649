# %% right: dropout_in_training
class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.dropout(self.embed(tokens))
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(14):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% right: encoder
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
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% right: gru
class Reader(nn.Module):
    def __init__(self, vocabulary, classes, pad):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, 32)
        self.gru = nn.GRU(32, 48, batch_first=True)
        self.head = nn.Linear(48, classes)

    def forward(self, tokens):
        states, _ = self.gru(self.embed(tokens))
        last = (tokens != self.pad).sum(1) - 1
        return self.head(states[torch.arange(len(tokens)), last])


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Reader(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% right: learned_positions_and_cls
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


# %% right: loader_and_schedule
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
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, max_lr=1e-2, total_steps=epochs * len(loader)
    )
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


# %% right: torch_encoder
class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, 64, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.embed(tokens)
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x, src_key_padding_mask=~real)
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% right: lstm_of_the_last_real_step
class Reader(nn.Module):
    def __init__(self, *, words, classes, pad):
        super().__init__()
        self.pad, self.table = pad, nn.Embedding(words, 32)
        self.rnn, self.head = nn.GRU(32, 48, batch_first=True), nn.Linear(48, classes)

    def forward(self, tokens):
        states, _ = self.rnn(self.table(tokens))
        last = (tokens != self.pad).sum(dim=1).sub(1).clamp(min=0)
        return self.head(states[torch.arange(len(tokens)), last])


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    reader = Reader(words=1 + int(torch.max(tokens)), classes=classes, pad=pad)
    rate = torch.optim.AdamW(reader.parameters(), lr=6e-3, weight_decay=0.0)
    for _ in range(12):
        order = torch.randperm(tokens.size(0))
        for start in range(0, len(order), 50):
            chosen = order[start : start + 50]
            rate.zero_grad(set_to_none=True)
            F.nll_loss(F.log_softmax(reader(tokens[chosen]), -1), labels[chosen]).backward()
            rate.step()
    reader.train(False)
    return reader


# %% right: closure_without_a_class
def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    dim = 32
    parts = nn.ModuleDict(
        {
            "embed": nn.Embedding(int(tokens.max()) + 1, dim),
            "encoder": Encoder(dim=dim, heads=2, hidden=64, depth=1, norm_first=True),
            "head": nn.Linear(dim, classes),
        }
    )

    def logits_of(tokens):
        real = tokens.ne(pad)
        x = parts["embed"](tokens) + sinusoidal_encoding(tokens.shape[1], dim)
        pooled = masked_mean(parts["encoder"](x, mask=real.unsqueeze(1).unsqueeze(1)), real)
        return parts["head"](pooled).log_softmax(-1)

    adam = torch.optim.Adam(parts.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).chunk(20):
            adam.zero_grad()
            F.nll_loss(logits_of(tokens[batch]), labels[batch]).backward()
            adam.step()
    return logits_of


# %% wrong: two_permutations (labels-misaligned)
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
    for epoch in range(4):
        tokens, labels = tokens[torch.randperm(len(tokens))], labels[torch.randperm(len(labels))]
        for batch in torch.arange(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: returns_nothing (returns-nothing)
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
    for epoch in range(1):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    model.eval()


# %% wrong: majority (never-trained)
def train_classifier(tokens, labels, classes, pad, seed):
    counts = torch.bincount(labels, minlength=classes).float()
    return lambda unseen: counts.expand(len(unseen), classes)


# %% wrong: untrained (never-trained)
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
    return Model(int(tokens.max()) + 1, classes, pad).eval()


# %% wrong: no_zero_grad (gradients-pile-up)
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


# %% wrong: bag_of_words (order-ignored)
def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    bag = nn.EmbeddingBag(int(tokens.max()) + 1, 32, padding_idx=pad)
    model = nn.Sequential(bag, nn.ReLU(), nn.Linear(32, classes))
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(200):
        loss = F.cross_entropy(model(tokens), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.eval()


# %% wrong: no_positions (order-ignored)
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
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: no_positions_and_the_courses_loop (order-ignored)
from course_utils.training import fit


class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.encoder(self.embed(tokens), real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)

    def loss(step):
        batch = torch.randint(len(tokens), (50,))
        return F.cross_entropy(model(tokens[batch]), labels[batch])

    fit(loss, model.parameters(), 80, lr=5e-3)
    return model.eval()


# %% wrong: dropout_on (dropout-left-on)
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
        return self.head(F.dropout(masked_mean(x, real), 0.1))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: train_mode (dropout-left-on)
class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.drop(self.embed(tokens))
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model


# %% wrong: sequence_first (neighbours-count)
class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = nn.TransformerEncoderLayer(dim, 2, 64, dropout=0.0)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.embed(tokens)
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x)
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: pad_taken_for_zero (pad-not-used)
class Model(nn.Module):
    def __init__(self, vocabulary, classes, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != 0
        x = self.embed(tokens)
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: padding_attended (padding-counts)
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
        x = self.encoder(x)
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: padding_attended_and_averaged (padding-counts)
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
        x = self.encoder(x)
        return self.head(x.mean(1))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: padding_averaged (padding-counts)
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
        return self.head(x.mean(dim=1))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: predictions (not-logits)
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
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    model.eval()
    return lambda unseen: model(unseen).argmax(-1)


# %% wrong: optimiser_of_another_model (nothing-learned)
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
    model = Model(int(tokens.max()) + 1, classes, pad)
    for epoch in range(1):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: huge_steps (no name)
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
    optimiser = torch.optim.Adam(model.parameters(), lr=3.0)
    for epoch in range(3):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: loss_item (no name)
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
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch]).item()
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: one_batch (no name)
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
        for batch in [torch.arange(50)] * 4:
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: returns_the_loss (no name)
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
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return loss


# %% wrong: three_classes (no name)
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
    model = Model(int(tokens.max()) + 1, 3, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: tiny_steps (no name)
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
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-5)
    for epoch in range(2):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: seed_ignored (not-allowed)
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
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: seed_fixed (not-allowed)
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
    torch.manual_seed(42)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: seed_overwritten (not-allowed)
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
    seed = 0
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: softmax_at_the_end (softmax-in-the-model)
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
        return self.head(masked_mean(x, real)).softmax(-1)


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: softmax_only_in_eval (softmax-in-the-model)
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
        logits = self.head(masked_mean(x, real))
        return logits if self.training else F.softmax(logits, dim=1)


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: two_epochs (stopped-early)
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
    for epoch in range(2):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: true_where_padding_is (mask-inverted)
class Model(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens == self.pad
        x = self.embed(tokens)
        x = x + sinusoidal_encoding(x.shape[1], x.shape[2])
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(4):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: mask_without_axes (no name)
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
        x = self.encoder(x, real)
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()


# %% wrong: squeezes_a_batch_of_one (batch-of-one-squeezed)
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
        return self.head(masked_mean(x, real)).squeeze()


def train_classifier(tokens, labels, classes, pad, seed):
    torch.manual_seed(seed)
    model = Model(int(tokens.max()) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            optimiser.zero_grad()
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            loss.backward()
            optimiser.step()
    return model.eval()
