def greedy_decode(next_logits, bos, eos, max_len):
    return beam_search(next_logits, bos, eos, max_len, beams=1)[0]
