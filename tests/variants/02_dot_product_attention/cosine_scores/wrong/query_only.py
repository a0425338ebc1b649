# misconception: only-queries-normalised
def cosine_scores(query, key):
    length = query.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    return (query / length) @ key.mT
