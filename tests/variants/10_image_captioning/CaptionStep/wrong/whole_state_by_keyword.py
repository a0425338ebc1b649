# misconception: asks-with-the-pair
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
        z, weights = soft_attention(regions, state=state, w_r=self.w_r, w_s=self.w_s, v=self.v)
        h, c = self.cell(torch.cat([self.embed(token), z], -1), state)
        return self.out(h), (h, c), weights
