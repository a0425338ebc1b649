class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        import functools
        x = functools.reduce(lambda h, block: block(h, mask), self.blocks, x)
        return F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias, 1e-5) if self.norm else x
