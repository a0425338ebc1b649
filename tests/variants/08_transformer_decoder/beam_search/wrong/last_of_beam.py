# misconception: worst-of-the-best
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
