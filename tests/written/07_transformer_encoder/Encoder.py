# %% wrong: one_block_many_times (shared-blocks)
# multiplies a list with a single block, so that all blocks share their weights: breaks "each with
# its own weights"
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden, norm_first)] * depth)
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        for block in self.blocks:
            x = block(x, mask)
        return x if self.norm is None else self.norm(x)

# %% wrong: norm_first_not_handed_on (flag-not-passed)
# forgets to tell the blocks, which stay post-norm: breaks the meaning of `norm_first` (pre-norm
# blocks, then a norm after the last)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)

# %% wrong: mask_for_the_first_only (mask-in-the-first-block-only)
# thinks that padding is gone after the first block: breaks "each with the mask"
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)
        )
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        for i, block in enumerate(self.blocks):
            x = block(x, mask) if i == 0 else block(x)
        return self.norm(x)

# %% wrong: unused_norm_kept (final-norm-always)
# label: first "parameters"; the hint of final-norm-always says exactly this
# makes the last norm in any case and only uses it in pre-norm, so that post-norm has parameters
# too many: breaks "in post-norm there is no such layer", "Nothing else may have parameters"
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(EncoderBlock(dim, heads, hidden, norm_first))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        for block in self.blocks:
            x = block(x, mask)
        if self.norm_first:
            x = self.norm(x)
        return x

# %% right: sequential_as_a_container
# nn.Sequential only holds the blocks, functools.reduce walks through them
from functools import reduce


class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        make = lambda _: EncoderBlock(dim, heads, hidden, norm_first=norm_first)
        self.blocks = nn.Sequential(*map(make, range(depth)))
        self.norm = [nn.Identity, lambda: nn.LayerNorm(dim)][bool(norm_first)]()

    def forward(self, x, mask=None):
        """(B, T, D), mask broadcastable to (B, H, T, T) -> (B, T, D)."""
        return self.norm(reduce(lambda h, block: block(h, mask), self.blocks, x))
