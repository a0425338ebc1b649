# %% wrong: population_std (divides-by-n)
# divides by N in the standard deviation as NumPy does; breaks "torch's `std`, which divides by N
# − 1"
def standardise(train, test):
    mean = train.mean(dim=0)
    var = ((train - mean) ** 2).mean(dim=0)
    std = var.sqrt()
    std = torch.where(std == 0, torch.ones_like(std), std)
    return (train - mean) / std, (test - mean) / std

# %% wrong: small_epsilon (epsilon-for-zero)
# adds 1e-8 to the standard deviation, so a column that is constant in train but varies in test
# explodes; breaks "Only subtract its mean; do not divide"
def standardise(train, test):
    mu = train.mean(0, keepdim=True)
    sigma = train.std(0, keepdim=True) + 1e-8
    return (train - mu) / sigma, (test - mu) / sigma

# %% wrong: one_constant_stops_all (no name)
# asks whether any column is constant and then divides none; breaks "A column that is constant in
# `train` ... Only subtract its mean" (the others are divided)
def standardise(train, test):
    mean, std = train.mean(dim=0), train.std(dim=0)
    if (std == 0).any():
        return train - mean, test - mean
    return (train - mean) / std, (test - mean) / std

# %% wrong: constant_becomes_zero (constant-column-erased)
# sets a column that is constant in train to 0 in both tables; breaks "In `test` the same column
# may well vary" (example: 9 becomes 5)
def standardise(train, test):
    mean, std = train.mean(dim=0), train.std(dim=0)

    def scale(table):
        scaled = (table - mean) / std
        scaled[:, std == 0] = 0
        return scaled

    return scale(train), scale(test)

# %% right: column_by_column
# plain loops over the columns, and a constant column is recognised by comparing with its first
# entry
def standardise(train, test):
    new_train, new_test = torch.zeros_like(train), torch.zeros_like(test)
    for j in range(train.shape[1]):
        column = train[:, j]
        if bool((column == column[0]).all()):
            centre, width = column[0], 1.0
        else:
            centre, width = column.mean(), column.std()
        new_train[:, j] = (column - centre) / width
        new_test[:, j] = (test[:, j] - centre) / width
    return new_train, new_test
