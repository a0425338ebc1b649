# misconception: score-missing
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
