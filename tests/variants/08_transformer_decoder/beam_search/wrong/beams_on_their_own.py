# misconception: one-continuation-each
def beam_search(next_logits, bos, eos, max_len, beams):
    first = next_logits(torch.tensor([[bos]])).log_softmax(-1)[0]
    values, ids = first.topk(min(beams, len(first)))
    found = []
    for value, token in zip(values.tolist(), ids.tolist()):
        tokens, score = [token], value
        while tokens[-1] != eos and len(tokens) < max_len:
            logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0]
            tokens.append(int(logp.argmax()))
            score += float(logp.max())
        found.append((score, tokens))
    score, tokens = max(found)
    return tokens, score
