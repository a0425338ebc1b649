class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        y = self.norm1(x) if self.norm_first else x
        out = self.attention(y, y, y, mask)[0]
        out += x
        x = out if self.norm_first else self.norm1(out)
        y = self.norm2(x) if self.norm_first else x
        out = self.feed_forward(y)
        out += x
        return out if self.norm_first else self.norm2(out)
