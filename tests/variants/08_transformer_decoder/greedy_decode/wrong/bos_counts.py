# misconception: max-len-counts-bos
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) < max_len:
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax(-1)))
        if tokens[-1] == eos:
            break
    return tokens[1:]
