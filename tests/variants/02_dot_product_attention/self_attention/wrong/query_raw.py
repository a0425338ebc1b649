# misconception: queries-not-projected
def self_attention(x, w_q, w_k, w_v):
    k, v = x @ w_k, x @ w_v
    return scaled_dot_product_attention(x, k, v)
