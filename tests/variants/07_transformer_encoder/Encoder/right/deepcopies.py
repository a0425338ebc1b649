class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        import copy
        block = EncoderBlock(dim, heads, hidden, norm_first)
        self.blocks = nn.ModuleList([copy.deepcopy(block) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask=mask)
        return self.norm(x)
