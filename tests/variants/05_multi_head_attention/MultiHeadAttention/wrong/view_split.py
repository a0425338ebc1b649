# misconception: view-for-transpose
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
        s, d = key.shape[1], dim // self.heads
        q = self.query(query).view(b, self.heads, t, d)
        k = self.key(key).view(b, self.heads, s, d)
        v = self.value(value).view(b, self.heads, s, d)
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights
