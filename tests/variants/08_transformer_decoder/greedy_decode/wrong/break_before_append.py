# misconception: eos-dropped
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        token = int(next_logits(torch.tensor([tokens])).argmax(-1))
        if token == eos:
            break
        tokens.append(token)
    return tokens[1:]
