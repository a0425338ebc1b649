# %% right: beam_gets_narrower
def beam_search(next_logits, bos, eos, max_len, beams):
    alive, finished = [(0.0, [])], []
    for _ in range(max_len):
        room = beams - len(finished)
        if room == 0 or not alive:
            break
        pool = []
        for score, tokens in alive:
            logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0].tolist()
            pool.extend((score + p, tokens + [i]) for i, p in enumerate(logp))
        kept = sorted(pool, reverse=True)[:room]
        finished += [h for h in kept if h[1][-1] == eos]
        alive = [h for h in kept if h[1][-1] != eos]
    best = max(finished + alive)
    return best[1], best[0]


# %% right: heap_with_early_stop
def beam_search(next_logits, bos, eos, max_len, beams):
    import heapq
    beam = [(0.0, ())]
    for _ in range(max_len):
        if all(tokens and tokens[-1] == eos for _, tokens in beam):
            break
        pool = []
        for score, tokens in beam:
            if tokens and tokens[-1] == eos:
                pool.append((score, tokens))
                continue
            p = next_logits(torch.tensor([[bos, *tokens]])).double().softmax(-1)[0]
            pool += [(score + math.log(p[i]), tokens + (i,)) for i in range(len(p))]
        beam = heapq.nlargest(beams, pool)
    score, tokens = max(beam)
    return list(tokens), score


# %% right: loop
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% right: set_aside
def beam_search(next_logits, bos, eos, max_len, beams):
    alive, finished = [(0.0, [bos])], []
    while alive and len(alive[0][1]) <= max_len:
        pool = []
        for score, tokens in alive:
            logp = next_logits(torch.tensor([tokens])).log_softmax(-1)[0].tolist()
            pool.extend((score + p, tokens + [i]) for i, p in enumerate(logp))
        pool = sorted(pool, reverse=True)[:beams]
        finished += [h for h in pool if h[1][-1] == eos]
        alive = [h for h in pool if h[1][-1] != eos]
    score, tokens = max(finished + alive)
    return tokens[1:], score


# %% right: stops_when_enough_finished
def beam_search(next_logits, bos, eos, max_len, beams):
    beam, finished = [([bos], 0.0)], []
    for step in range(max_len):
        candidates = []
        for tokens, score in beam:
            logp = torch.log_softmax(next_logits(torch.tensor([tokens])), -1)[0]
            top = logp.topk(min(beams, logp.numel()))
            candidates += [
                (tokens + [int(i)], score + float(v)) for v, i in zip(top.values, top.indices)
            ]
        candidates = sorted(candidates, key=lambda c: c[1])[-beams:]
        beam = []
        for c in candidates:
            (finished if c[0][-1] == eos else beam).append(c)
        if len(finished) >= beams or not beam:
            break
    tokens, score = max(finished + beam, key=lambda c: c[1])
    return tokens[1:], torch.tensor(score)


