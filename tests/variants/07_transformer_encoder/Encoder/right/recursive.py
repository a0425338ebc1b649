class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        def run(x, rest):
            return x if not rest else run(rest[0](x, mask), rest[1:])

        x = run(x, list(self.blocks))
        return x if self.norm is None else self.norm(x)
