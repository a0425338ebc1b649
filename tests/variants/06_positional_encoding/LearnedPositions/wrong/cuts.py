# misconception: sequence-cut
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        n = min(x.shape[1], self.table.num_embeddings)
        return x[:, :n] + self.table.weight[:n]