# %% right: tensors_and_topk
def beam_search(next_logits, bos, eos, max_len, beams):
    tokens, scores = torch.tensor([[bos]]), torch.zeros(1)
    for _ in range(max_len):
        rows = []
        for row in tokens:
            if eos in row[1:].tolist():
                frozen = torch.full((V,), -math.inf)
                frozen[eos] = 0.0
                rows.append(frozen)
            else:
                rows.append(next_logits(row[None]).log_softmax(-1)[0])
                V = len(rows[-1])
        total = scores[:, None] + torch.stack(rows)
        scores, flat = total.flatten().topk(min(beams, total.numel()))
        tokens = torch.cat([tokens[flat // V], (flat % V)[:, None]], 1)
    best = tokens[scores.argmax(), 1:].tolist()
    if eos in best:
        best = best[: best.index(eos) + 1]
    return best, scores.max().item()


# %% right: all_beams_in_one_call
def beam_search(next_logits, bos, eos, max_len, beams):
    texts, scores, done = torch.tensor([[bos]]), torch.zeros(1, dtype=torch.float64), []
    for _ in range(max_len):
        logs = next_logits(texts).double().log_softmax(dim=-1) + scores[:, None]
        words = logs.shape[1]
        scores, flat = torch.sort(logs.reshape(-1), descending=True)
        scores, flat = scores[:beams], flat[:beams]
        texts = torch.hstack([texts[flat // words], (flat % words)[:, None]])
        ends = texts[:, -1] == eos
        done += [(s.item(), t[1:].tolist()) for s, t in zip(scores[ends], texts[ends])]
        texts, scores = texts[~ends], scores[~ends]
        if len(texts) == 0:
            break
    done += [(s.item(), t[1:].tolist()) for s, t in zip(scores, texts)]
    score, tokens = max(done)
    return tokens, score


# %% right: dataclass_and_lambda
from dataclasses import dataclass, field


@dataclass(order=True)
class Sentence:
    score: float = 0.0
    tokens: list = field(default_factory=list, compare=False)

    def grow(self, model, bos, eos):
        if self.tokens[-1:] == [eos]:
            return [self]
        logits = model(torch.tensor(data=[[bos] + self.tokens]))[0]
        logs = logits - logits.logsumexp(dim=0)
        return [Sentence(self.score + x.item(), self.tokens + [i]) for i, x in enumerate(logs)]


def beam_search(next_logits, bos, eos, max_len, beams):
    top = lambda sentences, k: sorted(sentences, reverse=True)[:k]  # noqa: E731
    kept = [Sentence()]
    for _ in range(max_len):
        kept = top([new for old in kept for new in old.grow(next_logits, bos=bos, eos=eos)], beams)
    return kept[0].tokens, kept[0].score


# %% right: recursion_with_partial
from functools import partial


def beam_search(next_logits, bos, eos, max_len, beams):
    @torch.no_grad()
    def step(kept, left):
        if left == 0 or all(tokens[-1] == eos for _, tokens in kept if tokens and len(tokens) > 1):
            if left == 0:
                return max(kept)
        pool = []
        for score, tokens in kept:
            if tokens[1:] and tokens[-1] == eos:
                pool.append((score, tokens))
            else:
                p = F.softmax(next_logits(torch.tensor([tokens])).double(), -1).flatten()
                pool += map(lambda i: (score + float(p[i].log()), tokens + [i]), range(len(p)))
        return again(sorted(pool)[::-1][:beams], left=left - 1)

    again = partial(step)
    score, tokens = again([(0.0, [bos])], left=max_len)
    return tokens[1:], score


# %% wrong: argmax_inside (greedy-in-disguise)
def beam_search(next_logits, bos, eos, max_len, beams):
    tokens, score = [], 0.0
    while len(tokens) < max_len:
        logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0]
        values, ids = logp.topk(min(beams, len(logp)))
        tokens.append(ids[0].item())
        score += values[0].item()
        if tokens[-1] == eos:
            break
    return tokens, score


# %% wrong: keeps_one (greedy-in-disguise)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:1]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: beams_on_their_own (one-continuation-each)
def beam_search(next_logits, bos, eos, max_len, beams):
    first = next_logits(torch.tensor([[bos]])).log_softmax(-1)[0]
    values, ids = first.topk(min(beams, len(first)))
    found = []
    for value, token in zip(values.tolist(), ids.tolist()):
        tokens, score = [token], value
        while tokens[-1] != eos and len(tokens) < max_len:
            logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0]
            tokens.append(int(logp.argmax()))
            score += float(logp.max())
        found.append((score, tokens))
    score, tokens = max(found)
    return tokens, score


# %% wrong: logits (raw-logits)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = next_logits(torch.tensor([tokens])).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: probabilities (probabilities-added)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: product (probability-not-log)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 1.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score * logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: negative_log (negative-score)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score - logp[i].item()))
        candidates.sort(key=lambda c: c[1])
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: newest_step (last-step-only)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: no_freeze (finished-keep-growing)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: no_freeze_but_cut (finished-keep-growing)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    tokens = tokens[1:]
    if eos in tokens:
        tokens = tokens[: tokens.index(eos) + 1]
    return tokens, score


# %% wrong: drops_finished (finished-thrown-away)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [(0.0, [])]
    for _ in range(max_len):
        new = []
        for score, tokens in beam:
            if tokens and tokens[-1] == eos:
                continue
            logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0].tolist()
            new += [(score + p, tokens + [i]) for i, p in enumerate(logp)]
        if len(new) == 0:
            break
        beam = sorted(new)[::-1][:beams]
    return beam[0][1], beam[0][0]


# %% wrong: first_end (first-finished-wins)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [(0.0, [])]
    for _ in range(max_len):
        new = []
        for score, tokens in beam:
            logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0].tolist()
            new += [(score + p, tokens + [i]) for i, p in enumerate(logp)]
        beam = sorted(new, reverse=True)[:beams]
        done = [h for h in beam if h[1][-1] == eos]
        if done:
            return done[0][1], done[0][0]
    return beam[0][1], beam[0][0]


# %% wrong: mean_at_every_step (length-normalised)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1] / (len(c[0]) - 1), reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: mean_at_the_end (length-normalised)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = max(beam, key=lambda c: c[1] / (len(c[0]) - 1))
    return tokens[1:], score


# %% wrong: mean_score (score-per-token)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score / len(tokens[1:])


# %% wrong: ascending (worst-kept)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1])
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: last_of_beam (worst-of-the-best)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [(0.0, [])]
    for _ in range(max_len):
        pool = []
        for score, tokens in beam:
            if tokens and tokens[-1] == eos:
                pool.append((score, tokens))
            else:
                logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0].tolist()
                pool += [(score + p, tokens + [i]) for i, p in enumerate(logp)]
        pool.sort()
        beam = pool[-beams:]
        if beam[0][1][-1] == eos:
            break
    return beam[0][1], beam[0][0]


# %% wrong: keeps_all (beams-ignored)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates
    tokens, score = beam[0]
    return tokens[1:], score


# %% wrong: topk_too_large (too-many-beams)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if eos in tokens:
                candidates.append((tokens, score))
                continue
            logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0]
            values, ids = torch.topk(logp, beams)
            candidates += [(tokens + [i], score + v) for v, i in zip(values.tolist(), ids.tolist())]
        beam = sorted(candidates, key=lambda c: -c[1])[:beams]
    return beam[0]


