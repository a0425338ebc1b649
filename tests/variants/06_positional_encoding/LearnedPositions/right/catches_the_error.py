class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        try:
            p = self.table(torch.arange(x.shape[1]))
        except IndexError:
            raise ValueError('the sequence is longer than the table') from None
        return p.expand_as(x) + x
