# misconception: unchecked-lookup
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        positions = torch.arange(x.size(1))
        return x + self.table(positions)
