# misconception: blocks-side-by-side
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        total = 0
        for block in self.blocks:
            total = total + block(x, mask)
        return self.norm(total) if self.norm is not None else total
