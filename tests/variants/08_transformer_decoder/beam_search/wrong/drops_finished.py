# misconception: finished-thrown-away
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
