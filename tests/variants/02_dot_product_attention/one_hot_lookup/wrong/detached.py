# misconception: no-gradient
def one_hot_lookup(ids, table):
    return F.one_hot(ids, len(table)).float() @ table.detach()
