class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        B, T, S = x.shape[0], x.shape[1], memory.shape[1]
        H = self.self_attention.heads
        a = None if self_mask is None else self_mask.expand(B, H, T, T)
        c = None if memory_mask is None else memory_mask.expand(B, H, T, S)
        rows = []
        for i in range(B):
            y, m = x[i : i + 1], memory[i : i + 1]
            y = self.norm1(y + self.self_attention(y, y, y, None if a is None else a[i : i + 1])[0])
            y = self.norm2(y + self.cross_attention(y, m, m, None if c is None else c[i : i + 1])[0])
            rows.append(self.norm3(y + self.feed_forward(y)))
        return torch.cat(rows)
