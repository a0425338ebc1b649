# misconception: nothing-copied
def from_torch(mha):
    m = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    return m
