# %% right: where
def standardise(train, test):
    mean, deviation = train.mean(0), train.std(0)
    deviation = torch.where(deviation == 0, 1.0, deviation)
    return (train - mean) / deviation, (test - mean) / deviation


# %% right: mask_of_constant_columns
def standardise(train, test):
    mu = train.mean(dim=0, keepdim=True)
    sigma = train.std(dim=0, keepdim=True)
    sigma = sigma.masked_fill(sigma == 0, 1)
    scale = lambda table: (table - mu) / sigma
    return scale(train), scale(test)


# %% right: column_by_column
def standardise(train, test):
    old, new = [], []
    for column in range(train.shape[1]):
        mean = train[:, column].mean()
        std = train[:, column].std()
        a, b = train[:, column] - mean, test[:, column] - mean
        if std > 0:
            a, b = a / std, b / std
        old.append(a)
        new.append(b)
    return torch.stack(old, 1), torch.stack(new, 1)


# %% right: by_hand_in_float64
def standardise(train, test):
    x = train.double()
    n = x.shape[0]
    mean = x.sum(0) / n
    variance = ((x - mean) ** 2).sum(0) / (n - 1)
    factor = torch.where(variance > 0, variance, torch.ones_like(variance)) ** -0.5
    return ((x - mean) * factor).to(train.dtype), ((test - mean) * factor).to(test.dtype)


# %% right: both_together_then_split
def standardise(train, test):
    std, mean = torch.std_mean(train, dim=0)
    std = std + (std == 0)
    both = (torch.cat([train, test]) - mean) / std
    return both[: len(train)], both[len(train):]


# %% right: without_gradients
def standardise(train, test):
    with torch.no_grad():
        mean, std = train.mean(0), train.std(0)
        std[std == 0] = 1
        return (train - mean) / std, (test - mean) / std


# %% right: rows_in_a_list
def standardise(train, test):
    mean = sum(row for row in train) / len(train)
    spread = train.var(0).sqrt()
    spread[spread == 0] = 1.0
    rows = [(row - mean) / spread for row in train]
    return torch.stack(rows), torch.stack([(row - mean) / spread for row in test])


# %% wrong: each_by_itself (its-own-ruler)
def standardise(train, test):
    def scale(table):
        deviation = table.std(0)
        deviation = torch.where(deviation == 0, 1.0, deviation)
        return (table - table.mean(0)) / deviation

    return scale(train), scale(test)


# %% wrong: test_mean (its-own-mean)
def standardise(train, test):
    deviation = train.std(0)
    deviation = torch.where(deviation == 0, 1.0, deviation)
    return (train - train.mean(0)) / deviation, (test - test.mean(0)) / deviation


# %% wrong: test_deviation (its-own-mean)
def standardise(train, test):
    mean = train.mean(0)
    safe = lambda s: torch.where(s == 0, 1.0, s)
    return (train - mean) / safe(train.std(0)), (test - mean) / safe(test.std(0))


# %% wrong: all_rows (ruler-of-both)
def standardise(train, test):
    everything = torch.cat([train, test], dim=0)
    mean, std = everything.mean(0), everything.std(0)
    std = torch.where(std == 0, 1.0, std)
    return (train - mean) / std, (test - mean) / std


# %% wrong: one_after_the_other (ruler-of-the-result)
def standardise(train, test):
    std = train.std(0)
    train = (train - train.mean(0)) / torch.where(std == 0, 1.0, std)
    std = train.std(0)
    test = (test - train.mean(0)) / torch.where(std == 0, 1.0, std)
    return train, test


# %% wrong: no_axis (one-ruler-for-all-columns)
def standardise(train, test):
    return (train - train.mean()) / train.std(), (test - train.mean()) / train.std()


# %% wrong: axis_one (along-the-row)
def standardise(train, test):
    a = (train - train.mean(1, keepdim=True)) / train.std(1, keepdim=True)
    return a, (test - test.mean(1, keepdim=True)) / test.std(1, keepdim=True)


# %% wrong: axis_one_of_train (no name)
def standardise(train, test):
    return (train.T - train.mean(1)).T, test


# %% wrong: biased (divides-by-n)
def standardise(train, test):
    mean = train.mean(0)
    std = ((train - mean) ** 2).mean(0).sqrt()
    std = torch.where(std == 0, 1.0, std)
    return (train - mean) / std, (test - mean) / std


# %% wrong: var (variance-for-deviation)
def standardise(train, test):
    mean, var = train.mean(0), train.var(0)
    var = torch.where(var == 0, 1.0, var)
    return (train - mean) / var, (test - mean) / var


# %% wrong: centred (only-centred)
def standardise(train, test):
    return train - train.mean(0), test - train.mean(0)


# %% wrong: test_not_centred (only-scaled)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    std = torch.where(std == 0, 1.0, std)
    return (train - mean) / std, test / std


# %% wrong: zero_to_one (min-max)
def standardise(train, test):
    low, high = train.min(0).values, train.max(0).values
    span = torch.where(high == low, 1.0, high - low)
    return (train - low) / span, (test - low) / span


# %% wrong: no_guard (divides-by-zero)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    return (train - mean) / std, (test - mean) / std


# %% wrong: plus_epsilon (epsilon-for-zero)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0) + 1e-8
    return (train - mean) / std, (test - mean) / std


# %% wrong: clamped (epsilon-for-zero)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0).clamp(min=1e-6)
    return (train - mean) / std, (test - mean) / std


# %% wrong: nan_to_zero (no name)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    return ((train - mean) / std).nan_to_num(), ((test - mean) / std).nan_to_num()


# %% wrong: constant_to_zero (constant-column-erased)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    keep = std > 0
    std = torch.where(keep, std, 1.0)
    return (train - mean) / std * keep, (test - mean) / std * keep


# %% wrong: constant_left_alone (constant-column-untouched)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    a, b = train.clone(), test.clone()
    for j in range(train.shape[1]):
        if std[j] != 0:
            a[:, j] = (a[:, j] - mean[j]) / std[j]
            b[:, j] = (b[:, j] - mean[j]) / std[j]
    return a, b


# %% wrong: in_place (changes-its-input)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    std = torch.where(std == 0, 1.0, std)
    with torch.no_grad():
        train -= mean
        train /= std
        test -= mean
        test /= std
    return train, test


# %% wrong: test_first (swapped-results)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    std = torch.where(std == 0, 1.0, std)
    return (test - mean) / std, (train - mean) / std


# %% wrong: train_alone (no name)
def standardise(train, test):
    mean, std = train.mean(0), train.std(0)
    std = torch.where(std == 0, 1.0, std)
    return (train - mean) / std
