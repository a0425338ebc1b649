# misconception: -
def cosine_scores(query, key):
    cos = F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    return torch.rad2deg(torch.acos(cos.clamp(-1, 1)))
