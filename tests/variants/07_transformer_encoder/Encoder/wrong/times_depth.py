# misconception: shared-blocks
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        block = EncoderBlock(dim, heads, hidden, norm_first)
        self.blocks = nn.ModuleList([block] * depth)
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x
