# %% wrong: columns_from_ids (vocabulary-guessed)
# lets one_hot guess the number of columns from the largest id in the sentence; breaks "as many
# columns as the *table* has rows"
def one_hot_lookup(ids, table):
    one_hot = F.one_hot(ids).to(table.dtype)
    return one_hot @ table

# %% wrong: everything_float32 (fixed-dtype)
# casts both factors to float32 so that the product does not complain; breaks "The result has the
# dtype of the table"
def one_hot_lookup(ids, table):
    one_hot = F.one_hot(ids, num_classes=table.shape[0]).float()
    return torch.matmul(one_hot, table.float())

# %% wrong: picks_rows (not-allowed)
# takes the table apart into rows and stacks the wanted ones, which gives the numbers but is a
# look-up by index; breaks "as a product of a one-hot matrix with the table"
def one_hot_lookup(ids, table):
    rows = table.unbind(0)
    return torch.stack([rows[i] for i in ids.tolist()])

# %% right: comparison_and_einsum
# makes the one-hot matrix by comparing the ids with all word numbers
def one_hot_lookup(ids, table):
    words = torch.arange(table.size(0), device=ids.device)
    hot = torch.where(ids[:, None] == words, 1, 0).type_as(table)
    return torch.einsum("tv,vd->td", hot, table)
