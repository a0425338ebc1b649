def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.full((1, 1), bos)
    for _ in range(max_len):
        logits = next_logits(tokens)
        new = torch.topk(logits, 1, dim=1).indices
        tokens = torch.cat([tokens, new], dim=1)
        if (new == eos).all():
            break
    return tokens[0, 1:]
