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
        def residual(norm, x, layer):
            return norm(x + layer(x))
        x = residual(self.norm1, x, lambda y: self.self_attention(y, y, y, self_mask)[0])
        x = residual(self.norm2, x, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0])
        return residual(self.norm3, x, self.feed_forward)
