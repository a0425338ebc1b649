# misconception: not-allowed
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        inner = nn.MultiheadAttention(query.shape[-1], self.heads, batch_first=True)
        return inner(query, key, value, attn_mask=mask, average_attn_weights=False)
