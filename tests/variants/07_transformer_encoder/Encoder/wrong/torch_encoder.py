# misconception: not-allowed
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        layer = nn.TransformerEncoderLayer(dim, heads, hidden, batch_first=True, norm_first=norm_first)
        self.blocks = nn.TransformerEncoder(layer, depth)

    def forward(self, x, mask=None):
        return self.blocks(x)
