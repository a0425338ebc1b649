# misconception: batch-of-lists
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = torch.tensor([[bos]])
    for _ in range(max_len):
        new = next_logits(tokens).argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], dim=1)
        if new.item() == eos:
            break
    return tokens[:, 1:]
