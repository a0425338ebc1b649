def self_attention(x, w_q, w_k, w_v):
    query, key, value = x @ w_q, x @ w_k, x @ w_v
    return scaled_dot_product_attention(query, key, value)
