# misconception: not-floating
def one_hot_lookup(ids, table):
    hot = ids.unsqueeze(1) == torch.arange(table.size(0)).unsqueeze(0)
    return hot @ table
