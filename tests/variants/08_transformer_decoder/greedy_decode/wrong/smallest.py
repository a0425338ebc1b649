# misconception: least-likely
def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    while len(tokens) <= max_len:
        loss = next_logits(torch.tensor([tokens])).log_softmax(-1)
        tokens.append(loss.argmin(-1).item())
        if tokens[-1] == eos:
            break
    return tokens[1:]
