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
