# misconception: divides-by-zero
def cosine_scores(query, key):
    lengths = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    return query @ key.mT / lengths
