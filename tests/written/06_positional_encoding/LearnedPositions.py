# %% wrong: full_length_refused (off-by-one-refusal)
# off by one in the test for too long sequences (>=): breaks "A sequence exactly as long as the
# table is fine"
class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        """(B, T, D) -> (B, T, D)."""
        T = x.shape[1]
        if T >= self.table.num_embeddings:
            raise ValueError("sequence too long")
        return x + self.table(torch.arange(T, device=x.device))

# %% wrong: clamps_late_positions (last-row-repeated)
# lets all positions past the end use the last row: breaks "If the sequence is longer than the
# table, raise a `ValueError`"
class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        """(B, T, D) -> (B, T, D)."""
        steps = torch.arange(x.size(1), device=x.device)
        steps = steps.clamp(max=self.table.num_embeddings - 1)
        return x + self.table(steps)

# %% wrong: weight_data (no-gradient)
# takes the rows from weight.data, which is cut off from the graph: breaks "gradients have to
# reach it"
class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        """(B, T, D) -> (B, T, D)."""
        B, T, D = x.shape
        if T > self.table.num_embeddings:
            raise ValueError(f"{T} steps, but only {self.table.num_embeddings} rows")
        return x + self.table.weight.data[:T].unsqueeze(0)

# %% wrong: adds_in_place (changes-its-input)
# adds with +=, which writes into the caller's tensor: breaks "Functions must not change the
# tensors that they are given"
class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        """(B, T, D) -> (B, T, D)."""
        if x.shape[1] > self.table.weight.shape[0]:
            raise ValueError("too long")
        x += self.table(torch.arange(x.shape[1]))
        return x

# %% right: one_hot_product
# no look-up at all: one-hot rows times the table, and the error raised from a one-line comparison
# of shapes
class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len, dim):
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x):
        """(B, T, D) -> (B, T, D)."""
        (rows, _), steps = self.table.weight.shape, x.shape[-2]
        if not steps <= rows:
            raise ValueError((steps, rows))
        selector = torch.eye(steps, rows, dtype=x.dtype, device=x.device)
        return torch.einsum("tm,md->td", selector, self.table.weight).expand_as(x) + x
