# %% wrong: scale_of_x (scaled-by-the-model-size)
# divides by the root of the size of the word vectors before the projection; breaks "the scale is
# the size of the *keys*, √D_k"
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ k.mT / math.sqrt(x.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights

# %% wrong: copied_line (one-matrix-for-both)
# copied the line of the queries and forgot to change the matrix for the keys; breaks "Queries,
# keys and values are three projections"
def self_attention(x, w_q, w_k, w_v):
    queries = x @ w_q
    keys = x @ w_q
    values = x @ w_v
    scores = queries @ keys.transpose(1, 2) / math.sqrt(keys.shape[-1])
    weights = F.softmax(scores, dim=-1)
    return weights @ values, weights

# %% wrong: softmax_over_batch (no name)
# normalises along axis 0, so the sentences of the batch compete; breaks "softmax runs along the
# last axis" and "The sentences of a batch never see each other"
def self_attention(x, w_q, w_k, w_v):
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v
    weights = F.softmax(q @ k.mT / k.size(-1) ** 0.5, dim=0)
    return weights @ v, weights

# %% wrong: mixes_the_words (values-not-projected)
# mixes the words themselves and forgets the projection to values; breaks "Queries, keys and
# values are three projections of the same x" and the shape (B, T, D_v)
def self_attention(x, w_q, w_k, w_v):
    d_k = w_k.shape[1]
    scores = (x @ w_q) @ (x @ w_k).mT / math.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    output = weights @ x
    return output, weights

# %% right: one_matrix_for_scores
# loops over the sentences, merges the two score matrices into one and projects the values last
def self_attention(x, w_q, w_k, w_v):
    between = w_q @ w_k.T / math.sqrt(w_k.shape[-1])
    weights = torch.stack([softmax(words @ between @ words.T) for words in x])
    return (weights @ x) @ w_v, weights
