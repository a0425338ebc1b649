# %% right: beam_of_one
def greedy_decode(next_logits, bos, eos, max_len):
    return beam_search(next_logits, bos, eos, max_len, beams=1)[0]


# %% right: recursion
def greedy_decode(next_logits, bos, eos, max_len):
    def go(tokens):
        if len(tokens) - 1 == max_len:
            return []
        token = max(
            range(next_logits(tokens_of(tokens)).shape[1]),
            key=lambda i: float(next_logits(tokens_of(tokens))[0, i]),
        )
        return [token] if token == eos else [token] + go(tokens + [token])

    def tokens_of(tokens):
        return torch.tensor([tokens])

    return go([bos])


# %% right: while_true
def greedy_decode(next_logits, bos, eos, max_len):
    result = []
    while True:
        if len(result) == max_len:
            return result
        probabilities = next_logits(torch.tensor([[bos] + result])).softmax(dim=-1)
        result.append(probabilities.argmax().item())
        if result[-1] == eos:
            return result


# %% right: writes_all_then_cuts
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        tokens.append(int(F.log_softmax(next_logits(torch.LongTensor([tokens])), -1).argmax()))
    tokens = tokens[1:]
    return tokens[: tokens.index(eos) + 1] if eos in tokens else tokens


# %% right: tensors_all_the_way
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.full((1, 1), bos)
    for _ in range(max_len):
        logits = next_logits(tokens)
        new = torch.topk(logits, 1, dim=1).indices
        tokens = torch.cat([tokens, new], dim=1)
        if (new == eos).all():
            break
    return tokens[0, 1:].tolist()


# %% right: generator_function
def greedy_decode(next_logits, bos, eos, max_len):
    def tokens():
        text = torch.tensor([[bos]])
        for _ in range(max_len):
            values, ids = next_logits(text).max(dim=-1, keepdim=True)
            yield ids.item()
            if ids.item() == eos:
                return
            text = einops.pack([text, ids], "b *")[0]

    return [*tokens()]


# %% right: helper_class
class Writer:
    def __init__(self, *, model, start):
        self.model, self.text = model, [start]

    def write(self):
        with torch.no_grad():
            logits = self.model(torch.as_tensor(self.text).view(1, -1)).double()
        self.text.append(logits.squeeze(0).tolist().index(logits.max().item()))
        return self.text[-1]


def greedy_decode(next_logits, bos, eos, max_len):
    writer = Writer(model=next_logits, start=bos)
    for _ in range(max_len):
        if writer.write() == eos:
            break
    return writer.text[1:]


# %% right: partial_and_reduce
from functools import partial, reduce


def grow(text, _, model, eos):
    if text[-1] == eos and len(text) > 1:
        return text
    return text + [model(torch.tensor(data=[text])).argsort(dim=-1, descending=True)[0, 0].item()]


def greedy_decode(next_logits, bos, eos, max_len):
    return reduce(partial(grow, model=next_logits, eos=eos), range(max_len), [bos])[1:]


# %% wrong: newest_only (last-token-only)
def greedy_decode(next_logits, bos, eos, max_len):
    token, out = bos, []
    for _ in range(max_len):
        token = next_logits(torch.tensor([[token]])).argmax(-1).item()
        out.append(token)
        if token == eos:
            break
    return out


# %% wrong: forgets_bos (bos-not-given)
def greedy_decode(next_logits, bos, eos, max_len):
    out = [next_logits(torch.tensor([[bos]]))[0].argmax().item()]
    while len(out) < max_len and out[-1] != eos:
        out.append(next_logits(torch.tensor([out]))[0].argmax().item())
    return out


# %% wrong: constant_input (always-the-same-context)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    result = []
    for _ in range(max_len):
        result.append(int(next_logits(tokens).argmax()))
        if result[-1] == eos:
            return result
    return result


# %% wrong: keeps_bos (bos-in-result)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax(-1)))
        if tokens[-1] == eos:
            break
    return tokens


# %% wrong: break_before_append (eos-dropped)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        token = int(next_logits(torch.tensor([tokens])).argmax(-1))
        if token == eos:
            break
        tokens.append(token)
    return tokens[1:]


# %% wrong: for_loop_to_the_end (never-stops)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    for _ in range(max_len):
        new = next_logits(tokens).argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens[0, 1:].tolist()


