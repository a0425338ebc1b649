# misconception: bag-of-words
def one_hot_lookup(ids, table):
    counts = torch.zeros(table.shape[0])
    for i in ids:
        counts[i] += 1
    return counts @ table
