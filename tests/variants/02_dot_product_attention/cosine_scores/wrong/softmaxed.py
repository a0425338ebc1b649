# misconception: softmax-included
def cosine_scores(query, key):
    s = F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    return s.softmax(-1)
