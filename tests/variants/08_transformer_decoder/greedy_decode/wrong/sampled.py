# misconception: samples
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        p = next_logits(torch.tensor([tokens])).softmax(-1)
        tokens.append(int(torch.multinomial(p[0], 1)))
        if tokens[-1] == eos:
            break
    return tokens[1:]
