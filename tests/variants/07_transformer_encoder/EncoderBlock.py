# %% right: functional_norms
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        def norm(layer, v):
            return F.layer_norm(v, layer.normalized_shape, layer.weight, layer.bias, layer.eps)

        y = norm(self.norm1, x) if self.norm_first else x
        x = torch.add(x, self.attention(y, y, y, mask)[0])
        x = x if self.norm_first else norm(self.norm1, x)
        y = norm(self.norm2, x) if self.norm_first else x
        x = torch.add(x, self.feed_forward(y))
        return x if self.norm_first else norm(self.norm2, x)


# %% right: identity_norms
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        keep = nn.Identity()
        before1, after1 = (self.norm1, keep) if self.norm_first else (keep, self.norm1)
        before2, after2 = (self.norm2, keep) if self.norm_first else (keep, self.norm2)
        y = before1(x)
        out, _ = self.attention(query=y, key=y, value=y, mask=mask)
        x = after1(x + out)
        return after2(x + self.feed_forward(before2(x)))


# %% right: one_sequence_at_a_time
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        rows = []
        for i in range(len(x)):
            one = x[i : i + 1]
            here = (
                mask[i : i + 1] if mask is not None and mask.dim() == 4 and len(mask) > 1 else mask
            )
            y = self.norm1(one) if self.norm_first else one
            one = one + self.attention(y, y, y, here)[0]
            one = one if self.norm_first else self.norm1(one)
            z = self.feed_forward(self.norm2(one) if self.norm_first else one)
            rows.append(one + z if self.norm_first else self.norm2(one + z))
        return torch.cat(rows)


# %% right: residual_helper
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        def residual(x, norm, layer):
            return x + layer(norm(x)) if self.norm_first else norm(x + layer(x))

        x = residual(x, self.norm1, lambda y: self.attention(y, y, y, mask)[0])
        return residual(x, self.norm2, self.feed_forward)


# %% right: sum_in_the_attentions_result
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        y = self.norm1(x) if self.norm_first else x
        out = self.attention(y, y, y, mask)[0]
        out += x
        x = out if self.norm_first else self.norm1(out)
        y = self.norm2(x) if self.norm_first else x
        out = self.feed_forward(y)
        out += x
        return out if self.norm_first else self.norm2(out)


# %% right: two_branches
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x, x, x, mask)[0])
            x = self.norm2(x + self.feed_forward(x))
        return x


# %% right: partial
from functools import partial


class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        attend = partial(self.attention, mask=mask)
        halves = {self.norm1: lambda y: attend(key=y, value=y, query=y)[0], self.norm2: self.feed_forward}
        for norm, layer in halves.items():
            x = torch.add(layer(norm(x)), x) if self.norm_first else norm(torch.add(layer(x), x))
        return x


# %% right: helper_class_in_float64
class Half:
    def __init__(self, norm, layer, first):
        self.norm, self.layer, self.first = norm, layer, first

    def __call__(self, x):
        if self.first:
            return (x.double() + self.layer(self.norm(x)).double()).float()
        return self.norm((x.double() + self.layer(x).double()).float())


class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        def attend(y):
            out, weights = self.attention(y, y, y, mask)
            return out

        first = Half(self.norm1, attend, self.norm_first)
        second = Half(self.norm2, layer=self.feed_forward, first=self.norm_first)
        return second(first(x))


# %% right: decorated
def with_residual(layer):
    def run(self, x, norm, *rest):
        if self.norm_first:
            return x + layer(self, norm(x), *rest)
        return norm(x + layer(self, x, *rest))

    return run


class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    @with_residual
    def gather(self, x, mask):
        return self.attention(x, x, x, mask)[0]

    @with_residual
    def think(self, x):
        return self.feed_forward(x)

    def forward(self, x, mask=None):
        return self.think(self.gather(x, self.norm1, mask), self.norm2)


# %% wrong: ignores_the_flag (always-post-norm)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        out, _ = self.attention(x, x, x, mask)
        x = self.norm1(x + out)
        return self.norm2(x + self.feed_forward(x))


# %% wrong: only_pre_norm (always-pre-norm)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, mask)[0]
        y = self.norm2(x)
        return x + self.feed_forward(y)


# %% wrong: wrong_way_round (flag-inverted)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if not self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: norm_before_add (norm-on-the-branch)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            x = x + self.feed_forward(self.norm2(x))
        else:
            x = x + self.norm1(self.attention(x, x, x, mask)[0])
            x = x + self.norm2(self.feed_forward(x))
        return x


# %% wrong: norm_behind_layer_always (norm-on-the-branch)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        attended, _ = self.attention(x, x, x, mask)
        x = self.norm1(attended) + x
        return self.norm2(self.feed_forward(x)) + x


# %% wrong: x_overwritten_at_first (normalised-residual)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.attention(x, x, x, mask)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: x_overwritten_at_last (normalised-residual)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            x = self.norm2(x)
            return x + self.feed_forward(x)
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: x_overwritten (normalised-residual)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
            x = x + self.attention(x, x, x, mask)[0]
            x = self.norm2(x)
            return x + self.feed_forward(x)
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: no_residuals (no-residual)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = self.norm1(x)
            x = self.attention(x, x, x, mask)[0]
            return self.feed_forward(self.norm2(x))
        x = self.norm1(self.attention(x, x, x, mask)[0])
        return self.norm2(self.feed_forward(x))


