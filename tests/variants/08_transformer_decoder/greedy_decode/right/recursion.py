def greedy_decode(next_logits, bos, eos, max_len):
    def go(tokens):
        if len(tokens) - 1 == max_len:
            return []
        token = max(range(next_logits(tokens_of(tokens)).shape[1]), key=lambda i: float(next_logits(tokens_of(tokens))[0, i]))
        return [token] if token == eos else [token] + go(tokens + [token])

    def tokens_of(tokens):
        return torch.tensor([tokens])

    return go([bos])
