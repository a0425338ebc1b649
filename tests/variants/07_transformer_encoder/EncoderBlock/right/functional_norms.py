class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        def norm(layer, v):
            return F.layer_norm(v, layer.normalized_shape, layer.weight, layer.bias, layer.eps)

        y = norm(self.norm1, x) if self.norm_first else x
        x = torch.add(x, self.attention(y, y, y, mask)[0])
        x = x if self.norm_first else norm(self.norm1, x)
        y = norm(self.norm2, x) if self.norm_first else x
        x = torch.add(x, self.feed_forward(y))
        return x if self.norm_first else norm(self.norm2, x)
