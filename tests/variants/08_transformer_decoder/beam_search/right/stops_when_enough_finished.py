def beam_search(next_logits, bos, eos, max_len, beams):
    beam, finished = [([bos], 0.0)], []
    for step in range(max_len):
        candidates = []
        for tokens, score in beam:
            logp = torch.log_softmax(next_logits(torch.tensor([tokens])), -1)[0]
            top = logp.topk(min(beams, logp.numel()))
            candidates += [(tokens + [int(i)], score + float(v)) for v, i in zip(top.values, top.indices)]
        candidates = sorted(candidates, key=lambda c: c[1])[-beams:]
        beam = []
        for c in candidates:
            (finished if c[0][-1] == eos else beam).append(c)
        if len(finished) >= beams or not beam:
            break
    tokens, score = max(finished + beam, key=lambda c: c[1])
    return tokens[1:], torch.tensor(score)
