# %% right: attention_inline
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        e = torch.tanh(regions @ self.w_r + (h @ self.w_s).unsqueeze(1)) @ self.v
        a = e.softmax(1)
        z = (a.unsqueeze(-1) * regions).sum(1)
        new = self.cell(torch.hstack([self.embed(token), z]), (h, c))
        return self.out(new[0]), new, a


# %% right: gates_by_hand
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        x = torch.cat([F.embedding(token, self.embed.weight), context], -1)
        gates = F.linear(x, self.cell.weight_ih, self.cell.bias_ih) + F.linear(
            h, self.cell.weight_hh, self.cell.bias_hh
        )
        i, f, g, o = gates.chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return self.out(h), (h, c), weights


# %% right: list_state
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        word = self.embed(token)
        state = self.cell(torch.cat([word, context], dim=-1), state)
        logits = state[0] @ self.out.weight.T + self.out.bias
        return logits, list(state), weights


# %% right: plain
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        x = torch.cat((self.embed(token), context), dim=1)
        h, c = self.cell(x, (h, c))
        return self.out(h), (h, c), weights


# %% right: state_is_rebound
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        (state, memory) = state
        context, weights = soft_attention(regions, state, self.w_r, self.w_s, self.v)
        state, memory = self.cell(torch.cat([self.embed(token), context], -1), (state, memory))
        return self.out(state), (state, memory), weights


# %% right: einops_and_keywords
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions=regions, state=h, w_r=self.w_r, w_s=self.w_s, v=self.v)
        inputs, _ = einops.pack([self.embed(token), context], "b *")
        new = self.cell(input=inputs, hx=(h, c))
        return torch.einsum("bh,vh->bv", new[0], self.out.weight) + self.out.bias, new, weights


# %% right: caption_by_caption
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def one(self, word, h, c, picture):
        context, weights = soft_attention(picture[None], h[None], self.w_r, self.w_s, self.v)
        state = self.cell(torch.hstack([self.embed(word)[None], context]), (h[None], c[None]))
        return self.out(state[0]), *state, weights

    def forward(self, token, state, regions):
        rows = [self.one(*parts) for parts in zip(token, *state, regions)]
        logits, h, c, weights = (torch.cat(part) for part in zip(*rows))
        return logits, (h, c), weights


# %% right: helper_class_and_partial
from functools import partial


class Look:
    def __init__(self, step):
        self.ask = partial(soft_attention, w_r=step.w_r, w_s=step.w_s, v=step.v)

    def __call__(self, regions, h):
        found = self.ask(regions.double().float(), h)
        return found[0], found[1]


class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        seen, where = Look(self)(regions, h=state[0])
        h, c = self.cell(torch.concat((F.embedding(token, self.embed.weight), seen), dim=1), tuple(state))
        return F.linear(h, self.out.weight, self.out.bias), (h, c), where


# %% wrong: cell_query (attends-with-cell-state)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, c, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h), (h, c), weights


# %% wrong: context_first (context-before-embedding)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([context, self.embed(token)], dim=-1), state)
        return self.out(h), (h, c), weights


# %% wrong: mean_context (static-context)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), regions.mean(dim=1)], dim=-1), state)
        return self.out(h), (h, c), weights


# %% wrong: no_word (word-ignored)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        nothing = torch.zeros(len(token), self.embed.embedding_dim)
        h, c = self.cell(torch.cat([nothing, context], dim=-1), state)
        return self.out(h), (h, c), weights


# %% wrong: no_context (context-ignored)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(F.pad(self.embed(token), (0, context.shape[-1])), state)
        return self.out(h), (h, c), weights


# %% wrong: swapped_in (h-and-c-swapped)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (c, h))
        return self.out(h), (h, c), weights


# %% wrong: fresh_state (state-forgotten)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1))
        return self.out(h), (h, c), weights


# %% wrong: old_state (old-state-returned)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), state)
        return self.out(h), state, weights


# %% wrong: old_logits (logits-from-old-state)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        logits = self.out(h)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return logits, (h, c), weights


# %% wrong: cell_logits (logits-from-cell-state)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(c), (h, c), weights


# %% wrong: swapped_out (state-returned-swapped)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h), (c, h), weights


# %% wrong: unpacked_c_h (cell-results-swapped)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        c, h = self.cell(torch.cat([self.embed(token), context], -1), state)
        return self.out(h), (h, c), weights


# %% wrong: unpacked_the_wrong_way (cell-results-swapped)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        new = self.cell(torch.cat([self.embed(token), context], 1), (h, c))
        return self.out(new[1]), (new[1], new[0]), weights


# %% wrong: four_results (state-not-a-pair)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], -1), state)
        return self.out(h), h, c, weights


# %% wrong: state_unpacked_in_the_result (state-not-a-pair)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        new = self.cell(torch.cat([self.embed(token), context], -1), state)
        return (self.out(new[0]), *new, weights)


# %% wrong: whole_state_asks (asks-with-the-pair)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], -1), state)
        return self.out(h), (h, c), weights


# %% wrong: whole_state_by_keyword (asks-with-the-pair)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        z, weights = soft_attention(regions, state=state, w_r=self.w_r, w_s=self.w_s, v=self.v)
        h, c = self.cell(torch.cat([self.embed(token), z], -1), state)
        return self.out(h), (h, c), weights


# %% wrong: softmax (softmax-in-the-step)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return F.softmax(self.out(h), dim=-1), (h, c), weights


# %% wrong: argmax (word-instead-of-logits)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h).argmax(dim=-1), (h, c), weights


# %% wrong: h_only (only-h-returned)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h), h, weights


# %% wrong: two_results (weights-missing)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h), (h, c)


# %% wrong: order (order-of-results)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        return self.out(h), weights, (h, c)


# %% wrong: late_weights (weights-of-the-new-state)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / math.sqrt(region_dim))
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / math.sqrt(hidden))
        self.v = nn.Parameter(torch.randn(attention) / math.sqrt(attention))
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = state
        context, _ = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], dim=-1), (h, c))
        _, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        return self.out(h), (h, c), weights


# %% wrong: state_detached (no-gradient)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        h, c = (part.detach() for part in state)
        context, weights = soft_attention(regions, h, self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], -1), (h, c))
        return self.out(h), (h, c), weights


# %% wrong: cell_state_detached (no-gradient)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        h, c = self.cell(torch.cat([self.embed(token), context], -1), (state[0], state[1].detach()))
        return self.out(h), (h, c), weights


# %% wrong: dropout_on_the_words (no name)
class CaptionStep(nn.Module):
    def __init__(self, vocabulary, embedding, region_dim, hidden, attention):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, embedding)
        self.cell = nn.LSTMCell(embedding + region_dim, hidden)
        self.w_r = nn.Parameter(torch.randn(region_dim, attention) / region_dim**0.5)
        self.w_s = nn.Parameter(torch.randn(hidden, attention) / hidden**0.5)
        self.v = nn.Parameter(torch.randn(attention) / attention**0.5)
        self.out = nn.Linear(hidden, vocabulary)

    def forward(self, token, state, regions):
        context, weights = soft_attention(regions, state[0], self.w_r, self.w_s, self.v)
        word = F.dropout(self.embed(token), 0.3, self.training)
        h, c = self.cell(torch.cat([word, context], -1), state)
        return self.out(h), (h, c), weights
