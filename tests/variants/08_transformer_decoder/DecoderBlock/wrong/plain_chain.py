# misconception: no-residuals
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
        y, _ = self.self_attention(x, x, x, self_mask)
        y = self.norm1(y)
        y, _ = self.cross_attention(y, memory, memory, memory_mask)
        y = self.norm2(y)
        return self.norm3(self.feed_forward(y))
