def beam_search(next_logits, bos, eos, max_len, beams):
    tokens, scores = torch.tensor([[bos]]), torch.zeros(1)
    for _ in range(max_len):
        rows = []
        for row in tokens:
            if eos in row[1:].tolist():
                frozen = torch.full((V,), -math.inf)
                frozen[eos] = 0.0
                rows.append(frozen)
            else:
                rows.append(next_logits(row[None]).log_softmax(-1)[0])
                V = len(rows[-1])
        total = scores[:, None] + torch.stack(rows)
        scores, flat = total.flatten().topk(min(beams, total.numel()))
        tokens = torch.cat([tokens[flat // V], (flat % V)[:, None]], 1)
    best = tokens[scores.argmax(), 1:].tolist()
    if eos in best:
        best = best[: best.index(eos) + 1]
    return best, scores.max().item()
