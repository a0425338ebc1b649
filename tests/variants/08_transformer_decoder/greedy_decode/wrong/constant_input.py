# misconception: always-the-same-context
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    result = []
    for _ in range(max_len):
        result.append(int(next_logits(tokens).argmax()))
        if result[-1] == eos:
            return result
    return result
