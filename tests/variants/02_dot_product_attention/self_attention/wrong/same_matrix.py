# misconception: one-matrix-for-both
def self_attention(x, w_q, w_k, w_v):
    q = k = x @ w_q
    return scaled_dot_product_attention(q, k, x @ w_v)