# %% wrong: with_bos (bos-in-result)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens, score


# %% wrong: without_eos (eos-dropped)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return [t for t in tokens[1:] if t != eos], score


# %% wrong: tokens_only (score-missing)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return tokens[1:]


# %% wrong: no_return (returns-nothing)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]


# %% wrong: score_first (swapped-results)
def beam_search(next_logits, bos, eos, max_len, beams):
    beam = [([bos], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in beam:
            if tokens[-1] == eos and len(tokens) > 1:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([tokens])), dim=-1).squeeze(0)
            for i in range(len(logp)):
                candidates.append((tokens + [i], score + logp[i].item()))
        candidates.sort(key=lambda c: c[1], reverse=True)
        beam = candidates[:beams]
    tokens, score = beam[0]
    return score, tokens[1:]


# %% wrong: newest_first (history-lost)
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))
                continue
            logits = next_logits(torch.tensor([[bos] + tokens[::-1]]))
            for token, value in enumerate(F.log_softmax(logits, dim=-1)[0].tolist()):
                candidates.append((score + value, [*tokens, token]))
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score


# %% wrong: only_the_newest_token (history-lost)
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))
                continue
            logits = next_logits(torch.tensor([[bos, *tokens][-1:]]))
            for token, value in enumerate(F.log_softmax(logits, dim=-1)[0].tolist()):
                candidates.append((score + value, [*tokens, token]))
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score


# %% wrong: bos_forgotten (history-lost)
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))
                continue
            logits = next_logits(torch.tensor([tokens or [bos]]))
            for token, value in enumerate(F.log_softmax(logits, dim=-1)[0].tolist()):
                candidates.append((score + value, [*tokens, token]))
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score


# %% wrong: tensors_in_the_list (no name)
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))
                continue
            logits = next_logits(torch.tensor([[bos, *tokens]]))
            for token, value in enumerate(F.log_softmax(logits, dim=-1)[0].tolist()):
                candidates.append((score + value, [*tokens, token]))
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return list(torch.tensor(tokens)), score


# %% wrong: text_of_the_first_beam (no name)
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [(0.0, [])]
    for _ in range(max_len):
        candidates = []
        for score, tokens in hypotheses:
            if eos in tokens:
                candidates.append((score, tokens))
                continue
            logits = next_logits(torch.tensor([[bos, *hypotheses[0][1][:-1], *tokens[-1:]]]))
            for token, value in enumerate(F.log_softmax(logits, dim=-1)[0].tolist()):
                candidates.append((score + value, [*tokens, token]))
        hypotheses = sorted(candidates, key=lambda candidate: -candidate[0])[:beams]
    score, tokens = hypotheses[0]
    return tokens, score


# %% wrong: grows_until_the_best_ends (finished-keep-growing)
def beam_search(next_logits, bos, eos, max_len, beams):
    kept = [([bos], 0.0)]
    for _ in range(max_len):
        new = []
        for toks, s in kept:
            logp = next_logits(torch.tensor([toks]))[0].log_softmax(-1)
            for i, p in enumerate(logp.tolist()):
                new.append((toks + [i], s + p))
        kept = sorted(new, key=lambda h: -h[1])[:beams]
        if kept[0][0][-1] == eos:
            break
    return kept[0][0][1:], kept[0][1]


# %% wrong: grows_until_all_end (finished-keep-growing)
def beam_search(next_logits, bos, eos, max_len, beams):
    kept = [([bos], 0.0)]
    for _ in range(max_len):
        new = []
        for toks, s in kept:
            logp = next_logits(torch.tensor([toks]))[0].log_softmax(-1)
            for i, p in enumerate(logp.tolist()):
                new.append((toks + [i], s + p))
        kept = sorted(new, key=lambda h: -h[1])[:beams]
        if all(h[0][-1] == eos for h in kept):
            break
    return kept[0][0][1:], kept[0][1]


# %% wrong: collects_and_prefers_the_finished (no name)
def beam_search(next_logits, bos, eos, max_len, beams):
    kept, done = [([bos], 0.0)], []
    for _ in range(max_len):
        new = []
        for toks, s in kept:
            logp = next_logits(torch.tensor([toks]))[0].log_softmax(-1)
            for i, p in enumerate(logp.tolist()):
                new.append((toks + [i], s + p))
        kept = sorted(new, key=lambda h: -h[1])[:beams]
        done += [h for h in kept if h[0][-1] == eos]
    best = max(done or kept, key=lambda h: h[1])
    return best[0][1:], best[1]
