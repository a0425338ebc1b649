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
        if not self.norm_first:
            attended = self.attention(x, x, x, mask)
            x = self.norm1(attended + x)
            return self.norm2(x + self.feed_forward(x))
        n = self.norm1(x)
        attended = self.attention(n, n, n, mask)
        x = x + attended
        return x + self.feed_forward(self.norm2(x))
