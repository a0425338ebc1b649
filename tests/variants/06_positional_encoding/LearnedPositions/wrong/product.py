# misconception: multiplied
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x * self.table(torch.arange(x.shape[1]))
