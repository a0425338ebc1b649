# misconception: pre-norm
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
        n = self.norm1(x)
        x = x + self.self_attention(n, n, n, self_mask)[0]
        n = self.norm2(x)
        x = x + self.cross_attention(n, memory, memory, memory_mask)[0]
        n = self.norm3(x)
        return x + self.feed_forward(n)
