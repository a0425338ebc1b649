# misconception: identity
def shift_matrix(offset, dim):
    return torch.eye(dim)
