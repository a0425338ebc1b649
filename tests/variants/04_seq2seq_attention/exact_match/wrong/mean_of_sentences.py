# misconception: mean-accuracy
def exact_match(predicted, target, pad):
    shares = []
    for p, t in zip(predicted, target):
        keep = t != pad
        shares.append((p[keep] == t[keep]).float().mean())
    return torch.stack(shares).mean()
