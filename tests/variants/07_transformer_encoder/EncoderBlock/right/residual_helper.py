class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        def residual(x, norm, layer):
            return x + layer(norm(x)) if self.norm_first else norm(x + layer(x))

        x = residual(x, self.norm1, lambda y: self.attention(y, y, y, mask)[0])
        return residual(x, self.norm2, self.feed_forward)
