# %% wrong: crossing_word_cut (crossing-word-dropped)
# keeps only words while their sum is still at most top_p, so the word that reaches it is missing:
# breaks "the fewest words stay whose probabilities sum to at least `top_p`"
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        smallest = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, -math.inf)
    if top_p is not None:
        p, order = logits.softmax(-1).sort(dim=-1, descending=True)
        keep = p.cumsum(-1) <= top_p
        keep[:, 0] = True
        keep = torch.zeros_like(keep).scatter(-1, order, keep)
        logits = logits.masked_fill(~keep, -math.inf)
    return logits.softmax(-1)

# %% wrong: top_p_of_all_words (order-of-the-steps)
# measures top_p with the probabilities from before top_k, which are not renormalised: breaks
# "with the probabilities that the words have *now*"
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    p = torch.softmax(logits / temperature, dim=-1)
    ordered, places = p.sort(dim=-1, descending=True)
    keep = torch.ones_like(ordered, dtype=torch.bool)
    if top_k is not None:
        keep[:, top_k:] = False
    if top_p is not None:
        before = ordered.cumsum(-1) - ordered
        keep &= before < top_p
        keep[:, 0] = True
    ordered = ordered * keep
    ordered = ordered / ordered.sum(-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, places, ordered)

# %% wrong: temperature_last (order-of-the-steps)
# cuts by top_k and top_p first and divides what is left by the temperature afterwards: breaks "In
# this order: 1. divide the logits by `temperature`"
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    if top_k is not None and top_k < logits.shape[-1]:
        smallest = logits.topk(top_k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    if top_p is not None:
        p, order = torch.sort(F.softmax(logits, dim=-1), dim=-1, descending=True)
        drop = p.cumsum(-1) - p >= top_p
        drop[:, 0] = False
        drop = torch.zeros_like(drop).scatter(1, order, drop)
        logits = logits.masked_fill(drop, float("-inf"))
    return F.softmax(logits / temperature, dim=-1)

# %% wrong: top_k_too_large (no name)
# calls topk with top_k although the row may have fewer words, which raises: breaks "(all of them,
# if there are no more)"
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        values, index = torch.topk(logits, top_k, dim=-1)
        logits = torch.full_like(logits, -math.inf).scatter(-1, index, values)
    if top_p is not None:
        p, order = logits.softmax(-1).sort(dim=-1, descending=True)
        drop = (p.cumsum(-1) - p) >= top_p
        drop[:, 0] = False
        drop = drop.scatter(-1, order, drop.clone())
        logits = logits.masked_fill(drop, -math.inf)
    return logits.softmax(-1)

# %% right: word_by_word
# an ordinary loop that walks down each row from the likeliest word and writes down who stays
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits / temperature:
        order = sorted(range(len(row)), key=lambda w: -row[w].item())[:top_k]
        chances = torch.softmax(row[order], dim=0)
        if top_p is not None:
            total, count = 0.0, 0
            while count < len(order) and (count == 0 or total < top_p):
                total += chances[count].item()
                count += 1
            order = order[:count]
            chances = torch.softmax(row[order], dim=0)
        rows.append(torch.zeros_like(row).index_put((torch.tensor(order),), chances))
    return torch.stack(rows)
