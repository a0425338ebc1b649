# %% right: catches_the_error
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


# %% right: lookup
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x + self.table(torch.arange(x.shape[1], device=x.device))


# %% right: loop_over_steps
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return torch.stack([x[:, t] + self.table.weight[t] for t in range(x.shape[1])], dim=1)


# %% right: one_hot_product
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        one_hot = F.one_hot(torch.arange(x.shape[1]), self.table.num_embeddings).float()
        return x + one_hot @ self.table.weight


# %% right: slice
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.size(1) > len(self.table.weight):
            raise ValueError
        return x + self.table.weight[:x.size(1)][None]


# %% right: functional_embedding
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        batch, length, _ = x.shape
        if not length <= len(self.table.weight):
            raise ValueError("too long")
        places = torch.arange(length).expand(batch, length)
        return torch.add(input=F.embedding(places, self.table.weight), other=x)


# %% right: decorator_and_float64
def at_most_the_table(forward):
    def checked(self, x):
        if x.size(dim=1) > self.table.num_embeddings:
            raise ValueError("the sequence is longer than the table")
        return forward(self, x)

    return checked


class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    @at_most_the_table
    def forward(self, x):
        rows = torch.narrow(self.table.weight, 0, 0, x.size(1)).double()
        return einops.rearrange([s.double() + rows for s in x], "b t d -> b t d").to(x.dtype)


# %% wrong: batch_as_position (position-of-the-batch)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        rows = self.table(torch.arange(x.shape[0]) % self.table.num_embeddings)
        return x + rows.unsqueeze(1)


# %% wrong: batch_size (batch-size-for-length)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x + self.table.weight[:x.size(0)]


# %% wrong: len_x (batch-size-for-length)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x + self.table.weight[:len(x)]


# %% wrong: one_based (positions-from-one)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        t = torch.arange(x.shape[1]) + 1
        return x + self.table(t)


# %% wrong: from_the_end (last-rows)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        n = self.table.num_embeddings
        return x + self.table(torch.arange(n - x.shape[1], n))


# %% wrong: row_zero (same-position-for-all)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        zeros = torch.zeros(x.shape[1], dtype=torch.long)
        return x + self.table(zeros)


# %% wrong: length_looked_up (position-of-the-length)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        position = torch.full((x.shape[1],), x.shape[1] - 1)
        return x + self.table(position)


# %% wrong: positions_only (input-forgotten)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return self.table(torch.arange(x.shape[1])).expand(x.shape[0], -1, -1)


# %% wrong: table_only (positions-without-batch)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return self.table(torch.arange(x.shape[1]))


# %% wrong: product (multiplied)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x * self.table(torch.arange(x.shape[1]))


# %% wrong: cat (concatenated)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        p = self.table(torch.arange(x.shape[1])).unsqueeze(0).repeat(x.shape[0], 1, 1)
        return torch.cat((x, p), dim=2)


# %% wrong: unchanged (nothing-added)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        self.table(torch.arange(x.shape[1]))
        return x


# %% wrong: lookup_fails (unchecked-lookup)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        positions = torch.arange(x.size(1))
        return x + self.table(positions)


# %% wrong: slice_fails (unchecked-slice)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        _, length, _ = x.shape
        return x + self.table.weight[:length]


# %% wrong: cuts (sequence-cut)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        n = min(x.shape[1], self.table.num_embeddings)
        return x[:, :n] + self.table.weight[:n]


# %% wrong: modulo (wraps-around)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        n = self.table.num_embeddings
        return x + self.table(torch.tensor([t % n for t in range(x.shape[1])]))


# %% wrong: clamped (last-row-repeated)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        n = self.table.num_embeddings
        return x + self.table(torch.tensor([min(t, n - 1) for t in range(x.shape[1])]))


# %% wrong: too_strict (off-by-one-refusal)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] >= self.table.num_embeddings:
            raise ValueError('too long')
        return x + self.table.weight[:x.shape[1]]


# %% wrong: data (no-gradient)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x + self.table.weight.data[:x.shape[1]]


# %% wrong: in_place (changes-its-input)
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


# %% wrong: assertion (no name)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        assert x.shape[1] <= self.table.num_embeddings
        return x + self.table.weight[:x.shape[1]]


# %% wrong: whole_table (no name)
class LearnedPositions(nn.Module):
    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        if x.shape[1] > self.table.num_embeddings:
            raise ValueError('too long')
        return x + self.table.weight
