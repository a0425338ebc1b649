# misconception: wrong-axis
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        best = next_logits(torch.tensor([tokens])).argmax(dim=0)
        tokens.append(best[0].item())
        if tokens[-1] == eos:
            break
    return tokens[1:]
