# misconception: not-allowed
def one_hot_lookup(ids, table):
    return table[ids]
