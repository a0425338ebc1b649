# misconception: no-softmax
def context_vectors(x):
    scores = torch.einsum("id,jd->ij", x, x)
    return scores @ x, scores
