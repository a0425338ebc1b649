class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        keep = nn.Identity()
        before1, after1 = (self.norm1, keep) if self.norm_first else (keep, self.norm1)
        before2, after2 = (self.norm2, keep) if self.norm_first else (keep, self.norm2)
        y = before1(x)
        out, _ = self.attention(query=y, key=y, value=y, mask=mask)
        x = after1(x + out)
        return after2(x + self.feed_forward(before2(x)))
