# misconception: no-memory-mask
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
        a, w = self.self_attention(x, x, x, self_mask)
        h = self.norm1(a + x)
        c, w = self.cross_attention(h, memory, memory)
        h2 = self.norm2(c + h)
        return self.norm3(self.feed_forward(h2) + h2)
