# misconception: greedy-in-disguise
def beam_search(next_logits, bos, eos, max_len, beams):
    tokens, score = [], 0.0
    while len(tokens) < max_len:
        logp = next_logits(torch.tensor([[bos] + tokens])).log_softmax(-1)[0]
        values, ids = logp.topk(min(beams, len(logp)))
        tokens.append(ids[0].item())
        score += values[0].item()
        if tokens[-1] == eos:
            break
    return tokens, score
