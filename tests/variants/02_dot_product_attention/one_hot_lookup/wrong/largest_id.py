# misconception: vocabulary-guessed
def one_hot_lookup(ids, table):
    n = int(ids.max()) + 1
    rows = torch.zeros(len(ids), n)
    rows[torch.arange(len(ids)), ids] = 1.0
    return torch.matmul(rows, table)
