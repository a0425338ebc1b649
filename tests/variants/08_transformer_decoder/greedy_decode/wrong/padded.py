# misconception: pads-after-eos
def greedy_decode(next_logits, bos, eos, max_len):
    tokens, done = [bos], False
    for _ in range(max_len):
        tokens.append(eos if done else int(next_logits(torch.tensor([tokens])).argmax(-1)))
        done = done or tokens[-1] == eos
    return tokens[1:]
