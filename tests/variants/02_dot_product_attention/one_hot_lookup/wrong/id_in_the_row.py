# misconception: ids-scaled
def one_hot_lookup(ids, table):
    hot = torch.zeros(len(ids), len(table))
    for t in range(len(ids)):
        hot[t, ids[t]] = ids[t].float()
    return hot @ table
