# misconception: norm1-twice
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        norm = self.norm1
        if self.norm_first:
            y = norm(x)
            x = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(norm(x))
        x = norm(x + self.attention(x, x, x, mask)[0])
        return norm(x + self.feed_forward(x))
