# misconception: unchecked-slice
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        _, length, _ = x.shape
        return x + self.table.weight[:length]
