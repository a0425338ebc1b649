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
        layers = [
            lambda y: self.self_attention(y, y, y, self_mask)[0],
            lambda y: self.cross_attention(y, memory, memory, memory_mask)[0],
            self.feed_forward,
        ]
        for layer, norm in zip(layers, [self.norm1, self.norm2, self.norm3]):
            x = norm(layer(x) + x)
        return x
