class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(EncoderBlock(dim, heads, hidden, norm_first))
        if norm_first:
            self.norm = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x) if self.norm_first else x
