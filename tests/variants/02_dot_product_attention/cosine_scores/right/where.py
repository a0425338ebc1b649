def cosine_scores(query, key):
    def unit(x):
        n = x.pow(2).sum(-1, keepdim=True).sqrt()
        return torch.where(n > 0, x / torch.where(n > 0, n, torch.ones_like(n)), torch.zeros_like(x))

    return unit(query) @ unit(key).transpose(-2, -1)