# %% wrong: padded (pads-after-eos)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens, done = [bos], False
    for _ in range(max_len):
        tokens.append(eos if done else int(next_logits(torch.tensor([tokens])).argmax(-1)))
        done = done or tokens[-1] == eos
    return tokens[1:]


# %% wrong: bos_counts (max-len-counts-bos)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) < max_len:
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax(-1)))
        if tokens[-1] == eos:
            break
    return tokens[1:]


# %% wrong: one_more (one-too-many)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = []
    while len(tokens) <= max_len:
        tokens.append(int(next_logits(torch.tensor([[bos] + tokens])).argmax(-1)))
        if tokens[-1] == eos:
            break
    return tokens


# %% wrong: sampled (samples)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        p = next_logits(torch.tensor([tokens])).softmax(-1)
        tokens.append(int(torch.multinomial(p[0], 1)))
        if tokens[-1] == eos:
            break
    return tokens[1:]


# %% wrong: argmax_of_batch (wrong-axis)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        best = next_logits(torch.tensor([tokens])).argmax(dim=0)
        tokens.append(best[0].item())
        if tokens[-1] == eos:
            break
    return tokens[1:]


# %% wrong: smallest (least-likely)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        loss = next_logits(torch.tensor([tokens])).log_softmax(-1)
        tokens.append(loss.argmin(-1).item())
        if tokens[-1] == eos:
            break
    return tokens[1:]


# %% wrong: sorted_from_one (second-best)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        order = next_logits(torch.tensor([tokens]))[0].argsort(descending=True)
        tokens.append(order[1].item())
        if tokens[-1] == eos:
            break
    return tokens[1:]


# %% wrong: flat_tokens (no-batch-axis)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        tokens.append(int(next_logits(torch.tensor(tokens)).argmax()))
        if tokens[-1] == eos:
            break
    return tokens[1:]


# %% wrong: returns_inside_the_loop (one-token-only)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax()))
        if tokens[-1] == eos:
            break
        return tokens[1:]
    return tokens[1:]


# %% wrong: tensor_of_a_batch (batch-of-lists)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    for _ in range(max_len):
        new = next_logits(tokens).argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
        if new.item() == eos:
            break
    return tokens[:, 1:]


# %% wrong: only_eos_ends_it (endless)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while tokens[-1] != eos:
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax()))
    return tokens[1:]


# %% wrong: tensor_returned (not-ints)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.full((1, 1), bos)
    for _ in range(max_len):
        logits = next_logits(tokens)
        new = torch.topk(logits, 1, dim=1).indices
        tokens = torch.cat([tokens, new], dim=1)
        if (new == eos).all():
            break
    return tokens[0, 1:]




# %% wrong: list_of_tensors (not-ints)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = []
    while len(tokens) < max_len and eos not in tokens:
        tokens.append(next_logits(torch.tensor([[bos, *tokens]])).argmax())
    return tokens


# %% wrong: tuple_returned (not-a-list)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = ()
    while len(tokens) < max_len and eos not in tokens:
        tokens = (*tokens, int(next_logits(torch.tensor([[bos, *tokens]])).argmax()))
    return tokens


# %% wrong: newest_token_first (history-lost)
def greedy_decode(next_logits, bos, eos, max_len):
    text, out = [], []
    while len(out) < max_len and eos not in out:
        token = int(next_logits(torch.tensor([[bos, *text][:1] + out[::-1]])).argmax())
        out.append(token)
    return out


# %% wrong: buffer_of_bos (history-lost)
def greedy_decode(next_logits, bos, eos, max_len):
    out = []
    for t in range(1, max_len + 1):
        buffer = torch.full((1, t), bos)
        if out:
            buffer[0, -1] = out[-1]
        out.append(next_logits(buffer).argmax(-1).item())
        if out[-1] == eos:
            break
    return out


# %% wrong: every_token_the_newest (history-lost)
def greedy_decode(next_logits, bos, eos, max_len):
    token, out = bos, []
    for t in range(1, max_len + 1):
        token = int(next_logits(torch.full((1, t), token)).argmax())
        out.append(token)
        if token == eos:
            break
    return out


# %% wrong: window_of_eight (no name)
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len and eos not in tokens[1:]:
        tokens.append(int(next_logits(torch.tensor([tokens[-8:]])).argmax()))
    return tokens[1:]
