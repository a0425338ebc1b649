# %% wrong: only_query_normed (only-the-query-normalised)
# in pre-norm only the query is normalised, key and value stay x: breaks "query, key and value are
# the same tensor"
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        if self.norm_first:
            x = x + self.attention(self.norm1(x), x, x, mask)[0]
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x, x, x, mask)[0])
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: residual_of_normed (normalised-residual)
# in pre-norm overwrites x by norm(x), so that the residual carries the normalised x: breaks "x <-
# x + f(norm(x))"
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        if self.norm_first:
            x = self.norm1(x)
            a, _ = self.attention(x, x, x, mask)
            x = x + a
            x = self.norm2(x)
            return x + self.feed_forward(x)
        a, _ = self.attention(x, x, x, mask)
        x = self.norm1(x + a)
        return self.norm2(x + self.feed_forward(x))

# %% wrong: mask_turned_over (mask-inverted)
# knows from torch's key_padding_mask that True means "hide" and inverts the mask: breaks "The
# mask, if there is one, can be handed on as it is"
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        if mask is not None:
            mask = ~mask
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.attention(n, n, n, mask)[0]
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x, x, x, mask)[0])
            x = self.norm2(x + self.feed_forward(x))
        return x

# %% wrong: second_residual_from_input (residual-of-the-input)
# in post-norm the second half adds the input of the block instead of the result of the first
# half: breaks "x <- norm(x + f(x))" for the second half
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        if self.norm_first:
            n = self.norm1(x)
            h = x + self.attention(n, n, n, mask)[0]
            return h + self.feed_forward(self.norm2(h))
        h = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(h))

# %% right: two_halves_in_a_loop
# one loop over pairs (norm, layer), with the two orders as one expression each
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        look = lambda h: self.attention(h, h, h, mask)[0]
        for norm, f in zip((self.norm1, self.norm2), (look, self.feed_forward)):
            x = x + f(norm(x)) if self.norm_first else norm(x + f(x))
        return x
