def one_hot_lookup(ids, table):
    return torch.eye(len(table))[ids] @ table
