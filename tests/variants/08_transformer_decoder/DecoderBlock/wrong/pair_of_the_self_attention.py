# misconception: tuple-not-unpacked
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
        a = self.self_attention(x, x, x, self_mask)
        x = self.norm1(a + x)
        b, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + b)
        return self.norm3(x + self.feed_forward(x))
