def one_hot_lookup(ids, table):
    rows = torch.zeros(len(ids), len(table))
    for t in range(len(ids)):
        for v in range(len(table)):
            if ids[t] == v:
                rows[t, v] = 1.0
    return rows @ table
