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
