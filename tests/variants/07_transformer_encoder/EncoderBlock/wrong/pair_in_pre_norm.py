# misconception: tuple-not-unpacked
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.attention(n, n, n, mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))
