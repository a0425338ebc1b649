# %% right: float64
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
        double = lambda t: t.double()
        self.double()
        x, memory = double(x), double(memory)
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        x = self.norm3(x + self.feed_forward(x))
        return x.float()


# %% right: helper
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
        def residual(norm, x, layer):
            return norm(x + layer(x))

        x = residual(self.norm1, x, lambda y: self.self_attention(y, y, y, self_mask)[0])
        x = residual(
            self.norm2, x, lambda y: self.cross_attention(y, memory, memory, memory_mask)[0]
        )
        return residual(self.norm3, x, self.feed_forward)


# %% right: loop
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
        layers = [
            lambda y: self.self_attention(y, y, y, self_mask)[0],
            lambda y: self.cross_attention(y, memory, memory, memory_mask)[0],
            self.feed_forward,
        ]
        for layer, norm in zip(layers, [self.norm1, self.norm2, self.norm3]):
            x = norm(layer(x) + x)
        return x


# %% right: own_attention_with_precomputed_memory
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
        x = self.norm1(
            x + attend(self.self_attention, x, *keys_values(self.self_attention, x), self_mask)
        )
        x = self.norm2(x + attend(self.cross_attention, x, *from_source, memory_mask))
        return self.norm3(x + self.feed_forward(x))


# %% right: sentence_by_sentence
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
        B, T, S = x.shape[0], x.shape[1], memory.shape[1]
        H = self.self_attention.heads
        a = None if self_mask is None else self_mask.expand(B, H, T, T)
        c = None if memory_mask is None else memory_mask.expand(B, H, T, S)
        rows = []
        for i in range(B):
            y, m = x[i : i + 1], memory[i : i + 1]
            y = self.norm1(y + self.self_attention(y, y, y, None if a is None else a[i : i + 1])[0])
            y = self.norm2(
                y + self.cross_attention(y, m, m, None if c is None else c[i : i + 1])[0]
            )
            rows.append(self.norm3(y + self.feed_forward(y)))
        return torch.cat(rows)


# %% right: short
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% right: unpacked_by_name
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
        if self_mask is None:
            self_mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool)
        seen, _ = self.self_attention(x, x, x, self_mask)
        x = self.norm1(x + seen)
        (read, _) = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + read)
        return self.norm3(x + self.feed_forward(x))


# %% right: partial_and_dict
from functools import partial


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
        look_back = lambda h: self.self_attention(query=h, key=h, value=h, mask=self_mask)[0]  # noqa: E731
        look_across = partial(self.cross_attention, key=memory, value=memory, mask=memory_mask)
        layers = {1: look_back, 2: lambda h: look_across(h)[0], 3: self.feed_forward}
        for number, layer in layers.items():
            x = getattr(self, f"norm{number}")(torch.add(x, layer(x)))
        return x


# %% right: decorator
def add_and_norm(name):
    def around(layer):
        def run(self, x, *rest):
            return self.get_submodule(name)(layer(self, x, *rest) + x)

        return run

    return around


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    @add_and_norm("norm1")
    def own_text(self, x, mask):
        return self.self_attention(x, x, x, mask)[0]

    @add_and_norm("norm2")
    def source(self, x, memory, mask):
        output, *_ = self.cross_attention(x, memory, memory, mask)
        return output

    @add_and_norm("norm3")
    def think(self, x):
        return self.feed_forward(x)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        return self.think(self.source(self.own_text(x, self_mask), memory, memory_mask))


# %% right: masks_spelled_out
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
        T, S = x.shape[1], memory.shape[1]
        nothing = torch.tensor(True)
        own = torch.logical_and(torch.ones(T, T, dtype=torch.bool), nothing if self_mask is None else self_mask)
        other = torch.ones(T, S).bool() & (nothing if memory_mask is None else memory_mask)
        x = self.norm1(self.self_attention(x, x, x, own)[0] + x)
        x = self.norm2(self.cross_attention(x, memory, memory, other)[0] + x)
        return self.norm3(self.feed_forward(x) + x)


