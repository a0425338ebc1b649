def gaussian_weights(queries, keys, bandwidth):
    def row(q):
        return F.softmax(-(q - keys) ** 2 / (2 * bandwidth ** 2), dim=0)

    return torch.vmap(row)(queries)
