# misconception: flag-not-passed
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x
