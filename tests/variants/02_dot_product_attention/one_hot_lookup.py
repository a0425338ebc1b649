# %% right: column_layout
def one_hot_lookup(ids, table):
    hot = F.one_hot(ids, len(table)).double().T  # (V, T)
    return (table.double().T @ hot).T.to(table.dtype)


# %% right: comparison
def one_hot_lookup(ids, table):
    V = table.shape[0]
    hot = ids[:, None] == torch.arange(V)[None, :]
    return hot.to(table.dtype) @ table


# %% right: double_loop
def one_hot_lookup(ids, table):
    rows = torch.zeros(len(ids), len(table), dtype=table.dtype)
    for t in range(len(ids)):
        for v in range(len(table)):
            if ids[t] == v:
                rows[t, v] = 1.0
    return rows @ table


# %% right: einsum
def one_hot_lookup(ids, table):
    hot = F.one_hot(ids, num_classes=table.size(0)).type_as(table)
    return torch.einsum("tv,vd->td", hot, table)


# %% right: eye
def one_hot_lookup(ids, table):
    return torch.eye(len(table), dtype=table.dtype)[ids] @ table


# %% right: scatter
def one_hot_lookup(ids, table):
    rows = table.new_zeros(ids.shape[0], table.shape[0]).scatter_(1, ids.unsqueeze(1), 1.0)
    return torch.mm(rows, table)


# %% right: stacked_products
def one_hot_lookup(ids, table):
    out = []
    for i in ids:
        row = table.new_zeros(table.shape[0])
        row[int(i)] = 1
        out.append(row @ table)
    return torch.stack(out)


# %% wrong: largest_id (vocabulary-guessed)
def one_hot_lookup(ids, table):
    n = int(ids.max()) + 1
    rows = torch.zeros(len(ids), n)
    rows[torch.arange(len(ids)), ids] = 1.0
    return torch.matmul(rows, table)


# %% wrong: no_num_classes (vocabulary-guessed)
def one_hot_lookup(ids, table):
    rows = F.one_hot(ids).float()  # (T, V)
    return rows @ table


# %% wrong: bool_matrix (not-floating)
def one_hot_lookup(ids, table):
    hot = ids.unsqueeze(1) == torch.arange(table.size(0)).unsqueeze(0)
    return hot @ table


# %% wrong: long_matrix (not-floating)
def one_hot_lookup(ids, table):
    one_hot = F.one_hot(ids, num_classes=table.shape[0])
    return torch.matmul(one_hot, table)


# %% wrong: columns (transposed-one-hot)
def one_hot_lookup(ids, table):
    V, D = table.shape
    hot = torch.zeros(V, len(ids))
    for t, i in enumerate(ids):
        hot[i, t] = 1
    return hot @ table


# %% wrong: first_is_one (counts-from-one)
def one_hot_lookup(ids, table):
    V = table.shape[0]
    names = torch.arange(V) + 1
    return (ids.view(-1, 1) == names).float().mm(table)


# %% wrong: sentence_vector (bag-of-words)
def one_hot_lookup(ids, table):
    counts = torch.zeros(table.shape[0])
    for i in ids:
        counts[i] += 1
    return counts @ table


# %% wrong: just_the_rows (no-product)
def one_hot_lookup(ids, table):
    return torch.eye(table.shape[0])[ids]


# %% wrong: softmax_rows (softened)
def one_hot_lookup(ids, table):
    hot = F.one_hot(ids, len(table)).float()
    return F.softmax(hot, dim=-1) @ table


# %% wrong: id_in_the_row (ids-scaled)
def one_hot_lookup(ids, table):
    hot = torch.zeros(len(ids), len(table))
    for t in range(len(ids)):
        hot[t, ids[t]] = ids[t].float()
    return hot @ table


# %% wrong: detached (no-gradient)
def one_hot_lookup(ids, table):
    return F.one_hot(ids, len(table)).to(table.dtype) @ table.detach()


# %% wrong: embedding_layer (not-allowed)
def one_hot_lookup(ids, table):
    layer = nn.Embedding.from_pretrained(table)
    return layer(ids)


# %% wrong: forgets_return (returns-nothing)
def one_hot_lookup(ids, table):
    result = F.one_hot(ids, len(table)).float() @ table


# %% wrong: indexes (not-allowed)
def one_hot_lookup(ids, table):
    return table[ids]


# %% wrong: list_of_rows (not-allowed)
def one_hot_lookup(ids, table):
    rows = list(table)
    return torch.stack([rows[i] for i in ids.tolist()])


# %% right: own_keyword
def product(ids, embedding):
    hot = (ids[:, None] == torch.arange(len(embedding))).to(embedding.dtype)
    return hot @ embedding


def one_hot_lookup(ids, table):
    return product(ids, embedding=table)


# %% wrong: float_one_hot (fixed-dtype)
def one_hot_lookup(ids, table):
    return F.one_hot(ids, len(table)).float() @ table


# %% wrong: identity_rows (fixed-dtype)
def one_hot_lookup(ids, table):
    return torch.eye(table.shape[0])[ids] @ table


# %% wrong: float_result (fixed-dtype)
def one_hot_lookup(ids, table):
    hot = F.one_hot(ids, table.shape[0]).double()
    return (hot @ table.double()).float()


# %% wrong: double_result (fixed-dtype)
def one_hot_lookup(ids, table):
    return F.one_hot(ids, table.shape[0]).double() @ table.double()
