# misconception: not-allowed
class DecoderBlock(nn.TransformerDecoderLayer):
    def __init__(self, dim, heads, hidden):
        super().__init__(dim, heads, hidden, batch_first=True)
