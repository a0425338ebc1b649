# misconception: parameters
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.norm(x + self.attention(x, x, x, self_mask)[0])
        x = self.norm(x + self.attention(x, memory, memory, memory_mask)[0])
        return self.norm(x + self.feed_forward(x))
