# misconception: never-stops
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    for _ in range(max_len):
        new = next_logits(tokens).argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens[0, 1:].tolist()
