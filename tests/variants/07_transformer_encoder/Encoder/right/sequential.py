class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.Sequential(*[EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Sequential()

    def forward(self, x, mask=None):
        for i in range(len(self.blocks)):
            x = self.blocks[i](x, mask)
        return self.norm(x)
