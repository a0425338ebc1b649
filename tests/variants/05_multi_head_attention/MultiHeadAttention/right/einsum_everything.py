class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        h, d = self.heads, query.shape[-1] // self.heads
        wq, wk, wv = (layer.weight.view(h, d, -1) for layer in (self.query, self.key, self.value))
        bq, bk, bv = (layer.bias.view(1, h, 1, d) for layer in (self.query, self.key, self.value))
        q = torch.einsum("btc,hdc->bhtd", query, wq) + bq
        k = torch.einsum("bsc,hdc->bhsd", key, wk) + bk
        v = torch.einsum("bsc,hdc->bhsd", value, wv) + bv
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) * d ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
        wo = self.out.weight.view(-1, h, d)
        return torch.einsum("bhts,bhsd,chd->btc", weights, v, wo) + self.out.bias, weights
