# misconception: interleaved
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        b, t, dim = query.shape
        h = self.heads
        cut = lambda x: x.view(b, -1, dim // h, h).permute(0, 3, 1, 2)
        output, weights = masked_attention(cut(self.query(query)), cut(self.key(key)), cut(self.value(value)), mask)
        return self.out(output.permute(0, 2, 3, 1).reshape(b, t, dim)), weights
