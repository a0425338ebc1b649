# misconception: parameters
class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        # a plain list: torch does not see these layers
        self.layers = [nn.Linear(dim, dim) for _ in range(3)]
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        q, k, v = (split_heads(layer(x), self.heads) for layer, x in zip(self.layers, (query, key, value)))
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge_heads(output)), weights
