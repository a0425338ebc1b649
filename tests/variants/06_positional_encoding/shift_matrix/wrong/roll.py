# misconception: features-moved
def shift_matrix(offset, dim):
    return torch.roll(torch.eye(dim), shifts=offset, dims=0)