# %% wrong: mask_in_training (mask-only-in-training)
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
        mask = self_mask if self.training else None
        x = self.norm1(x + self.self_attention(x, x, x, mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: no_self_mask (no-self-mask)
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
        attended, _ = self.self_attention(x, x, x)
        x = self.norm1(x + attended)
        attended, _ = self.cross_attention(x, memory, memory, mask=memory_mask)
        x = self.norm2(x + attended)
        return self.norm3(x + self.feed_forward(x))


# %% wrong: no_memory_mask (no-memory-mask)
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
        a, w = self.self_attention(x, x, x, self_mask)
        h = self.norm1(a + x)
        c, w = self.cross_attention(h, memory, memory)
        h2 = self.norm2(c + h)
        return self.norm3(self.feed_forward(h2) + h2)


# %% wrong: no_masks (no-masks)
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
        def add_norm(norm, x, y):
            return norm(x + y)
        x = add_norm(self.norm1, x, self.self_attention(x, x, x)[0])
        x = add_norm(self.norm2, x, self.cross_attention(x, memory, memory)[0])
        return add_norm(self.norm3, x, self.feed_forward(x))


# %% wrong: builds_its_own_mask (own-causal-mask)
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
        T = x.size(1)
        mask = torch.tril(torch.ones(T, T)).bool()
        x = self.norm1(x + self.self_attention(x, x, x, mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: causal_by_default (own-causal-mask)
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
        if self_mask is None:
            self_mask = causal_mask(x.shape[1])
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: causal_in_any_case (own-causal-mask)
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
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        mask = causal if self_mask is None else self_mask & causal
        x = self.norm1(x + self.self_attention(x, x, x, mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: same_mask_twice (causal-cross-attention)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, self_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: masks_exchanged (masks-swapped)
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
        out, _ = self.self_attention(x, x, x, memory_mask)
        x = self.norm1(x + out)
        out, _ = self.cross_attention(x, memory, memory, self_mask)
        x = self.norm2(x + out)
        return self.norm3(x + self.feed_forward(x))


# %% wrong: memory_asks (queries-from-memory)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(memory, x, x, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: value_is_x (values-from-target)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        context, weights = self.cross_attention(query=x, key=memory, value=x, mask=memory_mask)
        x = self.norm2(x + context)
        return self.norm3(x + self.feed_forward(x))


# %% wrong: decoder_of_nothing (no-cross-attention)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: one_attention (shared-attention)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.self_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: parallel_attentions (query-before-self-attention)
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
        own, _ = self.self_attention(x, x, x, self_mask)
        source, _ = self.cross_attention(x, memory, memory, memory_mask)
        h = self.norm1(x + own)
        h = self.norm2(h + source)
        return self.norm3(h + self.feed_forward(h))


# %% wrong: old_residual (residual-from-input)
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
        h = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        h = self.norm2(x + self.cross_attention(h, memory, memory, memory_mask)[0])
        return self.norm3(h + self.feed_forward(h))


# %% wrong: norm_of_memory (memory-normalised)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        m = self.norm2(memory)
        x = self.norm2(x + self.cross_attention(x, m, m, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: two_residuals (no-cross-residual)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
        x = self.norm3(x + self.feed_forward(x))
        return x


# %% wrong: no_first_residual (no-self-residual)
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
        x = self.norm1(self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0] + x)
        return self.norm3(self.feed_forward(x) + x)


# %% wrong: no_last_residual (no-feed-forward-residual)
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
        x = self.norm1(self.self_attention(x, x, x, self_mask)[0] + x)
        x = self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0] + x)
        return self.norm3(self.feed_forward(x))


# %% wrong: plain_chain (no-residuals)
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
        y, _ = self.self_attention(x, x, x, self_mask)
        y = self.norm1(y)
        y, _ = self.cross_attention(y, memory, memory, memory_mask)
        y = self.norm2(y)
        return self.norm3(self.feed_forward(y))


# %% wrong: without_norms (no-norms)
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
        x = x + self.self_attention(x, x, x, self_mask)[0]
        x = x + self.cross_attention(x, memory, memory, memory_mask)[0]
        return x + self.feed_forward(x)


# %% wrong: norm1_everywhere (one-norm)
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
        outs = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        outs = self.norm1(outs + self.cross_attention(outs, memory, memory, memory_mask)[0])
        return self.norm1(outs + self.feed_forward(outs))


# %% wrong: pre_norm (pre-norm)
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
        n = self.norm1(x)
        x = x + self.self_attention(n, n, n, self_mask)[0]
        n = self.norm2(x)
        x = x + self.cross_attention(n, memory, memory, memory_mask)[0]
        n = self.norm3(x)
        return x + self.feed_forward(n)


# %% wrong: norm_of_the_branch (norm-before-sum)
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
        x = x + self.norm1(self.self_attention(x, x, x, self_mask)[0])
        x = x + self.norm2(self.cross_attention(x, memory, memory, memory_mask)[0])
        return x + self.norm3(self.feed_forward(x))


# %% wrong: source_first (cross-before-self)
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
        x = self.norm1(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        x = self.norm2(x + self.self_attention(x, x, x, self_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: source_first_own_norms (cross-before-self)
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
        c, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + c)
        s, _ = self.self_attention(x, x, x, self_mask)
        x = self.norm1(x + s)
        return self.norm3(x + self.feed_forward(x))


# %% wrong: two_sublayers (no-feed-forward)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return x


# %% wrong: returns_pair (returns-weights-too)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        out, weights = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + out)
        return self.norm3(x + self.feed_forward(x)), weights


# %% wrong: adds_a_tuple (tuple-not-unpacked)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask))
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask))
        return self.norm3(x + self.feed_forward(x))


# %% wrong: pair_of_the_cross_attention (tuple-not-unpacked)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask))
        return self.norm3(x + self.feed_forward(x))


# %% wrong: pair_of_the_self_attention (tuple-not-unpacked)
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
        a = self.self_attention(x, x, x, self_mask)
        x = self.norm1(a + x)
        b, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + b)
        return self.norm3(x + self.feed_forward(x))


# %% wrong: detached (no-gradient)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(
            x + self.cross_attention(x, memory.detach(), memory.detach(), memory_mask)[0]
        )
        return self.norm3(x + self.feed_forward(x))


# %% wrong: in_place (changes-its-input)
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
        x += self.self_attention(x, x, x, self_mask)[0]
        x = self.norm1(x)
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: no_return (returns-nothing)
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
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        x = self.norm3(x + self.feed_forward(x))


# %% wrong: other_parameters (parameters)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.norm(x + self.attention(x, x, x, self_mask)[0])
        x = self.norm(x + self.attention(x, memory, memory, memory_mask)[0])
        return self.norm(x + self.feed_forward(x))


# %% wrong: torchs_own (not-allowed)
class DecoderBlock(nn.TransformerDecoderLayer):
    def __init__(self, dim, heads, hidden):
        super().__init__(dim, heads, hidden, batch_first=True)


# %% wrong: masks_in_another_order (no name)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)

    def forward(self, x, memory, memory_mask=None, self_mask=None):
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))


# %% wrong: dropout_as_in_the_paper (no name)
class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden):
        super().__init__()
        self.self_attention = MultiHeadAttention(dim, heads)
        self.cross_attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm3 = nn.LayerNorm(dim)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x, memory, self_mask=None, memory_mask=None):
        x = self.norm1(x + self.dropout(self.self_attention(x, x, x, self_mask)[0]))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory, memory, memory_mask)[0]))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


# %% wrong: overwrites_the_mask (changes-its-input)
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
        if self_mask is not None:
            self_mask &= torch.ones_like(self_mask).tril()
        x = self.norm1(x + self.self_attention(x, x, x, self_mask)[0])
        if self_mask is not None:
            self_mask |= True
        x = self.norm2(x + self.cross_attention(x, memory, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x))
