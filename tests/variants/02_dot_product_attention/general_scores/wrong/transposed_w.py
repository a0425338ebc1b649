# misconception: w-transposed
def general_scores(query, key, w):
    return torch.matmul(torch.matmul(query, w.t()), key.transpose(-2, -1))
