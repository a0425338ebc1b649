# misconception: bos-not-given
def greedy_decode(next_logits, bos, eos, max_len):
    out = [next_logits(torch.tensor([[bos]]))[0].argmax().item()]
    while len(out) < max_len and out[-1] != eos:
        out.append(next_logits(torch.tensor([out]))[0].argmax().item())
    return out
