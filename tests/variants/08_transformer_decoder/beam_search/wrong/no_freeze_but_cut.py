# misconception: finished-keep-growing
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
