# misconception: weights-missing
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
        output, _ = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output))
