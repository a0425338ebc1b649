# misconception: returns-nothing
def one_hot_lookup(ids, table):
    result = F.one_hot(ids, len(table)).float() @ table
