# %% wrong: only_the_last_token (last-token-only)
# gives the model the newest token alone, as a recurrent network would want it: breaks "give it
# everything so far as a tensor of ints of shape (1, t), `bos` first"
def greedy_decode(next_logits, bos, eos, max_len):
    token, out = bos, []
    for _ in range(max_len):
        logits = next_logits(torch.tensor([[token]]))
        token = int(logits.argmax(-1))
        out.append(token)
        if token == eos:
            break
    return out

# %% wrong: bos_counts (max-len-counts-bos)
# counts bos among the max_len tokens and so writes one too few: breaks "Stop … when `max_len`
# tokens are written"
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) < max_len:
        new = next_logits(torch.tensor([tokens]))[0].argmax().item()
        tokens.append(new)
        if new == eos:
            break
    return tokens[1:]

# %% wrong: eos_dropped (eos-dropped)
# leaves the loop before eos is written down: breaks "*with* `eos` if it came"
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        best = next_logits(torch.tensor([tokens])).argmax(dim=-1).item()
        if best == eos:
            break
        tokens.append(best)
    return tokens[1:]

# %% wrong: list_of_tensors (not-ints)
# collects the argmax as tensors of one number and never makes ints of them: breaks "Return a list
# of ints"
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    written = []
    for _ in range(max_len):
        best = next_logits(tokens).argmax(dim=-1)  # (1,)
        written.append(best[0])
        tokens = torch.cat([tokens, best[:, None]], dim=1)
        if best[0] == eos:
            break
    return written

# %% right: recursive
# an inner function that calls itself with one token more
def greedy_decode(next_logits, bos, eos, max_len):
    def rest(so_far, room):
        if room == 0:
            return []
        best = int(torch.argmax(next_logits(so_far)[0]))
        if best == eos:
            return [best]
        return [best] + rest(F.pad(so_far, (0, 1), value=best), room - 1)

    return rest(torch.tensor([[bos]]), max_len)
