# misconception: no-masks
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
        def add_norm(norm, x, y):
            return norm(x + y)
        x = add_norm(self.norm1, x, self.self_attention(x, x, x)[0])
        x = add_norm(self.norm2, x, self.cross_attention(x, memory, memory)[0])
        return add_norm(self.norm3, x, self.feed_forward(x))
