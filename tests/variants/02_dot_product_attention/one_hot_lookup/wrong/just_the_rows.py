# misconception: no-product
def one_hot_lookup(ids, table):
    return torch.eye(table.shape[0])[ids]
