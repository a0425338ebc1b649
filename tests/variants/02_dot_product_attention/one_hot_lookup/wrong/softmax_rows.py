# misconception: softened
def one_hot_lookup(ids, table):
    hot = F.one_hot(ids, len(table)).float()
    return F.softmax(hot, dim=-1) @ table
