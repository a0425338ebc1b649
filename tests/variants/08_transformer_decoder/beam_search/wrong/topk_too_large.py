# misconception: too-many-beams
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
