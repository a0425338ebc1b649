class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        e = torch.tanh(regions @ self.w_r + (h @ self.w_s).unsqueeze(1)) @ self.v
        a = e.softmax(1)
        z = (a.unsqueeze(-1) * regions).sum(1)
        new = self.cell(torch.hstack([self.embed(token), z]), (h, c))
        return self.out(new[0]), new, a
