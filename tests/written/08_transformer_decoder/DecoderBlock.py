# %% wrong: own_causal_mask (own-causal-mask)
# thinks that a decoder must always be causal and makes a mask if none is given: breaks "Either
# may be None: then nothing is hidden" and "makes none of its own"
class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        if self_mask is None:
            self_mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))

# %% wrong: cross_asks_with_the_input (query-before-self-attention)
# cross-attention takes its queries from the input of the block instead of the first sub-layer:
# breaks "cross-attention from the result to `memory`"
class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        h, _ = self.self_attention(x, x, x, self_mask)
        h = self.norm1(x + h)
        c, _ = self.cross_attention(x, memory, memory, memory_mask)
        c = self.norm2(h + c)
        return self.norm3(c + self.feed_forward(c))

# %% wrong: last_sum_forgotten (no-feed-forward-residual)
# normalises the feed-forward output without adding what went in: breaks "Around each of them: add
# what went in"
class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        a, _ = self.self_attention(x, x, x, self_mask)
        x = self.norm1(x + a)
        a, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + a)
        return self.norm3(self.feed_forward(x))

# %% wrong: values_from_the_target (values-from-target)
# cross-attention looks for keys in memory but takes x as values, which raises for S != T: breaks
# "cross-attention from the result to `memory`"
class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, x, memory_mask)[0])
        x = self.norm3(x + self.feed_forward(x))
        return x

# %% right: inside_out
# a single nested expression with walrus names, keywords for the masks
class DecoderBlock(nn.Module):
    """Look at what is written so far, look at the source, think."""

    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        """(B, T, D), (B, S, D) -> (B, T, D)."""
        first = self.norm1(self.self_attention(*[x] * 3, mask=self_mask)[0].add(x))
        return self.norm3(
            (
                second := self.norm2(
                    self.cross_attention(first, *2 * (memory,), mask=memory_mask)[0] + first
                )
            )
            + self.feed_forward(second)
        )
