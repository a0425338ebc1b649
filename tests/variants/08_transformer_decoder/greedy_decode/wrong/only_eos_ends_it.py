# misconception: endless
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while tokens[-1] != eos:
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax()))
    return tokens[1:]
