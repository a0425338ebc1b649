# %% wrong: pooled_with_padding (padding-counts)
# masks the padding in attention but takes the mean over all columns: breaks "cutting off padding
# columns changes nothing"
class Reader(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.embed(tokens)
        x = x + sinusoidal_encoding(tokens.shape[1], x.shape[-1])
        x = self.encoder(x, real[:, None, None, :])
        return self.head(x.mean(dim=1))


def train_classifier(tokens, labels, classes, pad, seed):
    """(N, T) int, (N,) int -> a model: tokens (M, T') -> logits (M, classes)."""
    torch.manual_seed(seed)
    model = Reader(max(int(tokens.max()), pad) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()

# %% wrong: left_in_training_mode (dropout-left-on)
# uses dropout and forgets eval() at the end: breaks "ready to predict", "the same reviews get the
# same answer twice"
class Reader(nn.Module):
    def __init__(self, vocabulary, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.drop = nn.Dropout(0.1)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.embed(tokens) + sinusoidal_encoding(tokens.shape[1], 32)
        x = self.encoder(self.drop(x), real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    """(N, T) int, (N,) int -> a model: tokens (M, T') -> logits (M, classes)."""
    torch.manual_seed(seed)
    model = Reader(max(int(tokens.max()), pad) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for epoch in range(12):
        for batch in torch.randperm(len(tokens)).split(50):
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model

# %% wrong: positions_of_fixed_length (no name)
# makes the table for the T of the training texts and adds it whole, which raises for shorter
# texts: breaks "with any `T′` up to `T`"
class Reader(nn.Module):
    def __init__(self, vocabulary, length, classes, pad, dim=32):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, dim)
        self.positions = nn.Parameter(0.02 * torch.randn(1, length, dim))
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != self.pad
        x = self.embed(tokens) + self.positions
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    """(N, T) int, (N,) int -> a model: tokens (M, T') -> logits (M, classes)."""
    torch.manual_seed(seed)
    model = Reader(max(int(tokens.max()), pad) + 1, tokens.shape[1], classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(12):
        for batch in torch.randperm(len(tokens)).split(50):
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()

# %% wrong: padding_is_zero (pad-not-used)
# takes for granted that padding has the id 0 and ignores `pad`: breaks "`pad` the id of the
# padding (**not** always 0)"
class Reader(nn.Module):
    def __init__(self, vocabulary, classes, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, dim)
        self.encoder = Encoder(dim, 2, 64, 1, norm_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, tokens):
        real = tokens != 0
        x = self.embed(tokens) + sinusoidal_encoding(tokens.shape[1], 32)
        x = self.encoder(x, real[:, None, None, :])
        return self.head(masked_mean(x, real))


def train_classifier(tokens, labels, classes, pad, seed):
    """(N, T) int, (N,) int -> a model: tokens (M, T') -> logits (M, classes)."""
    torch.manual_seed(seed)
    model = Reader(int(tokens.max()) + 1, classes)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10):
        for batch in torch.randperm(len(tokens)).split(50):
            loss = F.cross_entropy(model(tokens[batch]), labels[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    return model.eval()

# %% right: a_gru_that_reads_to_the_last_word
# no Transformer: a recurrent network whose state at the last real word is classified, returned as
# an eval module
class LastState(nn.Module):
    def __init__(self, vocabulary, classes, pad):
        super().__init__()
        self.pad = pad
        self.embed = nn.Embedding(vocabulary, 32)
        self.rnn = nn.GRU(32, 48, batch_first=True)
        self.head = nn.Linear(48, classes)

    def forward(self, tokens):
        last = (tokens != self.pad).sum(1).sub(1).clamp(min=0)  # (M,)
        states, _ = self.rnn(self.embed(tokens))
        return self.head(states[torch.arange(len(tokens)), last])


def train_classifier(tokens, labels, classes, pad, seed):
    """(N, T) int, (N,) int -> a model: tokens (M, T') -> logits (M, classes)."""
    torch.manual_seed(seed)
    model = LastState(max(int(tokens.max()), pad) + 1, classes, pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(12):
        order = torch.randperm(len(tokens))
        for start in range(0, len(order), 50):
            batch = order[start : start + 50]
            optimiser.zero_grad()
            F.cross_entropy(model(tokens[batch]), labels[batch]).backward()
            optimiser.step()
    return model.eval()
