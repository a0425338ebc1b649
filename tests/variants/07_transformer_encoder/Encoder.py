# %% right: append
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(EncoderBlock(dim, heads, hidden, norm_first))
        if norm_first:
            self.norm = nn.LayerNorm(dim)
        self.norm_first = norm_first

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x) if self.norm_first else x


# %% right: deepcopies
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        import copy
        block = EncoderBlock(dim, heads, hidden, norm_first)
        self.blocks = nn.ModuleList([copy.deepcopy(block) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask=mask)
        return self.norm(x)


# %% right: module_list
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% right: recursive
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        def run(x, rest):
            return x if not rest else run(rest[0](x, mask), rest[1:])

        x = run(x, list(self.blocks))
        return x if self.norm is None else self.norm(x)


# %% right: reduce
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        import functools

        x = functools.reduce(lambda h, block: block(h, mask), self.blocks, x)
        return (
            F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias, 1e-5)
            if self.norm
            else x
        )


# %% right: sequential
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.Sequential(
            *[EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Sequential()

    def forward(self, x, mask=None):
        for i in range(len(self.blocks)):
            x = self.blocks[i](x, mask)
        return self.norm(x)


# %% right: module_dict
class Stack(nn.ModuleDict):
    def run(self, x, **options):
        for number in range(len(self)):
            x = self[str(number)](x, **options)
        return x


class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = Stack()
        for number in range(depth):
            self.blocks[str(number)] = EncoderBlock(dim=dim, heads=heads, hidden=hidden, norm_first=norm_first)
        self.add_module("norm", nn.LayerNorm(dim) if norm_first else None)

    def forward(self, x, mask=None):
        x = self.blocks.run(x, mask=mask)
        return self.norm(x) if self.norm else x


# %% right: partial_and_while
from functools import partial


class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        make = partial(EncoderBlock, dim, heads, hidden, norm_first=norm_first)
        self.blocks = nn.ModuleList([make() for _ in range(depth)])
        self.finish = (lambda x: x) if not norm_first else (lambda x: self.norm(x))
        if norm_first:
            self.norm = nn.LayerNorm(dim)

    def forward(self, x, mask=None):
        number = 0
        while number < len(self.blocks):
            x, number = self.blocks[number](x, mask=mask), number + 1
        return self.finish(x)


# %% right: inherits_from_a_base
class Base(nn.Module):
    def forward(self, x, mask=None):
        return self.last(self.through(x, mask))

    def through(self, x, mask):
        blocks = iter(self.blocks)
        for block in blocks:
            x = block(x, mask)
        return x


class Encoder(Base):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList()
        self.blocks.extend(EncoderBlock(dim, heads, hidden, norm_first) for _ in [None] * depth)
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def last(self, x):
        return self.norm(x)


# %% wrong: same_block_in_comprehension (shared-blocks)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        layer = EncoderBlock(dim, heads, hidden, norm_first=norm_first)
        self.blocks = nn.ModuleList(layer for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for layer in self.blocks:
            x = layer(x, mask)
        return self.norm(x)


# %% wrong: times_depth (shared-blocks)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        block = EncoderBlock(dim, heads, hidden, norm_first)
        self.blocks = nn.ModuleList([block] * depth)
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% wrong: python_list (plain-list)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% wrong: no_final_norm (final-norm-missing)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)
        )

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x


# %% wrong: norm_never_called (final-norm-not-used)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        out = x
        for block in self.blocks:
            out = block(out, mask)
        return out


# %% wrong: norm_in_both_orders (final-norm-always)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% wrong: norm_after_each (norm-in-the-loop)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
            if self.norm is not None:
                x = self.norm(x)
        return x


# %% wrong: flag_forgotten (flag-not-passed)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(dim, heads, hidden) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        if self.norm is not None:
            x = self.norm(x)
        return x


# %% wrong: feeds_the_original (same-input)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            out = block(x, mask)
        return self.norm(out) if self.norm else out


# %% wrong: returns_in_the_loop (first-block-only)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
            if self.norm is not None:
                x = self.norm(x)
            return x


# %% wrong: backwards (reversed-blocks)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for i in range(len(self.blocks) - 1, -1, -1):
            x = self.blocks[i](x, mask)
        return self.norm(x) if self.norm is not None else x


# %% wrong: side_by_side (blocks-side-by-side)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        total = 0
        for block in self.blocks:
            total = total + block(x, mask)
        return self.norm(total) if self.norm is not None else total


# %% wrong: residual_around (residual-around-blocks)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = x + block(x, mask)
        return self.norm(x) if self.norm is not None else x


# %% wrong: no_mask (mask-dropped)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x)
        return self.norm(x) if self.norm is not None else x


# %% wrong: mask_once (mask-in-the-first-block-only)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        x = self.blocks[0](x, mask)
        for block in self.blocks[1:]:
            x = block(x)
        return self.norm(x) if self.norm is not None else x


# %% wrong: called_layers (parameters)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.layers = nn.ModuleList(
            [EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth)]
        )
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x) if self.norm is not None else x


# %% wrong: torch_encoder (not-allowed)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        layer = nn.TransformerEncoderLayer(
            dim, heads, hidden, batch_first=True, norm_first=norm_first
        )
        self.blocks = nn.TransformerEncoder(layer, depth)

    def forward(self, x, mask=None):
        return self.blocks(x)


# %% wrong: another_default (default-pre-norm)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=True):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


# %% wrong: eps_of_the_vision_transformer (another-eps)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth))
        self.norm = nn.LayerNorm(dim, eps=1e-6) if norm_first else nn.Identity()

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return self.norm(x)


# %% wrong: detached_norm (no name)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x if self.norm is None else self.norm(x).detach()


# %% wrong: dropout_between_blocks (no name)
class Encoder(nn.Module):
    def __init__(self, dim, heads, hidden, depth, norm_first=False):
        super().__init__()
        self.blocks = nn.ModuleList(EncoderBlock(dim, heads, hidden, norm_first) for _ in range(depth))
        self.norm = nn.LayerNorm(dim) if norm_first else nn.Identity()
        self.dropout = nn.Dropout(0.2)

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = self.dropout(block(x, mask))
        return self.norm(x)
