# %% wrong: context_before_word (context-before-embedding)
# concatenates the context first and the embedding after it: breaks "the embedding of `token`
# **followed by** the context"
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        """(B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([context, self.embed(token)], dim=-1), (h, c))
        return self.out(h), (h, c), weights

# %% wrong: asks_with_the_cell (attends-with-cell-state)
# attends with the memory c instead of the hidden state h: breaks "Attend to the regions with the
# **previous** hidden state `h`"
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        """(B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""
        context, weights = soft_attention(regions, state[1], self.w_r, self.w_s, self.v)
        x = torch.cat([self.embed(token), context], dim=1)
        h, c = self.cell(x, state)
        return self.out(h), (h, c), weights

# %% wrong: logits_of_the_old_state (logits-from-old-state)
# keeps the old h under its name and takes the logits from it: breaks "`self.out` of the **new**
# `h`"
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        """(B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        new_state = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h), new_state, weights

# %% wrong: starts_from_zero (state-forgotten)
# does not give the previous state to the cell, which then starts from zeros: breaks "and with the
# previous state `(h, c)`"
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        """(B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1))
        logits = self.out(h)
        return logits, (h, c), weights

# %% right: gates_by_hand
# writes the LSTM cell out with the weights of self.cell, gates i, f, g, o
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        """(B,), (h, c), (B, R, D) -> logits (B, V), (h, c), weights (B, R)."""
        h, c = state
        z, alpha = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        y = F.embedding(token, self.embed.weight)
        gates = F.linear(torch.hstack((y, z)), self.cell.weight_ih, self.cell.bias_ih)
        gates = gates + F.linear(h, self.cell.weight_hh, self.cell.bias_hh)
        i, f, g, o = gates.tensor_split(4, dim=1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        return self.out(h), (h, c), alpha
