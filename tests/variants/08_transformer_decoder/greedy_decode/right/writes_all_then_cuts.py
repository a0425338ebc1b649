def greedy_decode(next_logits, bos, eos, max_len):
    tokens = [bos]
    for _ in range(max_len):
        tokens.append(int(F.log_softmax(next_logits(torch.LongTensor([tokens])), -1).argmax()))
    tokens = tokens[1:]
    return tokens[: tokens.index(eos) + 1] if eos in tokens else tokens
