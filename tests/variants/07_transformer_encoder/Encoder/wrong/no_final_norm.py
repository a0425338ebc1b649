# misconception: final-norm-missing
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth))

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x
