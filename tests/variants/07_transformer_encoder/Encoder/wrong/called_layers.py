# misconception: parameters
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.layers = nn.ModuleList([EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if self.norm is not None else x
