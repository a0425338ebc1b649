# misconception: last-token-only
def greedy_decode(next_logits, bos, eos, max_len):
    token, out = bos, []
    for _ in range(max_len):
        token = next_logits(torch.tensor([[token]])).argmax(-1).item()
        out.append(token)
        if token == eos:
            break
    return out
