# misconception: bos-in-result
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        tokens.append(int(next_logits(torch.tensor([tokens])).argmax(-1)))
        if tokens[-1] == eos:
            break
    return tokens
