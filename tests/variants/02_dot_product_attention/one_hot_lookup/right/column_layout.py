def one_hot_lookup(ids, table):
    hot = F.one_hot(ids, len(table)).double().T  # (V, T)
    return (table.double().T @ hot).T.float()
