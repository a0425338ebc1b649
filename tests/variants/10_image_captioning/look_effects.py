# %% right: two_loops
def look_effects(step, tokens, right, state, regions, others):
    batch, length = tokens.shape

    def logits_of_right(swap):
        h_c, rows = state, []
        for t in range(length):
            logits, h_c, _ = step(tokens[:, t], h_c, others if swap == t else regions)
            rows.append(logits[torch.arange(batch), right[:, t]])
        return torch.stack(rows, dim=1)

    normal = logits_of_right(-1)
    result = torch.zeros(length, length)
    for t in range(length):
        result[t] = (normal - logits_of_right(t)).mean(dim=0)
    return result.detach()


# %% right: from_the_changed_step_on
def look_effects(step, tokens, right, state, regions, others):
    # before the changed look nothing differs: keep the states and go on from there
    T = tokens.shape[1]
    states, before = [state], []
    with torch.no_grad():
        for t in range(T):
            logits, new, _ = step(tokens[:, t], states[-1], regions)
            states.append(new)
            before.append(logits.gather(1, right[:, t : t + 1]).squeeze(1))
        effects = torch.zeros(T, T)
        for t in range(T):
            now = states[t]
            for p in range(t, T):
                logits, now, _ = step(tokens[:, p], now, others if p == t else regions)
                after = logits.gather(1, right[:, p : p + 1]).squeeze(1)
                effects[t, p] = (before[p] - after).mean()
    return effects


# %% right: all_runs_in_one_batch
@torch.no_grad()
def look_effects(step, tokens, right, state, regions, others):
    B, T = tokens.shape
    runs = T + 1  # the last one is unchanged
    h, c = (part.repeat(runs, 1) for part in state)
    found = []
    for t in range(T):
        view = regions.repeat(runs, 1, 1)
        view[t * B : (t + 1) * B] = others
        logits, (h, c), _ = step(tokens[:, t].repeat(runs), (h, c), view)
        words = right[:, t].repeat(runs)
        found.append(F.one_hot(words, logits.shape[-1]).mul(logits).sum(-1).reshape(runs, B))
    found = torch.stack(found, -1)  # (runs, B, T)
    return (found[-1] - found[:-1]).mean(1)


# %% right: numbers_one_by_one
def look_effects(step, tokens, right, state, regions, others):
    T, B = tokens.size(1), tokens.size(0)
    table = []
    for look in [None] + list(range(T)):
        s = (state[0].clone(), state[1].clone())
        line = []
        for p in range(T):
            seen = regions
            if look is not None and p == look:
                seen = others
            out, s, _w = step(tokens[:, p], s, seen)
            line.append(sum(float(out[b, int(right[b, p])]) for b in range(B)) / B)
        table.append(line)
    table = torch.tensor(table)
    return table[:1] - table[1:]


# %% wrong: from_t_on (changed-from-there-on)
def look_effects(step, tokens, right, state, regions, others):
    def run(first):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t >= first else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    T = tokens.shape[1]
    return torch.stack([(run(T) - run(t)).mean(0) for t in range(T)])


# %% wrong: up_to_t (changes-stay)
def look_effects(step, tokens, right, state, regions, others):
    T = tokens.shape[1]
    changed = set()

    def run():
        s, found = state, []
        for t in range(T):
            logits, s, _ = step(tokens[:, t], s, others if t in changed else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before, rows = run(), []
    for t in range(T):
        changed.add(t)
        rows.append((before - run()).mean(0))
    return torch.stack(rows)


# %% wrong: only_this_look_stays (all-but-one)
def look_effects(step, tokens, right, state, regions, others):
    T = tokens.shape[1]

    def run(own):
        s, found = state, []
        for t in range(T):
            logits, s, _ = step(tokens[:, t], s, regions if t in own else others)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(range(T))
    return torch.stack([(before - run([t])).mean(0) for t in range(T)])


# %% wrong: state_not_passed_on (nothing-remembered)
def look_effects(step, tokens, right, state, regions, others):
    T = tokens.shape[1]

    def run(swap):
        found = []
        for t in range(T):
            logits, _, _ = step(tokens[:, t], state, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(T)])


# %% wrong: diagonal (only-its-own-word)
def look_effects(step, tokens, right, state, regions, others):
    T = tokens.shape[1]
    effects = torch.zeros(T, T)
    s = state
    for t in range(T):
        seen, new, _ = step(tokens[:, t], s, regions)
        changed, _, _ = step(tokens[:, t], s, others)
        word = right[:, t : t + 1]
        effects[t, t] = (seen.gather(1, word) - changed.gather(1, word)).mean()
        s = new
    return effects


# %% wrong: after_minus_before (sign-reversed)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    return torch.stack([(run(t) - run(None)).mean(0) for t in range(tokens.shape[1])])


# %% wrong: absolute (size-without-sign)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    return torch.stack([(run(t) - run(None)).abs().mean(0) for t in range(tokens.shape[1])])


# %% wrong: log_probabilities (probabilities)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(F.log_softmax(logits, -1).gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(tokens.shape[1])])


# %% wrong: logits_of_the_best (highest-logit)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.max(-1).values)
        return torch.stack(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(tokens.shape[1])])


# %% wrong: logit_of_the_token (the-word-read)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.gather(1, tokens[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(tokens.shape[1])])


# %% wrong: writes_itself (reads-its-own-words)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found, word = state, [], tokens[:, 0]
        for t in range(tokens.shape[1]):
            logits, s, _ = step(word, s, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
            word = logits.argmax(-1)
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(tokens.shape[1])])


# %% wrong: columns_are_looks (looks-and-words-swapped)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(tokens.shape[1])], dim=1)


# %% wrong: a_matrix_per_caption (not-averaged)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([before - run(t) for t in range(tokens.shape[1])], 1)


# %% wrong: sums (summed-over-captions)
def look_effects(step, tokens, right, state, regions, others):
    def run(swap):
        s, found = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).sum(0) for t in range(tokens.shape[1])])


# %% wrong: no_difference (only-the-changed-run)
def look_effects(step, tokens, right, state, regions, others):
    rows = []
    for look in range(tokens.shape[1]):
        s, row = state, []
        for t in range(tokens.shape[1]):
            logits, s, _ = step(tokens[:, t], s, others if t == look else regions)
            row.append(logits.gather(1, right[:, t : t + 1]).mean())
        rows.append(torch.stack(row))
    return torch.stack(rows)


# %% wrong: state_runs_on (no name)
def look_effects(step, tokens, right, state, regions, others):
    T = tokens.shape[1]

    def run(swap):
        nonlocal state
        found = []
        for t in range(T):
            logits, state, _ = step(tokens[:, t], state, others if t == swap else regions)
            found.append(logits.gather(1, right[:, t : t + 1]))
        return torch.cat(found, 1)

    before = run(None)
    return torch.stack([(before - run(t)).mean(0) for t in range(T)])
