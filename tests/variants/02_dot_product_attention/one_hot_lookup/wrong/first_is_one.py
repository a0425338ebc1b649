# misconception: counts-from-one
def one_hot_lookup(ids, table):
    V = table.shape[0]
    names = torch.arange(V) + 1
    return (ids.view(-1, 1) == names).float().mm(table)
