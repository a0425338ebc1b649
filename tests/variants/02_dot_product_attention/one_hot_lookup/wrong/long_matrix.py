# misconception: not-floating
def one_hot_lookup(ids, table):
    one_hot = F.one_hot(ids, num_classes=table.shape[0])
    return torch.matmul(one_hot, table)
