# misconception: second-best
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        order = next_logits(torch.tensor([tokens]))[0].argsort(descending=True)
        tokens.append(order[1].item())
        if tokens[-1] == eos:
            break
    return tokens[1:]
