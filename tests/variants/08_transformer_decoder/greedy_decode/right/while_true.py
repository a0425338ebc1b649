def greedy_decode(next_logits, bos, eos, max_len):
    result = []
    while True:
        if len(result) == max_len:
            return result
        probabilities = next_logits(torch.tensor([[bos] + result])).softmax(dim=-1)
        result.append(probabilities.argmax().item())
        if result[-1] == eos:
            return result
