# %% wrong: einsum_with_one_batch (no name)
# writes an einsum for exactly one leading axis, which raises an error for none or two; breaks
# "... stands for any number of leading axes, none included"
def general_scores(query, key, w):
    return torch.einsum("btd,de,bse->bts", query, w, key)

# %% wrong: from_the_side_of_the_keys (transposed)
# starts at the keys and forgets to turn the result, which is (..., S, T); breaks "-> (..., T,
# S)", one row per query
def general_scores(query, key, w):
    projected = key @ w.mT
    return projected @ query.transpose(-2, -1)

# %% wrong: scaled_scores (scaled)
# divides by the root of the size of the keys; breaks "They return **scores**: no softmax, no
# scale"
def general_scores(query, key, w):
    return (query @ w) @ key.mT / key.shape[-1] ** 0.5

# %% right: linear_layer
# lets F.linear do the transpose of the matrix
def general_scores(query, key, w):
    asked = F.linear(key, w)  # (..., S, Dq), the same as key @ w.T
    return torch.matmul(query, asked.mT)
