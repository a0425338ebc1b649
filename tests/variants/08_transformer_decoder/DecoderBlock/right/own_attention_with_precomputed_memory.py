class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        def attend(mha, source, k, v, mask):
            q = split_heads(mha.query(source), mha.heads)
            scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(q.shape[-1])
            if mask is not None:
                scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -1e9)
            return mha.out(merge_heads(torch.einsum("bhts,bhsd->bhtd", scores.softmax(-1), v)))
        def keys_values(mha, y):
            return split_heads(mha.key(y), mha.heads), split_heads(mha.value(y), mha.heads)
        from_source = keys_values(self.cross_attention, memory)
        x = self.norm1(x + attend(self.self_attention, x, *keys_values(self.self_attention, x), self_mask))
        x = self.norm2(x + attend(self.cross_attention, x, *from_source, memory_mask))
        return self.norm3(x + self.feed_forward(x))
