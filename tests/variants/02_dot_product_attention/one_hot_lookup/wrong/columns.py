# misconception: transposed-one-hot
def one_hot_lookup(ids, table):
    V, D = table.shape
    hot = torch.zeros(V, len(ids))
    for t, i in enumerate(ids):
        hot[i, t] = 1
    return hot @ table
