class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        rows = []
        for i in range(len(x)):
            one = x[i : i + 1]
            here = mask[i : i + 1] if mask is not None and mask.dim() == 4 and len(mask) > 1 else mask
            y = self.norm1(one) if self.norm_first else one
            one = one + self.attention(y, y, y, here)[0]
            one = one if self.norm_first else self.norm1(one)
            z = self.feed_forward(self.norm2(one) if self.norm_first else one)
            rows.append(one + z if self.norm_first else self.norm2(one + z))
        return torch.cat(rows)
