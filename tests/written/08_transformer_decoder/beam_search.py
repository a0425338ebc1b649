# %% wrong: first_to_finish_wins (first-finished-wins)
# stops as soon as some hypothesis on the beam ends in eos and returns that one: breaks "finished:
# they are not extended, and compete as they are"
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [([], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in hypotheses:
            logp = F.log_softmax(next_logits(torch.tensor([[bos] + tokens]))[0], dim=-1)
            for word in range(len(logp)):
                candidates.append((tokens + [word], score + logp[word].item()))
        hypotheses = sorted(candidates, key=lambda c: c[1], reverse=True)[:beams]
        for tokens, score in hypotheses:
            if tokens[-1] == eos:
                return tokens, score
    return hypotheses[0]

# %% wrong: more_beams_than_words (too-many-beams)
# takes the topk(beams) words of each hypothesis, which raises if there are fewer words than
# beams: breaks "there may be fewer than `beams` of them"
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [([], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in hypotheses:
            if tokens and tokens[-1] == eos:
                candidates.append((tokens, score))
                continue
            logp = F.log_softmax(next_logits(torch.tensor([[bos] + tokens])), dim=-1)[0]
            best, words = logp.topk(beams)
            for lp, word in zip(best.tolist(), words.tolist()):
                candidates.append((tokens + [word], score + lp))
        candidates.sort(key=lambda c: c[1], reverse=True)
        hypotheses = candidates[:beams]
    return hypotheses[0]

# %% wrong: per_token_winner (length-normalised)
# chooses the winner by log probability per token, as many libraries do: breaks "There is no
# length normalisation"
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [([], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in hypotheses:
            if eos in tokens:
                candidates.append((tokens, score))
                continue
            logp = next_logits(torch.tensor([[bos, *tokens]])).log_softmax(-1)[0].tolist()
            candidates += [(tokens + [w], score + lp) for w, lp in enumerate(logp)]
        hypotheses = sorted(candidates, key=lambda c: -c[1])[:beams]
    return max(hypotheses, key=lambda c: c[1] / len(c[0]))

# %% wrong: finished_first (first-finished-wins)
# returns the best finished hypothesis if there is one, even if one that was cut off is likelier:
# breaks "One that was cut off at `max_len` counts like any other"
def beam_search(next_logits, bos, eos, max_len, beams):
    alive, done = [([], 0.0)], []
    for _ in range(max_len):
        candidates = []
        for tokens, score in alive:
            logp = torch.log_softmax(next_logits(torch.tensor([[bos] + tokens]))[0], dim=-1)
            for word, lp in enumerate(logp.tolist()):
                candidates.append((tokens + [word], score + lp))
        candidates = sorted(candidates + done, key=lambda c: c[1], reverse=True)[:beams]
        done = [c for c in candidates if c[0][-1] == eos]
        alive = [c for c in candidates if c[0][-1] != eos]
        if not alive:
            break
    return max(done or alive, key=lambda c: c[1])

# %% right: heap_and_early_end
# heapq.nlargest over a generator, (score, tokens) tuples, and an early end once the best
# hypothesis is finished
import heapq


def beam_search(next_logits, bos, eos, max_len, beams):
    def children(score, words):
        if words[-1:] == (eos,):
            yield score, words
        else:
            prefix = torch.tensor((bos,) + words).unsqueeze(0)
            for word, gain in enumerate(next_logits(prefix).log_softmax(1).squeeze(0).tolist()):
                yield score + gain, words + (word,)

    beam = [(0.0, ())]
    for _ in range(max_len):
        beam = heapq.nlargest(beams, (child for old in beam for child in children(*old)))
        if beam[0][1][-1] == eos:  # scores only fall: nothing can overtake it
            break
    score, words = beam[0]
    return list(words), score

# %% wrong: sums_raw_logits (raw-logits)
# adds up the logits as they are, without the softmax: breaks "the sum of the **log
# probabilities** (log softmax of the logits) of all its tokens"
def beam_search(next_logits, bos, eos, max_len, beams):
    hypotheses = [([], 0.0)]
    for _ in range(max_len):
        candidates = []
        for tokens, score in hypotheses:
            if tokens and tokens[-1] == eos:
                candidates.append((tokens, score))
                continue
            scores = next_logits(torch.tensor([[bos] + tokens]))[0]
            for word in range(len(scores)):
                candidates.append((tokens + [word], score + scores[word].item()))
        hypotheses = sorted(candidates, key=lambda c: c[1], reverse=True)[:beams]
    return hypotheses[0]
