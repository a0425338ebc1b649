# misconception: wraps-around
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        n = self.table.num_embeddings
        return x + self.table(torch.tensor([t % n for t in range(x.shape[1])]))