# %% wrong: second_residual_missing (one-residual)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            x = self.feed_forward(self.norm2(x))
        else:
            x = self.norm1(x + self.attention(x, x, x, mask)[0])
            x = self.norm2(self.feed_forward(x))
        return x


# %% wrong: adds_the_first_x (residual-of-the-input)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            a = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(self.norm2(a))
        a = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(a))


# %% wrong: parallel (in-parallel)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            return x + self.attention(y, y, y, mask)[0] + self.feed_forward(self.norm2(x))
        a = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(a + self.feed_forward(x))


# %% wrong: raw_keys (only-the-query-normalised)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.attention(self.norm1(x), x, x, mask)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: norms_exchanged (norms-swapped)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        first, second = self.norm2, self.norm1
        if self.norm_first:
            y = first(x)
            x = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(second(x))
        x = first(x + self.attention(x, x, x, mask)[0])
        return second(x + self.feed_forward(x))


# %% wrong: one_norm (norm1-twice)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        norm = self.norm1
        if self.norm_first:
            y = norm(x)
            x = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(norm(x))
        x = norm(x + self.attention(x, x, x, mask)[0])
        return norm(x + self.feed_forward(x))


# %% wrong: feed_forward_before_attention (feed-forward-first)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.feed_forward(self.norm1(x))
            y = self.norm2(x)
            return x + self.attention(y, y, y, mask)[0]
        x = self.norm1(x + self.feed_forward(x))
        return self.norm2(x + self.attention(x, x, x, mask)[0])


# %% wrong: half_and_half (mixed-orders)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
        else:
            x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return x + self.feed_forward(self.norm2(x))


# %% wrong: no_second_norm (second-norm-missing)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return x + self.feed_forward(x)


# %% wrong: forgets_the_mask (mask-dropped)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        m = None
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, m)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, m)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: blocks_what_is_real (mask-inverted)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        m = None if mask is None else ~mask
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, m)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, m)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: masks_the_queries (mask-transposed)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        m = None if mask is None else mask.transpose(-1, -2)
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, m)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, m)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: returns_a_pair (returns-the-weights)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            out, weights = self.attention(y, y, y, mask)
            x = x + out
            return x + self.feed_forward(self.norm2(x)), weights
        out, weights = self.attention(x, x, x, mask)
        x = self.norm1(x + out)
        return self.norm2(x + self.feed_forward(x)), weights


# %% wrong: adds_the_pair (tuple-not-unpacked)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask))
        return self.norm2(x + self.feed_forward(x))


# %% wrong: pair_by_name (tuple-not-unpacked)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if not self.norm_first:
            attended = self.attention(x, x, x, mask)
            x = self.norm1(attended + x)
            return self.norm2(x + self.feed_forward(x))
        n = self.norm1(x)
        attended = self.attention(n, n, n, mask)
        x = x + attended
        return x + self.feed_forward(self.norm2(x))


# %% wrong: pair_in_post_norm (tuple-not-unpacked)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.attention(n, n, n, mask)[0]
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask))
        return self.norm2(x + self.feed_forward(x))


# %% wrong: pair_in_pre_norm (tuple-not-unpacked)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            n = self.norm1(x)
            x = x + self.attention(n, n, n, mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: in_place (changes-its-input)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x += self.attention(y, y, y, mask)[0]
            x += self.feed_forward(self.norm2(x))
            return x
        x += self.attention(x, x, x, mask)[0]
        x = self.norm1(x)
        x += self.feed_forward(x)
        return self.norm2(x)


# %% wrong: torch_layer (not-allowed)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        layer = nn.TransformerEncoderLayer(x.shape[-1], 2, batch_first=True)
        return layer(x)


# %% wrong: second_residual_from_the_input_in_post_norm (residual-of-the-input)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            y = self.norm1(x)
            x = x + self.attention(y, y, y, mask)[0]
            return x + self.feed_forward(self.norm2(x))
        y = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(y))


# %% wrong: norm_of_the_branch_in_pre_norm (norm-on-the-branch)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        if self.norm_first:
            x = x + self.norm1(self.attention(x, x, x, mask)[0])
            return x + self.norm2(self.feed_forward(x))
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.feed_forward(x))


# %% wrong: another_default (default-pre-norm)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=True):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        for norm, layer in (
            (self.norm1, lambda y: self.attention(y, y, y, mask)[0]),
            (self.norm2, self.feed_forward),
        ):
            x = x + layer(norm(x)) if self.norm_first else norm(x + layer(x))
        return x


# %% wrong: dropout_as_in_the_paper (no name)
class EncoderBlock(nn.Module):
    def __init__(self, dim, heads, hidden, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(dim, heads)
        self.feed_forward = FeedForward(dim, hidden)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        def sublayer(x, norm, layer):
            drop = lambda y: F.dropout(y, 0.1, self.training)
            return x + drop(layer(norm(x))) if self.norm_first else norm(x + drop(layer(x)))

        x = sublayer(x, self.norm1, lambda y: self.attention(y, y, y, mask)[0])
        return sublayer(x, self.norm2, self.feed_forward)
