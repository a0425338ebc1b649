# misconception: one-too-many
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = []
    while len(tokens) <= max_len:
        tokens.append(int(next_logits(torch.tensor([[bos] + tokens])).argmax(-1)))
        if tokens[-1] == eos:
            break
    return tokens
