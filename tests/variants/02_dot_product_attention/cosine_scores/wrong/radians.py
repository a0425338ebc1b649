# misconception: angle
def cosine_scores(query, key):
    cos = F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    return torch.acos(cos.clamp(-1, 1))
