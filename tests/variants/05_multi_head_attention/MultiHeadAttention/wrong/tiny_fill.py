# misconception: sign-lost
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q = split_heads(self.query(query), self.heads)
        k = split_heads(self.key(key), self.heads)
        v = split_heads(self.value(value), self.heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, 1e-9)
        weights = F.softmax(scores, dim=-1)
        return self.out(merge_heads(weights @ v)), weights
