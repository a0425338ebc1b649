# %% wrong: forgets_who_ended (forgets-that-it-ended)
# remembers only whether the last word was eos, so a finished sentence goes on after one pad;
# breaks "Whatever the model says after that no longer counts: those places hold `pad`"
def generate(step, state, bos, eos, pad, max_len):
    B = state.shape[0]
    token = torch.full((B,), bos)
    ended = torch.zeros(B, dtype=torch.bool)
    words = []
    for _ in range(max_len):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        token = torch.where(ended, torch.full_like(token, pad), token)
        words.append(token)
        ended = token == eos
        if ended.all():
            break
    return torch.stack(words, dim=1)

# %% wrong: eos_becomes_pad (eos-padded-away)
# marks a sentence as ended before writing, so its eos is overwritten by pad; breaks "`eos` ends a
# sentence and is its last word"
def generate(step, state, bos, eos, pad, max_len):
    token = torch.full((state.size(0),), bos, dtype=torch.long)
    done = torch.zeros_like(token, dtype=torch.bool)
    out = []
    while len(out) < max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argmax(-1)
        done = done | (token == eos)
        out.append(token.masked_fill(done, pad))
    return torch.stack(out, 1)

# %% wrong: always_max_len (never-stops-early)
# makes a table of max_len places and returns all of it even if the sentences ended earlier;
# breaks "`T` is the number of words in the longest sentence, `eos` included"
def generate(step, state, bos, eos, pad, max_len):
    B = state.shape[0]
    result = torch.full((B, max_len), pad, dtype=torch.long)
    token = torch.full((B,), bos, dtype=torch.long)
    alive = torch.ones(B, dtype=torch.bool)
    for t in range(max_len):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        result[alive, t] = token[alive]
        alive = alive & (token != eos)
        if not alive.any():
            break
    return result

# %% wrong: same_state_each_time (state-not-passed-on)
# throws the new state away and gives each step the first one; breaks "`step` is one step of a
# decoder: ... → logits (B, V) and the new state (B, D)"
def generate(step, state, bos, eos, pad, max_len):
    tokens = torch.full((len(state),), bos, dtype=torch.long)
    finished = torch.zeros(len(state), dtype=torch.bool)
    output = []
    for _ in range(max_len):
        logits, new_state = step(tokens, state)
        tokens = torch.where(finished, pad, logits.argmax(dim=1))
        finished |= tokens == eos
        output.append(tokens)
        if finished.all():
            break
    return torch.stack(output, dim=1)

# %% right: write_first_tidy_up_later
# lets all rows write freely until each has said eos once, and puts the padding in at the end with
# a running sum
def generate(step, state, bos, eos, pad, max_len):
    written = state.new_full((len(state), 1), bos, dtype=torch.long)
    while written.shape[1] <= max_len and not (written[:, 1:] == eos).any(1).all():
        logits, state = step(written[:, -1], state)
        written = torch.cat([written, logits.max(-1, keepdim=True).indices], dim=1)
    written = written[:, 1:]
    is_end = (written == eos).long()
    after = is_end.cumsum(1) - is_end > 0
    return written.masked_fill(after, pad)
