# misconception: first-finished-wins
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
