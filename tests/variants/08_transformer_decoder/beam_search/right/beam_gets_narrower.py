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
