# %% wrong: generous_epsilon (epsilon-too-large)
# adds 0.001 to each length to be on the safe side, which shrinks the scores of short vectors;
# breaks "A small number to protect a division, up to about 10^-8"
def cosine_scores(query, key):
    q = query / (query.norm(dim=-1, keepdim=True) + 1e-3)
    k = key / (key.norm(dim=-1, keepdim=True) + 1e-3)
    return q @ k.mT

# %% wrong: only_keys_normalised (only-keys-normalised)
# divides by the length of the keys only, since the query's length does not change the ranking;
# breaks "Length does not count"
def cosine_scores(query, key):
    key = F.normalize(key, dim=-1)
    return query @ key.transpose(-2, -1)

# %% wrong: zero_check_for_all_at_once (divides-by-zero)
# returns zeros only when a whole tensor is zero, so a single zero vector among others still gives
# 0/0; breaks "it scores 0 with everything, and there is no NaN"
def cosine_scores(query, key):
    scores = query @ key.mT
    if (query == 0).all() or (key == 0).all():
        return torch.zeros_like(scores)
    lengths = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    return scores / lengths

# %% wrong: angle_itself (angle)
# returns the angle instead of its cosine; breaks "the cosine of the angle"
def cosine_scores(query, key):
    q = F.normalize(query, dim=-1)
    k = F.normalize(key, dim=-1)
    cosine = (q @ k.mT).clamp(-1 + 1e-6, 1 - 1e-6)
    return torch.acos(cosine)

# %% right: torch_pairs
# torch's own cosine similarity on all pairs by broadcasting
def cosine_scores(query, key):
    return F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1, eps=1e-12)
