# misconception: not-allowed
def one_hot_lookup(ids, table):
    layer = nn.Embedding.from_pretrained(table)
    return layer(ids)
