# misconception: vocabulary-guessed
def one_hot_lookup(ids, table):
    rows = F.one_hot(ids).float()  # (T, V)
    return rows @ table
