# misconception: not-allowed
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        layer = nn.TransformerEncoderLayer(x.shape[-1], 2, batch_first=True)
        return layer(x)
