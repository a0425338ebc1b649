# misconception: shared-blocks
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        layer = EncoderBlock(dim, heads, hidden, norm_first=norm_first)
        self.blocks = nn.ModuleList(layer for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for layer in self.blocks:
            x = layer(x, mask)
        return self.norm(x)
