class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        # the key's bias adds the same number to all scores of a row: softmax does not see it
        q = split_heads(self.query(query), self.heads)
        k = split_heads(F.linear(key, self.key.weight) + 0 * self.key.bias, self.heads)
        v = split_heads(self.value(value), self.heads)
        o, a = masked_attention(q, k, v, mask)
        return self.out(merge_heads(o)), a
