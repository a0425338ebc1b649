# %% right: while_loop
def generate(step, state, bos, eos, pad, max_len):
    token = torch.full((len(state),), bos)
    done = torch.zeros(len(state), dtype=torch.bool)
    tokens = []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = torch.where(done, pad, logits.argmax(-1))
        tokens.append(token)
        done |= token == eos
    return torch.stack(tokens, 1)


# %% right: grows_by_cat
def generate(step, state, bos, eos, pad, max_len):
    written = torch.full((state.shape[0], 1), bos)
    for _ in range(max_len):
        logits, state = step(written[:, -1], state)
        new = logits.softmax(-1).max(-1).indices
        ended = (written[:, 1:] == eos).any(1)
        new[ended] = pad
        written = torch.cat([written, new[:, None]], 1)
        if (written[:, 1:] == eos).any(1).all():
            break
    return written[:, 1:]


# %% right: cleans_up_at_the_end
def generate(step, state, bos, eos, pad, max_len):
    token, out = torch.tensor([bos] * len(state)), []
    for _ in range(max_len):
        logits, state = step(token, state)
        token = logits.topk(1, dim=1).indices[:, 0]
        out.append(token)
    out = torch.stack(out, dim=1)
    ended = (out == eos).long().cumsum(1)
    after = (ended - (out == eos).long()) > 0
    out = out.masked_fill(after, pad)
    needed = max((row.tolist().index(eos) + 1 if eos in row.tolist() else max_len) for row in out)
    return out[:, :needed]


# %% right: row_by_row
def generate(step, state, bos, eos, pad, max_len):
    rows = []
    for i in range(len(state)):
        s, token, row = state[i : i + 1], torch.tensor([bos]), []
        while len(row) < max_len and eos not in row:
            logits, s = step(token, s)
            token = logits.argmax(1)
            row.append(token.item())
        rows.append(row)
    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])


# %% right: alive_flags
def generate(step, state, bos, eos, pad, max_len):
    B = state.size(0)
    out = torch.full((B, max_len), pad, dtype=torch.long)
    alive = torch.ones(B).bool()
    token = torch.full((B,), bos)
    for t in range(max_len):
        if not alive.any():
            return out[:, :t]
        logits, state = step(token, state)
        token = logits.argmax(dim=1)
        out[alive, t] = token[alive]
        alive = alive & (token != eos)
    return out


# %% wrong: any (first-ends-all)
def generate(step, state, bos, eos, pad, max_len):
    token, tokens = torch.full((len(state),), bos), []
    while len(tokens) < max_len:
        logits, state = step(token, state)
        token = logits.argmax(-1)
        tokens.append(token)
        if eos in token:
            break
    return torch.stack(tokens, 1)


# %% wrong: all_steps (never-stops-early)
def generate(step, state, bos, eos, pad, max_len):
    token = torch.full((len(state),), bos)
    done = torch.zeros(len(state), dtype=torch.bool)
    tokens = []
    for _ in range(max_len):
        logits, state = step(token, state)
        token = logits.argmax(-1).masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: no_padding (writes-past-the-end)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    for _ in range(max_len):
        logits, state = step(token, state)
        token = logits.argmax(1)
        done = done | (token == eos)
        tokens.append(token)
        if done.all():
            break
    return torch.stack(tokens, 1)


# %% wrong: only_the_last_word (forgets-that-it-ended)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = torch.where(token == eos, pad, logits.argmax(-1))
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: eos_masked (eos-padded-away)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argmax(-1)
        done = done | (token == eos)
        token = token.masked_fill(done, pad)
        tokens.append(token)
    return torch.stack(tokens, 1)


# %% wrong: underscore_state (state-not-passed-on)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, _ = step(token, state)
        token = logits.argmax(-1).masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: bos_again (always-bos)
def generate(step, state, bos, eos, pad, max_len):
    go, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(go, state)
        token = logits.argmax(-1).masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: first_row_decides (one-sentence-for-all)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = torch.full((len(state),), int(logits[0].argmax())).masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: smallest (least-likely)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argsort(-1)[:, 0].masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: bos_kept (bos-in-result)
def generate(step, state, bos, eos, pad, max_len):
    tokens, done = [torch.full((len(state),), bos)], torch.zeros(len(state)).bool()
    while len(tokens) <= max_len and not done.all():
        logits, state = step(tokens[-1], state)
        tokens.append(logits.argmax(-1).masked_fill(done, pad))
        done = done | (tokens[-1] == eos)
    return torch.stack(tokens, 1)


# %% wrong: stacked_first (transposed)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argmax(-1).masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens)


# %% wrong: one_step_too_many (no name)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) <= max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argmax(-1).masked_fill(done, pad)
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: zero_for_pad (no name)
def generate(step, state, bos, eos, pad, max_len):
    token, done, tokens = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    while len(tokens) < max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argmax(-1) * ~done
        tokens.append(token)
        done = done | (token == eos)
    return torch.stack(tokens, 1)


# %% wrong: never_moves (no name)
def generate(step, state, bos, eos, pad, max_len):
    logits, state = step(torch.full((len(state),), bos), state)
    return logits.argmax(-1)[:, None].expand(-1, max_len)


# %% wrong: zeros_without_a_dtype (decimal-ids)
def generate(step, state, bos, eos, pad, max_len):
    out = torch.zeros(len(state), max_len) + pad
    token = torch.full((len(state),), bos)
    ended = torch.zeros(len(state), dtype=torch.bool)
    for t in range(max_len):
        logits, state = step(token, state)
        token = logits.argmax(-1)
        out[~ended, t] = token[~ended].float()
        ended = ended | (token == eos)
        if ended.all():
            break
    return out[:, : t + 1]


# %% wrong: one_token_for_the_batch (no name)
def generate(step, state, bos, eos, pad, max_len):
    token, done, words = torch.tensor([bos]), torch.zeros(len(state), dtype=torch.bool), []
    while len(words) < max_len and not done.all():
        logits, state = step(token, state)
        token = logits.argmax(-1).masked_fill(done, pad)
        words.append(token)
        done = done | (token == eos)
    return torch.stack(words, dim=1)


# %% wrong: stops_if_all_write_eos (ends-only-together)
def generate(step, state, bos, eos, pad, max_len):
    token = torch.full((state.shape[0],), bos)
    out = []
    for _ in range(max_len):
        logits, state = step(token, state)
        token = logits.argmax(dim=-1)
        out.append(token)
        if (token == eos).all():
            break
    return torch.stack(out, dim=1)


# %% wrong: pads_but_stops_together (ends-only-together)
def generate(step, state, bos, eos, pad, max_len):
    token, ended, out = torch.full((len(state),), bos), torch.zeros(len(state)).bool(), []
    for _ in range(max_len):
        logits, state = step(token, state)
        token = torch.where(ended, torch.tensor(pad), logits.argmax(-1))
        ended = ended | (token == eos)
        out.append(token)
        if (token == eos).all():
            break
    return torch.stack(out, 1)
