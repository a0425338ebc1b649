# misconception: changes-its-input
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        with torch.no_grad():
            x += self.table.weight[:x.shape[1]]
        return x
